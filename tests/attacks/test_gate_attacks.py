"""Ways to talk the gate out of stopping a release, each of which once worked."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdc.errors import BadProfile
from sdc.profile.load import examine, load_profile

PROFILE = """\
name: survey
seed: 1
source: {path: survey.csv}
variables:
  region: quasi_identifier
  age: {role: quasi_identifier, type: numeric}
  income: {role: sensitive, type: numeric}
candidates:
  plain:
    - {method: METHOD}
risk:
  - {CRITERION, because: rule 1}
"""
NOISE = "laplace_noise, with: {epsilon: 100000, income: [0, 100000]}"


def written(folder: Path, criterion: str, method: str = "local_suppression, with: {k: 3}") -> Path:
    path = folder / "profile.yaml"
    path.write_text(PROFILE.replace("METHOD", method).replace("CRITERION", criterion))
    return path


def faults(path: Path) -> str:
    with pytest.raises(BadProfile) as raised:
        load_profile(path)
    return "\n".join(str(fault) for fault in raised.value.faults)


# A criterion that cannot fail


@pytest.mark.parametrize(
    ("criterion", "where"),
    [
        ("measure: k_anonymity, part: share_below_k, at_most: 1", "share_below_k lies at or above 0 and at or below 1"),
        ("measure: k_anonymity, at_least: 1", "k_anonymity lies at or above 1"),
        ("measure: unique_entries, at_most: 1", "unique_entries lies at or above 0 and at or below 1"),
        ("measure: class_attribution, part: gain, at_least: -1", "gain lies at or above -1 and at or below 1"),
        ("measure: interval_disclosure, part: share.income, at_most: 1", "share.VARIABLE lies at or above 0 and at or below 1"),
        ("measure: unique_entries, at_least: 0, at_most: 2", "unique_entries lies at or above 0 and at or below 1"),
    ],
)
def test_a_criterion_that_every_value_meets_is_a_fault(tmp_path, criterion, where):
    assert f"this can never fail: {where}" in faults(written(tmp_path, criterion))


@pytest.mark.parametrize(
    "criterion",
    [
        "measure: k_anonymity, part: classes, at_most: 10",
        "measure: k_anonymity, part: share_below_k, at_least: 0.5",
        "measure: unique_entries, at_least: 0.5",
    ],
)
def test_a_fact_without_a_direction_or_the_wrong_side_of_a_number_promises_nothing(tmp_path, criterion):
    assert "nothing would be promised about candidate 'plain'" in faults(written(tmp_path, criterion))


@pytest.mark.parametrize(
    "criterion",
    [
        "measure: privacy_budget, with: {variables: [income]}, part: delta, at_most: 0",
        "measure: privacy_budget, with: {variables: [income]}, at_most: 100000",
        "measure: privacy_budget, with: {variables: [income]}, part: epsilon.1.laplace_noise, at_most: 1",
    ],
)
def test_a_budget_that_nobody_calls_protection_promises_nothing(tmp_path, criterion):
    assert "nothing would be promised about candidate 'plain'" in faults(written(tmp_path, criterion, NOISE))


def test_a_budget_that_protects_is_a_promise(tmp_path):
    path = written(tmp_path, "measure: privacy_budget, with: {variables: [income]}, at_most: 1", NOISE)
    assert load_profile(path).risk[0].at_most == 1


def test_a_limit_beyond_protection_is_noted_beside_one_that_protects(tmp_path):
    both = "measure: k_anonymity, at_least: 3, because: rule 2}\n  - {measure: privacy_budget, with: {variables: [income]}, at_most: 21"
    (note,) = [str(note) for note in examine(written(tmp_path, both, NOISE))[1]]
    assert "the limit of privacy_budget lies beyond what anybody calls protection" in note
    assert "at or below 20" in note
