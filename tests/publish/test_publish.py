"""A candidate leaves whole and verified, or not at all."""

from __future__ import annotations

import csv
import errno
import hashlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import frictionless
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from published_survey import COLUMNS, PROFILE, SYNTHETIC, plan_of

from sdc.audit.ledger import Event, Ledger
from sdc.audit.recovery import close_stale
from sdc.data import sql
from sdc.errors import CannotPublish, LedgerUnusable
from sdc.publish import BundlePlan, check_outbox, manifest, publish, release_note
from sdc.run import digest, durable
from sdc.run.home import Home, Run

WITH_TESTS = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
FILES = [
    "CITATION.cff",
    "MANIFEST.json",
    "RELEASE_NOTE.md",
    "datapackage.json",
    "dcat.jsonld",
    "ddi.xml",
    "dictionary.csv",
    "dictionary.json",
    "report.html",
    "ro-crate-metadata.json",
    "survey.csv",
    "survey.csv-metadata.json",
    "survey.parquet",
]
DATED = {"CITATION.cff", "MANIFEST.json", "RELEASE_NOTE.md", "datapackage.json", "dcat.jsonld", "ddi.xml"} | {
    "ro-crate-metadata.json",
    "survey.csv-metadata.json",
}


@pytest.fixture
def plan(tmp_path) -> BundlePlan:
    return plan_of(tmp_path)


@pytest.fixture
def outbox(tmp_path) -> Path:
    place = tmp_path / "outbox"
    place.mkdir()
    return place


def declared(plan: BundlePlan, **changes) -> BundlePlan:
    """The same plan with other words under `publish`."""
    return replace(
        plan,
        profile=type(plan.profile).model_validate({**PROFILE, "publish": {**PROFILE["publish"], **changes}}),
    )


def refused(plan: BundlePlan, outbox: Path, because: str) -> None:
    """Publishing fails for this reason, names the outbox, and leaves it as it was."""
    before = sorted(outbox.rglob("*"))
    with pytest.raises(CannotPublish, match=because) as caught:
        publish(plan, outbox)
    assert str(outbox) in str(caught.value)
    assert sorted(outbox.rglob("*")) == before


def test_the_bundle_has_all_its_files_readable_by_all(plan, outbox):
    old = os.umask(0o077)
    try:
        published = publish(plan, outbox)
    finally:
        os.umask(old)
    assert published.path == outbox / "survey-1.0"
    assert sorted(place.name for place in published.path.iterdir()) == FILES == sorted(published.files)
    assert {stat.S_IMODE(place.stat().st_mode) for place in published.path.iterdir()} == {0o644}
    assert stat.S_IMODE(published.path.stat().st_mode) == 0o755
    assert [place.name for place in outbox.iterdir()] == ["survey-1.0"]


