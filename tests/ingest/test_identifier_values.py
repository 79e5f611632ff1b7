"""Direct identifiers are read again to be recognised, from the very source that was ingested, and kept nowhere."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd
import pytest

from sdc.errors import BadData
from sdc.ingest import identifier_values
from sdc.profile import Profile
from sdc.run import digest

FRAME = pd.DataFrame(
    {"person": [101, 102, 103], "name": ["Åsa Öberg", "Finn Haas", None], "age": [30, 40, 50]}
)


def profile(path: str, **source: object) -> Profile:
    return Profile.model_validate(
        {
            "name": "people",
            "seed": 1,
            "source": {"path": path, **source},
            "variables": {
                "person": "direct_identifier",
                "name": "direct_identifier",
                "age": "quasi_identifier",
            },
            "candidates": {"as_it_is": []},
        }
    )


def read(held: Profile, base: Path, sha256: str | None = None) -> dict[str, list[str]]:
    known = sha256 or digest.of_file(base / held.source.path)
    with identifier_values(held, base, known, base) as values:
        return {name: list(texts) for name, texts in values.items()}


@pytest.mark.parametrize("kind", ["csv", "latin", "parquet", "duckdb"])
def test_values_come_from_any_kind_of_source(tmp_path: Path, kind: str):
    name, source = f"people.{kind}", {"format": "csv", "encoding": "latin-1"} if kind == "latin" else {}
    if kind == "duckdb":
        with duckdb.connect(str(tmp_path / name)) as connection:
            connection.register("frame", FRAME)
            connection.execute("CREATE TABLE people AS SELECT * FROM frame")
    elif kind == "parquet":
        FRAME.to_parquet(tmp_path / name)
    else:
        FRAME.to_csv(tmp_path / name, index=False, encoding="latin-1" if kind == "latin" else "utf-8")
    assert read(profile(name, **source), tmp_path) == {
        "person": ["101", "102", "103"],
        "name": ["Åsa Öberg", "Finn Haas"],
    }
    assert [place.name for place in tmp_path.iterdir()] == [name]


def test_a_source_that_is_gone_or_another_is_refused(tmp_path: Path):
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    for name in ("people.csv", "elsewhere.csv"):
        with pytest.raises(BadData, match="no longer the file that was read"):
            read(profile(name), tmp_path, "0" * 64)


def test_where_nothing_identifies_nothing_is_read(tmp_path: Path):
    held = profile("elsewhere.csv")
    none = held.model_copy(update={"variables": {"age": held.variables["age"]}})
    assert read(none, tmp_path, "0" * 64) == {}
