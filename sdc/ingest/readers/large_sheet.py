"""Reads a large sheet of an Excel workbook in pieces, so that a million rows do not fill the memory.

The library that reads workbooks takes a whole sheet into memory. Here the part of the workbook with the cells
is cut between rows, and each piece is given to the library as a workbook of its own.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from sdc.errors import BadData, Fault
from sdc.ingest.readers.error_cells import BOOK, NoSuchSheetError, chunks_of, part_of

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

LARGE = 256 << 20
"""A sheet of more bytes than these is read in pieces; the library takes about twice as many."""
PIECE = 48 << 20
NOT_WHOLE, SAVE_AGAIN = "this is no workbook, or one that is not whole", "open it in Excel and save it again"
SHEET_DATA = re.compile(rb"<((?:\w+:)?)sheetData\s*>")
NUMBERED = re.compile(rb"""<(?:\w+:)?row\s[^>]*?\br\s*=\s*["']\d""")

Corner = tuple[int, int]


@dataclass(frozen=True)
class LargeSheet:
    """A sheet as the library gives it: its first and last cell (row and column, from 0), and its rows.

    Rows begin with the first of the sheet and have the columns from the first that is used to the last.
    """

    path: Path
    name: str
    part: str

    @classmethod
    def of(cls, path: Path, name: str) -> LargeSheet | None:
        """The sheet, if it is large and its rows have numbers; None where it is read as a whole."""
        if not zipfile.is_zipfile(path):
            return None
        with not_whole(path, name):
            with zipfile.ZipFile(path) as book:
                if BOOK not in book.namelist():
                    return None
                part = part_of(book, name)
                if book.getinfo(part).file_size <= LARGE:
                    return None
            found = cls(path, name, part)
            return found if NUMBERED.match(next(found._rows_of_pieces(), b"")) else None

    @property
    def start(self) -> Corner | None:
        return self._corners and self._corners[0]

    @property
    def end(self) -> Corner | None:
        return self._corners and self._corners[1]

    @cached_property
    def _corners(self) -> tuple[Corner, Corner] | None:
        starts, ends = [], []
        for sheet in self._sheets():
            if sheet.start is not None and sheet.end is not None:
                starts.append(sheet.start)
                ends.append(sheet.end)
        if not starts:
            return None
        first, last = (tuple(zip(*held, strict=True)) for held in (starts, ends))
        return (min(first[0]), min(first[1])), (max(last[0]), max(last[1]))

    def iter_rows(self) -> Iterator[list[Any]]:
        assert self._corners is not None
        (_, left), (_, right) = self._corners
        width, number = right - left + 1, 0
        for sheet in self._sheets():
            if sheet.start is None or sheet.end is None:
                continue
            yield from ([""] * width for _ in range(number, sheet.start[0]))
            before, behind = [""] * (sheet.start[1] - left), [""] * (right - sheet.end[1])
            yield from ([*before, *row, *behind] for row in sheet.to_python(skip_empty_area=True))
            number = sheet.end[0] + 1

    def _sheets(self) -> Iterator[CalamineSheet]:
        from python_calamine import CalamineWorkbook

        pieces = self._pieces()
        while True:
            with not_whole(self.path, self.name):
                piece = next(pieces, None)
                if piece is None:
                    return
                sheet = CalamineWorkbook.from_filelike(piece).get_sheet_by_name(self.name)
            yield sheet

    def _pieces(self) -> Iterator[BytesIO]:
        """Workbooks of this one's strings and styles, each with some of the rows."""
        with zipfile.ZipFile(self.path) as book:
            others = {name: book.read(name) for name in book.namelist() if "/worksheets/" not in name}
        head, tail = self._frame
        for rows in self._rows_of_pieces():
            if not NUMBERED.match(rows):
                raise NoSuchSheetError
            held = BytesIO()
            with zipfile.ZipFile(held, "w") as piece:
                for name, content in others.items():
                    piece.writestr(name, content)
                piece.writestr(self.part, b"".join((head, rows, tail)))
            held.seek(0)
            yield held

    @cached_property
    def _frame(self) -> tuple[bytes, bytes]:
        """What stands before the rows, and how the piece is ended."""
        head, prefix, _ = self._opening()
        return head, b"</" + prefix + b"sheetData></" + prefix + b"worksheet>"

    def _opening(self) -> tuple[bytes, bytes, Iterator[bytes]]:
        """The part up to its rows, the prefix of its elements, and the chunks from there on."""
        chunks, held = chunks_of(self.path, self.part), b""
        for chunk in chunks:
            held += chunk
            if found := SHEET_DATA.search(held):
                return held[: found.end()], found[1], _with_first(held[found.end() :], chunks)
        raise NoSuchSheetError

    def _rows_of_pieces(self) -> Iterator[bytes]:
        """The bytes of the rows, cut before a row whenever a piece is full."""
        _, prefix, chunks = self._opening()
        row, last = b"<" + prefix + b"row", b"</" + prefix + b"sheetData>"
        held: list[bytes] = []
        size, rest = 0, b""
        for chunk in chunks:
            text = rest + chunk
            end = text.find(last)
            if end >= 0:
                held.append(text[:end])
                break
            if size + len(text) < PIECE or (cut := text.rfind(row)) < 0:
                # The last bytes may be the beginning of a tag.
                keep = max(len(text) - len(last), 0)
                held.append(text[:keep])
                size, rest = size + keep, text[keep:]
                continue
            yield b"".join((*held, text[:cut])).lstrip()
            held, size, rest = [], 0, text[cut:]
        else:
            raise NoSuchSheetError
        if whole := b"".join(held).strip():
            yield whole


@contextmanager
def not_whole(path: Path, name: str) -> Iterator[None]:
    """A workbook that cannot be read to its end is a fault."""
    from python_calamine import CalamineError

    try:
        yield
    except (NoSuchSheetError, KeyError, CalamineError, expat.ExpatError, zipfile.BadZipFile, zlib.error):
        raise BadData([Fault(f"{path}, sheet {name!r}", NOT_WHOLE, SAVE_AGAIN)]) from None


def _with_first(first: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from others
