"""Guesses the encoding and the separator of a CSV file that nobody has described."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

CHUNK = 1 << 20
ONLY_WINDOWS = bytes(range(0x80, 0xA0))
SEPARATORS = (",", ";", "\t", "|")


def guess_dialect(path: Path) -> dict[str, str]:
    """The keys of `source` that say how the file is written."""
    encoding = guess_encoding(path)
    return {"encoding": encoding, "separator": guess_separator(path, encoding)}


def guess_encoding(path: Path) -> str:
    """UTF-8 when every byte of the file says so, UTF-16 by its mark, else one of the two Western ones."""
    with path.open("rb") as file:
        if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
    try:
        decoder = codecs.getincrementaldecoder("utf-8")()
        for chunk in _chunks(path):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return (
            "windows-1252"
            if any(chunk.translate(None, ONLY_WINDOWS) != chunk for chunk in _chunks(path))
            else "latin-1"
        )
    return "utf-8"


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def guess_separator(path: Path, encoding: str) -> str:
    """The separator that cuts the first lines into most fields, all lines into equally many."""
    with path.open(
        encoding="utf-8-sig" if encoding == "utf-8" else encoding, errors="replace", newline=""
    ) as file:
        lines = "".join(islice(file, 50))

    def cut(separator: str) -> tuple[bool, bool, int]:
        widths = [len(row) for row in csv.reader(io.StringIO(lines, newline=""), delimiter=separator) if row]
        most = max(widths, default=0)
        return most > 1, len(set(widths)) == 1, most

    return max(SEPARATORS, key=cut)
