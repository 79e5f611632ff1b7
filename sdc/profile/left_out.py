"""Foretells judged values that will not be known, because a step makes labels of a number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sdc.catalogue.external import maker
from sdc.catalogue.registry import measures
from sdc.catalogue.validity import touched
from sdc.profile.parts import names_variable
from sdc.profile.wording import listed

if TYPE_CHECKING:
    from sdc.errors import Fault
    from sdc.profile.plan import Criterion
    from sdc.profile.reading import Reading

LABELLING = ("global_recode", "k_anonymise")
"""Methods that make labels of numbers."""
READS_BANDS = ("ks_distance",)
"""Measures over all numeric variables that compare bands too."""


def left_out_notes(reading: Reading) -> Iterator[Fault]:
    """A note for every judged criterion over all numeric variables of which a step makes one into labels."""
    if not reading.sound("variables"):
        return
    for place, criterion in reading.criteria():
        if not (criterion.is_judged and reading.sound(*place) and _is_of_all(criterion)):
            continue
        for name in filter(criterion.covers, reading.understood):
            if labelled := _labelled(reading, name):
                problem = (
                    f"{criterion.alias} will not be judged on candidate {name!r}, which is then withheld: its"
                    f" steps make labels of {listed(labelled, 'and')}, and it is about all numeric variables"
                )
                yield reading.note(place, problem, "name those it is to judge: with: {variables: [...]}")


def _is_of_all(criterion: Criterion) -> bool:
    measure = measures().get(criterion.measure)
    return (
        measure is not None
        and measure.name not in READS_BANDS
        and not names_variable(measure, criterion.part)
        and measure.compares_all(criterion.options)
    )


def _labelled(reading: Reading, candidate: str) -> list[str]:
    profile = reading.profile
    found = [
        touched(maker(step), step.options, profile.roles)
        for step in profile.candidates[candidate]
        if step.method in LABELLING
    ]
    return [name for name in profile.roles.numeric if any(name in names for names in found)]
