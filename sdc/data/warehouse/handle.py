"""Opens a run's database file: private, encrypted where asked, closed to the rest of the machine."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from sdc.data import sql
from sdc.errors import BadProfile, CannotEncrypt, Fault, WarehouseUnusable
from sdc.run import durable

if TYPE_CHECKING:
    import duckdb

CATALOGUE = "warehouse"
CIPHER_PACKAGE = "duckdb_extension_httpfs"


class DatabaseLimits(Protocol):
    """What a database may use of the machine, as a profile says it."""

    @property
    def memory(self) -> str | None: ...

    @property
    def threads(self) -> int | None: ...

    @property
    def spill(self) -> Path | None: ...


@dataclass(frozen=True)
class NoLimits:
    """DuckDB's own defaults."""

    memory: str | None = None
    threads: int | None = None
    spill: Path | None = None


def attach(
    file: Path,
    spill: Path,
    *,
    limits: DatabaseLimits,
    key: str | None,
    readable: Sequence[Path],
    only_read: bool = False,
) -> duckdb.DuckDBPyConnection:
    """The one handle on a database file, made where it is missing unless it is `only_read`.

    Afterwards it reaches no file but those in the run's own directory and the readable ones, loads nothing,
    and no setting can be changed. The key is in no message and in no setting.
    """
    import duckdb

    connection = duckdb.connect(
        ":memory:", config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    )
    try:
        connection.execute("SET preserve_insertion_order = true; SET allow_community_extensions = false")
        connection.execute("SET GLOBAL TimeZone = 'UTC'")
        connection.execute(f"SET temp_directory = {sql.text(str(spill))}")
        _limit(connection, limits)
        if key is not None:
            _load_cipher(connection, key)
        _attach(connection, file, key, only_read=only_read)
        _shut(connection, [file.parent, spill], readable)
    except BaseException:
        connection.close()
        raise
    if not only_read:
        file.chmod(durable.PRIVATE_FILE)
    return connection


def _limit(connection: duckdb.DuckDBPyConnection, limits: DatabaseLimits) -> None:
    import duckdb

    if limits.threads is not None:
        connection.execute(f"SET threads = {limits.threads}")
    if limits.memory is not None:
        try:
            connection.execute(f"SET memory_limit = {sql.text(limits.memory)}")
        except duckdb.Error:
            raise BadProfile(
                [Fault("limits.memory", "this is no amount of memory", "write 4GB or 512MB")]
            ) from None


def _load_cipher(connection: duckdb.DuckDBPyConnection, key: str) -> None:
    """Loads what DuckDB needs to write encrypted files; without it the file would be plain, so it refuses."""
    import duckdb

    if not key:
        raise CannotEncrypt("the key of the warehouse is empty: give one, or none at all")
    wanted = (
        f"the extension package {CIPHER_PACKAGE.replace('_', '-')} of the same version as DuckDB"
        f" ({duckdb.__version__})"
    )
    found = importlib.util.find_spec(CIPHER_PACKAGE)
    extensions = (
        sorted(Path((found.submodule_search_locations or [""])[0]).rglob("httpfs.duckdb_extension"))
        if found
        else []
    )
    if not extensions:
        raise CannotEncrypt(
            f"a key was given, but DuckDB cannot encrypt a file without {wanted}; install it, or unset"
            " the key"
        )
    try:
        connection.execute(f"LOAD {sql.text(str(extensions[0]))}")
        connection.execute("SET temp_file_encryption = true")
    except duckdb.Error:
        raise CannotEncrypt(
            f"a key was given, but this DuckDB cannot load {wanted}; install that version, or unset the key"
        ) from None


def _attach(
    connection: duckdb.DuckDBPyConnection, file: Path, key: str | None, *, only_read: bool = False
) -> None:
    import duckdb

    told = [
        *(["READ_ONLY"] if only_read else []),
        *([] if key is None else [f"ENCRYPTION_KEY {sql.text(key)}"]),
    ]
    encrypted = f" ({', '.join(told)})" if told else ""
    exists = file.exists()
    try:
        connection.execute(f"ATTACH {sql.text(str(file))} AS {sql.name(CATALOGUE)}{encrypted}")
        is_plain = key is not None and not _is_encrypted(connection)
    except duckdb.Error as error:
        # the statement holds the key, and DuckDB quotes statements
        raise _refusal(file, str(error), exists=exists, keyed=key is not None) from None
    if is_plain:
        raise CannotEncrypt(f"a key was given, but {file} is not encrypted; unset the key to open it")


def _is_encrypted(connection: duckdb.DuckDBPyConnection) -> bool:
    held = connection.execute(
        "SELECT encrypted FROM duckdb_databases() WHERE database_name = ?", [CATALOGUE]
    ).fetchone()
    return bool(held and held[0])


def _refusal(file: Path, words: str, *, exists: bool, keyed: bool) -> WarehouseUnusable | CannotEncrypt:
    if "without a key" in words:
        return WarehouseUnusable(file, "it is encrypted and no key was given")
    if "Wrong encryption key" in words:
        return WarehouseUnusable(file, "it is encrypted with another key")
    if "not encrypted" in words:
        return CannotEncrypt(f"a key was given, but {file} is not encrypted; unset the key to open it")
    if "lock" in words:
        return WarehouseUnusable(file, "another process has it open")
    if keyed and not exists:
        return CannotEncrypt(
            "a key was given, but this DuckDB cannot write encrypted files; unset the key, or install the"
            " version that can"
        )
    return WarehouseUnusable(file, storage_problem(words) or "it is no database that DuckDB can open")


def _shut(
    connection: duckdb.DuckDBPyConnection, directories: Sequence[Path], readable: Sequence[Path]
) -> None:
    """Allows no file outside the run's directory except those to be read, and then locks the settings."""
    directories = [*directories, *(each.resolve() for each in readable if each.is_dir())]
    files = [path for each in readable for path in (str(each.resolve()), f"{each.resolve()}.wal")]
    connection.execute(
        f"SET allowed_directories = {_listed(map(str, directories))}; SET allowed_paths = {_listed(files)}"
    )
    connection.execute("SET enable_external_access = false; SET lock_configuration = true")


def _listed(texts: Iterator[str] | Sequence[str]) -> str:
    return f"[{', '.join(map(sql.text, texts))}]"


def storage_problem(words: str) -> str | None:
    """What kept DuckDB from writing, from its own words; None where it was something else."""
    known = {
        "No space left": "the disk is full",
        "Disk quota": "the disk quota is used up",
        "File too large": "a file may not grow any further",
        "Read-only file system": "the file system is read-only",
        "Permission denied": "this user may not write there",
        "max_temp_directory_size": "the disk has no room left to spill to",
        "Out of Memory": "the memory limit is too small",
    }
    return next((problem for sign, problem in known.items() if sign in words), None)


@contextmanager
def storing(place: Path) -> Iterator[None]:
    """Turns a full disk, or too little memory, into a sentence.

    Words that could hold cell values never pass.
    """
    import duckdb

    def refused(problem: str) -> NoReturn:
        raise WarehouseUnusable(place, problem) from None

    try:
        yield
    except OSError as error:
        refused(durable.reason(error))
    except duckdb.Error as error:
        problem = storage_problem(str(error))
        if problem is None:
            raise
        refused(problem)
