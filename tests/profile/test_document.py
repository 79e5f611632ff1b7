from __future__ import annotations

import pytest

from sdc.errors import BadProfile
from sdc.profile.document import read_document
from sdc.profile.load import load_profile

BROKEN = {
    "a tab": ("name: a\nsource:\n\tpath: x\n", "file.yaml:3: a tab stands where spaces are needed"),
    "an open quote": ("name: 'a\nseed: 1\n", "file.yaml:1: a quotation mark is opened here and never closed"),
    "an open bracket": ("name: a\nrisk: [1, 2\nseed: 3\n", "file.yaml:2: a [ is opened here"),
    "an open brace": ("name: a\nsource: {path: x\nseed: 3\n", "file.yaml:2: a { is opened here"),
    "a brace too many": ("name: a\nsource: {path: x}}\n", "file.yaml:2: a } stands here that nothing opens"),
    "two colons": ("name: a\ntitle: a: b\n", "file.yaml:2: a colon stands where no key can be"),
    "an at sign": ("name: a\ntitle: @home\n", "file.yaml:2: text that begins with @ needs quotes"),
    "an unknown anchor": ("name: a\ntitle: *home\n", "file.yaml:2: undefined alias 'home'"),
    "a wrong indentation": ("name: a\n  seed: 1\n", "file.yaml:2: a colon stands where no key can be"),
    "a loose line": (
        "source:\n  path: x\n name: a\n",
        "file.yaml:3: the indentation of this line does not fit",
    ),
    "two documents": ("name: a\n---\nname: b\n", "file.yaml:2: a second document begins here"),
    "a null byte": ("name: a\ntitle: \0\n", "file.yaml:2: a control character"),
    "nothing": ("", "file.yaml:1: the file is empty"),
    "only comments": ("# a\n# b\n", "file.yaml:1: the file is empty"),
    "a list": (
        "# a\n- name: a\n",
        "file.yaml:2: a profile is made of 'key: value' lines, and here stands a list",
    ),
    "a text": (
        "name\n",
        "file.yaml:1: a profile is made of 'key: value' lines, and here stands the text 'name'",
    ),
    "a bottomless anchor": ("name: &a [*a]\n", "file.yaml:1: anchors (& and *) refer to themselves"),
    "a bottomless merge": ("name: &a {<<: *a}\n", "file.yaml:1: anchors (& and *) refer to themselves"),
    "a deep nest": ("name: " + "[" * 600, "file.yaml:1: lists or mappings are nested too deeply"),
    "latin-1": ("name: a\ntitle: Köln\n".encode("latin-1"), "file.yaml:2: the file is not UTF-8 text"),
    "utf-16": ("name: a\n".encode("utf-16"), "file.yaml:1: the file is not UTF-8 text"),
}


@pytest.mark.parametrize(("text", "fault"), BROKEN.values(), ids=list(BROKEN))
def test_a_file_that_is_no_yaml_mapping_is_one_clear_fault_on_its_line(faults, text, fault):
    (found,) = faults(text)
    assert found.startswith(fault)


def test_a_billion_laughs_are_not_expanded(faults):
    nine = ",".join(["*{}"] * 9)
    text = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
        f"{name}: &{name} [{nine.replace('{}', before)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "multiply without end" in faults(text)[0]


def test_a_missing_file_and_a_folder_are_faults(tmp_path):
    with pytest.raises(BadProfile, match=r"absent.yaml: there is no such file"):
        load_profile(tmp_path / "absent.yaml")
    with pytest.raises(BadProfile, match="this is a folder"):
        load_profile(tmp_path)


def test_every_key_written_twice_is_a_fault_that_names_the_first_line(faults):
    found = faults("name: a\nseed: 1\nname: b\nsource: {path: x, path: y}\n")
    assert "file.yaml:3: 'name' is written twice, first on line 1; keep one of the two" in found
    assert "file.yaml:4: 'path' is written twice, first on line 4; keep one of the two" in found


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte-order mark"])
def test_lines_are_those_an_editor_shows(write, newline, mark):
    text = "name: é\n\nvariables:\n  größe: other\n  # ein Hinweis: ja\n  'weiß ': {role: other,\n    type: numeric}\nrisk:\n  - measure: a\n    with:\n      keys: [x,\n        y]\n"
    document = read_document(write(mark + text.replace("\n", newline).encode()))
    places = [
        ("name",),
        ("variables",),
        ("variables", "größe"),
        ("variables", "weiß "),
        ("variables", "weiß ", "type"),
    ]
    assert [document.line(place) for place in places] == [1, 3, 4, 6, 7]
    risk = [
        ("risk",),
        ("risk", 0),
        ("risk", 0, "measure"),
        ("risk", 0, "with"),
        ("risk", 0, "with", "keys", 0),
        ("risk", 0, "with", "keys", 1),
    ]
    assert [document.line(place) for place in risk] == [8, 9, 9, 10, 11, 12]


def test_what_is_not_written_has_the_line_of_what_is_around_it(write):
    document = read_document(write("name: a\nrisk:\n  - measure: a\n"))
    assert document.line(("risk", 0, "because")) == 3
    assert document.line(("seed",)) == 1


def test_anchors_and_merged_mappings_are_understood(write):
    document = read_document(write("a: &x {role: other, type: numeric}\nb:\n  <<: *x\n  type: date\n"))
    assert document.values["b"] == {"role": "other", "type": "date"}
    assert document.line(("b", "type")) == 4
    assert document.line(("b", "role")) == 1


def test_scalars_are_read_as_yaml_1_2_says(write):
    text = (
        "a: no\nb: 012\nc: 0x1F\nd: 1e3\ne: -.inf\nf: true\ng: ~\nh: 2025-01-31\ni: 1_000\nj: '5'\nk: 1:30\n"
    )
    values = read_document(write(text)).values
    assert list(values.values()) == [
        "no",
        12,
        31,
        1000.0,
        float("-inf"),
        True,
        None,
        "2025-01-31",
        1000,
        "5",
        "1:30",
    ]


def test_an_option_may_be_called_null_and_a_key_may_not_be_empty(write):
    document = read_document(write("a: {null: none}\nb: {~: 1}\n"))
    assert document.values == {"a": {"null": "none"}, "b": {}}
    assert [(fault.place, fault.problem) for fault in document.faults] == [
        ("file.yaml:2", "a key must be a single word or text")
    ]


def test_tags_and_keys_that_are_no_text_are_faults(faults):
    found = faults("name: !!python/object:os.system x\n? [a]\n: b\nseed: !!int x\n")
    assert [fault.split(";")[0] for fault in found[:3]] == [
        "file.yaml:1: the tag '!!python/object:os.system' is not understood in a profile",
        "file.yaml:1: source is missing",
        "file.yaml:1: variables is missing",
    ]
    assert "file.yaml:2: a key must be a single word or text" in found
    assert "file.yaml:4: this cannot be read as int; write the plain value" in found
