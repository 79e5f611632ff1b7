"""Runs one measure on one pair, guarded: gives a value, or the reason why there is none."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sdc.catalogue.measurement import Assessment, Measurement, NotAssessed
from sdc.catalogue.registry import Measure, Need, find_measure
from sdc.errors import StepFailed, redacted
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

    A measure that breaks is not assessed: its criterion shuts the gate.
    """
    entry = find_measure(name)
    given = dict(options or {})
    started = time.perf_counter()
    outcome = unmet(entry, pair) or _guarded(
        entry, pair, given, randomness or Randomness.from_seed(0), alias or name
    )
    return Assessment(name, alias or name, candidate, outcome, given, time.perf_counter() - started)


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


def _guarded(
    entry: Measure, pair: ReleasePair, options: Mapping[str, Any], randomness: Randomness, alias: str
) -> Measurement | NotAssessed:
    try:
        with redacted(entry.name), one_thread():
            arguments = entry.arguments(options)
            if entry.takes_rng:
                arguments["rng"] = randomness.stream("measure", alias)
            return entry(pair, **arguments)
    except StepFailed as failure:
        return NotAssessed(str(failure))
