"""Looking names and numbers up finds all that reading every one of them would."""

from __future__ import annotations

import re

import pytest

from sdc.report.lookup import Names, Numbers
from sdc.report.words import token

NAMES = ("x", "x1", "x10", "Income", "income net", "Straße", "naïve", "_hidden", "§ law", "a.b", "9th")
TEXTS = {
    "x10 5": {"x", "x1", "x10"},
    "INCOME net 3": {"Income", "income net"},
    "STRASSE 4, straße": {"Straße"},
    "anaïve": {"a.b"},  # its first word begins so: too many rather than too few
    "NAÏVE = 2": {"naïve"},
    "_hidden: 1": {"_hidden"},
    "§ law 7": set(),
    "a.b: 9; 9th": {"a.b", "9th"},
    "": set(),
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.items())
def test_names_at_the_beginning_of_a_word_are_found(text: str, expected: set[str]) -> None:
    # a name that begins with a sign is never ruled out
    assert set(Names(NAMES).possible_in(text)) == expected | {"§ law"}


@pytest.mark.parametrize("text", TEXTS)
def test_no_name_a_pattern_finds_is_missed(text: str) -> None:
    found = {name for name in NAMES if re.search(rf"(?<!\w){re.escape(name)}", text, re.IGNORECASE)}
    assert found <= set(Names(NAMES).possible_in(text))


def test_names_keep_their_order() -> None:
    assert Names(["b", "a", "b", "ab"]).possible_in("abc") == ["a", "ab"]
    assert Names(["b", "a"]).possible_in("a b") == ["b", "a"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("98765.4", {"wealth"}),
        ("98765", {"wealth"}),
        ("98770", {"wealth"}),
        ("98760", set()),
        ("-12.5", {"debt", "loss"}),
        ("12.5", set()),
        ("-12", {"debt", "loss"}),
        ("-13", {"debt", "loss"}),
        ("1e5", {"wealth"}),
    ],
)
def test_a_written_number_means_what_it_rounds(written: str, expected: set[str]) -> None:
    assert (
        Numbers({"wealth": (1.0, 98765.4), "debt": (-12.5,), "loss": (-12.5, 400.0)}).meant_by(token(written))
        == expected
    )
