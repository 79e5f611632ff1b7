"""Measures size and time of the report of a million records, and time of a page of 5,000 runs.

python benchmarks/bench_report.py [report] [runs]

The report is made by the report's own functions from two tables in DuckDB, not by a whole release: what
differs is only who calls them.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from survey import ROLES, survey

from sdc.audit.chain import Entry, Event, Head
from sdc.catalogue.candidate import Candidate
from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Measurement
from sdc.data.database import Database
from sdc.data.release_pair import ReleasePair
from sdc.gate.decision import Decision, Verdict
from sdc.gate.judged import JudgedCandidate
from sdc.profile import Profile
from sdc.report import Edition, RunFacts, page
from sdc.report.identifiers import said_identifiers
from sdc.run.home import Home
from sdc.web.inbox import inbox
from sdc.web.ledger_state import LedgerReader
from sdc.web.listing import ListRequest, listed
from sdc.web.render import render
from sdc.web.series import families

ROWS = 1_000_000
RUNS = 5_000
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def facts() -> RunFacts:
    profile = Profile.model_validate(
        {
            "name": "survey",
            "source": {"path": "survey.csv"},
            "variables": {each.name: {"role": each.role.value, "type": each.type.value} for each in ROLES},
            "candidates": {"made": [{"method": "global_recode", "with": {"age": {"width": 10}}}]},
            "risk": [{"measure": "k_anonymity", "at_least": 1}],
        }
    )
    found = Finding(
        "k_anonymity", "risk", "made", holds=True, otherwise="withhold", value=1.0, at_least=1, margin=0.0
    )
    measured = Assessment("k_anonymity", "k_anonymity", "made", Measurement(1.0), {}, 0.1)
    made = JudgedCandidate("made", Decision("made", (found,)), (measured,), Candidate("made", rows=ROWS))
    return RunFacts(
        "run", profile, datetime.now(UTC), Verdict.PUBLISHED, (made,), "made", rows={"original": ROWS}
    )


def bench_report() -> None:
    database = Database.in_memory()
    for seed, table in enumerate(("original", "candidate")):
        database.cursor().execute(f"CREATE TABLE {table} AS {survey(ROWS, seed)}")
    started = time.perf_counter()
    database.cursor().execute(
        "SELECT region, age, sex, education, marital_status, count(*) FROM original GROUP BY ALL"
    ).fetchall()
    floor = time.perf_counter() - started
    with tempfile.TemporaryDirectory() as folder:
        for edition in Edition:
            pair = ReleasePair(database.table("original"), database.table("candidate"), ROLES, aligned=True)
            started = time.perf_counter()
            place = Path(folder) / f"{edition.value}.html"
            place.write_text(page(facts(), edition, pair))
            seconds = time.perf_counter() - started
            print(
                f"{edition.value} report of {ROWS:,} rows: {seconds:.2f} s, {seconds / floor:.0f} times one"
                " group-by of five keys, limit none"
            )
            print(
                f"{edition.value} report of {ROWS:,} rows: {place.stat().st_size / 1e6:.2f} MB, limit 10 MB"
            )
            if CHROMIUM:
                print(
                    f"{edition.value} report of {ROWS:,} rows opened: {opened(place):.2f} s (median of 5 in"
                    " Chromium), limit 3 s"
                )

    started = time.perf_counter()
    names = {"name": (f"Anna-Lena Svensson {number}" for number in range(ROWS))}
    assert not said_identifiers(page(facts(), Edition.INTERNAL), names, frozenset)
    print(f"a million names looked for in a report: {time.perf_counter() - started:.2f} s, limit none")


def opened(place: Path) -> float:
    """Seconds until the page has loaded and its first picture was drawn."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        taken = []
        for _ in range(5):
            shown: Any = browser.new_page()
            started = time.perf_counter()
            shown.goto(place.as_uri())
            shown.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            taken.append(time.perf_counter() - started)
            shown.close()
        browser.close()
    return statistics.median(taken)


def bench_runs() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Home.at(Path(folder) / "home")
        write_ledger(home)
        started = time.perf_counter()
        home.ledger.read_bytes()
        floor = time.perf_counter() - started
        reader = LedgerReader(home)
        for name, limit in (("first look, the chain verified", "none"), ("every further look", "0.1 s")):
            started = time.perf_counter()
            book = reader.book()
            shown = listed(book, ListRequest(words="survey", sort="-missed", page=3))
            render("runs.html", list=shown, inbox=inbox(home, book, None), families=families(book))
            seconds = time.perf_counter() - started
            print(
                f"list of {RUNS:,} runs, {name}: {seconds:.3f} s, {seconds / floor:.0f} times reading the"
                f" file, limit {limit}"
            )


def write_ledger(home: Home) -> None:
    head, lines = Head(), []
    body = {
        "candidates": {"made": {"does_not_hold": ["k_anonymity"]}},
        "outputs": {f"file{number}": "0" * 64 for number in range(8)},
    }
    for number in range(RUNS):
        run, when = (
            f"20260101T000000Z-survey_{number % 20}-{number:06x}",
            f"2026-{1 + number % 12:02d}-01T10:00:00Z",
        )
        for event, facts in (
            (Event.STARTED, {"producer": "paula"}),
            (Event.PUBLISHING, {"bundle": run}),
            (Event.PUBLISHED, body),
        ):
            entry = Entry.following(
                head, event, time=when, run=run, profile=f"survey_{number % 20}", body=facts
            )
            head = head.after(entry)
            lines.append(entry.line)
    home.ledger.write_bytes(b"".join(lines))
    home.ledger.with_suffix(".head").write_bytes(head.as_bytes())


def main() -> None:
    for name in sys.argv[1:] or ["report", "runs"]:
        {"report": bench_report, "runs": bench_runs}[name]()


if __name__ == "__main__":
    main()
