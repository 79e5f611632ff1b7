"""A criterion on a number that cannot be believed is refused where it is judged, and noted where it is reported."""

from __future__ import annotations

import pytest

from sdc.catalogue import registry as catalogue
from sdc.catalogue.registry import Examines, Family, Measure
from sdc.catalogue.units import Better
from sdc.profile.load import load_profile

THREE = """\
name: survey
seed: 1
source: {path: survey.csv}
variables: {region: quasi_identifier, age: {role: quasi_identifier, type: numeric}, income: {role: sensitive, type: numeric}}
candidates:
  plain: [{method: coarsen}]
  blurred: [{method: coarsen}, {method: blur, with: {variables: [age]}}]
  invented: [{method: invent}]
risk:
  - {measure: attacked, at_most: 0.5, because: rule}
"""


def test_a_judged_count_of_keys_is_refused_after_perturbation_and_synthesis_and_names_a_way_out(faults):
    found = faults(THREE + "  - {measure: crowd, at_least: 3, because: rule}\n")
    assert len(found) == 2
    assert found[0].startswith(
        "file.yaml:11: crowd cannot be believed on candidate 'blurred': blur perturbs age, and counts of equal keys"
    )
    assert found[1].startswith(
        "file.yaml:11: crowd cannot be believed on candidate 'invented': invent draws age, region from a model"
    )
    for fault in found:
        assert "; judge attacked" in fault
        assert "limit this criterion with for: [plain]" in fault
        assert "nowhere" not in fault


def test_limited_to_the_candidates_where_it_holds_the_same_criterion_is_accepted(notes):
    assert notes(THREE + "  - {measure: crowd, at_least: 3, because: rule, for: [plain]}\n") == []


def test_a_count_of_keys_that_were_left_alone_is_believed(notes):
    text = THREE.replace("variables: [age]", "variables: [income]").replace(
        "invented: [{method: invent}]", "other: []"
    )
    assert notes(text + "  - {measure: crowd, at_least: 3, because: rule}\n") == []


def test_a_count_on_other_keys_than_the_perturbed_is_believed(notes):
    text = THREE.replace("invented: [{method: invent}]", "other: []")
    assert notes(text + "  - {measure: crowd, at_least: 3, because: rule, with: {keys: [region]}}\n") == []


def test_reported_only_it_is_a_note(notes):
    said = notes(THREE + "  - {measure: crowd}\n")
    assert len(said) == 2
    assert all(note.startswith("file.yaml:11: crowd cannot be believed on candidate") for note in said)


def test_a_measure_of_aligned_records_is_refused_after_a_method_that_moves_them(faults):
    (found,) = faults(THREE + "utility:\n  - {measure: moved, at_most: 0.2, because: rule}\n")
    assert found.startswith(
        "file.yaml:12: moved cannot be believed on candidate 'invented': invent does not keep record i in its place"
    )
    assert "judge shape there or limit this criterion with for: [plain, blurred]" in found


def test_a_preference_for_what_cannot_be_believed_is_refused(faults):
    (found,) = faults(THREE + "utility:\n  - {measure: moved}\nprefer: {measure: moved}\n")
    assert found.startswith(
        "file.yaml:13: prefer would choose by 'moved', which cannot be believed on candidate 'invented'"
    )


def test_a_preference_for_what_is_not_measured_everywhere_is_refused(faults):
    found = faults(THREE + "utility:\n  - {measure: shape, for: [plain]}\nprefer: {measure: shape}\n")
    assert [fault.split(";")[0] for fault in found] == [
        f"file.yaml:13: prefer names 'shape', which is not measured on candidate '{name}'"
        for name in ("blurred", "invented")
    ]


def test_a_preference_by_a_part_is_accepted(write):
    profile = load_profile(
        write(THREE + "utility:\n  - {measure: shape}\nprefer: {measure: shape, part: distance.age}\n")
    )
    assert profile.prefer.part == "distance.age"


@pytest.fixture
def _closest(monkeypatch: pytest.MonkeyPatch) -> None:
    def distance_to_closest_record(pair): ...

    entry = Measure(
        distance_to_closest_record,
        Family.RISK,
        Better.HIGHER,
        (0, 9),
        frozenset(),
        catalogue.ANY,
        Examines.ALL,
    )
    monkeypatch.setitem(catalogue._measures, entry.name, entry)


@pytest.mark.usefixtures("_closest")
def test_distances_to_the_closest_record_never_open_the_gate_alone(faults, write):
    alone = THREE.replace(
        "{measure: attacked, at_most: 0.5,", "{measure: distance_to_closest_record, at_least: 0.5,"
    )
    found = faults(alone)
    assert [fault.split(",")[0] for fault in found] == [
        f"file.yaml:10: distance_to_closest_record is the only judged criterion of risk for candidate '{name}'"
        for name in ("plain", "blurred", "invented")
    ]
    assert all("arXiv:2505.01524" in fault for fault in found)
    load_profile(write(alone + "  - {measure: attacked, at_most: 0.5, because: rule}\n"))


@pytest.mark.usefixtures("_closest")
def test_beside_a_criterion_that_cannot_be_believed_it_is_alone_too(faults):
    alone = THREE.replace(
        "{measure: attacked, at_most: 0.5,", "{measure: distance_to_closest_record, at_least: 0.5,"
    )
    found = faults(alone + "  - {measure: crowd, at_least: 3, because: rule}\n")
    assert sum("is the only judged criterion" in fault for fault in found) == 2


def test_a_p_value_of_dependent_samples_is_never_judged(faults, write):
    (found,) = faults(
        THREE + "utility:\n  - {measure: shape, part: p_value.age, at_least: 0.05, because: rule}\n"
    )
    assert "'plain', 'blurred' and 'invented': p_value.age is a p-value" in found
    assert "judge the distance itself, not its p-value" in found
    load_profile(
        write(
            THREE
            + "utility:\n  - {measure: shape, part: paired_p.age, at_least: 0.05, because: rule, for: [plain]}\n"
        )
    )
