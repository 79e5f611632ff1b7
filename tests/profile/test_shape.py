from __future__ import annotations

import pytest

from sdc.data.roles import VariableType
from sdc.profile.load import load_profile
from sdc.profile.plan import Limits


def test_a_sound_profile_is_read_whole(write, sound):
    profile = load_profile(write(sound))
    assert list(profile.variables) == ["person", "home", "region", "age", "income", "health", "weight"]
    assert profile.roles.quasi_identifiers == ("region", "age")
    assert profile.criteria[0].at_least == 3


def test_a_weight_in_short_form_is_numeric(write, sound):
    assert load_profile(write(sound)).variables["weight"].type is VariableType.NUMERIC


def test_codes_categories_and_names_are_kept_as_they_were_typed(write, sound):
    text = sound.replace("{path: survey.csv}", "{path: 2025, missing_codes: ['', -9, 007, 1e3]}").replace(
        "health: sensitive", "health: {allowed: [01, true, 2025-01-31, 1_0]}"
    )
    text = (
        text.replace("person:", "007:")
        .replace("{method: coarsen}", "{method: blur, with: {variables: [0815]}}")
        .replace("  home:", "  0815: {type: numeric}\n  home:")
    )
    profile = load_profile(write(text))
    assert str(profile.source.path) == "2025"
    assert profile.source.missing_codes == ("", "-9", "007", "1e3")
    assert profile.variables["health"].allowed == ("01", "true", "2025-01-31", "1_0")
    assert profile.candidates["plain"][0].options == {"variables": ["0815"]}


# What is written in place of what, and the fault it makes.
MISFITS = [
    ("seed: 1", "seed: one", "file.yaml:2: seed must be a whole number, not the text 'one'"),
    (
        "seed: 1",
        "seed: '1'",
        "file.yaml:2: seed must be a whole number, not the text '1'; write it without quotes",
    ),
    ("seed: 1", "seed: 1.5", "file.yaml:2: seed must be a whole number, not the number 1.5"),
    ("seed: 1", "seed: true", "file.yaml:2: seed must be a whole number, not true or false"),
    ("seed: 1", "seed: -1", "file.yaml:2: seed must be at least 0, not the number -1"),
    ("seed: 1", "seed:", "file.yaml:2: seed has no value; write one, or delete the line"),
    (
        "name: survey\n",
        "",
        "file.yaml:1: name is missing; add name: a_short_name (small letters, digits and _)",
    ),
    ("seed: 1", "seed: 1\nsead: 2", "file.yaml:3: unknown key 'sead'; did you mean 'seed'?"),
    (
        "seed: 1",
        "seed: 1\nholdout_share: 0.1",
        "file.yaml:3: unknown key 'holdout_share'; it belongs under source:",
    ),
    (
        "seed: 1",
        "seed: 1\naccess: opn",
        "file.yaml:3: access cannot be 'opn'; write open, safeguarded or secure (did you mean 'open'?)",
    ),
    (
        "name: survey",
        "name: My survey",
        "file.yaml:1: name cannot be 'My survey'; write small letters, digits and _, beginning with a letter",
    ),
    (
        "{path: survey.csv}",
        "survey.csv",
        "file.yaml:3: source must be a set of 'key: value' pairs, not the text 'survey.csv'; write {path: survey.csv}",
    ),
    ("{path: survey.csv}", "{paht: x}", "file.yaml:3: unknown key 'paht' in source; did you mean 'path'?"),
    (
        "{path: survey.csv}",
        "{path: x, holdout_share: 10%}",
        "file.yaml:3: holdout_share must be a number, not the text '10%'",
    ),
    (
        "{path: survey.csv}",
        "{path: x, holdout_share: 1}",
        "file.yaml:3: holdout_share must be less than 1, not the number 1",
    ),
    (
        "{path: survey.csv}",
        "{path: x, format: rdata}",
        "file.yaml:3: format cannot be 'rdata'; write csv, ",
    ),
    (
        "{path: survey.csv}",
        "{path: x, seed: 3}",
        "file.yaml:3: unknown key 'seed' in source; it belongs at the top of the profile, without indentation",
    ),
    (
        "region: quasi_identifier",
        "region: quasi",
        "file.yaml:7: region cannot be 'quasi'; write direct_identifier, ",
    ),
    ("region: quasi_identifier", "region:", "file.yaml:7: region has no role; write direct_identifier, "),
    (
        "region: quasi_identifier",
        "region: [a]",
        "file.yaml:7: region must be a set of 'key: value' pairs, not a list",
    ),
    (
        "region: quasi_identifier",
        "region: {values: [a]}",
        "file.yaml:7: values must be a set of 'key: value' pairs, not a list",
    ),
    (
        "region: quasi_identifier",
        "region: {rol: x}",
        "file.yaml:7: unknown key 'rol' in region; did you mean 'role'?",
    ),
    (
        "region: quasi_identifier",
        "region: {type: number}",
        "file.yaml:7: type cannot be 'number'; write numeric, categorical, ordinal or date (did you mean 'numeric'?)",
    ),
    (
        "region: quasi_identifier",
        "region: {order: low}",
        "file.yaml:7: order must be a list, not the text 'low'; write [low]",
    ),
    (
        "- {method: coarsen}",
        "- coarsen",
        "file.yaml:14: the 1st item of plain must be a set of 'key: value' pairs, not the text 'coarsen'; write {method: coarsen}",
    ),
    (
        "- {method: coarsen}",
        "- {with: {k: 1}}",
        "file.yaml:14: method of the 1st item of plain is missing; add method: and the name of one (see `sdc catalogue`)",
    ),
    (
        "- {method: coarsen}",
        "{method: coarsen}",
        "file.yaml:13: plain must be a list, not a set of 'key: value' pairs; begin each item with '- '",
    ),
    (
        "because: rule 1",
        "because: rule 1, k: 5",
        "file.yaml:16: unknown key 'k' in the 1st item of risk; it is an option of crowd: write with: {k: ...}",
    ),
    (
        "because: rule 1",
        "because: rule 1, otherwise: stop",
        "file.yaml:16: otherwise cannot be 'stop'; write withhold, refer or note",
    ),
    (
        "because: rule 1",
        "because: rule 1, for: plain",
        "file.yaml:16: for must be a list, not the text 'plain'; write [plain]",
    ),
    (
        "because: rule 1",
        "because: rule 1, name: x",
        "file.yaml:16: unknown key 'name' in the 1st item of risk",
    ),
    ("at_least: 3", "at_least: three", "file.yaml:16: at_least must be a number, not the text 'three'"),
    (
        "at_least: 3",
        "at_least: 3, at_most: ~",
        "file.yaml:16: at_most has no value; write one, or delete the line",
    ),
    ("risk:", "prefer:\nrisk:", "file.yaml:15: prefer has no value; write one, or delete the line"),
    (
        "risk:",
        "prefer: crowd\nrisk:",
        "file.yaml:15: prefer must be a set of 'key: value' pairs, not the text 'crowd'; write {measure: crowd}",
    ),
    (
        "risk:",
        "publish: {formats: [xls]}\nrisk:",
        "file.yaml:15: the 1st item of formats cannot be 'xls'; write csv, parquet, sav, dta, xpt or xlsx (did you mean 'xlsx'?)",
    ),
    (
        "risk:",
        "limits: {threads: 0, memory: much}\nrisk:",
        "file.yaml:15: threads must be at least 1, not the number 0",
    ),
    (
        "risk:",
        "limits: {threads: 0, memory: much}\nrisk:",
        "file.yaml:15: memory cannot be 'much'; write a number and its unit, e.g. 4GB",
    ),
]


