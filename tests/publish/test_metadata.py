"""Descriptions of a release: valid by their own rules, and of nothing but the published table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from csvw import CSVW
from lxml import etree
from published_survey import PROFILE, SYNTHETIC, plan_of
from rocrate.rocrate import ROCrate
from ruamel.yaml import YAML

from sdc.profile import Profile
from sdc.publish import BundlePlan, publish

SCHEMA = Path(__file__).parents[3] / "shared" / "schemas" / "ddi-codebook-2.5" / "codebook.xsd"
DDI = {"d": "ddi:codebook:2_5"}
PEOPLE = 24
COLUMNS = {
    "region": pa.array(["N", "S"] * 12),
    "sort": pa.array(["common"] * 20 + ["rare"] * 4),
    "income": pa.array([100.0 * number for number in range(PEOPLE - 1)] + [None]),
    "few": pa.array([7.5] * 3 + [None] * 21, pa.float64()),
    "weight": pa.array([2.0] * PEOPLE),
}
VARIABLES = {
    "region": {"role": "quasi_identifier", "label": "Région <&>", "values": {"N": "North", "S": "South"}},
    "sort": "quasi_identifier",
    "income": {"role": "sensitive", "type": "numeric", "unit": "EUR"},
    "few": {"type": "numeric"},
    "weight": "weight",
}


def plan(tmp_path: Path, **told: object) -> BundlePlan:
    profile = {**PROFILE, "variables": VARIABLES, "access": "safeguarded"}
    profile["publish"] = {**PROFILE["publish"], "formats": ["csv", "sav"], **told}
    made = plan_of(tmp_path, columns=COLUMNS)
    steps = tuple(replace(step, touched=frozenset({"income"}), changed={}) for step in made.steps)
    inputs = {"source": "ab" * 32, "profile": "cd" * 32, "version": "9.9"}
    return replace(made, profile=Profile.model_validate(profile), steps=steps, made_with=inputs)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "outbox").mkdir()
    return publish(plan(tmp_path, replaces="0.9"), tmp_path / "outbox").path


def statistics(bundle: Path, variable: str) -> dict[str, str]:
    book = etree.parse(bundle / "ddi.xml")
    return {
        each.get("type"): each.text for each in book.iterfind(f".//d:var[@name='{variable}']/d:sumStat", DDI)
    }


@pytest.mark.skipif(not SCHEMA.exists(), reason="the schema of DDI-Codebook 2.5 is not beside this checkout")
@pytest.mark.parametrize("synthetic", [False, True])
def test_the_codebook_is_valid(tmp_path: Path, synthetic: bool) -> None:
    (tmp_path / "outbox").mkdir()
    made = plan(tmp_path, replaces="0.9")
    path = publish(replace(made, steps=SYNTHETIC) if synthetic else made, tmp_path / "outbox").path
    etree.XMLSchema(etree.parse(SCHEMA)).assertValid(etree.parse(path / "ddi.xml"))


def test_statistics_are_those_of_the_published_table(bundle: Path) -> None:
    """Incomes are 0, 100 ... 2,200: their mean is 1,100, and the sum of squares 100² times 2 (1² + ... + 11²)."""
    deviation = (100**2 * 2 * 506 / 22) ** 0.5
    told = statistics(bundle, "income")
    assert told == {"vald": "23", "invd": "1", "mean": "1100", "stdev": f"{deviation:.6g}"}


def test_no_statistic_is_about_few_records(bundle: Path) -> None:
    assert statistics(bundle, "few") == {"vald": "3", "invd": "21"}
    book = etree.parse(bundle / "ddi.xml")
    counts = {
        name: book.xpath(f"//d:var[@name='{name}']//d:catStat/text()", namespaces=DDI) for name in VARIABLES
    }
    assert counts["region"] == ["12", "12"]
    assert counts["sort"] == [], "one of its categories has four records: the other would tell"


def test_the_codebook_says_labels_methods_access_and_what_it_replaces(bundle: Path) -> None:
    book = etree.parse(bundle / "ddi.xml")

    def text(path: str) -> str:
        return " ".join(book.xpath(f"//d:{path}//text()", namespaces=DDI))

    assert text("var[@name='region']/d:labl") == "Région <&>"
    assert text("var[@name='region']/d:catgry/d:labl") == "North South"
    assert "rank_swap: " in text("dataProcessing")
    assert "registered users" in text("restrctn")
    assert "replaces 0.9" in text("stdyDscr/d:citation/d:verStmt")
    assert [each.text for each in book.iterfind(".//d:fileName", DDI)] == ["survey.csv", "survey.sav"]


def test_csvw_reads_the_data_by_its_description(bundle: Path) -> None:
    read = CSVW(str(bundle / "survey.csv-metadata.json"), validate=True)
    assert read.is_valid
    (table,) = read.tables
    rows = list(table.iterdicts())
    assert len(rows) == PEOPLE
    assert (rows[1]["region"], float(rows[1]["income"]), rows[-1]["income"]) == ("S", 100.0, None)


def test_a_name_that_is_no_name_in_csvw_is_written_with_its_numbers(tmp_path: Path) -> None:
    (tmp_path / "outbox").mkdir()
    path = publish(plan_of(tmp_path), tmp_path / "outbox").path
    read = CSVW(str(path / "survey.csv-metadata.json"), validate=True)
    assert read.is_valid
    assert 'a "b", c' in path.joinpath("survey.csv-metadata.json").read_text().replace("\\", "")


def test_dcat_names_every_data_file_with_its_hash(bundle: Path) -> None:
    held = json.loads((bundle / "dcat.jsonld").read_text())
    assert held["@type"] == ["dcat:Dataset", "schema:Dataset"]
    assert (held["dct:replaces"], held["dcat:version"]) == ("0.9", "1.0")
    assert held["dct:accessRights"]["@id"].endswith("/RESTRICTED")
    listed = {each["path"]: each for each in json.loads((bundle / "MANIFEST.json").read_text())["files"]}
    for each in held["dcat:distribution"]:
        known = listed[each["schema:contentUrl"]]
        assert each["spdx:checksum"]["spdx:checksumValue"]["@value"] == known["sha256"]
        assert each["dcat:byteSize"]["@value"] == str(known["bytes"])


def test_the_crate_holds_the_run_with_its_inputs_by_digest(bundle: Path) -> None:
    crate = ROCrate(str(bundle))
    assert crate.root_dataset["name"] == PROFILE["title"]
    run = crate.dereference("#run")
    assert run["instrument"]["softwareVersion"] == "9.9"
    assert {each["sha256"] for each in run["object"]} == {"ab" * 32, "cd" * 32}
    assert {each.id for each in run["result"]} == {"survey.csv", "survey.sav"}
    named = {each.id for each in crate.root_dataset["hasPart"]}
    assert named == {place.name for place in bundle.iterdir()} - {"MANIFEST.json", "ro-crate-metadata.json"}


def test_the_citation_is_yaml_with_what_a_citation_needs(bundle: Path) -> None:
    held = YAML(typ="safe").load((bundle / "CITATION.cff").read_text())
    assert (held["cff-version"], held["type"], held["version"]) == ("1.2.0", "dataset", "1.0")
    assert held["authors"] == [{"name": "Office"}]
    assert held["license"] == "CC-BY-4.0"
    assert "replaces 0.9" in held["message"]


def test_only_the_descriptions_asked_for_are_made(tmp_path: Path) -> None:
    (tmp_path / "outbox").mkdir()
    path = publish(plan(tmp_path, metadata=["ddi", "csvw"], formats=["sav"]), tmp_path / "outbox").path
    assert (path / "ddi.xml").exists()
    assert not [
        each.name for each in path.iterdir() if each.suffix in (".jsonld", ".cff") or "csv-" in each.name
    ]


def test_the_note_says_what_is_new_and_what_it_replaces(tmp_path: Path) -> None:
    (tmp_path / "outbox").mkdir()
    made = replace(
        plan(tmp_path, replaces="0.9"), changes=("The release before is survey-0.9.", "Records: 24.")
    )
    note = (publish(made, tmp_path / "outbox").path / "RELEASE_NOTE.md").read_text()
    assert "- Replaces: 0.9" in note
    assert "## What is new\n\n- The release before is survey-0.9.\n- Records: 24." in note
