"""Asks the workers that hold the parts of a table; each puts the answer of its own on shared storage."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.data.question import Question
from sdc.data.warehouse.shared_tables import SentTable, SharedTables
from sdc.errors import SdcError, redacted

if TYPE_CHECKING:
    import pyarrow as pa

TRIES = 4
"""How often parts are given to other workers when those that had them died."""
WORKERLESS_SECONDS = 60.0
"""How long a run waits for workers when there are none."""
SILENT_SECONDS = 300.0
"""How long a run asks again where no worker answers; the scheduler gives up a worker after that time."""
LOOK_SECONDS = 1.0
"""After so long the scheduler knows whether a worker that did not answer is gone."""
LOST = OSError()
"""What is heard of a worker that was gone before it was asked."""
Shares = Mapping[str, Sequence[int]]
"""Which parts each worker answers for, by its address."""

one_at_a_time = threading.Lock()
"""A worker counts or reads one part at a time, whoever asks: memory is for one."""


def ask_parts(tables: SharedTables, table: str, sent: SentTable, question: Question) -> Iterator[pa.Table]:
    """The answer of every part, in order.

    The question lies on shared storage, for it may hold values; workers hear its number alone. They answer
    beside their tasks: a task that waits for an answer takes no other's place.
    """
    from distributed import get_client

    asked = f"question_{secrets.token_hex(8)}"
    _send_question(tables, asked, sent, question)
    try:
        have_done(get_client(), answer_shares, (tables.folder.url, asked, table), range(sent.parts), table)
    except (OSError, CancelledError):
        # A measure that breaks is not assessed; but this says nothing of the measure.
        raise SdcError(f"the scheduler does not answer a worker that asks for parts of {table}") from None
    for name in (asked, *(f"{asked}_{given}" for given in question.given)):
        tables.drop_rows(name)
    for part in range(sent.parts):
        yield tables.fetch_rows(_answer_name(asked, part))
        tables.drop_rows(_answer_name(asked, part))


def heard_from_all(client: Any, what: Any, *given: Any) -> dict[str, Any]:
    """What every worker says, or raises; one that is busy is asked again, one that is gone is not missed."""
    heard: dict[str, Any] = {}
    begun = time.monotonic()
    while left := [worker for worker in _known(client) if worker not in heard]:
        said = client.run(what, *given, workers=left, on_error="return")
        heard |= {worker: word for worker, word in said.items() if not isinstance(word, OSError)}
        silent = [worker for worker in left if worker not in heard]
        if silent and time.monotonic() - begun > SILENT_SECONDS:
            raise SdcError(f"worker {silent[0]} does not answer")
        if silent:
            time.sleep(LOOK_SECONDS)
    return heard


def have_done(client: Any, what: Any, names: Sequence[str], parts: Sequence[int], of: str) -> None:
    """Give each part to a worker, and again to another where a worker died before it was done.

    A part goes to the same worker every time, which has it then. A worker that is busy may answer late: its
    parts go to those that answer, or wait. Workers hear names and numbers alone.
    """
    left, deaths, silent, answered = list(parts), 0, set[str](), time.monotonic()
    while left and (known := _workers(client)):
        asked = [worker for worker in known if worker not in silent] or known
        shares: Shares = {
            worker: [part for part in left if part % len(asked) == place]
            for place, worker in enumerate(asked)
        }
        said = client.run(what, *names, shares, workers=asked, on_error="return")
        unanswered = [worker for worker in asked if _is_unanswered(said.get(worker, LOST), of)]
        left = [part for worker in unanswered for part in shares[worker]]
        if not left:
            return
        time.sleep(LOOK_SECONDS)
        died = set(unanswered).difference(_known(client))
        deaths += bool(died)
        if deaths == TRIES:
            break
        silent = set(unanswered) - died
        if died or len(silent) < len(asked):
            answered = time.monotonic()
        elif time.monotonic() - answered > SILENT_SECONDS:
            raise SdcError(f"no worker that has parts of {of} answers: {len(left)} of {len(parts)} are left")
    if left:
        raise SdcError(f"every worker that took parts of {of} died: {len(left)} of {len(parts)} are left")


def _is_unanswered(said: Any, of: str) -> bool:
    """Whether the connection to a worker broke; what a worker cannot do is raised."""
    if isinstance(said, OSError):
        return True
    if isinstance(said, Exception):
        raise SdcError(f"a worker cannot work on {of} ({type(said).__name__})")
    if said:
        raise SdcError(said)
    return False


def _workers(client: Any) -> list[str]:
    """The workers there are; one that died may come back."""
    if not _known(client):
        with suppress(TimeoutError):
            client.wait_for_workers(1, timeout=WORKERLESS_SECONDS)
    return _known(client)


def _known(client: Any) -> list[str]:
    return sorted(client.scheduler_info(n_workers=-1)["workers"])


async def answer_shares(url: str, asked: str, table: str, shares: Shares, dask_worker: Any = None) -> str:
    """On a worker: answer for its parts; the problem in a sentence, or nothing."""
    return await beside_tasks(partial(_answer, url, asked, table), shares, dask_worker)


async def beside_tasks(work: Callable[[Sequence[int], Path], None], shares: Shares, dask_worker: Any) -> str:
    """On a worker: work on its parts, in a thread of its own; the problem in a sentence, or nothing."""
    try:
        await asyncio.to_thread(work, shares.get(dask_worker.address, ()), Path(dask_worker.local_directory))
    except SdcError as error:
        return str(error)
    return ""


def _answer(url: str, asked: str, table: str, parts: Sequence[int], place: Path) -> None:
    from tasks.worker import opened_run

    with one_at_a_time, redacted(f"counting {table} on a worker"):
        run = opened_run(url, place)
        sent, question = _fetch_question(run.tables, asked)
        for part in parts:
            held = run.part(table, part, sent)
            (rows,) = held.batches(held.rows)
            run.tables.send_rows(_answer_name(asked, part), question.answer(held.database, rows))


def _send_question(tables: SharedTables, asked: str, sent: SentTable, question: Question) -> None:
    for name, rows in question.given.items():
        tables.send_rows(f"{asked}_{name}", rows)
    told = {
        "sent": sent.as_record(),
        "query": question.query,
        "counted": question.counted,
        "given": list(question.given),
    }
    tables.send_text(asked, json.dumps(told))


def _fetch_question(tables: SharedTables, asked: str) -> tuple[SentTable, Question]:
    told = json.loads(tables.fetch_text(asked))
    given = {name: tables.fetch_rows(f"{asked}_{name}") for name in told["given"]}
    return SentTable(**told["sent"]), Question(told["query"], told["counted"], given)


def _answer_name(asked: str, part: int) -> str:
    return f"{asked}_answer_{part}"
