"""Asks the workers that hold the parts of a table; each puts the answer of its own on shared storage."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    _have_answered(get_client(), tables.folder.url, asked, table, range(sent.parts))
    for name in (asked, *(f"{asked}_{given}" for given in question.given)):
        tables.drop_rows(name)
    for part in range(sent.parts):
        yield tables.fetch_rows(_answer_name(asked, part))
        tables.drop_rows(_answer_name(asked, part))


def _have_answered(client: Any, url: str, asked: str, table: str, parts: Sequence[int]) -> None:
    have_done(client, answer_shares, (url, asked, table), parts, table)


def have_done(client: Any, what: Any, names: Sequence[str], parts: Sequence[int], of: str) -> None:
    """Give each part to a worker, and again to another where a worker died before it was done.

    A part goes to the same worker every time, which has it then. Workers hear names and numbers alone.
    """
    left = list(parts)
    for _ in range(TRIES):
        workers = _workers(client)
        if not workers:
            break
        shares: Shares = {
            worker: [part for part in left if part % len(workers) == place]
            for place, worker in enumerate(workers)
        }
        said = client.run(what, *names, shares, workers=workers, on_error="return")
        for problem in said.values():
            if problem and isinstance(problem, str):
                raise SdcError(problem)
        done = {part for worker, own in shares.items() for part in own if said.get(worker) == ""}
        left = [part for part in left if part not in done]
        if not left:
            return
    raise SdcError(f"every worker that took parts of {of} died: {len(left)} of {len(parts)} are left")


def _workers(client: Any) -> list[str]:
    """The workers there are; one that died may come back."""
    if not client.scheduler_info(n_workers=-1)["workers"]:
        with suppress(TimeoutError):
            client.wait_for_workers(1, timeout=WORKERLESS_SECONDS)
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
