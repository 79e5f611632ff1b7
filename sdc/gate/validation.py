"""The one place where Great Expectations runs: in memory, silent and offline.

It runs one suite on one small frame at a time.
"""

from __future__ import annotations

import logging
import os
import threading
import warnings
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

_guard = threading.RLock()


def warm() -> None:
    """Import Great Expectations and build its context.

    Takes seconds the first time, so a flow calls it from a thread early on.
    """
    _definition()


def great_expectations() -> Any:
    """The library, with telemetry off before it is imported and nothing but errors we read ourselves."""
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    # A filter of its own rather than catch_warnings: that one swaps the filters of all threads.
    warnings.filterwarnings("ignore", module=r"great_expectations")
    # One of its modules sets its own level when it is imported; propagation is cut for all.
    logging.getLogger("great_expectations").setLevel(logging.CRITICAL)
    logging.getLogger("great_expectations").propagate = False
    import great_expectations

    return great_expectations


def validate(suite: Mapping[str, Any], frame: pd.DataFrame) -> dict[str, Any]:
    """What a saved suite says about a frame: success of each expectation, never a value (BOOLEAN_ONLY)."""
    with _guard:
        definition = _definition()
        made = suite_of(suite["name"], deepcopy(suite["expectations"]))
        said = definition.get_batch({"dataframe": frame}).validate(made, result_format="BOOLEAN_ONLY")
    answers = [_answer(result) for result in said.results]
    order = {place_of(expectation): number for number, expectation in enumerate(suite["expectations"])}
    answers.sort(key=lambda answer: order.get((answer["column"], answer["checks"]), len(order)))
    return {"suite": suite["name"], "success": bool(said.success), "results": answers}


def place_of(expectation: Mapping[str, Any]) -> tuple[str, str]:
    """Which number an expectation is about, and what it checks."""
    return expectation["meta"].get("column", ""), expectation["meta"].get("checks", "")


def suite_of(name: str, expectations: list[Any], meta: Mapping[str, Any] | None = None) -> Any:
    great_expectations()
    from great_expectations.core.expectation_suite import ExpectationSuite

    return ExpectationSuite(name=name, expectations=expectations, meta=dict(meta or {}))


def _definition() -> Any:
    with _guard:
        great_expectations()
        return _whole_frame()


@cache
def _whole_frame() -> Any:
    """A batch definition that takes any frame, in a context that lives in memory."""
    from great_expectations.data_context.types.base import ProgressBarsConfig

    context = great_expectations().get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    return (
        context.data_sources.add_pandas("gate")
        .add_dataframe_asset("frame")
        .add_batch_definition_whole_dataframe("whole")
    )


def _answer(result: Any) -> dict[str, Any]:
    config = result.expectation_config
    column, checks = place_of({"meta": config.meta or {}})
    severity = str(getattr(config.severity, "value", config.severity) or "critical")
    return {
        "type": config.type,
        "column": column,
        "checks": checks,
        "severity": severity,
        "success": result.success is True,
        "raised": _raised(result.exception_info),
    }


def _raised(info: Any) -> bool:
    """Whether an expectation broke; errors of metrics are nested one level down, under the metric's name."""
    if not isinstance(info, dict):
        return info is not None
    if "raised_exception" in info:
        return info["raised_exception"] is not False
    return any(_raised(nested) for nested in info.values())
