"""Writes workbooks of Excel (.xlsx): a sheet of data and one of variables, record by record."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from sdc.catalogue.writers import FormatLimits, writer
from sdc.publish.leaving_table import ColumnKind

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from sdc.publish.leaving_table import LeavingColumn, LeavingTable

MOST_RECORDS = 1_048_575
"""A sheet has 1,048,576 rows, and the first has the names."""
MOST_COLUMNS = 16_384
ROWS_AT_A_TIME = 50_000
BYTES_AT_A_TIME = 1 << 20
ROW = b"<row>"
EPOCH = date(1899, 12, 30)
FIRST_DATE = date(1900, 3, 1)
"""Excel takes 1900 for a leap year: only from here on its days are right. Earlier dates leave as texts."""
FIXED_TIME = (1980, 1, 1, 0, 0, 0)
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
SHEETS = ("data", "variables")

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{TYPES}.sheet.main+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{TYPES}.styles+xml"/>'
    + "".join(
        f'<Override PartName="/xl/worksheets/{name}.xml" ContentType="{TYPES}.worksheet+xml"/>'
        for name in SHEETS
    )
    + "</Types>",
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
    + "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>'
        for number, name in enumerate(SHEETS, start=1)
    )
    + "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    + "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/worksheet" Target="worksheets/{name}.xml"/>'
        for number, name in enumerate(SHEETS, start=1)
    )
    + f'<Relationship Id="rId9" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{MAIN}">'
    '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>",
}


def _rule(name: str) -> str:
    return "a cell of Excel holds no control characters" if FORBIDDEN.search(name) else ""


def read_xlsx(table: LeavingTable, place: Path) -> Iterator[pa.Table]:
    """What calamine finds in the sheet of data."""
    import pyarrow as pa
    from python_calamine import CalamineWorkbook

    rows = CalamineWorkbook.from_path(place).get_sheet_by_name(SHEETS[0]).iter_rows()
    names = [str(name) for name in next(iter(rows), [])]
    if names != [column.name for column in table.columns]:
        raise table.fail(place, "has other columns than the candidate")
    whole = _with_last(rows, _written_rows(place) - 1, len(names))
    while chunk := list(islice(whole, ROWS_AT_A_TIME)):
        cells = zip(table.columns, zip(*chunk, strict=True), strict=True)
        yield pa.table({column.name: _read(column, values) for column, values in cells})


def _with_last(rows: Iterable[list[Any]], records: int, width: int) -> Iterator[list[Any]]:
    """All rows: calamine ends with the last that has a value, and records may have none."""
    seen = 0
    for seen, row in enumerate(rows, start=1):  # noqa: B007 - how many there were
        yield row
    yield from repeat([""] * width, records - seen)


def _written_rows(place: Path) -> int:
    """How many rows the sheet of data has, counted in its XML: texts of cells have no tags."""
    count, rest = 0, b""
    with zipfile.ZipFile(place) as archive, archive.open(f"xl/worksheets/{SHEETS[0]}.xml") as file:
        while part := file.read(BYTES_AT_A_TIME):
            seen = rest + part
            count, rest = count + seen.count(ROW), seen[1 - len(ROW) :]
    return count


def _read(column: LeavingColumn, values: Iterable[Any]) -> pa.Array:
    import pyarrow as pa

    if column.kind is ColumnKind.TEXT:
        return pa.array([str(value) for value in values], pa.string())
    known = [None if value == "" else value for value in values]
    if column.kind is ColumnKind.DATE:
        texts = [
            value.date().isoformat()
            if isinstance(value, datetime)
            else value.isoformat()
            if isinstance(value, date)
            else value
            for value in known
        ]
        return pa.array(texts, pa.string())
    return pa.array([None if value is None else float(value) for value in known], pa.float64())


@writer(
    name="xlsx",
    suffix=".xlsx",
    media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    words="the data for Excel, with a sheet that says what the variables are",
    read_back=read_xlsx,
    order=60,
    limits=FormatLimits(name=_rule, records=MOST_RECORDS, columns=MOST_COLUMNS, text=32_767),
    packages=("python_calamine",),
)
def write_xlsx(table: LeavingTable, place: Path) -> None:
    """Every entry of the archive has one fixed time: equal tables are equal files."""
    names = [column.name for column in table.columns]
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for part, text in PARTS.items():
            archive.writestr(_entry(part), HEAD + text)
        for sheet, rows in zip(SHEETS, (_records(table), _variables(table)), strict=True):
            head: list[Any] = names if sheet == SHEETS[0] else ["name", "label", "code", "words"]
            with archive.open(_entry(f"xl/worksheets/{sheet}.xml"), "w", force_zip64=True) as file:
                file.write(f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData>'.encode())
                for row in chain([head], rows):
                    file.write(ROW + f"{''.join(map(_cell, row))}</row>".encode())
                file.write(b"</sheetData></worksheet>")


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, FIXED_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _records(table: LeavingTable) -> Iterator[tuple[Any, ...]]:
    chosen = ", ".join(column.value for column in table.columns)
    truths = [column.kind is ColumnKind.TRUTH for column in table.columns]
    answer = table.reader.execute(f"SELECT {chosen} FROM {table.relation}")
    while rows := answer.fetchmany(ROWS_AT_A_TIME):
        for row in rows:
            yield tuple(
                bool(value) if truth and value is not None else value
                for value, truth in zip(row, truths, strict=True)
            )


def _variables(table: LeavingTable) -> Iterator[tuple[Any, ...]]:
    for column in table.columns:
        yield column.name, column.label, None, None
        for code, said in column.words.items():
            yield column.name, column.label, code, said


def _cell(value: Any) -> str:
    if value is None or value == "":
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        if value < FIRST_DATE:
            return _text(value.isoformat())
        return f'<c s="1"><v>{(value - EPOCH).days}</v></c>'
    return f"<c><v>{value!r}</v></c>" if isinstance(value, (int, float)) else _text(str(value))


def _text(value: str) -> str:
    said = escape(FORBIDDEN.sub(_escaped, value), {"\r": "_x000D_"})
    return f'<c t="inlineStr"><is><t xml:space="preserve">{said}</t></is></c>'


def _escaped(found: re.Match[str]) -> str:
    """Characters XML has not are written by their number, and what looks like one by its underscore."""
    return f"_x005F{found[0]}" if len(found[0]) > 1 else f"_x{ord(found[0]):04X}_"
