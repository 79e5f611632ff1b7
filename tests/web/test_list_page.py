"""The list of runs: what is on it, in which order, and what it says of the ledger."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest
from review_home import TestClient

from sdc.audit.chain import Entry, Event, Head
from sdc.audit.ledger import Ledger, folded
from sdc.run.home import Home
from sdc.web.ledger_state import Book, Chain, LedgerReader
from sdc.web.listing import PER_PAGE, ListRequest, listed


def shown(page: str) -> list[str]:
    """Runs of a page in their order."""
    return [html.unescape(run) for run in re.findall(r'href="/runs/([^"/]+)" title', page)]


def book_of(count: int) -> Book:
    """So many runs: the profile tells them apart by three, every second was referred and later published."""
    head, entries = Head(), []

    def add(run: str, profile: str, event: Event, day: int, **body: object) -> None:
        nonlocal head
        entry = Entry.following(
            head,
            event,
            time=f"2026-{1 + day // 28:02d}-{1 + day % 28:02d}T10:00:00Z",
            run=run,
            profile=profile,
            body=body,
        )
        head = head.after(entry)
        entries.append(entry)

    for number in range(count):
        run, profile, day = f"run-{number:05d}", f"profile_{number % 3}", number % 300
        add(run, profile, Event.STARTED, day, producer=f"person{number % 7}")
        if number % 2:
            add(
                run,
                profile,
                Event.REFERRED,
                day,
                candidates={"a": {"does_not_hold": ["ks_distance", "table.rows"]}},
                chosen="a",
            )
        add(run, profile, Event.PUBLISHED, day, bundle=f"bundle-{number}")
    assert len(folded(tuple(entries))) == count
    return Book.of(entries, Chain(holds=True, entries=len(entries), sentence=""))


@pytest.fixture(scope="module")
def many() -> Book:
    return book_of(1000)


def test_an_empty_home_says_how_to_begin(visitor: TestClient):
    page = visitor.get("/").text
    assert "No run yet" in page
    assert "The ledger holds." in page
    assert "<table" not in page


def test_a_row_says_state_verdict_what_does_not_hold_when_and_who(
    visitor: TestClient, finished: Callable[..., str]
):
    run = finished("referred", producer="paula")
    page = visitor.get("/").text
    row = page[page.index('class="runs"') :]
    assert shown(page) == [run]
    assert re.search(
        r'class="state referred">referred</span></td><td>referred</td>\s*<td class="small">ks_distance</td>',
        row,
    )
    assert re.search(r"<td class=\"when\">\d+ \w{3} \d{4}, \d\d:\d\d</td>", row)
    assert "<td>paula</td>" in row


def test_the_gates_word_stays_when_people_have_decided(many: Book):
    assert many.rows["run-00001"].state == "published"
    assert many.verdicts["run-00001"] == "referred"
    assert many.verdicts["run-00002"] == "published"


def test_the_newest_run_is_first_and_each_column_sorts_both_ways(many: Book):
    assert listed(many, ListRequest()).lines[0].run == "run-00899"
    assert [line.run for line in listed(many, ListRequest(sort="run")).lines][:2] == [
        "run-00000",
        "run-00001",
    ]
    assert [line.run for line in listed(many, ListRequest(sort="-run")).lines][:2] == [
        "run-00999",
        "run-00998",
    ]
    assert {line.producer for line in listed(many, ListRequest(sort="producer")).lines} == {"person0"}
    assert {line.producer for line in listed(many, ListRequest(sort="-producer")).lines} == {"person6"}
    assert {line.verdict for line in listed(many, ListRequest(sort="-verdict")).lines} == {"referred"}
    assert {line.missed for line in listed(many, ListRequest(sort="-missed")).lines} == {
        ("ks_distance", "table: rows")
    }


@pytest.mark.parametrize("state", [Event.REFERRED, Event.WITHHELD, Event.PUBLISHED])
def test_what_was_found_of_the_table_is_told_by_check_and_variable(
    visitor: TestClient, home: Home, state: Event
):
    found = ["table.household_gaps.marital_status", "table.household_gaps.region", "table.rows_lost"]
    Ledger(home.ledger).append("run-1", "survey", Event.STARTED)
    Ledger(home.ledger).append(
        "run-1", "survey", state, {"candidates": {"masked": {"does_not_hold": found}}, "chosen": "masked"}
    )
    told = "table: household gaps of marital_status, region; table: rows lost"
    assert f'<td class="small">{told}</td>' in visitor.get("/").text


def test_a_dash_means_that_everything_holds(visitor: TestClient, home: Home):
    Ledger(home.ledger).append(
        "run-1",
        "survey",
        Event.PUBLISHED,
        {"candidates": {"masked": {"does_not_hold": []}}, "chosen": "masked"},
    )
    assert '<td class="small">–</td>' in visitor.get("/").text


def test_a_heading_leads_to_the_other_order_and_says_the_present_one(many: Book):
    headings = {
        heading.text: heading
        for heading in listed(many, ListRequest(sort="profile", state="published", page=3)).headings
    }
    assert (headings["profile"].order, headings["profile"].address) == (
        "ascending",
        "/?state=published&sort=-profile",
    )
    assert (headings["started"].order, headings["started"].address) == ("none", "/?state=published")


def test_filters_add_up(many: Book):
    found = listed(many, ListRequest(profile="profile_1", words="PERSON3 run"))
    assert found.found == sum(1 for number in range(1000) if number % 3 == 1 and number % 7 == 3)
    assert found.every == 1000
    assert all(line.profile == "profile_1" and line.producer == "person3" for line in found.lines)
    days = listed(many, ListRequest(since="2026-02-01", until="2026-02-02"))
    assert {line.started[:10] for line in days.lines} == {"1 Feb 2026", "2 Feb 2026"}
    assert days.found == sum(1 for number in range(1000) if number % 300 in (28, 29))
    assert listed(many, ListRequest(words="bundle-17")).found == sum(
        "bundle-17" in f"bundle-{number}" for number in range(1000)
    )
    assert listed(many, ListRequest(state="referred")).found == 0


def test_pages_hold_every_run_once_and_one_beyond_the_last_is_the_last(many: Book):
    pages = [listed(many, ListRequest(page=number)) for number in range(1, 1000 // PER_PAGE + 1)]
    runs = [line.run for page in pages for line in page.lines]
    assert len(runs) == len(set(runs)) == 1000
    assert listed(many, ListRequest(page=9999)).lines == pages[-1].lines
    assert (pages[1].first, pages[1].last) == (PER_PAGE + 1, 2 * PER_PAGE)


@pytest.mark.parametrize(
    "query",
    [
        {"sort": "facts"},
        {"sort": "__class__"},
        {"page": "-1"},
        {"page": "٣"},
        {"page": "1e9"},
        {"since": "yesterday"},
        {"page": "9" * 400},
    ],
)
def test_an_address_that_makes_no_sense_shows_the_plain_list(query: dict[str, str]):
    assert ListRequest.of(query) == ListRequest()


def test_filters_work_through_the_address_alone(visitor: TestClient, finished: Callable[..., str]):
    published, withheld = finished("published"), finished("withheld")
    assert shown(visitor.get("/?state=withheld").text) == [withheld]
    assert shown(visitor.get("/?words=paula&profile=survey&sort=started").text) == [published, withheld]
    assert "No run fits" in visitor.get("/?words=nobody").text
    page = visitor.get("/", params={"words": '"><script>alert(1)</script>'}).text
    assert "<script" not in page


def test_an_altered_entry_is_named_and_nothing_can_be_decided(
    visitor: TestClient, finished: Callable[..., str], home: Home
):
    first, second = finished("referred"), finished("published")
    lines = home.ledger.read_bytes().split(b"\n")
    lines[2] = lines[2].replace(b"paula", b"peter")
    home.ledger.write_bytes(b"\n".join(lines))
    page = visitor.get("/").text
    assert "The ledger does not hold." in page
    assert "Ledger entry 3: altered" in page
    assert shown(page) == [first]
    assert "Approve" not in visitor.get(f"/runs/{first}").text
    assert visitor.get(f"/runs/{second}").status_code == 404


def test_a_ledger_that_is_cut_short_or_has_no_head_is_told(
    visitor: TestClient, finished: Callable[..., str], home: Home
):
    finished("published")
    whole, head = home.ledger.read_bytes(), home.ledger.with_suffix(".head").read_bytes()
    home.ledger.write_bytes(b"")
    assert "missing: the ledger&#39;s head vouches for 2 entries" in visitor.get("/").text
    home.ledger.write_bytes(whole)
    home.ledger.with_suffix(".head").write_bytes(b"nonsense")
    assert "the head file cannot be read" in visitor.get("/").text
    home.ledger.with_suffix(".head").write_bytes(head)
    assert "The ledger holds." in visitor.get("/").text


def test_a_ledger_that_cannot_be_read_is_told_without_its_place(visitor: TestClient, home: Home):
    home.ledger.mkdir()
    page = visitor.get("/").text
    assert "The ledger cannot be used" in page
    assert str(home.path) not in page


def test_the_chain_is_read_again_only_when_its_files_change(finished: Callable[..., str], home: Home):
    reader = LedgerReader(home)
    finished("published")
    book = reader.book()
    assert reader.book() is book
    Ledger(home.ledger).append("", "", Event.REPAIRED)
    again = reader.book()
    assert again is not book
    assert again.chain.entries == book.chain.entries + 1
