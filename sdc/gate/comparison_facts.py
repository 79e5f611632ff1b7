"""Counts what must hold of a candidate beside the original and its direct identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.catalogue.finding import Concerns, Otherwise
from sdc.gate.copies import ComparedRecords, ComparisonFact, contradicted_protection, lone_values
from sdc.gate.decision import Limit
from sdc.gate.untouched import original_stopped
from sdc.ingest.identifier_traces import copies_of_dropped, copies_of_identifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc.catalogue.measurement import Assessment
    from sdc.data.release_pair import ReleasePair
    from sdc.data.table import Table
    from sdc.ingest.identifier_traces import Trace
    from sdc.profile import Criterion, Profile

ORIGINAL_STOPPED = Limit(
    "table.original_stopped",
    "table.original_stopped",
    Concerns.TABLE,
    at_least=1,
    because="a limit that the untouched original meets promises nothing",
    source="risk",
    fault=(
        "the untouched original would meet every criterion of risk that can stop this candidate; judge a"
        " measure or a limit that it fails"
    ),
)
COPIED_RECORDS = Limit(
    "table.copied_records",
    "table.copied_records",
    Concerns.TABLE,
    at_least=0,
    because="reported for every candidate",
    source="candidates",
)
CONTRADICTED_PROTECTION = Limit(
    "table.contradicted_protection",
    "table.contradicted_protection",
    Concerns.TABLE,
    at_least=0,
    at_most=0,
    because="a declared protection must show in the values",
    source="candidates",
    fault="the candidate has the original's records, which its declared protection denies",
)
LONE_VALUES = Limit(
    "table.lone_values",
    "table.lone_values",
    Concerns.TABLE,
    at_least=0,
    at_most=0,
    because="a value that one person alone has points at that person",
    source="variables",
    fault=(
        "values that exactly one original record or household has are handed on in {n} column(s); "
        "round them more coarsely, group or blank them in a further step"
    ),
)
IDENTIFIER_COPIES = Limit(
    "table.identifier_copies",
    "table.identifier_copies",
    Concerns.TABLE,
    at_least=0,
    at_most=0,
    because="direct identifiers stay behind, under whatever name",
    source="variables",
    fault="direct identifiers can be read off {n} released column(s)",
)


DROPPED_COPIES = Limit(
    "table.dropped_copies",
    "table.dropped_copies",
    Concerns.TABLE,
    at_least=0,
    at_most=0,
    otherwise=Otherwise.REFER,
    because="what is dropped should not leave under another name unseen",
    source="variables",
    fault="{n} released column(s) with the values of a dropped one, record by record",
)


def comparison_limits(profile: Profile) -> tuple[Limit, ...]:
    """The limits on the facts that are made beside the original."""
    of_identifiers = (IDENTIFIER_COPIES,) if profile.roles.direct_identifiers else ()
    of_dropped = (DROPPED_COPIES,) if profile.roles.dropped else ()
    return (
        ORIGINAL_STOPPED,
        COPIED_RECORDS,
        CONTRADICTED_PROTECTION,
        LONE_VALUES,
        *of_identifiers,
        *of_dropped,
    )


def comparison_facts(
    profile: Profile,
    candidate: str,
    pair: ReleasePair,
    traces: Sequence[Trace] | None,
    measured: Callable[[Criterion], Assessment],
) -> dict[str, ComparisonFact]:
    """One fact for each of these limits.

    `traces` are those of the direct identifiers, None where the source can no longer be read; `measured`
    takes a measure on the original in the place of the candidate.
    """
    records = ComparedRecords.of(pair.original, pair.candidate, pair.roles)
    copies = records.copied()
    facts = {
        ORIGINAL_STOPPED: original_stopped(profile, candidate, pair.steps, pair.original.rows, measured),
        COPIED_RECORDS: ComparisonFact(copies.beyond),
        CONTRADICTED_PROTECTION: contradicted_protection(records, copies, pair.steps),
        LONE_VALUES: lone_values(pair.original, pair.candidate, pair.roles),
        IDENTIFIER_COPIES: _found(traces, pair.candidate, copies_of_identifiers),
        DROPPED_COPIES: _found(traces, pair.candidate, copies_of_dropped),
    }
    return {limit.column: facts[limit] for limit in comparison_limits(profile)}


def _found(
    traces: Sequence[Trace] | None, candidate: Table, copies: Callable[[Sequence[Trace], Table], list[str]]
) -> ComparisonFact:
    if traces is None:
        return ComparisonFact(None, "the source is not the file that was read")
    found = copies(traces, candidate)
    return ComparisonFact(len(found), "; ".join(found))
