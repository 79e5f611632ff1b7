"""What cannot be judged on a candidate is foretold when the profile is read."""

from __future__ import annotations

import pytest

import sdc.check
from tests.flows.small_release import PROFILE, small_people


@pytest.mark.parametrize(
    ("criterion", "noted"),
    [
        ("{measure: il1s, at_most: 1, because: rule}", True),
        ("{measure: il1s, at_most: 1, because: rule, with: {variables: [income]}}", False),
        ("{measure: il1s, part: sum.income, at_most: 1, because: rule}", False),
        ("{measure: il1s}", False),
        ("{measure: ks_distance, at_most: 0.2, because: rule}", False),
    ],
)
def test_a_criterion_over_all_numbers_is_noted_where_a_step_makes_labels_of_one(tmp_path, criterion, noted):
    small_people(40).to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "outbox").mkdir()
    text = PROFILE.replace("{measure: ks_distance, at_most: 0.5, because: rule 2}", criterion)
    (tmp_path / "p.yaml").write_text(text)
    notes = [note for note in sdc.check.check(tmp_path / "p.yaml") if "make labels of age" in note]
    assert bool(notes) is noted
    assert all("is then withheld" in note and "with: {variables: [...]}" in note for note in notes)
