"""One run for a reviewer: how it ended, how each criterion stands, who decided, what there is to look at."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc.audit.record import RunView
from sdc.audit.subjects import approved, leaving, subjects
from sdc.audit.what_leaves import LeavingFiles, would_leave
from sdc.errors import headline
from sdc.gate.changes import TriedChange
from sdc.report import wording
from sdc.report.views import CandidateView, Fact
from sdc.run import digest
from sdc.run.home import is_alive
from sdc.run.plain_words import without_places
from sdc.web import run_files
from sdc.web.criteria import candidate
from sdc.web.decided import Approvals, approvals
from sdc.web.gate_choice import because, in_focus
from sdc.web.listing import Line, family_of, latest, line, moment
from sdc.web.record_doubts import doubts
from sdc.web.run_files import ReportState, report_of

if TYPE_CHECKING:
    from sdc.audit.ledger import RunRow
    from sdc.run.home import Home
    from sdc.web.ledger_state import Book

OTHERS = 200
"""So many runs to compare with are offered."""
TONES = {"published": "published", "withdrawn": "withheld", "referred": "referred", "running": "running"}
RECORDS = {
    True: "the sealed record is the one the ledger knows",
    False: "the sealed record is not the one the ledger knows: it was altered, and is not shown",
    None: "the run has no sealed record here",
}


@dataclass(frozen=True)
class EntryLine:
    """An entry of the ledger about this run."""

    sequence: int
    when: str
    event: str
    hash: str


@dataclass(frozen=True)
class RunPage:
    """A run as its page shows it; `focus` is the candidate the verdict depends on."""

    line: Line
    title: str
    description: str
    tone: str
    sentence: str
    explanation: str
    error_in_full: tuple[str, ...]
    key_facts: tuple[Fact, ...]
    focus: CandidateView | None
    missed: tuple[str, ...]
    candidates: tuple[CandidateView, ...]
    approvals: Approvals
    is_open: bool
    approvable: tuple[CandidateView, ...]
    """Candidates people may still approve; the one the gate chose, or others have approved, first."""
    like: str
    would_leave: tuple[LeavingFiles, ...]
    """What leaves with the last approval of each of them."""
    bundle: str
    files: tuple[Fact, ...]
    provenance: tuple[Fact, ...]
    entries: tuple[EntryLine, ...]
    report: ReportState
    record_holds: bool | None
    record_state: str
    kept: bool
    others: tuple[Line, ...]
    family: str
    """The series of releases it belongs to, where there are others."""


def run_view(home: Home, book: Book, run: str) -> RunView | None:
    """The run, if the ledger has it; its record only where it is the very one the ledger knows."""
    row = book.rows.get(run)
    if row is None:
        return None
    data = run_files.read(home, run, home.directory(run).record)
    holds = (
        None if data is None or "record" not in row.facts else digest.of_bytes(data) == row.facts["record"]
    )
    return RunView(
        row,
        book.entries[run],
        json.loads(data) if data and holds else None,
        holds,
        book.withdrawn,
        book.people,
    )


def run_page(home: Home, book: Book, view: RunView) -> RunPage:
    row, record = view.row, view.record or {}
    chosen, tried = leaving(view), in_focus(record)
    trials = list(map(TriedChange.from_record, record.get("trials", ())))
    doubted = doubts(record) if record else {}
    candidates = tuple(
        candidate(
            held,
            chosen=held["name"] == chosen,
            is_out=held["name"] == chosen and row.state == "published",
            original=record.get("source", {}).get("rows"),
            trials=trials if held["name"] == tried else (),
            doubted=doubted,
        )
        for held in record.get("candidates", ())
    )
    focus = next((each for each in candidates if each.name == (chosen or tried)), None)
    plan = record.get("profile", {}).get("plan", {})
    decided, approvable = approvals(view), _approvable(view, candidates)
    is_open = row.state == "referred" and bool(view.record_holds) and book.chain.holds
    return RunPage(
        line=line(row, book),
        title=plan.get("title") or row.profile,
        description=plan.get("description") or "",
        tone=TONES.get(row.state, "withheld"),
        sentence=_sentence(home, row, focus, decided),
        explanation=" ".join(filter(None, (_because(row, record, chosen), _explanation(row, decided)))),
        error_in_full=_error_in_full(row),
        key_facts=_key_facts(record, focus),
        focus=focus,
        missed=_missed(focus),
        candidates=candidates,
        approvals=decided,
        is_open=is_open,
        approvable=approvable,
        like=_like(book, row),
        would_leave=tuple(would_leave(view, each.name) for each in approvable) if is_open else (),
        bundle=str(row.facts.get("bundle", "")) if row.state == "published" else "",
        files=tuple(
            Fact(name, sha256, code=True) for name, sha256 in sorted((row.facts.get("outputs") or {}).items())
        ),
        provenance=_provenance(row, record),
        entries=tuple(
            EntryLine(entry.sequence, moment(entry.time), entry.event.value, entry.hash)
            for entry in view.entries
        ),
        report=report_of(home, view)[0],
        record_holds=view.record_holds,
        record_state=RECORDS[view.record_holds],
        kept=run_files.is_kept(home, row.run),
        others=_others(book, row),
        family=_family(book, row),
    )


def _approvable(view: RunView, candidates: Sequence[CandidateView]) -> tuple[CandidateView, ...]:
    """The candidates that may be approved: once somebody has approved one, the others may not be."""
    names = list(dict.fromkeys(approved(view.row.run, view.record or {}, view.entries).values())) or list(
        subjects(view.row.run, view.record or {})
    )
    return tuple(each for name in names for each in candidates if each.name == name)


def _because(row: RunRow, record: Mapping[str, Any], leaves: str | None) -> str:
    """Why the gate chose the candidate that waits or is out; not of one that people decided on otherwise."""
    return (
        because(record) if row.state in ("referred", "published") and leaves == record.get("chosen") else ""
    )


def _missed(focus: CandidateView | None) -> tuple[str, ...]:
    """What does not hold and is not merely noted, with the rule that demands it and what was tried."""
    if focus is None:
        return ()
    judged = [found for found in focus.findings if found.state in ("missed", "referred")]
    sentences = [
        found.change
        if found.value
        else f"{found.change} {wording.sentence(found.reason, '')}.".strip(" .") + "."
        for found in judged
    ]
    return (*sentences, *(f"{fault}." for fault in focus.checks.faults))


def _sentence(home: Home, row: RunRow, focus: CandidateView | None, decided: Approvals) -> str:
    about = f"the candidate “{focus.name}” {focus.sentence}" if focus else ""
    error = without_places(headline(str(row.facts.get("error", "")))).rstrip(".:")
    if row.state == "running":
        return (
            "Running."
            if is_alive(home, row.run)
            else (
                "Died: no process works on this run any more. The next release writes its end into the"
                " ledger."
            )
        )
    if row.state in ("failed", "crashed", "cancelled"):
        return f"{row.state.capitalize()}{f': {error}' if error else ''}."
    if row.state in ("rejected", "returned"):
        who = next(
            (f"{held.by} ({held.role})" for held in decided.heard if held.decision.startswith(row.state)),
            "a reviewer",
        )
        said = "Rejected" if row.state == "rejected" else "Returned to the producer"
        return f"{said} by {who}{f': {about}' if about else ''}."
    way = "after approval" if decided.heard else "by fasttrack" if "fasttrack" in row.facts else ""
    after = f" {way}" if way and row.state == "published" else ""
    rest = "; people decide on the rest" if row.state == "referred" else ""
    return f"{row.state.capitalize()}{after}{f': {about}' if about else ''}{rest}."


def _error_in_full(row: RunRow) -> tuple[str, ...]:
    """What an error says below its first line, where that is how the run ended."""
    lines = (
        str(row.facts.get("error", "")).splitlines()[1:]
        if row.state in ("failed", "crashed", "cancelled")
        else []
    )
    return tuple(without_places(line) for line in lines if line.strip())


def _explanation(row: RunRow, decided: Approvals) -> str:
    if row.state == "referred":
        return (
            "Nothing is published until these roles approve:"
            f" {', '.join(decided.missing or decided.roles) or 'reviewer'}."
        )
    if row.state == "returned":
        last = decided.heard[-1].reason if decided.heard else ""
        return f"Nothing was published; a new run answers it. {last}".strip()
    if row.state == "published":
        return "The bundle was written, read back and verified before it left."
    if row.state == "withdrawn":
        return f"It was published, and withdrawn later: {row.facts.get('withdrawal', {}).get('reason', '')}"
    return "" if row.state == "running" else "Nothing was published and the outbox is as it was."


def _key_facts(record: Mapping[str, Any], focus: CandidateView | None) -> tuple[Fact, ...]:
    rows = record.get("source", {}).get("rows")
    facts = [Fact("records in the original", f"{rows:,}")] if rows is not None else []
    if focus and focus.rows:
        facts.append(Fact("records in the candidate", focus.rows.text))
    if record.get("candidates"):
        count = len(record["candidates"])
        facts.append(Fact("candidates compared" if count != 1 else "candidate judged", str(count)))
    if focus and focus.findings:
        facts.append(
            Fact("criteria met", f"{sum(found.holds for found in focus.findings)} of {len(focus.findings)}")
        )
    return tuple(facts)


def _provenance(row: RunRow, record: Mapping[str, Any]) -> tuple[Fact, ...]:
    source, software, facts = record.get("source", {}), record.get("software", {}), row.facts
    lines = [
        Fact("Run", row.run, code=True),
        Fact("Started by", str(facts.get("producer", ""))),
        Fact("SHA-256 of the source", str(facts.get("source", "")), code=True),
        Fact("Records in the holdout", f"{source['holdout_rows']:,}" if source.get("holdout_rows") else ""),
        Fact("Records left out", f"{source['left_out_rows']:,}" if source.get("left_out_rows") else ""),
        Fact(
            "Records in the population",
            f"{source['population_rows']:,}" if source.get("population_rows") else "",
        ),
        Fact("SHA-256 of the profile", str(facts.get("profile_sha256", "")), code=True),
        Fact("SHA-256 of the sealed record", str(facts.get("record", "")), code=True),
        Fact("SHA-256 of the code", str(facts.get("code", "")), code=True),
        Fact("Version", str(facts.get("version", ""))),
        Fact("Python", str(software.get("python", ""))),
    ]
    return tuple(fact for fact in lines if fact.text)


def _like(book: Book, row: RunRow) -> str:
    """The run people approved that this one was found to be like."""
    like = str((row.facts.get("fasttrack") or {}).get("like", ""))
    return like if like in book.rows else ""


def _family(book: Book, row: RunRow) -> str:
    family = family_of(row)
    return family if sum(family_of(other) == family for other in book.rows.values()) > 1 else ""


def _others(book: Book, row: RunRow) -> tuple[Line, ...]:
    """Runs to compare with: of the same profile first, the newest first."""
    rest = [other for other in book.rows.values() if other.run != row.run]
    same = latest([other for other in rest if other.profile == row.profile], OTHERS)
    others = latest([other for other in rest if other.profile != row.profile], OTHERS - len(same))
    return tuple(line(other, book) for other in (*same, *others))
