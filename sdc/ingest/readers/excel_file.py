"""Reads a sheet of a workbook: .xlsx, .xlsb, .xls and .ods."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.readers import reader
from sdc.errors import BadData, Fault
from sdc.ingest.readers.chunks import in_chunks
from sdc.ingest.readers.error_cells import NoSuchSheetError, column_number, error_cells
from sdc.ingest.readers.header import refuse_doubtful_names
from sdc.ingest.readers.large_sheet import NOT_WHOLE, SAVE_AGAIN, LargeSheet
from sdc.ingest.readers.opened import OddCells, OpenedSource, SourceColumn
from sdc.spelling import counted

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from python_calamine import CalamineSheet, CalamineWorkbook

    from sdc.profile.plan import Source

    AnySheet = CalamineSheet | LargeSheet

ROWS_AT_A_TIME = 20_000
MOST_ROWS = {".xls": 65_536}
MOST_ROWS_OF_OTHERS = 1_048_576
MOST_ODD = 100
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
CORNERS = re.compile(r"([A-Z]+)(\d+):([A-Z]+)(\d*)")
TYPES = {float: "DOUBLE", int: "DOUBLE", bool: "BOOLEAN", str: "VARCHAR", datetime: "TIMESTAMP", date: "DATE"}
"""A column has a type where all its cells have it. Times and durations are texts."""


@reader(
    name="excel", suffixes=(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), order=70, begins=(b"PK\x03\x04", OLE)
)
@contextmanager
def opened_excel(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """Names in the first row of the sheet or range. A column of several types comes as text."""
    del scratch
    import pyarrow as pa

    workbook = _workbook(path)
    name = _sheet_name(source, path, workbook)
    sheet = LargeSheet.of(path, name) or workbook.get_sheet_by_name(name)
    place = f"{path}, sheet {name!r}"
    area = Area.of(source.range, sheet, place)
    if area.last_row >= MOST_ROWS.get(path.suffix.lower(), MOST_ROWS_OF_OTHERS) and source.range is None:
        problem = f"the sheet has all {area.last_row:,} rows a sheet can have: records may have been cut off"
        raise BadData([Fault(place, problem, "export the data as CSV or Parquet, or give a source.range")])
    _refuse_errors(path, name, place, area)
    names = [_heading(cell) for cell in next(area.rows(sheet), [])]
    if not any(names):
        raise BadData([Fault(place, "the first row holds no names of columns", "give a source.range")])
    refuse_doubtful_names(Path(place), names)
    kinds = [_Kinds(name, letters(area.left + offset)) for offset in range(len(names))]
    for number, rows in area.chunks(sheet):
        for kind, column in zip(kinds, zip(*rows, strict=True), strict=True):
            kind.look(column, number)
    schema = pa.schema([(f"c{at}", kind.arrow) for at, kind in enumerate(kinds)])
    batches = pa.RecordBatchReader.from_batches(schema, _batches(area, sheet, kinds, schema))
    with in_chunks(cursor, batches) as relation:
        yield OpenedSource(
            relation,
            {
                name: SourceColumn(f'"c{at}"', kind.type, odd=kind.odd)
                for at, (name, kind) in enumerate(zip(names, kinds, strict=True))
            },
        )


def _workbook(path: Path) -> CalamineWorkbook:
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        return CalamineWorkbook.from_path(str(path))
    except PasswordError:
        problem = "the workbook has a password"
    except (CalamineError, OSError, ValueError):
        with path.open("rb") as file:
            is_ole = file.read(len(OLE)) == OLE
        problem = NOT_WHOLE
        if is_ole and path.suffix.lower() != ".xls":
            problem = "the workbook has a password"
    remedy = "save it without one" if "password" in problem else SAVE_AGAIN
    raise BadData([Fault(str(path), problem, remedy)])


def _sheet_name(source: Source, path: Path, workbook: CalamineWorkbook) -> str:
    """The sheet the profile names, or the only one."""
    found: list[str] = list(workbook.sheet_names)
    if source.sheet in found:
        return str(source.sheet)
    listed = ", ".join(map(repr, found))
    if source.sheet is not None:
        raise BadData([Fault(str(path), f"there is no sheet {source.sheet!r}", f"the workbook has {listed}")])
    if len(found) != 1:
        problem = f"the workbook has {len(found)} sheets: {listed}"
        raise BadData([Fault(str(path), problem, "say which in source.sheet")])
    return found[0]


def _refuse_errors(path: Path, sheet: str, place: str, area: Area) -> None:
    """BadData where a cell holds an error: it would be read as missing."""
    try:
        found = [cell for cell in error_cells(path, sheet) if area.has(*cell)]
    except NoSuchSheetError:
        raise BadData([Fault(place, NOT_WHOLE, SAVE_AGAIN)]) from None
    if found:
        row, column = found[0]
        hold = "holds" if len(found) == 1 else "hold"
        problem = f"{counted(len(found), 'cell')} {hold} an error, cell {letters(column)}{row} first"
        raise BadData([Fault(place, problem, "mend the formulas, or clear the cells")])


@dataclass(frozen=True)
class Area:
    """The cells to read: rows and columns counted from 1, both ends included."""

    top: int
    left: int
    last_row: int
    right: int

    @classmethod
    def of(cls, told: str | None, sheet: AnySheet, place: str) -> Area:
        """A range as a profile writes it (B3:F200, or B3:F to the last row), else all cells that are used."""
        if sheet.start is None or sheet.end is None:
            raise BadData([Fault(place, "the sheet is empty")])
        used = cls(sheet.start[0] + 1, sheet.start[1] + 1, sheet.end[0] + 1, sheet.end[1] + 1)
        found = CORNERS.fullmatch(told or "")
        if not found:
            return used
        left, top, right, bottom = found.groups()
        area = cls(
            int(top),
            column_number(left),
            min(int(bottom or used.last_row), used.last_row),
            column_number(right),
        )
        if area.top > area.last_row or not used.left <= area.left <= area.right <= used.right:
            raise BadData([Fault(place, f"there are no cells in the range {told}", "mend source.range")])
        return area

    def has(self, row: int, column: int) -> bool:
        return self.top <= row <= self.last_row and self.left <= column <= self.right

    def rows(self, sheet: AnySheet) -> Iterator[list[Any]]:
        """The rows of the area, names first. They begin at row 1, and at the first column that is used."""
        first = self.left - 1 - (sheet.start or (0, 0))[1]
        for row in islice(sheet.iter_rows(), self.top - 1, self.last_row):
            yield row[first : first + self.right - self.left + 1]

    def chunks(self, sheet: AnySheet) -> Iterator[tuple[int, list[list[Any]]]]:
        """Records with the row of the first."""
        rows = islice(self.rows(sheet), 1, None)
        number = self.top + 1
        while chunk := list(islice(rows, ROWS_AT_A_TIME)):
            yield number, chunk
            number += len(chunk)


class _Kinds:
    """Which types the cells of a column have, and where the first cell of another type is."""

    def __init__(self, sheet: str, letter: str) -> None:
        self.sheet, self.letter = sheet, letter
        self.counts: dict[str, int] = {}
        self.first: dict[str, int] = {}
        self.texts: set[str] = set()

    def look(self, cells: Sequence[Any], number: int) -> None:
        for kind in set(map(type, cells)):
            held = [offset for offset, cell in enumerate(cells) if type(cell) is kind and cell != ""]
            if not held:
                continue
            name = TYPES.get(kind, "VARCHAR")
            self.counts[name] = self.counts.get(name, 0) + len(held)
            self.first.setdefault(name, number + held[0])
            if name == "VARCHAR" and len(self.texts) < MOST_ODD:
                self.texts |= set(islice({_text(cells[offset]) for offset in held}, MOST_ODD))

    @property
    def type(self) -> str:
        found = set(self.counts)
        if found == {"DATE", "TIMESTAMP"}:
            return "TIMESTAMP"
        return found.pop() if len(found) == 1 else "VARCHAR"

    @property
    def odd(self) -> OddCells | None:
        """The first cell of the rarer type, in a column of several types."""
        if len(self.counts) < 2 or self.type == "TIMESTAMP":
            return None
        rare = min(self.counts, key=lambda name: (self.counts[name], name != "VARCHAR"))
        texts = frozenset(self.texts) if set(self.counts) == {"DOUBLE", "VARCHAR"} else frozenset({""})
        return OddCells(f"cell {self.letter}{self.first[rare]} of sheet {self.sheet!r}", texts)

    @property
    def arrow(self) -> pa.DataType:
        import pyarrow as pa

        known = {
            "DOUBLE": pa.float64(),
            "BOOLEAN": pa.bool_(),
            "DATE": pa.date32(),
            "TIMESTAMP": pa.timestamp("us"),
        }
        return known.get(self.type, pa.string())

    def values(self, cells: Sequence[Any]) -> list[Any]:
        if self.type == "VARCHAR":
            return [_text(cell) for cell in cells]
        if self.type == "TIMESTAMP":
            return [_moment(cell) for cell in cells]
        return [None if cell == "" else cell for cell in cells]


def _batches(
    area: Area, sheet: AnySheet, kinds: Sequence[_Kinds], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for _, rows in area.chunks(sheet):
        kept = [row for row in rows if any(cell != "" for cell in row)]
        if not kept:
            continue
        columns = zip(*kept, strict=True)
        yield pa.record_batch(
            [pa.array(kind.values(column), kind.arrow) for kind, column in zip(kinds, columns, strict=True)],
            schema=schema,
        )


def _moment(cell: Any) -> datetime | None:
    """A day is its first moment."""
    if cell == "":
        return None
    return cell if isinstance(cell, datetime) else datetime.combine(cell, time())


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(sep=" ")
    if isinstance(cell, timedelta):
        return str(cell)
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)


def _heading(cell: Any) -> str:
    return _text(cell).strip()


def letters(place: int) -> str:
    """The name of a column in a sheet: 1 is A, 27 is AA."""
    text = ""
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
