"""A number that cannot be believed after the steps of its candidate is marked on every review page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sdc.audit.record import RunRecord, show
from sdc.catalogue.protection import Protection, Step
from sdc.run.home import Home
from sdc.web.ledger_state import LedgerReader
from sdc.web.record_doubts import doubts
from sdc.web.series import series
from sdc.web.two_runs import two_runs
from sdc.web.what_if import what_if
from tests.web.review_home import TestClient, candidate, record
from tests.web.test_run_page import text_of

SWAPPED = Step(
    "pram", {"variables": ["region"]}, Protection.PERTURBATIVE, aligned=True, touched=frozenset({"region"})
)
WHY = (
    "pram perturbs region, and counts of equal keys measure risk only while the keys are true; measure"
    " class_attribution instead"
)


def swapped(k: float = 5) -> RunRecord:
    """The key `region` is perturbed: k-anonymity cannot be believed, distances of distributions can."""
    return record("referred", candidate(k=k, ks=0.2, steps=(SWAPPED,)))


def test_counts_of_equal_keys_are_doubted_where_a_key_is_perturbed(
    home: Home, finished: Callable[..., str]
) -> None:
    held = show(home, finished("referred", held=swapped())).record
    assert doubts(held) == {("coarse", "k_anonymity"): WHY}
    believed = show(home, finished("referred", held=record("referred", candidate(ks=0.2)))).record
    assert doubts(believed) == {}


def test_two_runs_compared_mark_the_side_that_cannot_be_believed(
    visitor: TestClient, home: Home, finished: Callable[..., str]
) -> None:
    before = finished("referred", held=record("referred", candidate(ks=0.2)))
    after = finished("referred", held=swapped(k=6))
    compared = two_runs(LedgerReader(home).book(), show(home, before), show(home, after))
    rows = {row.name: row for part in compared.parts if part.measured for row in part.rows}
    assert rows["k_anonymity of coarse"].doubts == ("", WHY)
    assert rows["ks_distance of coarse"].doubts == ("", "")
    margins = compared.figures[0]
    assert [name for name, *_ in margins.rows] == ["ks_distance of coarse", "k_anonymity of coarse ⚠"]
    assert margins.caption.endswith("The sign ⚠ marks numbers that cannot be believed here.")
    page = text_of(visitor.get(f"/compare?before={before}&after={after}").text)
    assert f"6 cannot be believed here : {WHY}" in page


def test_a_run_its_series_and_other_limits_mark_it_too(
    visitor: TestClient, home: Home, finished: Callable[..., str]
) -> None:
    runs = [finished("referred", held=swapped(k)) for k in (5, 6)]
    assert "cannot be believed here" in text_of(visitor.get(f"/runs/{runs[0]}").text)
    found = series(home, LedgerReader(home).book(), "survey")
    assert found is not None
    courses = {course.criterion: course for course in found.courses}
    assert [point.doubt for point in courses["k_anonymity"].points] == [WHY, WHY]
    assert courses["k_anonymity"].sentence.startswith("6 in the last run, at least 3 is demanded; it cannot")
    assert [point.doubt for point in courses["ks_distance"].points] == ["", ""]
    assert "cannot be believed here" in text_of(visitor.get("/series/survey").text)
    (asked,) = what_if(show(home, runs[0]), {"at_least.k_anonymity": "7"}).outcomes
    assert asked.changes == (f"k_anonymity is 5: at least 7 does not hold; it cannot be believed: {WHY}",)


def test_a_record_whose_method_is_not_known_any_more_still_opens(
    visitor: TestClient, finished: Callable[..., str]
) -> None:
    gone = replace(SWAPPED, method="swapping_of_old")
    run = finished("referred", held=record("referred", candidate(ks=0.2, steps=(gone,))))
    assert visitor.get(f"/runs/{run}").status_code == 200
