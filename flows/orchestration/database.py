"""The database of the embedded Prefect server: a new home gets a copy of one that has every table already.

Prefect builds its tables by a hundred migrations, which take seconds. They run once for each version of
Prefect (`python -m flows.orchestration.database`, a step of installation, or the first server that starts);
what they made is kept as a template.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "prefect.db"


def template() -> Path | None:
    """Where the empty database of this version of Prefect is kept; none where no directory is safe to use."""
    usable = (place for place in _places() if _is_own(place))
    return next((place / f"prefect-{version('prefect')}.db" for place in usable), None)


def has_tables(home: Path) -> bool:
    """Are the tables of this version of Prefect there, or made by a copy of the template?"""
    kept = template()
    newest = _revision(kept) if kept else None
    if kept is None or newest is None:
        return False
    if not (home / NAME).exists():
        _copy(kept, home / NAME)
    return _revision(home / NAME) == newest


def make_tables(home: Path) -> None:
    """Run the migrations of Prefect; what an empty database became is kept as the template.

    PREFECT_HOME must name the home.
    """
    from prefect.server.database import provide_database_interface

    is_new = not (home / NAME).exists()
    asyncio.run(provide_database_interface().create_db())
    kept = template()
    if is_new and kept is not None and _revision(kept) is None:
        _copy(home / NAME, kept)


def _places() -> Iterator[Path]:
    if os.access(HERE, os.W_OK):
        yield HERE / "__pycache__"
    yield Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "sdc-release"  # noqa: PTH111  # never raises


def _is_own(place: Path) -> bool:
    """A directory of this user that nobody else can write to: who writes there decides what a home has."""
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = place.stat()
    except OSError:
        return False
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022 and os.access(place, os.W_OK)


def _copy(source: Path, target: Path) -> None:
    """A database whole or not at all; another process may do the same."""
    with suppress(OSError, sqlite3.Error), tempfile.TemporaryDirectory(dir=target.parent) as folder:
        fresh = Path(folder) / NAME
        with closing(sqlite3.connect(source)) as database:
            database.execute("VACUUM INTO ?", (str(fresh),))
        fresh.chmod(0o600)
        fresh.replace(target)


def _revision(database: Path) -> str | None:
    """The last migration a database has seen."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
        (revision,) = opened.execute("SELECT version_num FROM alembic_version").fetchone()
        return str(revision)
    return None


def main() -> None:
    from flows.orchestration.orchestrator import settle

    kept = template()
    if kept is None or _revision(kept) is not None:
        return
    with tempfile.TemporaryDirectory() as home:
        settle(Path(home))
        make_tables(Path(home))
    sys.stdout.write(f"the tables of Prefect are kept in {kept}\n")


if __name__ == "__main__":
    main()
