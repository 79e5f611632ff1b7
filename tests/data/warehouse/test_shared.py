"""Do tables get to another machine unchanged, and does nothing of them stay there?"""

import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from sdc.data.warehouse import Warehouse
from sdc.data.warehouse.shared import SharedFolder, claimed, remove_abandoned, shared_root
from sdc.data.warehouse.shared_tables import SharedTables
from sdc.errors import SharedUnusable
from sdc.run.home import Home

EVERY_TYPE = """CREATE TABLE "every ""type" AS SELECT * FROM (VALUES
    (1::TINYINT, 170141183460469231731687303715884105727::HUGEINT, 0.1::DOUBLE, '-0.0'::DOUBLE, 'a'::ENUM('b', 'a', 'it''s'), TRUE,
     DATE '2001-02-03', TIMESTAMP '2001-02-03 04:05:06.789012', 12.345::DECIMAL(9,3), 'CANARY é', 'nan'::FLOAT, TIME '01:02:03'),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (-1, -1, 1e308, 5e-324, 'it''s', FALSE, DATE '1600-01-01', TIMESTAMP '1600-01-01', 0, '', 'inf', TIME '00:00:00')
) AS t("tiny", "huge", "double", "small", "enum", "bool", "date", "stamp", "decimal", "text", "float", "time ""x")"""
NAME = 'every "type'


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.at(tmp_path / "home")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "shared").mkdir()
    return tmp_path / "shared"


def urls(root: Path) -> dict[str, str]:
    return {"path": str(root), "file": root.as_uri(), "dir": f"dir::{root.as_uri()}"}


