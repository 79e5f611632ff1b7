"""Runs one measure on one pair, guarded: gives a value, or the reason why there is none."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdc.catalogue.measurement import BANDS, NOT_COMPARED, Assessment, Measurement, NotAssessed
from sdc.catalogue.registry import Measure, Need, find_measure
from sdc.catalogue.units import Better
from sdc.errors import StepFailed, redacted
from sdc.measures.bands import recoded_numbers
from sdc.run.randomness import Randomness

if TYPE_CHECKING:
    from sdc.data.release_pair import ReleasePair
from sdc.kernels.one_thread import one_thread

LACKING = {
    Need.ALIGNED: "the candidate's records do not stand one for one in the order of the original's",
    Need.QUASI_IDENTIFIERS: "no variable is a quasi-identifier",
    Need.SENSITIVE: "no variable is sensitive",
    Need.NUMERIC: "no variable is numeric",
    Need.WEIGHT: "no variable is a weight",
    Need.HOUSEHOLD: "no variable is a household number",
    Need.POPULATION: "there is no population file",
    Need.HOLDOUT: "no records were held out",
}


def assess(
    name: str,
    pair: ReleasePair,
    options: Mapping[str, Any] | None = None,
    *,
    alias: str = "",
    candidate: str = "candidate",
    randomness: Randomness | None = None,
) -> Assessment:
    """Run a measure by name, with the random numbers of a release or, without one, always the same.

    A measure that breaks is not assessed: its criterion shuts the gate. Where several syntheses leave, it is
    taken on each with the same random numbers, and the worst counts, unless it combines them itself.
    """
    entry = find_measure(name)
    given = dict(options or {})
    started = time.perf_counter()
    chance = randomness or Randomness.from_seed(0)
    outcome: Measurement | NotAssessed | None = unmet(entry, pair)
    if outcome is None and (entry.combines or len(pair.leaving) == 1):
        outcome = _guarded(entry, pair, given, chance, alias or name)
    elif outcome is None:
        copies = map(pair.of_synthesis, range(1, len(pair.leaving) + 1))
        outcome = worst([_guarded(entry, each, given, chance, alias or name) for each in copies], entry)
    return Assessment(name, alias or name, candidate, outcome, given, time.perf_counter() - started)


def worst(outcomes: Sequence[Measurement | NotAssessed], entry: Measure) -> Measurement | NotAssessed:
    """The worst of what was measured on several syntheses, by the worse end of each, with all of them.

    One that could not be assessed cannot be judged, and so cannot all.
    """
    found: list[Measurement] = []
    for number, outcome in enumerate(outcomes, start=1):
        if isinstance(outcome, NotAssessed):
            return NotAssessed(f"synthesis {number} of {len(outcomes)}: {outcome.reason}")
        found.append(outcome)

    def badness(measurement: Measurement) -> float:
        interval = measurement.interval
        low, high = (interval.low, interval.high) if interval else (measurement.value, measurement.value)
        return -low if entry.better is Better.HIGHER else high

    place = max(range(len(found)), key=lambda number: badness(found[number]))
    return replace(
        found[place],
        syntheses=tuple(replace(each, by_record=None) for each in found),
        synthesis=place + 1,
    )


def unmet(entry: Measure, pair: ReleasePair) -> NotAssessed | None:
    """The first need of a measure that a pair does not meet."""
    met = {
        Need.ALIGNED: pair.aligned,
        Need.QUASI_IDENTIFIERS: bool(pair.roles.quasi_identifiers),
        Need.SENSITIVE: bool(pair.roles.sensitive),
        Need.NUMERIC: bool(pair.roles.numeric),
        Need.WEIGHT: pair.roles.weight is not None,
        Need.HOUSEHOLD: pair.roles.household is not None,
        Need.POPULATION: pair.population is not None,
        Need.HOLDOUT: pair.holdout is not None,
    }
    lacking = [LACKING[need] for need in sorted(entry.needs) if not met[need]]
    return NotAssessed(f"{entry.name} cannot be measured: {'; '.join(lacking)}") if lacking else None


def _with_left_out(
    entry: Measure, pair: ReleasePair, options: Mapping[str, Any], outcome: Measurement | NotAssessed
) -> Measurement | NotAssessed:
    """The measurement with the numeric variables that it left out, because the candidate has labels of them.

    A variable of which it counts bands was compared in them.
    """
    if isinstance(outcome, NotAssessed) or not entry.compares_all(options):
        return outcome
    recoded = [name for name in recoded_numbers(pair) if f"{BANDS}.{name}" not in outcome.parts]
    names = dict.fromkeys([*outcome.not_compared, *recoded])
    left = sorted(names, key=pair.roles.numeric.index)
    if not left:
        return outcome
    said = {NOT_COMPARED: len(left), **{f"{NOT_COMPARED}.{name}": 1 for name in left}}
    return replace(outcome, parts={**outcome.parts, **said})


def _guarded(
    entry: Measure, pair: ReleasePair, options: Mapping[str, Any], randomness: Randomness, alias: str
) -> Measurement | NotAssessed:
    try:
        with redacted(entry.name), one_thread():
            arguments = entry.arguments(options)
            if entry.takes_rng:
                arguments["rng"] = randomness.stream("measure", alias)
            return _with_left_out(entry, pair, options, entry(pair, **arguments))
    except StepFailed as failure:
        return NotAssessed(str(failure))
