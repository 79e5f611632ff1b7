"""Ends a release: its reports before anything leaves, its record as soon as it has left."""

from __future__ import annotations

from sdc.gate.decision import Verdict
from sdc.publish import Published
from sdc.report import Edition, RunFacts
from tasks.audit import record
from tasks.outcome import Outcome, show_outcome
from tasks.report import report


def write_reports(run: str, facts: RunFacts) -> str:
    """The internal report in the directory of the run, and the public page where something may leave.

    The page of a referred run is refused now if it must be: the source may be another file when people
    decide.
    """
    public = "" if facts.verdict is Verdict.WITHHELD else report(run, facts, Edition.PUBLIC)
    report(run, facts, Edition.INTERNAL)
    return public


def conclude(run: str, facts: RunFacts, published: Published | None) -> Outcome:
    """Seal the record, and say how the run ended."""
    record(run, facts, published)
    return show_outcome(run, facts, published)
