"""The room Data: what was found, corrections that take effect at once, and only files below the folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from sdc.errors import BadProfile
from sdc.studio.files import Folders, OutsideFolders
from sdc.studio.opening import open_workbench
from sdc.studio.source_edits import draft_anew, set_source, source_path
from sdc.study.demonstration import demo_data


def found(visitor) -> str:
    for _ in range(60):
        text = visitor.get("/studio/data/part/found", headers={"hx-request": "true"}).text
        if "every 1s" not in text:
            return text
    raise AssertionError("the file was never read")


def test_what_was_found_is_said_with_the_reason(visitor):
    text = found(visitor)
    assert "5,915" in text
    assert "every byte of the file reads as UTF-8" in text
    assert "cuts the first lines into 20 columns" in text
    assert "every record differs somewhere" in text


def test_duplicates_missing_codes_and_encoding_are_found(visitor, folder):
    lines = ["id;town;rooms", "1;Zürich;3", "1;Zürich;3", "2;Genf;-9", "3;Basel;4", "4;Bern;2", "5;Thun;1"]
    (folder / "flats.csv").write_bytes("\n".join(lines).encode("latin-1"))
    answer = visitor.post("/studio/data/choose", file="0/flats.csv", how="draft")
    assert answer.status_code == 200
    assert visitor.workbench.profile_text.at(("source", "separator")) == ";"
    assert visitor.workbench.profile_text.at(("source", "encoding")) == "latin-1"
    text = found(visitor)
    assert "1 record" in text  # a duplicate
    assert "rooms (1 record)" in text
    visitor.post("/studio/frame/undo")
    assert visitor.workbench.profile_text.at(("source", "path")) == "households.csv"


def test_a_correction_is_an_edit_and_takes_effect_at_once(visitor):
    text = visitor.workbench.profile_text
    visitor.post("/studio/data/source", separator=";")
    assert text.at(("source", "separator")) == ";"
    answer = found(visitor)
    assert "a comma would cut the first lines more evenly" in answer or "cannot be read" in answer
    visitor.post("/studio/data/source", separator=",")
    assert text.at(("source", "separator")) is None
    assert "5,915" in found(visitor)
    visitor.post("/studio/data/source", missing_codes="NA, -9", holdout_share="0.1", record_key="person_id")
    assert text.at(("source", "missing_codes")) == ["", "NA", "-9"]
    assert text.at(("source", "holdout_share")) == 0.1
    assert "# holdout_share: 0.1" in text.text


def test_columns_that_are_read_can_be_chosen(visitor):
    visitor.post("/studio/data/source", chosen_columns="yes", column=["age", "sex"])
    assert visitor.workbench.profile_text.at(("source", "columns")) == ["age", "sex"]


def test_a_share_that_is_no_number_is_said(visitor):
    answer = visitor.post("/studio/data/source", holdout_share="much")
    assert answer.status_code == 422
    assert "must be a number" in answer.text


def test_a_draft_made_anew_keeps_what_was_corrected(visitor, folder):
    (folder / "odd.csv").write_text("a|b,c\n1|2,3\n4|5,6\n7|8,9\n")
    visitor.post("/studio/data/choose", file="0/odd.csv", how="draft")
    visitor.post("/studio/data/source", separator="|")
    visitor.post("/studio/data/draft")
    text = visitor.workbench.profile_text
    assert text.at(("source", "separator")) == "|"
    assert list(text.at(("variables",))) == ["a", "b,c"]


def test_a_dictionary_beside_the_data_says_what_variables_are(visitor, folder):
    (folder / "words.csv").write_text("name,label,type\nage,Age in years,numeric\n")
    visitor.post("/studio/data/draft", dictionary="0/words.csv")
    assert visitor.workbench.profile_text.at(("variables", "age", "label")) == "Age in years"


@pytest.mark.parametrize(
    "chosen", ["0/../secret.csv", "0//etc/passwd", "7/households.csv", "x/y", "0/link.csv"]
)
def test_no_file_outside_the_folders_is_read(visitor, folder, chosen):
    (folder.parent / "secret.csv").write_text("a\n1\n")
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    before = visitor.workbench.profile_text.text
    answer = visitor.post("/studio/data/choose", file=chosen, how="draft")
    assert answer.status_code == 422
    assert "none of the folders" in answer.text
    assert visitor.workbench.profile_text.text == before
    assert "link.csv" not in visitor.get("/studio/data").text


def test_a_profile_that_leads_elsewhere_is_not_followed(visitor, folder):
    (folder.parent / "secret.csv").write_text("a\n1\n2\n3\n")
    text = visitor.workbench.profile_text
    text.set(("source", "path"), "../secret.csv", expected=text.revision)
    assert "none of the folders" in found(visitor)
    with pytest.raises(OutsideFolders):
        visitor.workbench.workplace()


def test_folders_list_only_what_can_be_read(folder):
    for name in ("notes.txt", ".hidden.csv", "script.py", "more.parquet", "packed.csv.gz"):
        (folder / name).write_bytes(b"")
    listed = {each.name for each in Folders.of(folder).data()}
    assert {"households.csv", "more.parquet", "packed.csv.gz"} <= listed
    assert not listed & {".hidden.csv", "script.py"}


def test_a_file_that_is_not_what_it_seems_opens_with_a_sentence(tmp_path, home):
    path = tmp_path / "seems.parquet"
    path.write_bytes(b"%PDF-1.7 and so on")
    opened = open_workbench(path)
    try:
        assert "PDF" in opened.opening_problem
        assert opened.profile_text.at(("source", "path")) == "seems.parquet"
    finally:
        opened.close()


def test_a_profile_beside_the_data_is_opened_again(folder, home):
    first = open_workbench(folder / "households.csv")
    first.profile_text.set(("title",), "Kept", expected=1)
    first.profile_text.save()
    first.close()
    again = open_workbench(folder / "households.csv")
    assert again.profile_text.at(("title",)) == "Kept"
    again.close()


@pytest.mark.slow
def test_nothing_is_lost_when_the_server_is_killed(folder, home):
    """The first is never closed: its process would be gone."""
    killed = open_workbench(folder / "households.csv")
    killed.profile_text.set(("title",), "Unsaved", expected=1)
    again = open_workbench(folder / "households.csv")
    assert "title: Unsaved" in again.profile_text.offered
    again.profile_text.take_offered(expected=again.profile_text.revision)
    assert again.profile_text.at(("title",)) == "Unsaved"
    again.close()
    killed.close()


def test_what_is_not_there_is_said_at_once(tmp_path, home):
    with pytest.raises(BadProfile, match="no such file"):
        open_workbench(tmp_path / "nothing.csv")


def test_a_profile_opens_with_the_folder_of_its_source(tmp_path, home):
    (tmp_path / "data").mkdir()
    (tmp_path / "plans").mkdir()
    shutil.copyfile(demo_data(), tmp_path / "data" / "households.csv")
    profile = tmp_path / "plans" / "plan.yaml"
    profile.write_text("name: plan\nsource: {path: ../data/households.csv}\nvariables: {}\n")
    opened = open_workbench(profile)
    assert Path(tmp_path / "data" / "households.csv") in opened.folders
    assert not list((tmp_path / "plans").glob(".*unsaved"))
    opened.close()


def test_a_profile_with_faults_and_one_that_is_no_yaml_open_with_them_marked(visitor):
    text = visitor.workbench.profile_text
    visitor.post(
        "/studio/frame/text", text=text.text.replace("age: {role: quasi_identifier", "age: {role: kye")
    )
    page = visitor.get("/studio/variables").text
    assert "cannot be &#39;kye&#39;" in page
    assert 'class="faults">1' in page
    visitor.post("/studio/frame/text", text="name: [x\n")
    for room in ("data", "variables", "run"):
        page = visitor.get(f"/studio/{room}")
        assert page.status_code == 200
        assert "opened here and not closed" in page.text
    assert "opened here and not closed" in visitor.get("/studio/run/part/check").text


def test_a_table_of_a_database_is_chosen_on_the_page(folder, home):
    path = folder / "agency.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute(
            "CREATE TABLE persons AS SELECT i AS id, i % 3 AS region, i % 2 AS sex FROM range(50) t(i)"
        )
        made.execute("CREATE TABLE houses AS SELECT 1 AS number")
    opened = open_workbench(path)
    try:
        assert "table" in opened.opening_problem
        text = opened.profile_text
        set_source(opened, {"table": "persons", "query": ""}, text.revision)
        draft_anew(opened, source_path(opened), text.revision, keeping=True)
        assert list(text.at(("variables",))) == ["id", "region", "sex"]
        assert opened.found().rows == 50
        assert opened.opening_problem == ""
    finally:
        opened.close()


def test_a_folder_of_parquet_files_is_one_source(folder, home):
    (folder / "parts").mkdir()
    for part in range(2):
        pd.DataFrame({"id": range(part * 5, part * 5 + 5), "sex": ["f", "m", "f", "m", "f"]}).to_parquet(
            folder / "parts" / f"{part}.parquet"
        )
    opened = open_workbench(folder / "parts")
    try:
        assert opened.path.name == "parts.yaml"
        assert opened.opening_problem == ""
        assert opened.found().rows == 10
    finally:
        opened.close()


@pytest.mark.parametrize("told", [{"separator": "other", "other_separator": ";;"}, {"quote": "''"}])
def test_marks_of_several_characters_have_a_sentence_wherever_the_file_is_read(visitor, told):
    visitor.post("/studio/data/source", **told)
    for answer in (visitor.get("/studio/data/part/found"), visitor.post("/studio/data/draft")):
        assert "check separator and quote" in answer.text
        assert "Error" not in answer.text