def test_the_manifest_has_size_and_hash_of_every_file(plan, outbox):
    published = publish(plan, outbox)
    held = json.loads((published.path / "MANIFEST.json").read_bytes())
    assert (held["bundle"], held["run"]) == ("survey-1.0", plan.run)
    assert [each["path"] for each in held["files"]] == [name for name in FILES if name != "MANIFEST.json"]
    for each in held["files"]:
        data = (published.path / each["path"]).read_bytes()
        assert (each["bytes"], each["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        assert published.files[each["path"]] == each["sha256"]
    assert (
        published.manifest_sha256
        == hashlib.sha256((published.path / "MANIFEST.json").read_bytes()).hexdigest()
    )


def test_the_parquet_file_is_the_judged_one_byte_for_byte(plan, outbox):
    published = publish(plan, outbox)
    assert (published.path / "survey.parquet").read_bytes() == plan.parquet.read_bytes()


def test_the_csv_file_has_the_same_values_in_the_same_order(plan, outbox):
    published = publish(plan, outbox)
    with (published.path / "survey.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == list(COLUMNS)
    held = [column.to_pylist() for column in COLUMNS.values()]
    for place, row in enumerate(rows):
        for text, column in zip(row, held, strict=True):
            value = column[place]
            assert text == ("" if value is None else text)
            assert value is None or (float(text) == value if isinstance(value, float) else text == str(value))
    assert len(rows) == 5


def test_texts_that_a_spreadsheet_would_run_are_left_as_they_are(plan, outbox):
    text = (publish(plan, outbox).path / "survey.csv").read_text()
    assert all(value in text for value in (",=1+1,", ",-x,", ",@y,"))


def test_a_missing_value_is_an_empty_cell_and_an_empty_text_a_quoted_one(tmp_path, outbox):
    profile_of_one = {**PROFILE, "variables": {"x": "other"}}
    plan = plan_of(tmp_path, columns={"x": pa.array([None, "", "a"])})
    plan = replace(plan, profile=type(plan.profile).model_validate(profile_of_one), steps=())
    assert (publish(plan, outbox).path / "survey.csv").read_bytes() == b'x\n\n""\na\n'


def test_the_same_input_gives_the_same_bytes_but_for_run_and_date(tmp_path, outbox):
    first = publish(plan_of(tmp_path), outbox)
    again = declared(
        plan_of(tmp_path, run="20270101T000000Z-survey-000000", released=datetime(2027, 1, 1, tzinfo=UTC)),
        version="1.1",
    )
    second = publish(again, outbox)
    differ = {name for name in FILES if first.files[name] != second.files[name]}
    assert differ == DATED


def test_only_the_declared_formats_leave(plan, outbox):
    published = publish(declared(plan, formats=["csv"]), outbox)
    assert not list(published.path.glob("*.parquet"))
    assert [
        each["path"] for each in json.loads((published.path / "datapackage.json").read_bytes())["resources"]
    ] == ["survey.csv"]


def test_synthetic_data_say_so_in_name_dictionary_package_and_note(plan, outbox):
    published = publish(replace(plan, steps=SYNTHETIC), outbox)
    assert {"survey.synthetic.csv", "survey.synthetic.parquet"} <= set(published.files)
    assert json.loads((published.path / "dictionary.json").read_bytes())["synthetic"] is True
    assert json.loads((published.path / "datapackage.json").read_bytes())["synthetic"] is True
    for name in ("dictionary.json", "datapackage.json", "RELEASE_NOTE.md"):
        assert "Synthetic data" in (published.path / name).read_text()
    with (published.path / "dictionary.csv").open(encoding="utf-8", newline="") as file:
        assert {row["synthetic"] for row in csv.DictReader(file)} == {"yes"}


def test_records_drawn_in_their_place_are_not_said_to_describe_nobody(plan, outbox):
    in_place = tuple(replace(step, aligned=True) for step in SYNTHETIC)
    published = publish(replace(plan, steps=in_place), outbox)
    assert "survey.csv" in published.files
    for name in ("dictionary.json", "datapackage.json", "RELEASE_NOTE.md"):
        assert "no real person" not in (published.path / name).read_text()


@pytest.mark.parametrize("steps", [(), SYNTHETIC])
def test_the_data_package_is_valid(plan, outbox, steps):
    published = publish(replace(plan, steps=steps), outbox)
    report = frictionless.validate(str(published.path / "datapackage.json"))
    assert report.valid, report.flatten(["title", "note"])
    assert report.tasks[0].stats["rows"] == 5


def test_the_data_package_notices_an_altered_file(plan, outbox):
    published = publish(plan, outbox)
    for name in ("survey.csv", "survey.parquet"):
        data = (published.path / name).read_bytes()
        (published.path / name).write_bytes(data[:-2] + b"9\n")
        assert not frictionless.validate(str(published.path / "datapackage.json")).valid
        (published.path / name).write_bytes(data)


def test_the_dictionary_describes_the_published_file_and_nothing_else(plan, outbox):
    published = publish(plan, outbox)
    entries = {
        each["name"]: each
        for each in json.loads((published.path / "dictionary.json").read_bytes())["variables"]
    }
    assert list(entries) == list(COLUMNS)
    assert entries["age"] == {
        "name": "age",
        "label": "Age",
        "type": "categorical",
        "unit": "years",
        "categories": ["20-29", "30-39", "40+"],
        "done": ["global_recode"],
        "missing": "empty: not recorded, or removed to protect confidentiality",
        "escape": "",
        "values": {},
    }
    assert entries["education"]["categories"] == ["none", "primary", "secondary"]
    assert entries["income"]["categories"] == []
    assert entries["income"]["done"] == ["rank_swap"]
    with (published.path / "dictionary.csv").open(encoding="utf-8", newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == list(COLUMNS)


def test_words_for_codes_are_in_dictionary_and_data_package_and_the_data_keep_their_codes(plan, outbox):
    """Nobody in the file has the fourth level, so nobody is told that there is one."""
    variables = {
        **PROFILE["variables"],
        "education": {
            **PROFILE["variables"]["education"],
            "values": {"none": "no school", "tertiary": "a degree"},
        },
    }
    published = publish(
        replace(plan, profile=type(plan.profile).model_validate({**PROFILE, "variables": variables})), outbox
    )
    entries = {
        each["name"]: each
        for each in json.loads((published.path / "dictionary.json").read_bytes())["variables"]
    }
    assert entries["education"]["values"] == {"none": "no school"}
    with (published.path / "dictionary.csv").open(encoding="utf-8", newline="") as file:
        assert {row["name"]: row["values"] for row in csv.DictReader(file)}["education"] == "none = no school"
    package = json.loads((published.path / "datapackage.json").read_bytes())
    (field,) = [
        field for field in package["resources"][0]["schema"]["fields"] if field["name"] == "education"
    ]
    told = [("none", "no school"), ("primary", "primary"), ("secondary", "secondary")]
    assert field["categories"] == [{"value": value, "label": label} for value, label in told]
    assert frictionless.validate(str(published.path / "datapackage.json")).valid
    assert "no school" not in (published.path / "survey.csv").read_text()
    assert b"a degree" not in b"".join(place.read_bytes() for place in published.path.iterdir())


def test_the_dictionary_names_a_method_only_on_variables_it_changed(plan, outbox):
    """Both steps touched these columns; of income it is counted that the first changed nothing."""
    recode, *others = plan.steps
    wide = replace(
        recode, touched=frozenset({*recode.touched, "income"}), changed={**recode.changed, "income": 0}
    )
    published = publish(replace(plan, steps=(wide, *others)), outbox)
    entries = {
        each["name"]: each
        for each in json.loads((published.path / "dictionary.json").read_bytes())["variables"]
    }
    assert (entries["age"]["done"], entries["income"]["done"]) == (["global_recode"], ["rank_swap"])


def test_neither_seed_nor_roles_nor_counts_of_changes_are_told(plan, outbox):
    published = publish(plan, outbox)
    for place in published.path.iterdir():
        data = place.read_bytes()
        assert b"987654321" not in data
        assert b'identifier"' not in data
        assert b"sensitive" not in data
        assert b"changed" not in data


def test_a_column_the_profile_does_not_release_is_refused(tmp_path, outbox):
    refused(
        plan_of(tmp_path, columns={**COLUMNS, "name": pa.array(list("abcde"))}),
        outbox,
        "does not release: name$|does not release: name;",
    )
    refused(
        plan_of(tmp_path, columns={**COLUMNS, "added": pa.array(list("abcde"))}),
        outbox,
        "does not release: added",
    )


def test_another_count_of_rows_than_was_judged_is_refused(plan, outbox):
    refused(replace(plan, rows=4), outbox, "5 rows, 4 were judged")


def test_a_stored_file_that_is_not_the_judged_one_is_refused(plan, outbox):
    refused(replace(plan, sha256="0" * 64), outbox, "not the file that was judged")
    plan.parquet.unlink()
    refused(plan, outbox, "not the file that was judged")


@pytest.mark.parametrize(
    "changed",
    [
        {"children": pa.array([0, 1, None, 2, 13])},
        {"select": pa.array(["North", "South", "", "South", 'Øst "7"'])},
    ],
)
@pytest.mark.parametrize("at_a_time", [2**23, 1])
def test_a_stored_file_with_one_other_value_than_the_judged_table_is_refused(
    plan, tmp_path, outbox, changed, at_a_time, monkeypatch
):
    monkeypatch.setattr("sdc.publish.data_files.RECORDS_COMPARED", at_a_time)
    (tmp_path / "other").mkdir()
    other = plan_of(tmp_path / "other", columns={**COLUMNS, **changed})
    refused(
        replace(plan, parquet=other.parquet, sha256=other.sha256),
        outbox,
        "differs from the candidate in 1 rows",
    )


@pytest.mark.parametrize("at_a_time", [2**23, 1])
def test_records_leave_in_the_order_of_the_stored_file(plan, tmp_path, outbox, at_a_time, monkeypatch):
    monkeypatch.setattr("sdc.publish.data_files.RECORDS_COMPARED", at_a_time)
    (tmp_path / "other").mkdir()
    other = plan_of(
        tmp_path / "other", columns={name: column.take([1, 0, 2, 3, 4]) for name, column in COLUMNS.items()}
    )
    published = publish(replace(plan, parquet=other.parquet, sha256=other.sha256), outbox)
    (tmp_path / "second").mkdir()
    first, second = (published.path / "survey.csv").read_text().splitlines()[1:3]
    assert [first, second] == (
        publish(plan, tmp_path / "second").path / "survey.csv"
    ).read_text().splitlines()[2:0:-1]


def test_a_record_twice_in_place_of_another_is_refused(plan, tmp_path, outbox):
    (tmp_path / "other").mkdir()
    other = plan_of(
        tmp_path / "other", columns={name: column.take([0, 0, 2, 3, 4]) for name, column in COLUMNS.items()}
    )
    refused(
        replace(plan, parquet=other.parquet, sha256=other.sha256),
        outbox,
        "differs from the candidate in 1 rows",
    )


@pytest.mark.parametrize(
    "spoil", ["UPDATE shown SET income = 0.2 WHERE income = 0.1", "DELETE FROM shown WHERE children = 12"]
)
def test_a_csv_file_that_reads_back_otherwise_is_refused(plan, outbox, monkeypatch, spoil):
    from sdc.publish.writers import csv_file

    real = csv_file._check_header

    def spoiling(given, place):
        database = given.plan.table.database
        database.cursor().execute(f"CREATE OR REPLACE TABLE shown AS SELECT * FROM candidate; {spoil}")
        database.cursor().execute(f"COPY shown TO {sql.text(str(place))} ({csv_file.WRITTEN})")
        real(given, place)

    monkeypatch.setattr(csv_file, "_check_header", spoiling)
    refused(plan, outbox, "survey.csv (differs from the candidate in 1 rows|has 4 rows)")


def test_a_candidate_larger_than_the_memory_it_may_have_is_published(tmp_path, outbox):
    numbers = pa.array([number / 7 for number in range(200_000)])
    plan = plan_of(tmp_path, columns=dict.fromkeys(("a", "b", "c", "d", "e"), numbers))
    variables = {name: {"type": "numeric"} for name in ("a", "b", "c", "d", "e")}
    profile = type(plan.profile).model_validate(
        {**PROFILE, "variables": variables, "limits": {"memory": "40MB", "threads": 1}}
    )
    published = publish(replace(plan, profile=profile, steps=()), outbox)
    assert (published.path / "survey.csv").read_bytes().count(b"\n") == 200_001
    assert sorted(place.name for place in tmp_path.iterdir()) == ["candidate.parquet", "outbox"]


def test_an_added_row_without_any_value_is_refused(plan, tmp_path, outbox):
    (tmp_path / "other").mkdir()
    other = plan_of(
        tmp_path / "other",
        columns={
            name: pa.concat_arrays([column, pa.nulls(1, column.type)]) for name, column in COLUMNS.items()
        },
    )
    refused(replace(plan, parquet=other.parquet, sha256=other.sha256), outbox, "has 6 rows, the candidate 5")


def test_a_copy_that_is_not_the_judged_file_is_refused(plan, outbox, monkeypatch):
    monkeypatch.setattr(
        shutil, "copyfile", lambda source, place: Path(place).write_bytes(source.read_bytes()[:-1])
    )
    refused(plan, outbox, "survey.parquet is not, byte for byte")


def test_a_file_that_changes_while_it_is_written_is_refused(plan, outbox, monkeypatch):
    real = durable.sync

    def spoiling(path):
        if path.name == "survey.csv":
            path.write_bytes(path.read_bytes().replace(b"North", b"Norse"))
        real(path)

    monkeypatch.setattr(durable, "sync", spoiling)
    refused(plan, outbox, "survey.csv was altered")


def test_a_file_that_was_not_planned_is_refused(plan, outbox, monkeypatch):
    real = release_note.as_markdown

    def stray(given):
        (outbox / f".incoming-{plan.run}" / "original.csv").write_text("secret")
        return real(given)

    monkeypatch.setattr(release_note, "as_markdown", stray)
    refused(plan, outbox, "other files than planned: original.csv")


def test_a_category_no_record_has_any_more_does_not_leave_inside_the_parquet_file(plan, tmp_path, outbox):
    cursor = plan.table.database.cursor()
    place = tmp_path / "enum.parquet"
    cursor.execute("CREATE TYPE region AS ENUM ('North', 'South', 'Øst \"7\"', 'Rare Island')")
    cursor.execute(
        f'COPY (SELECT * REPLACE (CAST("select" AS region) AS "select") FROM candidate) TO {sql.text(str(place))} (FORMAT parquet)'
    )
    assert b"Rare Island" in place.read_bytes()
    with pytest.raises(CannotPublish, match="1 categories of select that no record has") as caught:
        publish(replace(plan, parquet=place, sha256=digest.of_file(place)), outbox)
    assert "Rare" not in str(caught.value)
    assert list(outbox.iterdir()) == []


def test_notes_inside_the_parquet_file_do_not_leave(plan, tmp_path, outbox):
    place = tmp_path / "noted.parquet"
    pq.write_table(pq.read_table(plan.parquet).replace_schema_metadata({"made_from": "secret"}), place)
    refused(replace(plan, parquet=place, sha256=digest.of_file(place)), outbox, "notes of its own: made_from")


def test_a_release_is_never_overwritten(plan, outbox):
    published = publish(plan, outbox)
    before = {place.name: place.read_bytes() for place in published.path.iterdir()}
    refused(plan_of(plan.parquet.parent, run="20270101T000000Z-survey-000000"), outbox, "already there")
    assert {place.name: place.read_bytes() for place in published.path.iterdir()} == before


def test_without_a_version_the_bundle_is_called_by_its_run(plan, outbox):
    assert publish(declared(plan, version=None), outbox).path.name == "survey-20261116T084705Z-survey-3f9a2c"


@pytest.mark.parametrize("version", ["../../etc", "1/2", "a b", "x" * 300])
def test_a_version_cannot_lead_out_of_the_outbox(plan, outbox, version):
    with pytest.raises(CannotPublish, match="version"):
        publish(declared(plan, version=version), outbox)
    assert list(outbox.iterdir()) == []


def test_an_empty_version_is_none(plan, outbox):
    assert (
        publish(declared(plan, version=""), outbox).path == outbox / "survey-20261116T084705Z-survey-3f9a2c"
    )


def test_a_missing_outbox_is_named_and_not_made(plan, tmp_path):
    with pytest.raises(CannotPublish, match="nowhere: it does not exist"):
        publish(plan, tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotPublish, match="not a directory"):
        check_outbox(tmp_path / "file", "survey-1.0")


def test_a_disk_that_fills_up_at_any_write_leaves_the_outbox_as_it_was(plan, outbox, monkeypatch):
    def full(*_arguments, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    for holder, name in [
        (durable, "write"),
        (durable, "sync"),
        (shutil, "copyfile"),
        (Path, "mkdir"),
        (Path, "rename"),
    ]:
        with monkeypatch.context() as patched:
            patched.setattr(holder, name, full)
            refused(plan, outbox, "the disk is full")
    assert publish(plan, outbox).path.is_dir()


def test_a_move_that_cannot_be_made_durable_is_taken_back(plan, outbox, monkeypatch):
    real = durable.sync

    def failing(path):
        if path == outbox:
            raise OSError(errno.EIO, "Input/output error")
        real(path)

    monkeypatch.setattr(durable, "sync", failing)
    refused(plan, outbox, "Input/output error")


def mounted(place: Path, options: str) -> None:
    place.mkdir()
    if (
        shutil.which("mount") is None
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("this user may not mount a file system")


@pytest.mark.parametrize("formats", [["csv"], ["parquet"], ["csv", "parquet"]])
def test_a_really_full_outbox_is_named_and_left_as_it_was(tmp_path, formats):
    big = {**PROFILE, "variables": {"x": {"type": "numeric"}}}
    plan = plan_of(tmp_path, columns={"x": pa.array([1 / number for number in range(1, 40_000)])})
    plan = replace(
        plan,
        profile=type(plan.profile).model_validate({**big, "publish": {"version": "1", "formats": formats}}),
        steps=(),
    )
    small = tmp_path / "small"
    mounted(small, "size=200k")
    try:
        (small / "earlier").mkdir()
        refused(plan, small, "the disk is full")
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_read_only_outbox_is_named(plan, tmp_path):
    fixed = tmp_path / "fixed"
    mounted(fixed, "size=1m,ro")
    try:
        refused(plan, fixed, "read-only")
    finally:
        subprocess.run(["umount", fixed], check=True)


def test_the_intent_is_announced_before_anything_is_to_be_seen(plan, outbox):
    told = []

    def announce(intent):
        told.append(intent)
        assert [place.name for place in outbox.iterdir()] == [f".incoming-{plan.run}"]

    published = publish(plan, outbox, announce=announce)
    assert told == [{"outbox": str(outbox), "bundle": "survey-1.0", "manifest": published.manifest_sha256}]


def test_an_intent_that_cannot_be_recorded_stops_the_release(plan, outbox):
    def announce(_intent):
        raise LedgerUnusable("ledger.jsonl", "the disk is full")

    with pytest.raises(LedgerUnusable):
        publish(plan, outbox, announce=announce)
    assert list(outbox.iterdir()) == []


def test_an_interrupted_release_leaves_nothing(plan, outbox):
    def announce(_intent):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish(plan, outbox, announce=announce)
    assert list(outbox.iterdir()) == []


@pytest.mark.slow
def test_of_two_processes_with_one_name_exactly_one_publishes(tmp_path, outbox):
    program = """
import sys
from pathlib import Path
from sdc.errors import CannotPublish
from sdc.publish import publish
from published_survey import plan_of
place = Path(sys.argv[1], sys.argv[2])
place.mkdir()
plan = plan_of(place, run="run-" + sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
try:
    publish(plan, Path(sys.argv[1], "outbox"))
except CannotPublish as error:
    sys.exit(3 if "already there" in str(error) else 4)
"""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, tmp_path, str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=WITH_TESTS,
        )
        for number in range(3)
    ]
    for child in children:
        child.stdout.readline()
    for child in children:
        child.stdin.write(b"go\n")
        child.stdin.flush()
    assert sorted(child.wait() for child in children) == [0, 3, 3]
    for child in children:
        child.communicate()
    assert [place.name for place in outbox.iterdir()] == ["survey-1.0"]
    assert manifest.faults(outbox / "survey-1.0") == []


def test_the_move_itself_refuses_a_bundle_that_appeared_at_the_last_moment(plan, outbox):
    def another(_intent):
        (outbox / "survey-1.0").mkdir()
        (outbox / "survey-1.0" / "data.csv").write_text("another's")

    with pytest.raises(CannotPublish, match="already there"):
        publish(plan, outbox, announce=another)
    assert (outbox / "survey-1.0" / "data.csv").read_text() == "another's"
    assert [place.name for place in outbox.iterdir()] == ["survey-1.0"]


KILLED_AT = {
    "before the first file": ("outbox.write_data_files = die", "crashed"),
    "in the middle of the data": ("csv_file._check_header = die", "crashed"),
    "in the middle of the other files": ("release_note.as_markdown = die", "crashed"),
    "before the manifest was checked": ("manifest.faults = die", "crashed"),
    "before the intent was on record": (
        "outbox.check_outbox = lambda *a, real=outbox.check_outbox, seen=[]: die() if seen else (seen.append(1), real(*a))",
        "crashed",
    ),
    "before the move": ("outbox._move = die", "crashed"),
    "after the move": (
        "durable.sync = lambda path, real=durable.sync: die() if path == place else real(path)",
        "published",
    ),
    "before the last entry": ("ledger_append = die", "published"),
}


@pytest.mark.parametrize("moment", KILLED_AT)
def test_after_a_kill_at_any_moment_nothing_is_half_published_and_the_next_run_works(
    tmp_path, outbox, moment
):
    patch, ending = KILLED_AT[moment]
    program = f"""
import os, signal
from pathlib import Path
from sdc.run import durable
from sdc.audit.ledger import Event, Ledger
from sdc.publish import manifest, outbox, release_note
from sdc.publish.writers import csv_file
from sdc.run.home import Home, Run
from published_survey import plan_of
def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
place = Path({str(outbox)!r})
home = Home.at(Path({str(tmp_path / "home")!r}))
run = Run.start(home, "survey")
ledger_append = lambda event, body: Ledger(home.ledger).append(run.id, run.profile, event, body)
plan = plan_of(run.directory.path, run=run.id)
ledger_append(Event.STARTED, {{"outbox": str(place)}})
announce = lambda intent: Ledger(home.ledger).append(run.id, run.profile, Event.PUBLISHING, intent)
{patch}
published = outbox.publish(plan, place, announce=announce)
ledger_append(Event.PUBLISHED, {{"manifest": published.manifest_sha256}})
"""
    done = subprocess.run([sys.executable, "-c", program], env=WITH_TESTS, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    visible = [place.name for place in outbox.iterdir() if not place.name.startswith(".")]
    assert visible == (["survey-1.0"] if ending == "published" else [])

    home = Home.at(tmp_path / "home")
    ledger = Ledger(home.ledger)
    close_stale(home)
    assert ledger.verify().entries == len(ledger.entries())
    assert [row.state for row in ledger.runs()] == [ending]
    assert [place.name for place in outbox.iterdir()] == visible
    if visible:
        assert manifest.faults(outbox / "survey-1.0") == []
        assert ledger.runs()[0].facts["recovered"] is True

    with Run.start(home, "survey") as run:
        plan = declared(plan_of(run.directory.path, run=run.id), version="2.0")
        publish(
            plan, outbox, announce=lambda intent: ledger.append(run.id, run.profile, Event.PUBLISHING, intent)
        )
        ledger.append(run.id, run.profile, Event.PUBLISHED)
    assert sorted(place.name for place in outbox.iterdir()) == [*visible, "survey-2.0"]
    assert ledger.verify().torn_bytes == 0
