"""Has the parts of a source read by workers that see them; what they read lies on shared storage."""

from __future__ import annotations

import json
import platform
import secrets
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.data.warehouse.shared_tables import SharedTables
from sdc.errors import BadData, redacted
from sdc.ingest.files import Fingerprint
from sdc.ingest.source_parts import SourcePart
from sdc.run import durable
from sdc.spelling import counted
from tasks import worker
from tasks.parts import Shares, beside_tasks, one_at_a_time
from tasks.worker_run import WorkerRun

if TYPE_CHECKING:
    import duckdb

OTHER_BYTES = "the file has other bytes there"


class ReadByWorkers:
    """Reads parts on workers; `ask` gives them their numbers, `say` tells people which were read here."""

    def __init__(
        self,
        tables: SharedTables,
        ask: Callable[[Any, Sequence[str], Sequence[int]], None],
        say: Callable[[str], object],
    ) -> None:
        self._tables, self._ask, self._say = tables, ask, say

    def __call__(
        self, cursor: duckdb.DuckDBPyConnection, table: str, chosen: str, parts: Sequence[SourcePart]
    ) -> Iterator[bool]:
        """Append each part that a worker has read to the table, in order; False where none could.

        What is chosen may hold values, such as codes for missing ones: the question lies on shared storage.
        """
        asked = f"reading_{secrets.token_hex(8)}"
        question = {"chosen": chosen, "parts": [[str(part.path), part.relation] for part in parts]}
        with redacted("asking workers to read the source"):
            self._tables.send_text(asked, json.dumps(question))
            self._ask(read_shares, (self._tables.folder.url, asked), range(len(parts)))
            self._tables.drop_rows(asked)
            problems = [self._problem(asked, number, part) for number, part in enumerate(parts)]
        self._tell(parts, problems)
        for number, problem in enumerate(problems):
            if not problem:
                with redacted("fetching a part of the source"):
                    self._tables.append_rows(_rows_name(asked, number), cursor, table)
                    self._tables.drop_rows(_rows_name(asked, number))
            yield not problem

    def _problem(self, asked: str, number: int, part: SourcePart) -> str:
        """Why a part must be read here; nothing where a worker has read the very bytes."""
        said = json.loads(self._tables.fetch_text(_said_name(asked, number)))
        self._tables.drop_rows(_said_name(asked, number))
        if said["problem"]:
            return f"{said['problem']} (on {said['machine']})"
        if said["sha256"] == part.sha256:
            return ""
        self._tables.drop_rows(_rows_name(asked, number))
        return f"{OTHER_BYTES} (on {said['machine']})"

    def _tell(self, parts: Sequence[SourcePart], problems: Sequence[str]) -> None:
        for told in dict.fromkeys(filter(None, problems)):
            here = [part for part, problem in zip(parts, problems, strict=True) if problem == told]
            more = f" and {len(here) - 1} more" if len(here) > 1 else ""
            self._say(
                f"{counted(len(here), 'part')} of the source read on this machine and not by a worker:"
                f" {here[0].path}{more}: {told}"
            )


async def read_shares(url: str, asked: str, shares: Shares, dask_worker: Any = None) -> str:
    """On a worker: read its parts; the problem in a sentence, or nothing."""
    return await beside_tasks(partial(_read, url, asked), shares, dask_worker)


def _read(url: str, asked: str, parts: Sequence[int], place: Path) -> None:
    with one_at_a_time, redacted("reading the source on a worker"):
        run = worker.opened_run(url, place)
        told = json.loads(run.tables.fetch_text(asked)) if parts else {}
        for number in parts:
            path, relation = told["parts"][number]
            query = f"SELECT {told['chosen']} FROM {relation}"
            said = _read_part(run, Path(path), query, _rows_name(asked, number))
            run.tables.send_text(_said_name(asked, number), json.dumps(said))


def _read_part(run: WorkerRun, path: Path, query: str, name: str) -> dict[str, str]:
    """The SHA-256 of the bytes whose records were sent, or why there are none."""
    import duckdb

    said = {"machine": platform.node(), "sha256": "", "problem": ""}
    try:
        return {**said, "sha256": _sent(run, path, query, name)}
    except BadData as bad:
        problem = bad.faults[0].problem
    except OSError as error:
        problem = durable.reason(error)
    except duckdb.Error as error:
        # its words may quote a value
        problem = f"it cannot be read ({type(error).__name__})"
    return {**said, "problem": problem}


def _sent(run: WorkerRun, path: Path, query: str, name: str) -> str:
    """Send the records of a file; BadData where it is not there, or is written to meanwhile."""
    seen = Fingerprint.of(path)
    with run.reading(path) as tables:
        tables.send_query(name, query)
    try:
        seen.confirm()
    except (BadData, OSError):
        run.tables.drop_rows(name)
        raise
    return seen.own


def _rows_name(asked: str, number: int) -> str:
    """Under which name the records of a part come back."""
    return f"{asked}_rows_{number}"


def _said_name(asked: str, number: int) -> str:
    """Under which name it is said how a part was read."""
    return f"{asked}_said_{number}"
