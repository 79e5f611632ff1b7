"""Tables go to an S3-compatible store and come back, encrypted, and nothing stays there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
import s3fs
from object_store import let_in, running_store

from sdc.data.warehouse import Warehouse
from sdc.data.warehouse.shared import SharedFolder, claimed, shared_root
from sdc.data.warehouse.shared_tables import SharedTables
from sdc.errors import SharedUnusable
from sdc.run.home import Home

KEY = "a key of thirty-two characters .."
ROOT = "s3://tables/runs"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running_store() as address:
        yield address


@pytest.fixture
def store(server: str, monkeypatch: pytest.MonkeyPatch) -> SharedFolder:
    """An empty bucket, with address and credentials in the environment."""
    let_in(monkeypatch, server)
    s3fs.S3FileSystem.clear_instance_cache()
    root = shared_root(ROOT, KEY)
    if not root._files.exists("tables"):
        root._files.mkdir("tables")
    return root


def test_a_table_goes_to_a_store_and_comes_back(store: SharedFolder, tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    with (
        Warehouse.create(tmp_path / "here", key=KEY) as here,
        Warehouse.create(tmp_path / "there", key=KEY) as there,
        claimed(home, store.within("run")),
    ):
        here.database.write("original", pa.table({"age": [41, None, 3], "name": ["Aurelia", "é", None]}))
        sent = SharedTables(store.within("run"), here, KEY).send("original")
        held = store._files.cat_file("tables/runs/run/original.0.parquet")
        assert b"Aurelia" not in held
        table = SharedTables(store.within("run"), there, KEY).fetch("original", sent)
        assert table.fetch("FROM original") == [(41, "Aurelia"), (None, "é"), (3, None)]
    store._files.invalidate_cache()
    assert store._files.find("tables") == [], "after the run nothing stays in the store"


def test_what_is_not_there_is_a_sentence(store: SharedFolder, tmp_path: Path) -> None:
    with pytest.raises(SharedUnusable, match="is not there"):
        store.get("nothing.parquet", tmp_path / "file")


def test_a_late_worker_does_not_bring_a_folder_back(store: SharedFolder, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"late")
    with pytest.raises(SharedUnusable, match="the run it belonged to is over"):
        store.within("gone").put(tmp_path / "file", "late.parquet")
    assert store._files.find("tables") == []
