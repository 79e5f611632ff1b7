"""A source read whole as a run reads it, and servers of databases that these tests start themselves."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sdc.data import sql
from sdc.data.database import Database
from sdc.errors import BadData
from sdc.ingest.readers.opened import SourceColumn
from sdc.ingest.readers.opening import opened_source
from sdc.profile.plan import Source


@dataclass(frozen=True)
class Whole:
    """All records of a source, its columns, and the digest of a source that is no file."""

    records: list[tuple[Any, ...]]
    columns: dict[str, SourceColumn]
    sha256: str | None

    def column(self, name: str) -> list[Any]:
        return [record[list(self.columns).index(name)] for record in self.records]


@pytest.fixture
def read(tmp_path: Path) -> Iterator[Callable[..., Whole]]:
    database = Database.in_memory()
    scratch = tmp_path / "scratch"
    scratch.mkdir(mode=0o700)

    def whole(path: Path | str, **told: Any) -> Whole:
        source = Source(path=Path(path), **told)
        cursor = database.cursor()
        with opened_source(source, Path(path), cursor, scratch) as opened:
            chosen = ", ".join(
                f"{held.expression} AS {sql.name(name)}" for name, held in opened.columns.items()
            )
            records = cursor.execute(f"SELECT {chosen} FROM {opened.relation}").fetchall()
        assert not list(scratch.iterdir())
        return Whole(records, dict(opened.columns), opened.sha256)

    yield whole
    database.close()


@pytest.fixture
def refused(read: Callable[..., Whole], tmp_path: Path) -> Callable[..., str]:
    """The words of the refusal; nothing is left in the private place."""

    def words(path: Path | str, **told: Any) -> str:
        with pytest.raises(BadData) as bad:
            read(path, **told)
        assert not list((tmp_path / "scratch").iterdir())
        return str(bad.value)

    return words


@dataclass(frozen=True)
class Server:
    """A PostgreSQL of these tests: its folder has the socket."""

    folder: Path
    programs: Path

    def run(self, statement: str) -> str:
        held = ["-h", str(self.folder), "-U", "keeper", "-d", "postgres", "-Atc", statement]
        return subprocess.run(
            [self.programs / "psql", *held], check=True, capture_output=True, text=True
        ).stdout.strip()

    def control(self, *words: str) -> None:
        command = [
            *_as_nobody(),
            str(self.programs / "pg_ctl"),
            "-D",
            str(self.folder / "data"),
            "-w",
            *words,
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self) -> None:
        self.control(
            "-o", f"-k {self.folder} -c listen_addresses='' -c fsync=off", "-l", "/dev/null", "start"
        )


def _as_nobody() -> list[str]:
    """PostgreSQL does not run as root."""
    return ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("there is no PostgreSQL in /usr/lib/postgresql")
    if os.geteuid() == 0 and not shutil.which("runuser"):
        pytest.skip("PostgreSQL does not run as root, and there is no runuser")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    folder.chmod(0o755)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    server = Server(folder, found[-1].parent)
    made = ["-D", str(folder / "data"), "-A", "trust", "-U", "keeper", "-N"]
    subprocess.run([*_as_nobody(), str(found[-1]), *made], check=True, stdout=subprocess.DEVNULL, cwd=folder)
    rules = folder / "data" / "pg_hba.conf"
    rules.write_text(f"local all guarded scram-sha-256\n{rules.read_text()}")
    server.start()
    server.run("CREATE ROLE guarded LOGIN PASSWORD 'pass-of-the-test'")
    yield server
    server.control("-m", "immediate", "stop")
    shutil.rmtree(folder)


@dataclass(frozen=True)
class MariaServer:
    """A MariaDB of these tests, at a port of this machine."""

    folder: Path
    port: int

    @property
    def socket(self) -> Path:
        return self.folder / "socket"

    def run(self, statement: str) -> str:
        held = ["--no-defaults", "-S", str(self.socket), "-u", "root", "-N", "-B", "-e", statement]
        own = {name: value for name, value in os.environ.items() if not name.startswith("MYSQL")}
        return subprocess.run(
            ["mariadb", *held], check=True, capture_output=True, text=True, env=own
        ).stdout.strip()

    def wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        for _ in range(600):
            with contextlib.suppress(subprocess.CalledProcessError):
                self.run("SELECT 1")
                return
            if process.poll() is not None:
                break
            time.sleep(0.1)
        pytest.fail("MariaDB did not start")


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaServer]:
    program = shutil.which("mariadbd", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None or not shutil.which("mariadb-install-db"):
        pytest.skip("there is no MariaDB")
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    server = MariaServer(Path(tempfile.mkdtemp(prefix="my-")), port)
    user = ["--user=mysql"] if os.geteuid() == 0 else []
    # Servers that share a place for temporary files remove each other's when they start.
    own = {**os.environ, "TMPDIR": str(server.folder / "tmp")}
    (server.folder / "tmp").mkdir()
    if user:
        for place in (server.folder, server.folder / "tmp"):
            shutil.chown(place, "mysql")
    data = [f"--datadir={server.folder / 'data'}", *user]
    made = ["mariadb-install-db", "--no-defaults", *data, "--auth-root-authentication-method=normal"]
    # Commands that ran in this process may have made files private by default, and the server is another user.
    subprocess.run(
        made, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, umask=0o022, env=own
    )
    told = ["--no-defaults", *data, f"--socket={server.socket}", "--bind-address=127.0.0.1"]
    process = subprocess.Popen(
        [program, *told, f"--port={port}", f"--pid-file={server.folder / 'pid'}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        umask=0o022,
        env=own,
    )
    server.wait_until_it_answers(process)
    server.run("CREATE USER keeper@localhost IDENTIFIED BY 'pass-of-the-test'")
    yield server
    process.kill()
    process.wait()
    shutil.rmtree(server.folder)
