"""The list of runs: which, in which order, and by pages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from sdc.audit.ledger import RunRow

if TYPE_CHECKING:
    from sdc.web.ledger_state import Book, Chain

PER_PAGE = 50
COLUMNS = {
    "run": "run",
    "profile": "profile",
    "state": "state",
    "verdict": "gate said",
    "missed": "does not hold",
    "started": "started",
    "changed": "last entry",
    "producer": "started by",
}
NEWEST_FIRST = "-started"
TABLE = "table."
"""How names of checks of the table itself begin."""


@dataclass(frozen=True)
class ListRequest:
    """What a reader asked the list for; `sort` is a column, with a minus for the other direction."""

    words: str = ""
    state: str = ""
    profile: str = ""
    since: str = ""
    until: str = ""
    sort: str = NEWEST_FIRST
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str]) -> ListRequest:
        """The request in an address; what makes no sense is left out."""
        sort = query.get("sort", "")
        page = query.get("page", "")
        return cls(
            words=query.get("words", "")[:200].strip(),
            state=query.get("state", "")[:40],
            profile=query.get("profile", "")[:200],
            since=_date(query.get("since", "")),
            until=_date(query.get("until", "")),
            sort=sort if sort.removeprefix("-") in COLUMNS else NEWEST_FIRST,
            page=max(int(page), 1) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
        )

    def address(self, **changed: Any) -> str:
        """The list's address with something changed; what is as by default is left out."""
        held = replace(self, **{"page": 1, **changed}).__dict__
        asked = {
            name: value
            for name, value in held.items()
            if value != ListRequest.__dataclass_fields__[name].default
        }
        return f"/?{urlencode(asked)}" if asked else "/"

    @property
    def narrows(self) -> bool:
        return bool(self.words or self.state or self.profile or self.since or self.until)


@dataclass(frozen=True)
class Line:
    """One run on the list."""

    run: str
    short: str
    profile: str
    state: str
    verdict: str
    missed: tuple[str, ...]
    started: str
    changed: str
    producer: str


@dataclass(frozen=True)
class Heading:
    """A column's heading: where a click on it leads, and how the list is sorted by it now."""

    text: str
    address: str
    order: str


@dataclass(frozen=True)
class RunList:
    """The list as it is shown."""

    asked: ListRequest
    chain: Chain
    lines: tuple[Line, ...]
    headings: tuple[Heading, ...]
    found: int
    every: int
    pages: int
    states: tuple[tuple[str, int], ...]
    profiles: tuple[str, ...]

    @property
    def first(self) -> int:
        return (self.asked.page - 1) * PER_PAGE + 1

    @property
    def last(self) -> int:
        return min(self.asked.page * PER_PAGE, self.found)


def listed(book: Book, asked: ListRequest) -> RunList:
    """The page of the list that was asked for; a page beyond the last is the last."""
    rows = [row for row in book.rows.values() if _is_asked_for(row, asked)]
    column, descending = asked.sort.removeprefix("-"), asked.sort.startswith("-")
    rows.sort(key=lambda row: row.run, reverse=descending)
    rows.sort(key=lambda row: _key(row, book, column), reverse=descending)
    pages = max(math.ceil(len(rows) / PER_PAGE), 1)
    asked = replace(asked, page=min(asked.page, pages))
    shown = rows[(asked.page - 1) * PER_PAGE : asked.page * PER_PAGE]
    return RunList(
        asked=asked,
        chain=book.chain,
        lines=tuple(line(row, book) for row in shown),
        headings=tuple(_heading(name, text, asked) for name, text in COLUMNS.items()),
        found=len(rows),
        every=len(book.rows),
        pages=pages,
        states=tuple(sorted(Counter(row.state for row in book.rows.values()).items())),
        profiles=tuple(sorted({row.profile for row in book.rows.values()})),
    )


def line(row: RunRow, book: Book) -> Line:
    return Line(
        run=row.run,
        short=row.run.rsplit("-", 1)[-1],
        profile=row.profile,
        state=row.state,
        verdict=book.verdicts.get(row.run, ""),
        missed=missed(row),
        started=moment(row.started),
        changed=moment(row.changed),
        producer=str(row.facts.get("producer", "")),
    )


def missed(row: RunRow) -> tuple[str, ...]:
    """What did not hold, for the chosen candidate or for all.

    Criteria come by name, then checks of the table, each with its variables.
    """
    candidates: Mapping[str, Any] = row.facts.get("candidates") or {}
    chosen = str(row.facts.get("chosen") or "")
    looked_at = [candidates[chosen]] if chosen in candidates else list(candidates.values())
    names = list(dict.fromkeys(str(name) for held in looked_at for name in held.get("does_not_hold", ())))
    checks: dict[str, list[str]] = {}
    for name in names:
        if name.startswith(TABLE):
            check, _, variable = name.removeprefix(TABLE).partition(".")
            checks.setdefault(check.replace("_", " "), []).extend([variable] if variable else [])
    told = (
        f"table: {check}{' of ' if variables else ''}{', '.join(variables)}"
        for check, variables in checks.items()
    )
    return (*(name for name in names if not name.startswith(TABLE)), *told)


def moment(text: str) -> str:
    """A time of the ledger as people write it."""
    try:
        return f"{datetime.fromisoformat(text):%-d %b %Y, %H:%M}"
    except ValueError:
        return text


def family_of(row: RunRow) -> str:
    """The common name of releases from one source."""
    return str(row.facts.get("family") or row.profile)


def latest(rows: Sequence[RunRow], most: int) -> list[RunRow]:
    return sorted(rows, key=lambda row: (row.started, row.run), reverse=True)[:most]


def _is_asked_for(row: RunRow, asked: ListRequest) -> bool:
    if asked.state not in ("", row.state) or asked.profile not in ("", row.profile):
        return False
    day = row.started[:10]
    if (asked.since and day < asked.since) or (asked.until and day > asked.until):
        return False
    said = f"{row.run} {row.facts.get('producer', '')} {row.facts.get('bundle', '')}".casefold()
    return all(word in said for word in asked.words.casefold().split())


def _key(row: RunRow, book: Book, column: str) -> Any:
    if column == "verdict":
        return book.verdicts.get(row.run, "")
    if column == "missed":
        return len(missed(row))
    if column == "producer":
        return str(row.facts.get("producer", ""))
    return getattr(row, column)


def _heading(name: str, text: str, asked: ListRequest) -> Heading:
    now = asked.sort
    order = "ascending" if now == name else "descending" if now == f"-{name}" else "none"
    first = f"-{name}" if name in ("started", "changed", "missed") else name
    other = name if now == f"-{name}" else f"-{name}"
    return Heading(text, asked.address(sort=other if order != "none" else first), order)


def _date(text: str) -> str:
    try:
        return datetime.strptime(text, "%Y-%m-%d").date().isoformat()  # noqa: DTZ007 - a day, as the ledger's own UTC
    except ValueError:
        return ""