@pytest.mark.parametrize("scheme", ["path", "file", "dir"])
@pytest.mark.parametrize("key", [None, "words of a key"])
def test_a_table_arrives_with_its_types_its_order_and_every_bit(
    tmp_path: Path, home: Home, root: Path, scheme: str, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In several parts, each of them a table of its own where it is fetched alone."""
    monkeypatch.setattr("sdc.data.warehouse.shared_tables.PART_ROWS", 2)
    folder = SharedFolder(urls(root)[scheme]).within("run")
    with (
        Warehouse.create(tmp_path / "here", key=key) as here,
        Warehouse.create(tmp_path / "there", key=key) as there,
        claimed(home, folder),
    ):
        here.database.cursor().execute(EVERY_TYPE)
        sender, receiver = SharedTables(folder, here, key), SharedTables(folder, there, key)
        sent = sender.send(NAME)
        sender.send_text("said", "it's 'CANARY'")
        receiver.fetch(NAME, sent)
        assert receiver.fetch_text("said") == "it's 'CANARY'"
        kept = [path for path in root.rglob("*") if path.is_file()]
        assert any(b"CANARY" in path.read_bytes() for path in kept) == (key is None)
        assert len([path for path in kept if path.suffix == ".parquet"]) == sent.parts + 1
        parts = [receiver.fetch_part(NAME, number, sent) for number in range(sent.parts)]
        assert [part.rows for part in parts] == [2] * (sent.rows // 2) + [1] * (sent.rows % 2)
        assert sent.parts > 1
        asked = 'SELECT *, "small"::VARCHAR, "double"::VARCHAR FROM "every ""type"'
        assert str(here.database.cursor().execute(asked).fetchall()) == str(
            there.database.cursor().execute(asked).fetchall()
        )
        assert here.database.table(NAME).types == there.database.table(NAME).types == sent.types
        assert not [path for each in ("here", "there") for path in (tmp_path / each).glob("transit-*")]
    assert not [path for path in root.rglob("*") if path.is_file()]


def test_minus_zero_among_zeros_arrives_as_it_was(tmp_path: Path, home: Home, root: Path) -> None:
    """A dictionary of numbers would make one of the two."""
    folder = SharedFolder(str(root)).within("run")
    with (
        Warehouse.create(tmp_path / "here") as here,
        Warehouse.create(tmp_path / "there") as there,
        claimed(home, folder),
    ):
        here.database.cursor().execute(
            "CREATE TABLE zeros AS SELECT if(i % 2 = 0, '0.0', '-0.0')::DOUBLE AS zero FROM range(1000) AS r(i)"
        )
        sent = SharedTables(folder, here, None).send("zeros")
        SharedTables(folder, there, None).fetch("zeros", sent)
        asked = "SELECT count(*) FROM zeros WHERE zero::VARCHAR = '-0.0'"
        assert there.database.cursor().execute(asked).fetchall() == [(500,)]


def test_files_on_a_path_are_their_owners_alone_and_appear_whole(
    tmp_path: Path, home: Home, root: Path
) -> None:
    folder = shared_root(str(root), None).within("run")
    file = tmp_path / "content"
    file.write_bytes(b"x" * 1000)
    with claimed(home, folder):
        folder.put(file, "table.parquet")
        assert (root / "run").stat().st_mode & 0o777 == 0o700
        assert (root / "run" / "table.parquet").stat().st_mode & 0o777 == 0o600
        with pytest.raises(SharedUnusable, match="what was looked for is not there"):
            folder.put(tmp_path / "nothing", "other.parquet")
        assert not (root / "run" / "other.parquet").exists()
    assert not (root / "run").exists()
    assert not list((home.path / "shared").iterdir())


@pytest.mark.parametrize("scheme", ["path", "dir"])
def test_a_straggler_does_not_bring_a_removed_folder_back(
    tmp_path: Path, home: Home, root: Path, scheme: str
) -> None:
    folder = SharedFolder(urls(root)[scheme]).within("run")
    (tmp_path / "late").write_bytes(b"confidential")
    with claimed(home, folder):
        assert folder.exists()
    assert not folder.exists()
    with pytest.raises(SharedUnusable, match=r"is over|not there"):
        folder.put(tmp_path / "late", "late.parquet")
    assert not [path for path in root.rglob("*") if path.is_file()]


def test_another_key_opens_nothing(tmp_path: Path, home: Home, root: Path) -> None:
    folder = SharedFolder(str(root)).within("run")
    with (
        Warehouse.create(tmp_path / "here", key="one") as here,
        Warehouse.create(tmp_path / "there", key="two") as there,
        claimed(home, folder),
    ):
        SharedTables(folder, here, "one").send_text("said", "secret")
        with pytest.raises(duckdb.Error):
            SharedTables(folder, there, "two").fetch_text("said")


CLAIMS_AND_DIES = """
import os, signal, sys
from pathlib import Path
from sdc.run.home import Home
from sdc.data.warehouse.shared import SharedFolder, claimed
with claimed(Home.at(Path(sys.argv[1])), SharedFolder(sys.argv[2])):
    (Path(sys.argv[2]) / "original.parquet").write_text("confidential")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_is_removed_at_the_next_start_and_what_lives_stays(
    home: Home, root: Path
) -> None:
    died = subprocess.run(
        [sys.executable, "-c", CLAIMS_AND_DIES, str(home.path), str(root / "died")], check=False
    )
    assert died.returncode == -signal.SIGKILL
    assert (root / "died" / "original.parquet").exists()
    with claimed(home, SharedFolder(str(root / "lives"))):
        assert remove_abandoned(home) == []
        assert [path.name for path in root.iterdir()] == ["lives"]
    assert remove_abandoned(home) == []


def test_what_cannot_be_removed_is_said_and_tried_again(
    home: Home, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_folder: SharedFolder) -> None:
        raise SharedUnusable("there", "the network is down")

    said: list[str] = []
    with claimed(home, SharedFolder(str(root / "run")), said.append):
        monkeypatch.setattr(SharedFolder, "remove", refused)
    assert "tried again at the next start" in said[0]
    assert (root / "run").exists()
    monkeypatch.undo()
    assert remove_abandoned(home) == []
    assert not (root / "run").exists()


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("/no/such/place", "there is no such directory"),
        ("memory://somewhere", "only encrypted: set SDC_WAREHOUSE_KEY"),
        ("nonsense://somewhere", "no URL that fsspec knows"),
        ("sftp://anna:secret@host/place", "an address with a password reaches logs"),
    ],
)
def test_storage_that_would_not_keep_a_table_is_refused_in_a_sentence(url: str, problem: str) -> None:
    with pytest.raises(SharedUnusable, match=problem) as refused:
        shared_root(url, None)
    assert "secret" not in str(refused.value)


def test_a_folder_that_cannot_be_made_is_named(home: Home, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(SharedUnusable, match="it is not a directory"),
        claimed(home, SharedFolder(str(tmp_path / "file" / "run"))),
    ):
        pass
    assert not list((home.path / "shared").iterdir())
