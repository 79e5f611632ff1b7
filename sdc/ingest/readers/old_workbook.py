"""Finds cells of an old Excel workbook (.xls) that hold an error: its reader gives them as empty.

A file of that time is a small file system. Its stream `Workbook` (before 1997: `Book`) is a row of records;
first those of all sheets, with the place of each, then those of every sheet. Layout: Microsoft, [MS-CFB] and
[MS-XLS].
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import error as TooShort  # noqa: N812
from struct import unpack_from

BEGINS = bytes.fromhex("d0cf11e0a1b11ae1")
STREAMS = ("Workbook", "Book")
FREE = 0xFFFFFFFA
"""Numbers of sectors from here on are none."""
HEADER, NAMED, ENTRY = 512, 109, 128
SHEET, BEGIN, END, TRUTH, FORMULA, CODE_PAGE = 0x85, 0x809, 0x0A, 0x205, 0x06, 0x42
PAGES = {0x8000: "mac_roman", 0x8001: "cp1252"}
BROKEN = (2, 0xFFFF)
"""What a formula has in place of a number where it ends in an error."""


class NotWholeError(Exception):
    """The file does not hold what its own tables say."""


def is_old_workbook(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(BEGINS)) == BEGINS


def old_error_cells(path: Path, sheet: str) -> list[tuple[int, int]]:
    """Row and column, from 1, of each cell of a sheet that holds an error."""
    try:
        stream = _workbook(path.read_bytes())
        return sorted(_errors(stream, _place(stream, sheet)))
    except (TooShort, IndexError, LookupError, UnicodeDecodeError):
        raise NotWholeError from None


def _errors(stream: bytes, place: int) -> Iterator[tuple[int, int]]:
    depth = 0
    for kind, start, size in _records(stream, place):
        depth += (kind == BEGIN) - (kind == END)
        if depth == 0:
            return
        if kind == TRUTH and size >= 8:
            row, column, _, _, is_error = unpack_from("<HHHBB", stream, start)
            if is_error:
                yield row + 1, column + 1
        elif kind == FORMULA and size >= 14:
            row, column, _, what, mark = unpack_from("<HHHB5xH", stream, start)
            if (what, mark) == BROKEN:
                yield row + 1, column + 1


def _place(stream: bytes, sheet: str) -> int:
    """Where the records of a sheet begin."""
    places = _sheets(stream)
    if sheet not in places and len(places) != 1:
        raise NotWholeError
    return places.get(sheet, next(iter(places.values())))


def _sheets(stream: bytes) -> dict[str, int]:
    """Where the records of each sheet begin, by its name."""
    modern = unpack_from("<H", stream, 4)[0] >= 0x600
    found: dict[str, int] = {}
    page = "cp1252"
    for kind, start, _ in _records(stream, 0):
        if kind == END:
            break
        if kind == CODE_PAGE and not modern:
            page = PAGES.get(number := unpack_from("<H", stream, start)[0], f"cp{number}")
        elif kind == SHEET:
            place, _, _, length = unpack_from("<IBBB", stream, start)
            wide = modern and stream[start + 7] & 1
            begin = start + (8 if modern else 7)
            name = stream[begin : begin + length * (2 if wide else 1)]
            coding = "utf-16-le" if wide else "latin-1" if modern else page
            found[name.decode(coding, errors="replace")] = int(place)
    return found


def _records(stream: bytes, place: int) -> Iterator[tuple[int, int, int]]:
    """Kind, first byte and size of each record from a place on."""
    while place + 4 <= len(stream):
        kind, size = unpack_from("<HH", stream, place)
        # Sheets before 1997 begin with the same kind, of another version.
        yield (BEGIN if kind in (BEGIN, 0x009, 0x209, 0x409) else kind), place + 4, size
        place += 4 + size


def _workbook(held: bytes) -> bytes:
    """The stream with the records."""
    shift, small_shift = unpack_from("<HH", held, 30)
    width = 1 << shift
    directory, cutoff, small_table = (unpack_from("<I", held, place)[0] for place in (48, 56, 60))
    table = _table(held, width)
    entries = _joined(held, directory, table, width, HEADER)
    found = [_entry(entries, place) for place in range(0, len(entries) - ENTRY + 1, ENTRY)]
    root = found[0]
    for name, start, size in found:
        if name in STREAMS:
            if size >= cutoff:
                return _joined(held, start, table, width, HEADER)[:size]
            small = _numbers(_joined(held, small_table, table, width, HEADER))
            inner = _joined(held, root[1], table, width, HEADER)
            return _joined(inner, start, small, 1 << small_shift, 0)[:size]
    raise NotWholeError


def _entry(entries: bytes, place: int) -> tuple[str, int, int]:
    """Name, first sector and size of a stream."""
    length = unpack_from("<H", entries, place + 64)[0]
    start, size = unpack_from("<II", entries, place + 116)
    return entries[place : place + max(length - 2, 0)].decode("utf-16-le"), start, size


def _table(held: bytes, width: int) -> list[int]:
    """Which sector follows on which."""
    sectors = list(unpack_from(f"<{NAMED}I", held, 76))
    more = unpack_from("<I", held, 68)[0]
    while more < FREE and len(sectors) <= len(held) // width + NAMED:
        *listed, more = unpack_from(f"<{width // 4}I", held, HEADER + more * width)
        sectors += listed
    return [
        number
        for sector in sectors
        if sector < FREE
        for number in _numbers(held[HEADER + sector * width : HEADER + (sector + 1) * width])
    ]


def _numbers(held: bytes) -> list[int]:
    return list(unpack_from(f"<{len(held) // 4}I", held))


def _joined(held: bytes, start: int, table: list[int], width: int, offset: int) -> bytes:
    """The sectors of a chain, one behind the other; a chain that comes back on itself is none."""
    parts: list[bytes] = []
    while start < FREE:
        if len(parts) > len(table):
            raise NotWholeError
        parts.append(held[offset + start * width : offset + (start + 1) * width])
        start = table[start]
    return b"".join(parts)
