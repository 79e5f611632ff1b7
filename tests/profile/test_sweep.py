"""Sweeps, files in place of steps, and a space that is only searched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sdc.errors import BadProfile
from sdc.profile.candidate_names import label
from sdc.profile.load import load_profile, load_space

Write = Callable[[str], Path]
Faults = Callable[[str], list[str]]

PLAIN = "  plain:\n    - {method: coarsen}\n"
BLURRED = "  plain:\n    - {method: coarsen}\n  blurred:\n    - {method: coarsen}\n    - {method: blur, with: {variables: [income]}, sweep: {share: [0.05, 0.15], k: [3, auto]}}\n"


def test_a_sweep_is_every_combination_of_its_values_each_a_candidate(sound: str, write: Write) -> None:
    profile = load_profile(write(sound.replace(PLAIN, BLURRED)))
    assert list(profile.candidates) == [
        "plain",
        "blurred_share0_05_k3",
        "blurred_share0_05_k_auto",
        "blurred_share0_15_k3",
        "blurred_share0_15_k_auto",
    ]
    assert profile.candidates["blurred_share0_15_k_auto"][1].options == {
        "variables": ["income"],
        "share": 0.15,
        "k": "auto",
    }
    assert profile.candidates["blurred_share0_05_k3"][0].method == "coarsen"


def test_a_criterion_for_a_swept_candidate_is_for_all_it_stands_for(sound: str, write: Write) -> None:
    text = (
        sound.replace(PLAIN, BLURRED)
        + "  - {measure: attacked, at_most: 0.5, because: rule 2, for: [blurred]}\n"
    )
    criterion = load_profile(write(text)).risk[1]
    assert len(criterion.candidates) == 4
    assert not criterion.covers("plain")
    assert criterion.covers("blurred_share0_05_k3")


def test_a_sweep_beside_the_steps_sets_the_option_in_every_step_that_has_it(sound: str, write: Write) -> None:
    entry = (
        "  both:\n    sweep: {k: [3, 5]}\n    steps:\n      - {method: coarsen}\n      - {method: blur, with: {variables: [income]}}\n"
        "      - {method: blur, with: {variables: [age], share: 0.5}}\n"
    )
    text = sound.replace(PLAIN, PLAIN + entry).replace(
        "at_least: 3, because", "for: [plain], at_least: 3, because"
    )
    text += "  - {measure: attacked, at_most: 0.5, because: rule 2, for: [both]}\n"
    profile = load_profile(write(text))
    assert [step.options for step in profile.candidates["both_k5"]] == [
        {},
        {"variables": ["income"], "k": 5},
        {"variables": ["age"], "share": 0.5, "k": 5},
    ]


def test_a_value_that_does_not_fit_is_named_on_the_line_of_the_sweep(sound: str, faults: Faults) -> None:
    text = sound.replace(PLAIN, BLURRED.replace("[0.05, 0.15]", "[0.05, 1.5]"))
    line = (
        text.splitlines().index(
            "    - {method: blur, with: {variables: [income]}, sweep: {share: [0.05, 1.5], k: [3, auto]}}"
        )
        + 1
    )
    (fault,) = faults(text)
    assert fault.startswith(f"file.yaml:{line}: share must be less than 1")


@pytest.mark.parametrize(
    ("sweep", "said"),
    [
        ("{share: 0.1}", "'share' is swept over the number 0.1; write share: [value, value]"),
        ("{share: []}", "'share' is swept over a list; write share: [value, value]"),
        ("[0.1]", "sweep: is followed by a list; write sweep: {option: [value, value]}"),
        ("{share: [0.1, 0.1]}", "two candidates would be called 'blurred_share0_1'"),
        ("{variables: [[income], [age]]}", "'variables' is swept, and fixed under with:"),
        ("{shape: [1, 2]}", "blur has no option 'shape'"),
    ],
)
def test_what_cannot_be_swept_is_said(sound: str, faults: Faults, sweep: str, said: str) -> None:
    text = sound.replace(PLAIN, BLURRED.replace("{share: [0.05, 0.15], k: [3, auto]}", sweep))
    assert any(said in fault for fault in faults(text))


def test_a_sweep_beside_the_steps_of_an_option_no_step_has_is_refused(sound: str, faults: Faults) -> None:
    (fault,) = faults(sound.replace(PLAIN, PLAIN + "  both: {sweep: {k: [3]}, steps: [{method: coarsen}]}\n"))
    assert "no step of this candidate has an option 'k'" in fault


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            "  both: {swep: {share: [0.1, 0.2]}, steps: [{method: coarsen}]}\n",
            "unknown key 'swep'; beside steps: only sweep: may stand",
        ),
        ("  both:\n    - {method: blur, with: [income], sweep: {share: [0.1]}}\n", "with must be"),
        ("  both: {sweep: {share: [0.1]}, steps: [{method: blur, with: [income]}]}\n", "with must be"),
        ("space: [plain]\n", "space: is followed by a list"),
        ("space:\n", "space: is followed by nothing"),
    ],
)
def test_nothing_written_beside_a_sweep_is_passed_over(
    sound: str, faults: Faults, entry: str, said: str
) -> None:
    text = sound + entry if entry.startswith("space") else sound.replace(PLAIN, PLAIN + entry)
    assert any(said in fault for fault in faults(text)), faults(text)


def test_too_many_candidates_are_refused_with_their_number(sound: str, faults: Faults) -> None:
    values = ", ".join(str(number) for number in range(1, 41))
    text = sound.replace(
        PLAIN,
        BLURRED.replace(
            "[0.05, 0.15]", f"[{', '.join(f'0.{number:03d}' for number in range(1, 41))}]"
        ).replace("[3, auto]", f"[{values}]"),
    )
    (fault,) = faults(text)
    assert "comes to 1,601 candidates" in fault


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3, "3"),
        (0.05, "0_05"),
        (-2, "minus2"),
        (1_234_567, "1234567"),
        (10**400, "_4"),
        (1e-7, "1eminus07"),
        (True, "_yes"),
        ("cart", "_cart"),
        ({"width": 20}, "_width20"),
        ([1, 2], "_4"),
        ("Größe", "_4"),
    ],
)
def test_values_are_said_in_names(value: object, said: str) -> None:
    assert label(value, 3) == said


def test_two_numbers_that_look_alike_when_shortened_have_different_names() -> None:
    assert label(0.1234567, 0) != label(0.1234568, 1)


def test_a_space_is_searched_and_not_released(sound: str, write: Write) -> None:
    path = write(
        sound
        + "space:\n  searched:\n    - {method: blur, with: {variables: [income]}, sweep: {share: [0.1, 0.2]}}\n"
    )
    assert list(load_profile(path).candidates) == ["plain"]
    space = load_space(path)
    assert list(space.profile.candidates) == ["searched_share0_1", "searched_share0_2"]
    assert space.grids["searched"].lengths == (2,)
    assert space.grids["searched"].places == {"searched_share0_1": (0,), "searched_share0_2": (1,)}


def test_without_a_space_the_candidates_are_what_is_searched(sound: str, write: Write) -> None:
    assert list(load_space(write(sound)).profile.candidates) == ["plain"]


def test_a_criterion_for_the_space_alone_is_not_taken_for_one_for_all(sound: str, write: Write) -> None:
    text = (
        sound
        + "  - {measure: attacked, at_most: 0.5, because: rule 2, for: [searched]}\nspace:\n  searched:\n    - {method: blur, with: {variables: [income]}}\n"
    )
    path = write(text)
    assert [criterion.measure for criterion in load_profile(path).risk] == ["crowd"]
    assert [criterion.measure for criterion in load_space(path).profile.risk] == ["crowd", "attacked"]


def test_a_fault_in_the_space_is_a_fault_of_the_profile(sound: str, faults: Faults) -> None:
    (fault,) = faults(sound + "space:\n  searched:\n    - {method: blurr}\n")
    assert "no method is called 'blurr'" in fault


def test_a_profile_with_a_space_alone_cannot_be_released(sound: str, write: Write) -> None:
    path = write(sound.replace("candidates:", "space:"))
    assert list(load_space(path).profile.candidates) == ["plain"]
    with pytest.raises(BadProfile, match="sdc plan"):
        load_profile(path)


def test_a_name_is_a_candidate_or_in_the_space_not_both(sound: str, faults: Faults) -> None:
    (fault,) = faults(sound + "space:\n" + PLAIN)
    assert "'plain' is a candidate already" in fault


FILE = "  from_r: {path: from_r.csv, protection: perturbative, aligned: true}\n"


def judged_by_attack(sound: str) -> str:
    return sound.replace(
        "{measure: crowd, at_least: 3, because: rule 1}", "{measure: attacked, at_most: 0.5, because: rule 2}"
    )


def test_a_file_is_a_candidate_with_what_is_said_of_it(sound: str, write: Write) -> None:
    profile = load_profile(write(judged_by_attack(sound.replace(PLAIN, PLAIN + FILE))))
    (step,) = profile.candidates["from_r"]
    assert step.options == {"path": "from_r.csv", "protection": "perturbative", "aligned": True}
    assert profile.files == (Path("survey.csv"), Path("from_r.csv"))


def test_what_is_said_of_a_file_decides_what_may_be_believed(
    sound: str, faults: Faults, write: Write
) -> None:
    both = sound.replace(PLAIN, PLAIN + FILE)
    (fault,) = [fault for fault in faults(both) if "crowd" in fault]
    assert "cannot be believed on candidate 'from_r': external_file perturbs" in fault
    assert load_profile(
        write(both.replace("protection: perturbative", "protection: non_perturbative"))
    ).candidates["from_r"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{path: from_r.csv}", "external_file must be told protection"),
        ("{path: from_r.csv, protection: masked}", "protection"),
        (
            "{path: from_r.csv, protection: synthetic, alligned: true}",
            "external_file has no option 'alligned'; did you mean 'aligned'?",
        ),
    ],
)
def test_what_is_not_said_of_a_file_is_asked_for(sound: str, faults: Faults, written: str, said: str) -> None:
    assert any(
        said in fault
        for fault in faults(judged_by_attack(sound.replace(PLAIN, PLAIN + f"  from_r: {written}\n")))
    )


def test_a_fault_of_a_file_is_on_its_line(sound: str, faults: Faults) -> None:
    text = sound.replace(PLAIN, PLAIN + FILE).replace(
        "at_least: 3, because", "for: [plain], at_least: 3, because"
    )
    (fault,) = faults(text)
    assert fault.startswith(
        f"file.yaml:{text.splitlines().index(FILE.rstrip()) + 1}: nothing would be promised about candidate 'from_r'"
    )


def test_a_file_made_elsewhere_does_not_go_with_a_holdout_drawn_here(sound: str, faults: Faults) -> None:
    text = judged_by_attack(sound.replace(PLAIN, PLAIN + FILE)).replace(
        "{path: survey.csv}", "{path: survey.csv, holdout_share: 0.1}"
    )
    (fault,) = faults(text)
    assert "candidate 'from_r' was made elsewhere" in fault


def test_a_file_with_further_steps_is_refused(sound: str, faults: Faults) -> None:
    steps = "  mixed:\n    - {method: external_file, with: {path: a.csv, protection: synthetic}}\n    - {method: coarsen}\n"
    assert any(
        "a candidate's only step" in fault
        for fault in faults(judged_by_attack(sound.replace(PLAIN, PLAIN + steps)))
    )
