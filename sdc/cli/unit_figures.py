"""Draws every measure and method on the demonstration data, for its page."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.registry import CatalogueEntry, Measure, Method, Need
from sdc.errors import BadStudy

if TYPE_CHECKING:
    from sdc.study import DrawnFigures, Study

FIGURES = "figures"
TOLD: Mapping[str, Any] = {
    "keys": ["region", "age", "sex"],
    "sensitive": ["health", "income"],
    "weight": "weight",
}
STEPS: Mapping[str, Mapping[str, Any]] = {
    "global_recode": {"age": {"width": 10}},
    "local_suppression": {"k": 3},
    "microaggregation": {"variables": ["income", "wealth"], "k": 10},
}
"""The candidate of the examples of measures."""
OTHER_STEPS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "attribution_surface": {"microaggregation": {"variables": ["age", "income"]}},
    "privacy_budget": {"laplace_noise": {"age": [0, 110], "income": [0, 20000], "epsilon": 4}},
}
"""Candidates for measures that say nothing of the usual one."""
OTHER_OPTIONS: Mapping[str, Mapping[str, Any]] = {"privacy_budget": {"variables": ["age", "income"]}}
NOT_DRAWN: Mapping[str, str] = {
    "release_difference": (
        "There is no figure: it needs a release before this one, and the demonstration has none. Give the"
        ' study the home that knows the earlier releases, `sdc.Study(..., home="...")`; without one it says'
        " that there is no ledger to ask. The manual's page on a quarterly series shows it in a profile."
    ),
}
"""Why the page of a measure has no figure."""
HELD_OUT = 0.2
"""The share of records held out where a measure needs a holdout."""


def options_of_example(entry: CatalogueEntry) -> Mapping[str, Any]:
    own = entry.example if isinstance(entry, (Measure, Method)) else {}
    return {**own, **OTHER_OPTIONS.get(entry.name, {})}


def why_not_drawn(entry: CatalogueEntry) -> str:
    """Why a page has no figure, where that is known."""
    extra = entry.extra if isinstance(entry, Method) else None
    if extra and extra.missing:
        return f"There is no figure: {extra.lack}, and they were not there when this page was made."
    return NOT_DRAWN.get(entry.name, "")


def needs_holdout(entry: CatalogueEntry) -> bool:
    return isinstance(entry, Measure) and Need.HOLDOUT in entry.needs


@cache
def demonstration(holdout: float = 0.0) -> Study:
    from sdc.study import Study
    from sdc.study.demonstration import demo_data

    return Study(demo_data(), seed=1, holdout=holdout, **TOLD)


def unit_figure(entry: CatalogueEntry, folder: Path) -> str:
    """The name of the file with the report's figure of a measure, or of what a method did; empty without."""
    drawn = _of_measurement(entry) if isinstance(entry, Measure) else _of_deed(entry)
    if not len(drawn):
        return ""
    (folder / FIGURES).mkdir(exist_ok=True)
    return f"{FIGURES}/{drawn.save(folder / FIGURES / f'{entry.name}.svg').name}"


def _of_measurement(entry: Measure) -> DrawnFigures:
    study = demonstration(HELD_OUT if needs_holdout(entry) else 0.0)
    (first, *others) = OTHER_STEPS.get(entry.name, STEPS).items()
    safe = study.protect(*first)
    for step in others:
        safe = safe.protect(*step)
    return safe.assess(**{entry.name: options_of_example(entry)}).plot()


def _of_deed(entry: CatalogueEntry) -> DrawnFigures:
    """A variable that the example of a method changes, before and after."""
    from sdc.study.drawings import DrawnFigures

    assert isinstance(entry, Method)
    if entry.extra and entry.extra.missing:
        return DrawnFigures((), "its packages are not installed")
    made = _study_for(entry).protect(entry.name, options_of_example(entry))
    changed = [name for counts in made.changes.values() for name in counts]
    for name in [*changed, *made.study.keys]:
        with suppress(BadStudy):
            if len(drawn := made.plot(name)):
                return drawn
    return DrawnFigures((), "nothing to draw")


def _study_for(entry: Method) -> Study:
    """The demonstration, or as few of its variables as the example of a method needs."""
    from sdc.study import Study
    from sdc.study.demonstration import demo_data

    if not entry.example_variables:
        return demonstration()
    import pandas as pd

    few = entry.example_variables
    keys, sensitive = ([name for name in TOLD[key] if name in few] for key in ("keys", "sensitive"))
    return Study(pd.read_csv(demo_data(), usecols=[*few]), keys=keys, sensitive=sensitive, seed=1)
