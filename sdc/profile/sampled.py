"""Notes where a synthesis would hand on a sensitive variable value by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc.catalogue.external import makers
from sdc.data.roles import VariableType
from sdc.profile.needs import changed_by
from sdc.profile.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sdc.data.roles import Roles
    from sdc.errors import Fault
    from sdc.profile.reading import Reading

DERIVED = ("passive", "constant", "survival_tree")
"""Models that sample nothing, first or not."""


def sampled_notes(reading: Reading) -> Iterator[Fault]:
    """A note for each sequential synthesis that samples sensitive variables: all their values are originals.

    That is the first variable in the order, one whose model is `sample`, and one that may have no predictors.
    An automatic order is not known before the run; in households that are kept, their sizes predict the first
    variable, and a group of categories drawn together (`first`) predicts the one after it.
    """
    if not reading.sound("variables"):
        return
    roles = reading.profile.roles
    for name in reading.understood:
        steps = reading.profile.candidates[name]
        for position, step in enumerate(steps):
            if step.method != "sequential":
                continue
            told = makers()[step.method].options.model_validate(step.options).model_dump()
            changed = changed_by(reading, steps[:position])
            if found := [
                repr(variable)
                for variable in _sampled(roles, told)
                if variable in roles.sensitive and variable not in changed
            ]:
                problem = (
                    f"candidate {name!r} samples {listed(found, 'and')}, declared sensitive: all values in it"
                    " are original ones"
                )
                yield reading.note(
                    ("candidates", name, position),
                    problem,
                    "begin visit with another variable, give it predictors, or smooth it",
                )


def _sampled(roles: Roles, told: Mapping[str, Any]) -> list[str]:
    drawn = [name for name in roles.released if name not in (roles.household, roles.weight)]
    kept = told["households"] == "keep" and roles.household is not None
    named = told["visit"] if isinstance(told["visit"], list) else []
    first = [] if kept or told["first"] or told["visit"] == "automatic" else (named or drawn)[:1]
    given = {
        name: held if isinstance(held, str) else held.get("model", "cart")
        for name, held in told["models"].items()
    }
    model = {name: given.get(name, told["model"]) for name in drawn}
    sampled = [
        name
        for name in drawn
        if name in first or model[name] == "sample" or told["predictors"].get(name) == []
    ]
    numbers = [name for name in drawn if roles[name].type in (VariableType.NUMERIC, VariableType.DATE)]
    smoothed = numbers if isinstance(told["smoothing"], str) else told["smoothing"] or {}
    return [name for name in sampled if model[name] not in DERIVED and name not in smoothed]
