"""A profile is edited by place: comments, order and quotes stay, edits are undone, kept and saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdc.studio.kept_text import ChangedOnDisk, DiskState
from sdc.studio.placed_nodes import CannotEdit
from sdc.studio.profile_text import ProfileText, StaleEdit

TEXT = """\
# A survey.
name: survey
source:
  path: data.csv
variables:      # all of them
  age: {role: quasi_identifier, type: numeric}   # demography
  sex: quasi_identifier                          # demography
  income:
    role: sensitive
    type: numeric    # euros
# How it is protected.
candidates:
  recoded:
    # bands first
    - {method: global_recode, with: {age: {width: 10}}}  # ten years
    # then what is left
    - method: local_suppression
      with:
        k: 3   # agency
  other: []
risk:
  - {measure: k_anonymity, at_least: 3, because: "the 'rule'"}
limits:
publish: {formats: [csv, parquet], outbox: outbox}
"""


@pytest.fixture
def opened(tmp_path: Path) -> ProfileText:
    path = tmp_path / "survey.yaml"
    path.write_text(TEXT)
    return ProfileText.open(path)


def changed(opened: ProfileText) -> tuple[set[str], set[str]]:
    """Lines that went, and lines that came."""
    before, after = TEXT.splitlines(), opened.text.splitlines()
    return set(before) - set(after), set(after) - set(before)


@pytest.mark.parametrize(
    ("place", "value", "went", "came"),
    [
        (("name",), "census", {"name: survey"}, {"name: census"}),
        (
            ("variables", "age", "type"),
            "ordinal",
            {"  age: {role: quasi_identifier, type: numeric}   # demography"},
            {"  age: {role: quasi_identifier, type: ordinal}   # demography"},
        ),
        (
            ("variables", "age", "label"),
            "Age: in years",
            {"  age: {role: quasi_identifier, type: numeric}   # demography"},
            {'  age: {role: quasi_identifier, type: numeric, label: "Age: in years"}  # demography'},
        ),
        (
            ("variables", "sex"),
            "other",
            {"  sex: quasi_identifier                          # demography"},
            {"  sex: other                                     # demography"},
        ),
        (
            ("variables", "income", "type"),
            "integer",
            {"    type: numeric    # euros"},
            {"    type: integer    # euros"},
        ),
        (("variables", "income", "unit"), "€", set(), {'    unit: "€"'}),
        (
            ("variables", "income"),
            "dropped",
            {"  income:", "    role: sensitive", "    type: numeric    # euros"},
            {"  income: dropped"},
        ),
        (
            ("candidates", "recoded", 1, "with", "k"),
            5,
            {"        k: 3   # agency"},
            {"        k: 5   # agency"},
        ),
        (
            ("candidates", "recoded", 0, "with", "age", "width"),
            5,
            {"    - {method: global_recode, with: {age: {width: 10}}}  # ten years"},
            {"    - {method: global_recode, with: {age: {width: 5}}}   # ten years"},
        ),
        (("limits",), {"threads": 2}, {"limits:"}, {"limits: {threads: 2}"}),
        (("limits", "threads"), 2, {"limits:"}, {"limits: {threads: 2}"}),
        (("approval", "required"), "never", set(), {"approval: {required: never}"}),
        (
            ("candidates", "other"),
            [{"method": "rounding", "with": {"income": {"to": 10}}}],
            {"  other: []"},
            {"  other:", "    - {method: rounding, with: {income: {to: 10}}}"},
        ),
        (
            ("candidates", "third"),
            [{"method": "rank_swap"}],
            set(),
            {"  third:", "    - {method: rank_swap}"},
        ),
        (
            ("publish", "formats", 1),
            "stata",
            {"publish: {formats: [csv, parquet], outbox: outbox}"},
            {"publish: {formats: [csv, stata], outbox: outbox}"},
        ),
        (
            ("publish", "formats", 2),
            "stata",
            {"publish: {formats: [csv, parquet], outbox: outbox}"},
            {"publish: {formats: [csv, parquet, stata], outbox: outbox}"},
        ),
        (("source", "missing_codes"), ["", "NA", "-9"], set(), {'  missing_codes: ["", NA, "-9"]'}),
    ],
)
def test_a_value_is_written_in_its_place_and_nothing_else_changes(opened, place, value, went, came):
    opened.set(place, value, expected=1)
    assert opened.at(place) == value
    assert changed(opened) == (went, came)
    opened.undo()
    assert opened.text == TEXT


@pytest.mark.parametrize(
    ("place", "went", "came"),
    [
        (
            ("variables", "age", "role"),
            {"  age: {role: quasi_identifier, type: numeric}   # demography"},
            {"  age: {type: numeric}   # demography"},
        ),
        (
            ("variables", "age", "type"),
            {"  age: {role: quasi_identifier, type: numeric}   # demography"},
            {"  age: {role: quasi_identifier}   # demography"},
        ),
        (("variables", "sex"), {"  sex: quasi_identifier                          # demography"}, set()),
        (
            ("variables", "income"),
            {"  income:", "    role: sensitive", "    type: numeric    # euros"},
            set(),
        ),
        (
            ("candidates", "recoded", 0),
            {"    - {method: global_recode, with: {age: {width: 10}}}  # ten years"},
            set(),
        ),
        (
            ("candidates", "recoded", 1),
            {"    - method: local_suppression", "      with:", "        k: 3   # agency"},
            set(),
        ),
        (
            ("candidates", "recoded", 1, "method"),
            {"    - method: local_suppression", "      with:"},
            {"    - with:"},
        ),
        (
            ("risk", 0),
            {"risk:", "  - {measure: k_anonymity, at_least: 3, because: \"the 'rule'\"}"},
            {"risk: []"},
        ),
        (("limits",), {"limits:"}, set()),
    ],
)
def test_what_is_removed_takes_only_its_own_lines(opened, place, went, came):
    opened.remove(place, expected=1)
    assert changed(opened) == (went, came)


def test_items_are_inserted_and_moved_with_the_comments_above_them(opened):
    step = {"method": "rounding", "with": {"income": {"to": 10}}}
    opened.insert(("candidates", "recoded"), 1, step, expected=1)
    assert [each["method"] for each in opened.at(("candidates", "recoded"))] == [
        "global_recode",
        "rounding",
        "local_suppression",
    ]
    opened.undo()
    opened.move(("candidates", "recoded"), 1, 0, expected=opened.revision)
    assert (
        """\
  recoded:
    # then what is left
    - method: local_suppression
      with:
        k: 3   # agency
    # bands first
    - {method: global_recode, with: {age: {width: 10}}}  # ten years
  other: []