@pytest.mark.parametrize(("old", "new", "fault"), MISFITS)
def test_a_value_that_does_not_fit_is_named_with_its_line_and_what_would_be_right(
    faults, sound, old, new, fault
):
    found = faults(sound.replace(old, new, 1))
    assert any(said.startswith(fault) for said in found), found


@pytest.mark.parametrize(("old", "new", "fault"), MISFITS)
def test_a_misfit_brings_no_untrue_fault_about_the_rest(faults, sound, old, new, fault):
    found = faults(sound.replace(old, new, 1))
    allowed = 2 if "paht" in new or "memory" in new else 1
    assert len(found) == allowed, found


def test_all_misfits_are_reported_at_once_in_the_order_of_the_file(faults, sound):
    text = (
        sound.replace("seed: 1", "seed: one")
        .replace("region: quasi_identifier", "region: quasi")
        .replace("at_least: 3", "at_least: three, k: 5")
    )
    found = faults(text.replace("- {method: coarsen}", "- {method: blur, with: {shar: 2}}"))
    assert [fault.split(":")[1] for fault in found] == ["2", "7", "14", "16", "16"]


def test_faults_are_found_beside_misfits_in_the_same_criterion(faults, sound):
    found = faults(sound.replace("because: rule 1", "otherwise: stop, with: {k: 0, keys: [regoin]}"))
    assert len(found) == 4
    assert "file.yaml:16: k must be at least 1, not the number 0" in found
    assert "file.yaml:16: no variable is called 'regoin'; did you mean 'region'?" in found
    assert any("does not say by which rule" in fault for fault in found)


@pytest.mark.parametrize(
    "section",
    ["variables", "candidates", "risk", "source", "utility", "publish", "prefer", "approval", "limits"],
)
@pytest.mark.parametrize(
    "value", ["", "3", "text", "[a]", "{a: b}", "[[1]]", "{a: [1]}", "{a: {b: {c: d}}}", "true"]
)
def test_whatever_stands_in_a_section_the_answer_is_faults(faults, sound, section, value):
    lines = sound.splitlines()
    starts = [place for place, line in enumerate(lines) if line.startswith(section)]
    if starts:
        end = next(
            (place for place in range(starts[0] + 1, len(lines)) if not lines[place].startswith(" ")),
            len(lines),
        )
        lines[starts[0] : end] = [f"{section}: {value}"]
    else:
        lines.append(f"{section}: {value}")
    found = faults("\n".join(lines) + "\n")
    assert all(fault.startswith("file.yaml:") for fault in found)


@pytest.mark.parametrize(
    ("memory", "room"),
    [
        ("4GB", 4 * 10**9),
        ("512MB", 512 * 10**6),
        ("1.5GiB", 1536 * 2**20),
        ("100 kB", 10**5),
        ("70%", None),
        (None, None),
    ],
)
def test_the_memory_of_a_run_is_read_in_bytes(memory: str | None, room: int | None) -> None:
    assert Limits(memory=memory).room == room
