"""OpenDP's algorithms of noisy marginals, made steady against the last digits of a privacy budget."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

SLACK = 1e-9
"""The share of a selection's budget left unspent: rounded shares of it may add up to more than the whole."""
Select = Callable[..., Any]


def steady() -> Any:
    """The library, ready for use, with two corrections.

    Neither correction spends more than it was given: the library's own accountant checks both.
    """
    import opendp.extras.mbi._aim as aim  # type: ignore[import-not-found]
    import opendp.extras.mbi._mst as mst  # type: ignore[import-not-found]
    import opendp.prelude as dp  # type: ignore[import-not-found]
    from opendp.mod import OpenDPException  # type: ignore[import-not-found]

    dp.enable_features("contrib")
    _replace(aim, "_make_aim_select", lambda select: _ending(select, OpenDPException))
    _replace(mst, "_make_mst_select", _saving)
    return dp


def expected_polars() -> str:
    """The release of polars that the library was built for, where it names one; it works with no other."""
    from importlib.metadata import requires

    asked = [need for need in requires("opendp") or () if re.match(r"polars\s*==", need)]
    return asked[0].partition("==")[2].partition(";")[0].strip() if asked else ""


def _replace(module: Any, name: str, changed: Callable[[Select], Select]) -> None:
    select = getattr(module, name)
    if not hasattr(select, "__wrapped__"):
        setattr(module, name, changed(select))


def _ending(select: Select, failure: type[Exception]) -> Select:
    """Lets AIM end where too little of the budget is left.

    AIM also spends what rounding left over. Where that is too little for another table, it ends, as it is
    meant to.
    """

    @wraps(select)
    def chosen(*spaces: Any, **given: Any) -> Any:
        try:
            return select(*spaces, **given)
        except failure:
            return None

    return chosen


def _saving(select: Select) -> Select:
    """Keeps MST within its budget: rounded parts of many selections may exceed the whole by a digit."""

    @wraps(select)
    def chosen(*spaces: Any, d_out: float, **given: Any) -> Any:
        return select(*spaces, d_out=d_out * (1.0 - SLACK), **given)

    return chosen
