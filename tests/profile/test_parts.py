"""A part no measurement can have is refused before anything runs."""

from __future__ import annotations

import pytest

from sdc.profile.load import load_profile


def judged(sound: str, part: str) -> str:
    return sound + f"utility:\n  - {{measure: shape, part: {part!r}, at_most: 0.5, because: rule}}\n"


@pytest.mark.parametrize(
    "part",
    [
        "mean",
        "distance.age",
        "distance.home",
        "fit.age",
        "fit.age+region+home",
        "rate.1.region.north west",
        "rate.12.age.1.5",
    ],
)
def test_a_part_that_is_declared_is_accepted(write, sound, part):
    assert load_profile(write(judged(sound, part))).utility[-1].part == part


@pytest.mark.parametrize(
    ("part", "remedy"),
    [
        ("maen", "did you mean 'mean'?"),
        ("distance.aeg", "did you mean 'distance.age'?"),
        ("distanse.income", "did you mean 'distance.income'?"),
        ("mean.age", "did you mean"),
        ("distance", "did you mean"),
        ("distance.person", "did you mean"),
        ("fit.age+person", "did you mean"),
        ("rate.one.region.north", "did you mean"),
        ("zzz", "`sdc catalogue shape` names its parts"),
    ],
)
def test_a_part_that_can_never_be_is_a_fault_with_the_nearest_that_can(faults, sound, part, remedy):
    (found,) = faults(judged(sound, part))
    assert found.startswith(f"file.yaml:18: shape has no part {part!r}; {remedy}")


def test_a_measure_without_parts_has_none(faults, sound):
    (found,) = faults(sound.replace("{measure: crowd,", "{measure: crowd, part: classes,"))
    assert "crowd has no part 'classes'" in found


def test_prefer_is_held_to_the_same(faults, write, sound):
    chosen = sound + "utility:\n  - {measure: shape, as: form}\nprefer: {measure: form, part: distance.aeg}\n"
    assert faults(chosen) == ["file.yaml:19: shape has no part 'distance.aeg'; did you mean 'distance.age'?"]
    load_profile(write(chosen.replace("aeg", "age")))


def test_nothing_is_said_of_parts_while_the_variables_are_not_known(faults, sound):
    found = faults(judged(sound, "distance.aeg").replace("variables:\n", "variables: 3\nothers:\n"))
    assert not any("has no part" in fault for fault in found)


def test_names_with_points_and_signs_are_taken_as_they_are(write, faults, sound):
    odd = sound.replace("  age:", "  net.income+: {role: other, type: numeric}\n  age:")
    load_profile(write(judged(odd, "distance.net.income+")))
    (found,) = faults(judged(odd, "distance.netXincomee"))
    assert "has no part" in found
