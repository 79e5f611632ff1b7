"""Finds cells of a sheet that hold an error such as #DIV/0!, which the reader of workbooks gives as empty."""

from __future__ import annotations

import os
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from xml.parsers import expat

BOOK, RELATIONS, OPEN_DOCUMENT = "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "content.xml"
OLD = bytes.fromhex("d0cf11e0a1b11ae1")
"""How a workbook before .xlsx begins."""
CHUNK = 1 << 20
IN_EXCEL = re.compile(rb"""\bt\s*=\s*["']e["']""")
IN_OPEN_DOCUMENT = re.compile(rb"""value-type\s*=\s*["']error["']""")
PLACE = re.compile(r"([A-Z]+)(\d+)")

Attributes = dict[str, str]


class NoSuchSheetError(Exception):
    """The parts of the workbook do not lead to the sheet."""


def error_cells(path: Path, sheet: str) -> list[tuple[int, int]]:
    """Row and column, from 1, of each cell that holds an error, in the order of the sheet.

    Of .xlsx, .xlsm, .xls and .ods. The parts of .xlsb have other records, which nobody reads here.
    """
    if _is_old_workbook(path):
        return _in_old_excel(path, sheet)
    if not zipfile.is_zipfile(path):
        return []
    try:
        with zipfile.ZipFile(path) as book:
            held = {*book.namelist()}
            if BOOK in held:
                part = part_of(book, sheet)
                return _in_excel(book, part) if _may_hold(book, part, IN_EXCEL) else []
            if OPEN_DOCUMENT in held and _may_hold(book, OPEN_DOCUMENT, IN_OPEN_DOCUMENT):
                return _in_open_document(book, sheet)
            return []
    except (KeyError, StopIteration, expat.ExpatError, zipfile.BadZipFile):
        raise NoSuchSheetError from None


def _is_old_workbook(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(OLD)) == OLD


def _in_old_excel(path: Path, sheet: str) -> list[tuple[int, int]]:
    import xlrd  # type: ignore[import-untyped]
    from xlrd.compdoc import CompDocError  # type: ignore[import-untyped]

    broken = (CompDocError, xlrd.XLRDError, ArithmeticError, AssertionError, AttributeError, LookupError)
    try:
        with Path(os.devnull).open("w") as nowhere, xlrd.open_workbook(path, logfile=nowhere) as book:
            held = book.sheet_by_name(sheet)
            return [
                (row + 1, column + 1)
                for row in range(held.nrows)
                for column, kind in enumerate(held.row_types(row))
                if kind == xlrd.XL_CELL_ERROR
            ]
    # A file that is not whole ends in an error of any kind there.
    except (*broken, TypeError, ValueError, struct.error):
        raise NoSuchSheetError from None


def column_number(name: str) -> int:
    """The place of a column in a sheet: A is 1, AA is 27."""
    place = 0
    for letter in name:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place


def chunks_of(path: Path, part: str) -> Iterator[bytes]:
    """The bytes of a part of a workbook, unpacked as they are asked for."""
    with zipfile.ZipFile(path) as book:
        yield from _chunks(book, part)


def _chunks(book: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    with book.open(part) as file:
        yield from iter(lambda: file.read(CHUNK), b"")


def _may_hold(book: zipfile.ZipFile, part: str, mark: re.Pattern[bytes]) -> bool:
    """A quick look, for most sheets have no errors."""
    before = b""
    for chunk in _chunks(book, part):
        if mark.search(before + chunk):
            return True
        before = chunk[-100:]
    return False


def part_of(book: zipfile.ZipFile, sheet: str) -> str:
    """The part of an Excel workbook that has the cells of the sheet."""
    sheets: dict[str, str] = {}
    targets: dict[str, str] = {}

    def look(name: str, told: Attributes) -> None:
        if name == "sheet":
            sheets[told["name"]] = told["id"]
        elif name == "Relationship":
            targets[told["Id"]] = told["Target"]

    for part in (BOOK, RELATIONS):
        _walk(book, part, look)
    target = targets[sheets[sheet]]
    return target.lstrip("/") if target.startswith("/") else str(PurePosixPath("xl") / target)


def _in_excel(book: zipfile.ZipFile, part: str) -> list[tuple[int, int]]:
    found = []
    row = column = 0

    def look(name: str, told: Attributes) -> None:
        nonlocal row, column
        if name == "row":
            row, column = int(told.get("r", row + 1)), 0
        elif name == "c":
            column += 1
            if place := PLACE.fullmatch(told.get("r", "")):
                row, column = int(place[2]), column_number(place[1])
            if told.get("t") == "e":
                found.append((row, column))

    _walk(book, part, look)
    return found


def _in_open_document(book: zipfile.ZipFile, sheet: str) -> list[tuple[int, int]]:
    """LibreOffice marks an error by calcext:value-type; cells and rows that repeat are written once."""
    found = []
    here = False
    row = column = more = 0

    def look(name: str, told: Attributes) -> None:
        nonlocal here, row, column, more
        if name == "table":
            here, row, more = told.get("name") == sheet, 0, 1
        elif name == "table-row":
            row, column, more = row + more, 0, int(told.get("number-rows-repeated", 1))
        elif name in ("table-cell", "covered-table-cell"):
            if here and told.get("calcext value-type") == "error":
                found.append((row, column + 1))
            column += int(told.get("number-columns-repeated", 1))

    _walk(book, OPEN_DOCUMENT, look)
    return found


def _walk(book: zipfile.ZipFile, part: str, look: Callable[[str, Attributes], None]) -> None:
    """Every element with its attributes, by their names without name spaces."""
    parser = expat.ParserCreate(namespace_separator=" ")

    def started(name: str, told: Attributes) -> None:
        look(name.rpartition(" ")[2], {_short(key): text for key, text in told.items()})

    parser.StartElementHandler = started
    for chunk in _chunks(book, part):
        parser.Parse(chunk, False)
    parser.Parse(b"", True)


def _short(key: str) -> str:
    space, _, name = key.rpartition(" ")
    return f"calcext {name}" if "calc" in space and name == "value-type" else name
