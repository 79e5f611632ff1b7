"""Words for codes: what may be labelled, and what `sdc check` says of labels that name nothing."""

from __future__ import annotations

import pytest

from sdc.profile.load import load_profile
from sdc.run.digest import of_bytes
from sdc.run.randomness import Randomness
from sdc.run.secret import Secret


def test_codes_have_words_as_they_were_typed(write, sound):
    profile = load_profile(
        write(
            sound.replace(
                "health: sensitive", "health: {role: sensitive, values: {1: good, 02: 7, 3: 'so so'}}"
            )
        )
    )
    assert profile.variables["health"].values == {"1": "good", "02": "7", "3": "so so"}
    assert [profile.variables["health"].words(code) for code in ("1", "02", "9")] == ["good", "7", "9"]


FAULTS = [
    (
        "{role: sensitive, type: numeric, values: {1: one}}",
        "'health' is numeric and has values:, words for categories; write type: categorical, or delete it",
    ),
    (
        "{role: sensitive, type: date, values: {1: one}}",
        "'health' is date and has values:, words for categories; write type: categorical, or delete it",
    ),
    (
        "{role: sensitive, allowed: [1, 2], values: {1: good, 3: bad}}",
        "the 2nd value of values is not in allowed; add it there, or delete it",
    ),
    (
        "{role: sensitive, type: ordinal, order: [1, 2], values: {3: bad}}",
        "the 1st value of values is not in order; add it there, or delete it",
    ),
    (
        "{role: sensitive, missing_codes: [9], values: {9: unknown}}",
        "the 1st value of values is a missing code; what is missing has no words: delete it",
    ),
    (
        "{role: sensitive, values: {1: good, 2: good}}",
        "the 2nd value of values has the words of another; no two may read alike",
    ),
    (
        "{role: sensitive, values: {1: 2, 2: bad}}",
        "the 1st value of values reads like the code of another; no two may read alike",
    ),
    ("{role: sensitive, values: {1: ' '}}", "the 1st value of values has no words; write them, or delete it"),
]


@pytest.mark.parametrize(("declared", "fault"), FAULTS)
def test_labels_that_name_nothing_are_faults(write, sound, faults, declared, fault):
    (found,) = faults(sound.replace("health: sensitive", f"health: {declared}"))
    assert fault in found


def test_words_for_codes_draw_no_other_random_numbers(write, sound):
    secret = Secret(b"0" * 32)
    plain = load_profile(write(sound))
    named = load_profile(
        write(sound.replace("health: sensitive", "health: {role: sensitive, values: {1: good}}"))
    )
    one, other = (
        Randomness.of_release(secret, profile, of_bytes(b"")).fingerprint for profile in (plain, named)
    )
    assert one == other
