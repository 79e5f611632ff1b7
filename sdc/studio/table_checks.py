"""Checks the table of a tried candidate as the gate of a run does: copies, lone values, domains, formats."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from sdc.errors import redacted
from sdc.gate import comparison_facts, table_facts, worst_comparison, worst_facts
from sdc.gate.decision import JudgedNumber
from sdc.gate.table_facts import table_limits
from sdc.ingest.identifier_traces import Trace, identifier_traces
from sdc.run import digest
from sdc.study.made_candidate import PlannedSteps

if TYPE_CHECKING:
    from sdc.catalogue.finding import Finding
    from sdc.catalogue.measurement import Assessment
    from sdc.profile.plan import Criterion
    from sdc.studio.trial import Trial
    from sdc.study.workplace import Workplace

UNCOUNTED = "could not be counted on this table"

_found: WeakKeyDictionary[Workplace, dict[str, tuple[Finding, ...]]] = WeakKeyDictionary()
_traces: WeakKeyDictionary[Workplace, dict[str, tuple[Trace, ...] | None]] = WeakKeyDictionary()


def known_findings(trial: Trial) -> tuple[Finding, ...] | None:
    """What the checks of the table found; None where they were not made yet."""
    return _found.get(trial.place, {}).get(_key(trial))


def check_table(trial: Trial) -> tuple[Finding, ...]:
    """A finding for every limit on the table itself, and beside the original, by our own arithmetic."""
    if (known := known_findings(trial)) is not None:
        return known
    place, profile, name = trial.place, trial.profile, trial.name

    def of_original(criterion: Criterion) -> Assessment:
        return place.measured(profile, PlannedSteps(), criterion)

    with redacted(f"checking the table of {name}"):
        steps = place.made(profile, trial.planned).candidate.steps
        pair, limits = place.pair(profile, trial.planned), table_limits(profile, steps)
        leaving = [pair.of_synthesis(number) for number in range(1, len(pair.leaving) + 1)]
        own = worst_facts(limits, [table_facts(profile, each.candidate, steps) for each in leaving])
        traces = _of_identifiers(trial)
        compared = [comparison_facts(profile, name, each, traces, of_original) for each in leaving]
        beside = worst_comparison(profile, compared)
    numbers = {
        column: JudgedNumber(count, "" if count is not None else UNCOUNTED) for column, count in own.items()
    }
    numbers |= {column: JudgedNumber(fact.number, fact.words) for column, fact in beside.items()}
    made = tuple(limit.check(name, numbers[limit.column]) for limit in limits)
    _found.setdefault(place, {})[_key(trial)] = made
    return made


def _of_identifiers(trial: Trial) -> tuple[Trace, ...] | None:
    """Traces of the direct identifiers, read once for the variables as they are declared."""
    place, profile = trial.place, trial.profile
    held = _traces.setdefault(place, {})
    key = digest.of_bytes(digest.canonical([profile.variables]))
    if key not in held:
        held.clear()
        held[key] = identifier_traces(profile, place.base, place.ingested.sha256, place.directory)
    return held[key]


def _key(trial: Trial) -> str:
    """All that the checks depend on: steps, variables, and the criteria that must stop the original."""
    profile = trial.profile
    told = [trial.planned.key, profile.variables, profile.missing_keys, profile.criteria]
    return digest.of_bytes(digest.canonical(told))
