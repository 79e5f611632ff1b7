"""What changed from one run to another: profile, source, measurements, steps, versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sdc.catalogue.measurement import Interval
from sdc.catalogue.registry import measures
from sdc.catalogue.units import Better
from sdc.report import wording
from sdc.web.listing import Line, line
from sdc.web.record_doubts import doubts
from sdc.web.record_view import HIDDEN, NAMED_BY, SECRET, is_list_of_records, text
from sdc.web.two_runs_figures import figures_of

if TYPE_CHECKING:
    from sdc.audit.record import RunView
    from sdc.report.views import Figure
    from sdc.web.ledger_state import Book

ABSENT = "—"
SOURCE = {
    "sha256": "SHA-256 of the source",
    "rows": "records",
    "holdout_rows": "records in the holdout",
    "left_out_rows": "records left out",
    "population_rows": "records in the population",
}


@dataclass(frozen=True)
class Change:
    """One fact before and after; `difference` and `better` where both are numbers."""

    name: str
    before: str
    after: str
    difference: str = ""
    better: str = ""
    held: tuple[bool | None, bool | None] = (None, None)
    code: bool = False
    doubts: tuple[str, str] = ("", "")
    """Why the number before, and the one after, cannot be believed."""

    @property
    def is_change(self) -> bool:
        return self.before != self.after or self.held[0] != self.held[1] or bool(self.difference)


@dataclass(frozen=True)
class ComparedPart:
    """All that was compared under one heading."""

    anchor: str
    title: str
    rows: tuple[Change, ...]
    measured: bool = False

    @property
    def changed(self) -> tuple[Change, ...]:
        return tuple(row for row in self.rows if row.is_change)

    @property
    def same(self) -> int:
        return len(self.rows) - len(self.changed)


@dataclass(frozen=True)
class TwoRuns:
    """Two runs side by side.

    `gaps` names the runs whose record is not here; for them only the ledger's facts are compared.
    """

    before: Line
    after: Line
    parts: tuple[ComparedPart, ...]
    gaps: tuple[str, ...]
    figures: tuple[Figure, ...] = ()

    @property
    def sentence(self) -> str:
        said = [f"{part.title.lower()} ({len(part.changed)})" for part in self.parts if part.changed]
        return f"Changed: {wording.listed(said)}." if said else "Nothing that was compared has changed."


def two_runs(book: Book, before: RunView, after: RunView) -> TwoRuns:
    first, second = before.record, after.record
    parts = [
        _part("outcome", "Outcome", _outcome(before, book), _outcome(after, book)),
        _source(before, after),
    ]
    if first is not None and second is not None:
        parts += [
            ComparedPart(
                "profile", "Profile", tuple(compared(first["profile"]["plan"], second["profile"]["plan"]))
            ),
            ComparedPart("measurements", "Measurements", tuple(_measurements(first, second)), measured=True),
            _part("steps", "Steps", dict(_steps(first)), dict(_steps(second))),
            _part("versions", "Versions", _versions(first), _versions(second)),
        ]
    else:
        hashes = {
            "SHA-256 of the profile": "profile_sha256",
            "SHA-256 of the code": "code",
            "version": "version",
        }
        held = [
            {name: str(view.row.facts.get(key, "")) or ABSENT for name, key in hashes.items()}
            for view in (before, after)
        ]
        parts.append(_part("profile", "Profile and versions", *held))
    gaps = tuple(view.row.run for view in (before, after) if view.record is None)
    drawn = figures_of(first, second) if first is not None and second is not None else ()
    return TwoRuns(line(before.row, book), line(after.row, book), tuple(parts), gaps, drawn)


def compared(before: Any, after: Any, path: str = "") -> Iterator[Change]:
    """Two plans fact by fact, under the keys that lead there; items of a list are compared by name.

    Only whether the seed changed is reported.
    """
    if path.rpartition(" › ")[2] in SECRET:
        yield Change(path, HIDDEN, HIDDEN if before == after else f"{HIDDEN}; another one")
    elif isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in [*before, *(name for name in after if name not in before)]:
            yield from compared(before.get(name), after.get(name), f"{path} › {name}" if path else str(name))
    elif is_list_of_records(before) and is_list_of_records(after):
        yield from compared(_by_name(before), _by_name(after), path)
    else:
        yield Change(path, text(_told(before)), text(_told(after)))


def _by_name(records: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    held: dict[str, Mapping[str, Any]] = {}
    for record in records:
        name = next((str(record[key]) for key in NAMED_BY if record.get(key)), "")
        alike = sum(known.partition(" (")[0] == name for known in held)
        held[f"{name} ({alike + 1})" if alike else name] = record
    return held


def _told(value: Any) -> Any:
    """What one plan has and the other does not, without empty values."""
    if isinstance(value, Mapping):
        return {
            name: _told(held)
            for name, held in value.items()
            if held not in (None, "", [], {}) and name not in SECRET
        }
    return [_told(held) for held in value] if is_list_of_records(value) else value


def _part(anchor: str, title: str, before: Mapping[str, str], after: Mapping[str, str]) -> ComparedPart:
    names = [*before, *(name for name in after if name not in before)]
    return ComparedPart(
        anchor,
        title,
        tuple(
            Change(name, before.get(name, ABSENT), after.get(name, ABSENT), code="SHA" in name)
            for name in names
        ),
    )


def _outcome(view: RunView, book: Book) -> dict[str, str]:
    facts = view.row.facts
    return {
        "state": view.row.state,
        "gate said": book.verdicts.get(view.row.run) or ABSENT,
        "candidate": str(facts.get("chosen") or ABSENT),
    }


def _source(before: RunView, after: RunView) -> ComparedPart:
    def facts(view: RunView) -> dict[str, str]:
        if view.record is None:
            return {SOURCE["sha256"]: str(view.row.facts.get("source", "")) or ABSENT}
        return {name: text(view.record["source"].get(key)) for key, name in SOURCE.items()}

    return _part("source", "Source", facts(before), facts(after))


def _measurements(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    """Every measurement of every candidate; a candidate of one run alone has no other side."""
    first, second = dict(_measured(before)), dict(_measured(after))
    doubted = doubts(before), doubts(after)
    for key in [*first, *(key for key in second if key not in first)]:
        found = _measurement(key, first.get(key), second.get(key))
        yield replace(found, doubts=(doubted[0].get(key, ""), doubted[1].get(key, "")))


def _measured(record: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Mapping[str, Any]]]:
    for candidate in record["candidates"]:
        holds = {found["criterion"]: found["holds"] for found in candidate["findings"]}
        for held in candidate["measurements"]:
            judged = [
                kept
                for name, kept in holds.items()
                if name == held["as"] or name.startswith(f"{held['as']}.")
            ]
            yield (candidate["name"], held["as"]), {**held, "holds": all(judged) if judged else None}


def _measurement(
    key: tuple[str, str], before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> Change:
    first, second = (_estimate(held) if held else None for held in (before, after))
    difference = better = ""
    if after and isinstance(first, int | float) and isinstance(second, int | float) and first != second:
        difference = f"{'+' if second > first else ''}{wording.number(second - first)}"
        better = _better(after["measure"], second - first)
    held = (before["holds"] if before else None, after["holds"] if after else None)
    return Change(f"{key[1]} of {key[0]}", _value(before), _value(after), difference, better, held)


def _value(held: Mapping[str, Any] | None) -> str:
    if held is None:
        return ABSENT
    if held["value"] is None:
        return "not assessed"
    ends = held.get("interval")
    return wording.reading(_estimate(held), Interval(**ends) if ends else None)


def _estimate(held: Mapping[str, Any]) -> Any:
    """The value, or the estimate where the value is an end of its interval."""
    return held.get("estimate", held["value"])


def _better(measure: str, change: float) -> str:
    known = measures().get(measure)
    if known is None:
        return ""
    return "better" if (change > 0) == (known.better is Better.HIGHER) else "worse"


def _steps(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for candidate in record["candidates"]:
        yield f"{candidate['name']}, records", text(candidate["rows"])
        for number, step in enumerate(candidate["steps"], start=1):
            options = ", ".join(
                f"{name}: {text(value)}" for name, value in step["options"].items() if name not in SECRET
            )
            yield (
                f"{candidate['name']}, step {number}",
                f"{step['method']}{f' ({options})' if options else ''}",
            )
            yield f"{candidate['name']}, step {number}, values changed", f"{sum(step['changed'].values()):,}"
        yield f"{candidate['name']}, SHA-256", candidate["sha256"] or ABSENT


def _versions(record: Mapping[str, Any]) -> dict[str, str]:
    software = record["software"]
    return {
        "SHA-256 of the code": software["code"],
        "python": software["python"],
        "platform": software["platform"],
        **dict(sorted(software["packages"].items())),
    }
