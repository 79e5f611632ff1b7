"""The page of one run, its record, and two runs side by side."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from review_home import MADE, PLAN, SEED, STEP, TestClient, candidate, finish, record
from signing_keys import PASSPHRASE, key_for

from sdc.audit.approval import APPROVE, SignedDecision, sign, subject
from sdc.audit.ledger import Event, Ledger
from sdc.audit.record import show
from sdc.errors import CannotPublish, HomeUnusable, LedgerUnusable, PageLeaks
from sdc.gate.changes import TriedChange
from sdc.run.home import Home
from sdc.run.plain_words import told, without_places
from sdc.web.two_runs import compared


def signed(home: Home, run: str, by: str, role: str, *, days: int = 30, about: str | None = None) -> None:
    """A decision as the command line writes it."""
    view = show(home, run)
    assert view.record is not None
    (held,) = view.record["candidates"]
    now = datetime.now(UTC)
    over = about or subject(run, held["sha256"], held["findings"])
    decision = SignedDecision(
        run, over, APPROVE, role, by, "small loss", now.isoformat(), (now + timedelta(days=days)).isoformat()
    )
    Ledger(home.ledger).append(run, "survey", Event.APPROVED, asdict(sign(home, decision, PASSPHRASE)))


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_a_run_shows_each_criterion_with_value_limit_margin_and_source(
    visitor: TestClient, finished: Callable[..., str]
):
    said = text_of(visitor.get(f"/runs/{finished('referred')}").text)
    assert "Survey &lt;2025&gt; &amp; more" in said
    assert "Referred: the candidate “coarse” meets 1 of 2 criteria; people decide on the rest." in said
    assert re.search(r"ks_distance .* User committee .* 0\.2 .*at most 0\.1 .* 0\.1 over", said)
    assert re.search(
        r"k_anonymity .* Rule 4\.2 · somebody stands alone: 1 .* 5 records in the class, nobody is in a smaller class .*at least 3 records in the class .* 2 to spare",
        said,
    )
    assert "What is to be decided “ks_distance” must fall from 0.2 to at most 0.1 (User committee)." in said
    assert "4,321 records in the original" in re.sub(r"(records in the original) (4,321)", r"\2 \1", said)


def test_what_the_run_tried_stands_beside_what_is_to_be_decided(visitor: TestClient, home: Home):
    missed = next(found for found in MADE["referred"].decision.findings if not found.holds)
    better = replace(missed, value=0.05, margin=0.05, holds=True)
    trial = TriedChange("rounding with to 10 instead of 100", [], (better,))
    held = record("referred", MADE["referred"], trials=[trial.as_record()])
    said = text_of(visitor.get(f"/runs/{finish(home, 'referred', held)}").text)
    assert (
        "“ks_distance” must fall from 0.2 to at most 0.1 (User committee)."
        " Tried: rounding with to 10 instead of 100 gives 0.05 and meets every criterion of risk and utility."
        in said
    )


def test_only_a_referred_run_has_the_form(visitor: TestClient, finished: Callable[..., str]):
    for outcome in ("published", "withheld", "failed", "running"):
        assert "Your decision" not in visitor.get(f"/runs/{finished(outcome)}").text
    assert "<textarea" in visitor.get(f"/runs/{finished('referred')}").text


def test_a_failed_run_says_why_without_places_on_the_disk(visitor: TestClient, finished: Callable[..., str]):
    page = visitor.get(f"/runs/{finished('failed')}").text
    assert "Failed: 2 faults in the data: people.csv: column age." in page
    assert "/srv" not in page


def test_of_a_long_error_the_heading_has_the_first_sentence_and_the_page_the_rest(
    visitor: TestClient, finished: Callable[..., str], home: Home
):
    run = finished("running")
    refused = PageLeaks(["line 7, text of p in #top: an extreme of age"])
    Ledger(home.ledger).append(run, "survey", Event.FAILED, {"error": str(refused)})
    page = visitor.get(f"/runs/{run}").text
    (heading,) = re.findall(r'<p class="sentence">(.*?)</p>', page)
    assert (
        heading
        == "Failed: the public report is refused: it would disclose facts of the original in 1 place: an extreme of age (1)."
    )
    assert "<li>line 7, text of p in #top: an extreme of age</li>" in page
    assert "recode it, cut off its ends or leave it out." in page
    assert len(re.findall("nothing was published|nothing left", page, re.IGNORECASE)) == 1


def test_a_run_nobody_works_on_any_more_is_said_to_have_died(
    visitor: TestClient, finished: Callable[..., str]
):
    assert "Died: no process works on this run" in visitor.get(f"/runs/{finished('running')}").text


def test_a_published_run_names_the_files_of_its_bundle_and_serves_none(
    visitor: TestClient, finished: Callable[..., str]
):
    run = finished("published")
    page = visitor.get(f"/runs/{run}").text
    assert "survey.csv" in page
    assert "survey-1" in page
    assert "/srv/outbox" not in page
    assert visitor.get(f"/runs/{run}/survey.csv").status_code == 404


def test_decisions_are_shown_with_the_state_of_their_signature(
    visitor: TestClient, finished: Callable[..., str], home: Home
):
    run = finished("referred")
    for person in ("anna", "bob", "carl"):
        key_for(home, person, ["reviewer", "approver"])
    signed(home, run, "anna", "reviewer")
    signed(home, run, "bob", "approver", days=-1)
    signed(home, run, "carl", "approver", about="e" * 64)
    said = text_of(visitor.get(f"/runs/{run}").text)
    assert re.search(r"anna reviewer approved coarse small loss .{30,60} holds bob", said)
    assert "the approval of bob expired" in said
    assert "the decision of carl is about another candidate" in said
    assert "Still to approve: approver." in said


def test_a_fasttracked_run_leads_to_the_one_people_approved(
    visitor: TestClient, finished: Callable[..., str], home: Home
):
    like, run = finished("published"), finished("published")
    Ledger(home.ledger).append(
        run, "survey", Event.PUBLISHED, {"fasttrack": {"like": like, "memo": "1" * 64}}
    )
    page = visitor.get(f"/runs/{run}").text
    assert "Published by fasttrack: the candidate" in page
    assert f'href="/compare?before={like}&amp;after={run}"' in page


def test_a_run_whose_directory_is_gone_is_told_from_the_ledger(
    visitor: TestClient, finished: Callable[..., str], home: Home
):
    run = finished("referred")
    shutil.rmtree(home.runs / run)
    page = visitor.get(f"/runs/{run}").text
    assert "no longer kept" in page
    assert "b" * 64 in page
    assert "<textarea" not in page
    assert visitor.get(f"/runs/{run}/record").status_code == 404


def test_an_altered_record_is_not_shown_and_not_decided_on(
    visitor: TestClient, finished: Callable[..., str], home: Home
):
    run = finished("referred")
    place = home.runs / run / "record.json"
    place.write_bytes(place.read_bytes().replace(b"4321", b"4322"))
    page = visitor.get(f"/runs/{run}").text
    assert "is not the one the ledger knows" in page
    assert "<textarea" not in page
    assert "4,322" not in page
    assert visitor.get(f"/runs/{run}/record").status_code == 404


def test_the_record_is_shown_without_what_makes_its_randomness_known(
    visitor: TestClient, finished: Callable[..., str]
):
    page = visitor.get(f"/runs/{finished()}/record").text
    assert "records_below_3" in page
    assert "Sweeney" in page
    for secret in (str(SEED), f"{SEED:,}", "0.123456"):
        assert secret not in page
    assert page.count("kept in the record, not shown") == 4


def test_two_runs_are_compared_the_earlier_first(visitor: TestClient, finished: Callable[..., str]):
    plan = {
        "seed": SEED + 1,
        "risk": [{**PLAN["risk"][0], "at_least": 2}],
        "candidates": {"coarse": [{"method": "global_recode", "with": {"age": {"width": 20}}}]},
    }
    wider = replace(STEP, options={"age": {"width": 20}}, changed={"age": 950, "region": 12})
    first = finished("referred")
    held = record(
        "published", candidate(k=7, ks=0.06, steps=(wider,)), plan, source={"sha256": "f" * 64, "rows": 4400}
    )
    second = finished("published", held)
    for address in (
        f"/compare?run={first}&run={second}",
        f"/compare?run={second}&run={first}",
        f"/compare?before={first}&after={second}",
    ):
        said = text_of(visitor.get(address).text)
        assert said.index(first) < said.index(second)
        assert "state referred published" in said
        assert "risk › k_anonymity › at_least 3 2" in said
        assert "candidates › coarse › global_recode › with › age › width 10 20" in said
        assert "seed kept in the record, not shown kept in the record, not shown; another one" in said
        assert "records 4,321 4,400" in said
        assert "k_anonymity of coarse 5 7 +2 better holds" in said
        assert "ks_distance of coarse 0.2 0.06 −0.14 better does not hold → then holds" in said
        assert "propensity_mse of coarse not assessed not assessed same not judged" in said
        assert "coarse, step 1 global_recode (age: width: 10) global_recode (age: width: 20)" in said
        assert "coarse, step 1, values changed 912 962" in said
        assert str(SEED) not in said.replace(",", "")
    assert text_of(visitor.get(f"/compare?before={second}&after={first}").text).index(second) < said.index(
        second
    )


def test_the_same_run_twice_has_no_change_but_its_name(visitor: TestClient, finished: Callable[..., str]):
    assert (
        "Nothing that was compared has changed."
        in visitor.get(f"/compare?run={finished()}&run={finished()}").text
    )


def test_without_a_record_the_ledgers_facts_are_compared(
    visitor: TestClient, finished: Callable[..., str], home: Home
):
    first, second = finished(), finished("withheld")
    shutil.rmtree(home.runs / first)
    said = text_of(visitor.get(f"/compare?run={first}&run={second}").text)
    assert f"The sealed record of {first} is not here" in said
    assert "state published withheld" in said


@pytest.mark.parametrize("query", ["", "?run=a", "?run=a&run=b&run=c", "?before=a"])
def test_one_run_or_three_are_not_compared(visitor: TestClient, query: str):
    answer = visitor.get(f"/compare{query}")
    assert answer.status_code == 400
    assert "Two runs are compared" in answer.text


def test_a_plan_is_compared_by_names_not_by_places():
    before = {
        "risk": [{"measure": "a", "at_least": 1}, {"measure": "b", "as": "", "at_most": 2}],
        "seed": 1,
        "title": None,
    }
    after = {
        "risk": [
            {"measure": "b", "as": "", "at_most": 3},
            {"measure": "a", "at_least": 1},
            {"measure": "a", "with": {"k": 2}, "for": []},
        ],
        "seed": 1,
    }
    changes = {
        change.name: (change.before, change.after) for change in compared(before, after) if change.is_change
    }
    assert changes == {"risk › b › at_most": ("2", "3"), "risk › a (2)": ("—", "measure: a, with: k: 2")}


def test_errors_name_no_place():
    assert (
        told(LedgerUnusable(Path("/srv/sdc/ledger.jsonl"), "the disk is full"))
        == "the ledger cannot be used: the disk is full"
    )
    assert (
        told(CannotPublish("/srv/out box/x", "it exists"))
        == "cannot publish to: it exists; the outbox was left as it was"
    )
    assert "/" not in told(HomeUnusable(Path("/a/b"), "it does not exist"))
    assert (
        without_places("approved and published: /srv/outbox/survey-1") == "approved and published: survey-1"
    )
    assert without_places("5 of 7 at 3/4, see a/b") == "5 of 7 at 3/4, see a/b"


def test_the_words_of_people_stay_text(visitor: TestClient, finished: Callable[..., str]):
    page = visitor.get(
        f"/runs/{finished('referred', record('referred', MADE['referred'], {'title': '<script>alert(1)</script>'}))}"
    ).text
    assert "<script" not in page
    assert "&lt;script&gt;" in page