"""
        in opened.text
    )
    opened.move(("publish", "formats"), 0, 1, expected=opened.revision)
    assert opened.at(("publish", "formats")) == ["parquet", "csv"]
    opened.insert(("candidates", "other"), 0, step, expected=opened.revision)
    assert opened.at(("candidates", "other")) == [step]
    opened.rename(("candidates", "other"), "rounded", expected=opened.revision)
    assert list(opened.values["candidates"]) == ["recoded", "rounded"]
    with pytest.raises(CannotEdit, match="already"):
        opened.rename(("candidates", "rounded"), "recoded", expected=opened.revision)


def test_an_edit_from_a_page_that_is_out_of_date_changes_nothing(opened):
    opened.set(("name",), "one", expected=1)
    with pytest.raises(StaleEdit, match="another tab"):
        opened.set(("name",), "two", expected=1)
    assert opened.at(("name",)) == "one"


def test_undo_and_redo_go_back_and_forth_and_a_new_edit_ends_redoing(opened):
    for name in ("one", "two"):
        opened.set(("name",), name, expected=opened.revision)
    opened.undo()
    assert (opened.at(("name",)), len(opened.before), len(opened.after)) == ("one", 1, 1)
    assert opened.changed_lines == {2}
    opened.redo()
    assert opened.at(("name",)) == "two"
    opened.undo()
    opened.set(("name",), "three", expected=opened.revision)
    assert not opened.after


def test_several_edits_are_one_or_none(opened):
    def both(text, expected):
        text.set(("name",), "one", expected=text.revision)
        text.set(("seed",), 7, expected=text.revision)

    opened.edit(both, expected=1, said="two things")
    assert (opened.at(("name",)), opened.at(("seed",))) == ("one", 7)
    opened.undo()
    assert opened.text == TEXT

    def broken(text, expected):
        text.set(("name",), "one", expected=text.revision)
        text.remove(("nothing",), expected=text.revision)

    with pytest.raises(CannotEdit):
        opened.edit(broken, expected=opened.revision)
    assert opened.text == TEXT


def test_anchors_that_an_edit_would_change_elsewhere_are_refused(tmp_path):
    path = tmp_path / "anchored.yaml"
    path.write_text("name: x\nrisk: &shared [{measure: k}]\nutility: *shared\n")
    opened = ProfileText.open(path)
    with pytest.raises(CannotEdit, match="text beside"):
        opened.set(("utility", 0, "measure"), "l", expected=1)


def test_what_was_not_saved_is_offered_after_a_server_was_killed(opened, tmp_path):
    opened.set(("name",), "unsaved", expected=1)
    assert "name: survey" in opened.path.read_text()
    again = ProfileText.open(opened.path)
    assert again.at(("name",)) == "survey"
    assert "name: unsaved" in again.offered
    again.take_offered(expected=again.revision)
    assert again.at(("name",)) == "unsaved"
    again.save()
    assert "name: unsaved" in opened.path.read_text()
    assert ProfileText.open(opened.path).offered is None


def test_a_file_changed_on_disk_is_not_written_over_unasked(opened):
    opened.set(("name",), "ours", expected=1)
    opened.path.write_text(TEXT.replace("survey", "theirs"))
    assert opened.on_disk() is DiskState.CHANGED
    with pytest.raises(ChangedOnDisk, match=r"survey\.yaml"):
        opened.save()
    opened.take_theirs(expected=opened.revision)
    assert opened.at(("name",)) == "theirs"
    opened.undo()
    opened.save()
    assert "name: ours" in opened.path.read_text()
    opened.path.write_text(TEXT)
    opened.save(over=True)
    assert "name: ours" in opened.path.read_text()


def test_a_text_that_is_not_yaml_opens_with_its_fault(tmp_path):
    path = tmp_path / "broken.yaml"
    path.write_text("name: [unclosed\n")
    opened = ProfileText.open(path)
    assert opened.values is None
    assert "opened here" in opened.misread[0].problem
    with pytest.raises(CannotEdit):
        opened.set(("name",), "x", expected=1)
    opened.replace_text("name: mended\n", expected=1)
    assert opened.values == {"name": "mended"}


def test_the_rights_of_the_file_are_kept(opened):
    opened.path.chmod(0o640)
    opened.set(("name",), "x", expected=1)
    assert opened.kept.beside.stat().st_mode & 0o777 == 0o600
    opened.save()
    assert opened.path.stat().st_mode & 0o777 == 0o640
    assert not opened.kept.beside.exists()
