"""What leaves as it is and can point at single people is noted before a release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sdc.check import check

PROFILE = """\
name: people
seed: 1
access: secure
source: {{path: people.csv}}
variables:
  sex: quasi_identifier
  thing: {declared}
candidates:
{candidates}
risk:
  - {{measure: replicated_uniques, at_most: 10}}
"""
PLAIN = "  plain: []"


@pytest.fixture
def notes(tmp_path: Path) -> Callable[..., list[str]]:
    """The notes on a file of 40 records, one column of which holds these values."""

    def notes(
        value: Callable[[int], object], declared: str = "other", candidates: str = PLAIN, rows: int = 40
    ) -> list[str]:
        (tmp_path / "people.csv").write_text(
            "sex,thing\n" + "".join(f"{'mf'[n % 2]},{value(n)}\n" for n in range(rows))
        )
        (tmp_path / "profile.yaml").write_text(PROFILE.format(declared=declared, candidates=candidates))
        (tmp_path / "outbox").mkdir(exist_ok=True)
        return check(tmp_path / "profile.yaml")

    return notes


def text(n: int) -> str:
    """21 of 40 records have their own, the others share two."""
    return f"t{n}" if n < 21 else f"shared{n % 2}"


def test_a_text_most_records_have_to_themselves_is_noted(notes):
    (note,) = notes(text)
    assert note.startswith(
        "people.csv: column 'thing' leaves with the values it has in candidate 'plain', and 21 of 40 records have a value in it that no other has: "
    )
    assert "it can point at single people; group it" in note


def test_half_of_the_records_is_not_most_and_a_tiny_file_says_nothing(notes):
    assert notes(lambda n: text(n + 1)) == []
    assert notes(lambda n: f"t{n}", rows=20) == []
    assert len(notes(lambda n: f"t{n}", rows=21)) == 1


def test_missing_values_are_nobodys_own(notes):
    assert notes(lambda n: f"t{n}" if n < 20 else "") == []


@pytest.mark.parametrize("declared", ["other", "sensitive", "quasi_identifier", "stratum", "{type: date}"])
def test_days_and_codes_are_noted_whatever_their_role(notes, declared):
    assert len(notes(lambda n: f"19{30 + n}-01-01", declared)) == 1


@pytest.mark.parametrize("declared", ["direct_identifier", "household"])
def test_what_stays_behind_or_is_drawn_anew_is_not(notes, declared):
    assert notes(lambda n: f"t{n}", declared) == []


def test_numbers_that_a_further_person_would_not_have_are_noted(notes):
    assert len(notes(lambda n: 5000 + n * 7, "{type: numeric}")) == 1
    assert len(notes(lambda n: n * 7.25, "{type: numeric}")) == 1


def test_numbers_of_which_some_are_shared_by_two_are_noted_while_their_own_are_more_than_half_beyond_those(
    notes,
):
    """40 records.

    With p values shared by two, 40 - 2p are alone, and a further person would have one of these with chance
    2p / 40.
    """

    def pairs(p):
        return lambda n: min(n, 39 - n) if min(n, 39 - n) < p else n + 1000

    assert len(notes(pairs(4), "{type: numeric}")) == 1
    assert notes(pairs(5), "{type: numeric}") == []


@pytest.mark.parametrize(
    "step",
    [
        "{method: global_recode, with: {thing: {digits: 1}}}",
        "{method: local_suppression, with: {k: 2, keys: [sex, thing]}}",
        "{method: local_suppression, with: {k: 2, groups: [{keys: [thing]}]}}",
        "{method: k_anonymise, with: {keys: [sex, thing]}}",
    ],
)
def test_a_variable_that_a_step_coarsens_is_not_noted(notes, step):
    assert notes(text, "other", f"  made:\n    - {step}") == []


@pytest.mark.parametrize(
    "step",
    [
        "{method: subsample, with: {share: 0.5}}",
        "{method: local_suppression, with: {k: 2, keys: [sex]}}",
        "{method: pram, with: {variables: [thing]}}",
        "{method: gaussian_copula}",
        "{method: smote}",
    ],
)
def test_a_step_that_leaves_its_values_alone_does_not_help(notes, step):
    candidates = (
        f"  made:\n    - {step}\n  recoded:\n    - {{method: global_recode, with: {{thing: {{digits: 1}}}}}}"
    )
    (note,) = notes(text, "quasi_identifier", candidates)
    assert "leaves with the values it has in candidate 'made'" in note


def test_the_candidates_in_which_it_leaves_as_it_is_are_named(notes):
    recoded = "  recoded:\n    - {method: global_recode, with: {thing: {digits: 1}}}"
    assert (
        "in candidates 'one' and 'two', and 21"
        in notes(text, candidates=f"  one: []\n{recoded}\n  two: []")[0]
    )
    assert (
        "in 4 candidates, and 21" in notes(text, candidates="\n".join(f"  c{name}: []" for name in "abcd"))[0]
    )
