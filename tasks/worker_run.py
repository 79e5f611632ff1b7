"""One run as a worker has it: its tables, its pairs, and the files of candidates it has made."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.protection import Step
from sdc.data import sql
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import MissingRule, Role, Roles, Variable, VariableType
from sdc.data.spread_table import SpreadTable
from sdc.data.table import Table
from sdc.data.warehouse import KEY_VARIABLE, Warehouse
from sdc.data.warehouse.shared_tables import SentTable, SharedTables, held_part
from sdc.profile.plan import Limits
from sdc.run import digest
from tasks.parts import ask_parts
from tasks.shared import earlier_from, leaving_name, own_tables, pair_text


def limits_of(facts: Mapping[str, Any]) -> Limits:
    """The limits of the profile; but a worker spills where its own --local-directory is."""
    return Limits.model_validate({**facts["limits"], "spill": None})


@dataclass
class WorkerRun:
    """One run as a worker has it.

    A database of its own, filled from shared storage as far as it was needed.
    """

    warehouse: Warehouse
    tables: SharedTables
    facts: dict[str, Any]
    pairs: dict[str, tuple[ReleasePair, dict[str, Any]]] = field(default_factory=dict)
    fetched: set[str] = field(default_factory=set)
    guard: threading.RLock = field(default_factory=threading.RLock)

    def pair(self, candidate: str) -> tuple[ReleasePair, dict[str, Any]]:
        """Original and candidate side by side, the same object for all measures, and what is said of them."""
        with self.guard:
            if candidate not in self.pairs:
                told = json.loads(self.tables.fetch_text(pair_text(candidate)))
                self.pairs[candidate] = self._new_pair(told), told
            return self.pairs[candidate]

    def fetch(self, sent: Mapping[str, Mapping[str, Any]]) -> None:
        """Have these tables here, all of them."""
        for name, each in sent.items():
            self._bring(name, SentTable(**each))

    def _bring(self, name: str, sent: SentTable) -> None:
        """Have a table here; it is fetched once."""
        self._once(name, lambda: self.tables.fetch(name, sent))

    def part(self, name: str, number: int, sent: SentTable) -> Table:
        """One part of a table; it is fetched once."""
        held = held_part(name, number)
        self._once(held, lambda: self.tables.fetch_part(name, number, sent))
        return self.warehouse.database.table(held)

    def _once(self, name: str, fetch: Callable[[], object]) -> None:
        with self.guard:
            if name not in self.fetched:
                fetch()
                self.fetched.add(name)

    def _table(self, name: str, sent: SentTable) -> Table:
        """A table of one part is brought at once; the parts of a longer one are asked where they are."""
        if sent.parts > 1:
            return SpreadTable(
                self.warehouse.database,
                name,
                sent.types,
                sent.rows,
                asked=partial(ask_parts, self.tables, name, sent),
                brought=partial(self._bring, name, sent),
            )
        self._bring(name, sent)
        return self.warehouse.database.table(name)

    def sent(self, made: Candidate) -> dict[str, Any]:
        """Send the files of a candidate; what is to be said of it, and nothing of it stays here."""
        held = {
            "cannot": "",
            "candidate": digest.plain(made.as_record()),
            "sealed": digest.plain(made.sealed),
            "rows": [self.warehouse.database.table(table).rows for table in made.tables],
            "pieces": [
                self.tables.send_file(self.warehouse.directory.stored(copy), leaving_name(copy))
                for copy in made.copies
            ],
        }
        self.warehouse.forget_candidate(made, ())
        return held

    def _new_pair(self, told: dict[str, Any]) -> ReleasePair:
        named = {name: self._table(name, SentTable(**each)) for name, each in told["sent"].items()}
        tables = told["tables"]
        return ReleasePair(
            named[tables["original"]],
            named[tables["candidate"]],
            Roles.of(map(_variable, self.facts["variables"])),
            holdout=named[tables["holdout"]] if tables["holdout"] else None,
            population=named[tables["population"]] if tables["population"] else None,
            aligned=told["aligned"],
            missing=MissingRule(self.facts["missing"]),
            steps=tuple(map(Step.from_record, told["steps"])),
            syntheses=[named[name] for name in tables["syntheses"]],
            leaving=[named[name] for name in tables["leaving"]],
            room=limits_of(self.facts).room,
            **({} if told["earlier"] is None else {"earlier": lambda: earlier_from(told["earlier"], named)}),
        )

    @contextmanager
    def reading(self, file: Path) -> Iterator[SharedTables]:
        """A way to shared storage for what is read from one file of this machine, and from no other."""
        key = os.environ.get(KEY_VARIABLE)
        directory = self.warehouse.directory.path.with_name(f"sdc-{secrets.token_hex(8)}")
        warehouse = Warehouse.create(directory, limits=limits_of(self.facts), key=key, readable=[file])
        try:
            yield SharedTables(self.tables.folder, warehouse, key)
        finally:
            warehouse.close()
            shutil.rmtree(directory, ignore_errors=True)

    def drop(self, candidate: str) -> None:
        """Let go of a candidate that is measured; what belongs to others stays."""
        with self.guard:
            _, told = self.pairs.pop(candidate, (None, None))
            # Of a candidate that was measured elsewhere this worker may hold parts.
            told = told or json.loads(self.tables.fetch_text(pair_text(candidate)))
            own = own_tables(told["tables"])
            parts = [held_part(name, part) for name in own for part in range(told["sent"][name]["parts"])]
            for name in self.fetched.intersection([*own, *parts]):
                self.warehouse.database.cursor().execute(f"DROP TABLE IF EXISTS {sql.name(name)}")
                self.fetched.discard(name)

    def close(self) -> None:
        self.warehouse.close()
        shutil.rmtree(self.warehouse.directory.path, ignore_errors=True)


def _variable(told: dict[str, Any]) -> Variable:
    return Variable(
        **{
            **told,
            "role": Role(told["role"]),
            "type": VariableType(told["type"]),
            "order": tuple(told["order"]),
            "allowed": tuple(told["allowed"]),
        }
    )
