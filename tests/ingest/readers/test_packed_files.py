"""Are packed files read like plain ones, and refused where they are broken, many or too large?"""

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from sdc.data.warehouse import Warehouse
from sdc.errors import BadData
from sdc.ingest.readers import packed
from sdc.ingest.readers.opening import opened_source
from sdc.profile.plan import Source

CSV = b"region,age\nnorth,44\nsouth,45\n"
RECORDS = [("north", "44"), ("south", "45")]


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, held in members.items():
            archive.writestr(f"{name}.csv", held)
    return path


def test_each_packing_of_a_csv_file_is_read(read: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(CSV))
    (tmp_path / "a.csv.zst").write_bytes(zstandard.compress(CSV))
    for path in (tmp_path / "a.csv.gz", tmp_path / "a.csv.zst", zipped(tmp_path / "a.zip", a=CSV)):
        assert read(path).records == RECORDS


def test_a_packed_file_of_spss_is_read(read: Callable[..., Any], tmp_path: Path) -> None:
    file = Path(__file__).parent / "files" / "people.sav"
    (tmp_path / "people.sav.gz").write_bytes(gzip.compress(file.read_bytes()))
    assert read(tmp_path / "people.sav.gz").column("health") == [1, 2, 9, None, 8]


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("zst", zstandard.compress)])
def test_a_packed_file_that_breaks_off_is_a_fault(
    refused: Callable[..., str], tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    held = pack(CSV * 100)
    file = tmp_path / f"a.csv.{ending}"
    file.write_bytes(held[:-5])
    assert "this cannot be unpacked to its end; is the file whole?" in refused(file)
    file.write_bytes(b"no such thing")
    assert "this cannot be unpacked to its end" in refused(file)


def test_an_archive_has_one_file(refused: Callable[..., str], tmp_path: Path) -> None:
    two = refused(zipped(tmp_path / "two.zip", a=CSV, b=CSV))
    assert "the archive holds 2 files, and one is to be read" in two
    assert "0 files" in refused(zipped(tmp_path / "none.zip"))


def test_no_more_is_unpacked_than_there_is_room(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"0" * 10_000_000))
    monkeypatch.setattr(packed, "SHARE_OF_FREE", 1e-9)
    assert "unpacked it would be larger than half of the free room" in refused(tmp_path / "bomb.csv.gz")


def test_a_fault_names_the_packed_file_and_no_private_place(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"region,age\nnorth,44,1\nsouth,45\n"))
    said = refused(tmp_path / "a.csv.gz")
    assert f"{tmp_path / 'a.csv.gz'}: 1 line does not have 2 fields" in said
    assert "scratch" not in said


def in_memory(path: Path, folder: Path, **told: Any) -> int:
    """How many records an encrypted warehouse takes from a packed file."""
    with Warehouse.create(folder, key="a key", readable=[path]) as warehouse:
        cursor = warehouse.database.cursor()
        with opened_source(Source(path=path, **told), path, cursor, warehouse.spill) as opened:
            (unpacked,) = [each for each in warehouse.spill.rglob("source.*") if each.is_symlink()]
            held = unpacked.resolve()
            assert held.is_relative_to(packed.MEMORY)
            assert held.stat().st_mode & 0o077 == 0
            rows: int = cursor.execute(f"SELECT count(*) FROM {opened.relation}").fetchall()[0][0]
        assert not held.exists()
        assert not list(warehouse.spill.iterdir())
        return rows


def test_an_encrypted_warehouse_unpacks_into_memory_alone(tmp_path: Path) -> None:
    file = Path(__file__).parent / "files" / "people.sav"
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(CSV))
    (tmp_path / "a.fwf.gz").write_bytes(gzip.compress(b"north 44\nsouth 45\n"))
    (tmp_path / "a.sav.gz").write_bytes(gzip.compress(file.read_bytes()))
    layout = ({"name": "region", "start": 1, "width": 5}, {"name": "age", "start": 7, "width": 2})
    assert in_memory(tmp_path / "a.csv.gz", tmp_path / "1") == 2
    assert in_memory(tmp_path / "a.fwf.gz", tmp_path / "2", layout=layout) == 2
    assert in_memory(tmp_path / "a.sav.gz", tmp_path / "3") == 5
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"a": 1}\n'))
    with pytest.raises(BadData, match="JSON lines cannot be unpacked into memory; unpack it to where"):
        in_memory(tmp_path / "a.jsonl.gz", tmp_path / "4")


def test_where_there_is_no_memory_to_unpack_into_an_encrypted_warehouse_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(CSV))
    monkeypatch.setattr(packed, "MEMORY", tmp_path / "absent")
    with (
        Warehouse.create(tmp_path / "run", key="a key", readable=[tmp_path / "a.csv.gz"]) as warehouse,
        pytest.raises(BadData, match="would be unpacked onto the disk in the clear"),
        packed.unpacked(tmp_path / "a.csv.gz", warehouse.database.cursor(), warehouse.spill),
    ):
        pass
