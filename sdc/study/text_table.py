"""Shows rows as a table: as text that fits a terminal, and as HTML for a notebook."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 80
GAP = "  "


@dataclass(frozen=True)
class TextTable:
    """Rows under headings. `numbers` are the places of columns that are set to the right.

    The last column is broken into lines where the table would be wider than 80 columns.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    numbers: frozenset[int] = frozenset()

    def __str__(self) -> str:
        lines = [self.title] if self.title else []
        if self.rows:
            lines += [line for row in (self.heads, *self.rows) for line in self._lines(row)]
        lines += [line for note in self.notes for line in _wrapped(note)]
        return "\n".join(line.rstrip() for line in lines)

    def _widths(self) -> list[int]:
        widths = [
            max(len(row[place]) for row in (self.heads, *self.rows)) for place in range(len(self.heads))
        ]
        spare = WIDTH - sum(widths[:-1]) - len(GAP) * (len(widths) - 1)
        return [*widths[:-1], min(widths[-1], max(spare, 12))]

    def _lines(self, row: Sequence[str]) -> list[str]:
        *first, last = row
        *widths, wide = self._widths()
        head = [
            cell.rjust(width) if place in self.numbers else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(first, widths, strict=True))
        ]
        cut = textwrap.wrap(last, wide, break_long_words=True) or [""]
        if len(head) in self.numbers:
            cut = [cut[0].rjust(wide), *cut[1:]]
        blank = [" " * width for width in widths]
        return [GAP.join([*(head if place == 0 else blank), line]) for place, line in enumerate(cut)]

    def html(self) -> str:
        """The same for a notebook, in whatever colours it has."""
        title = f"<caption style='text-align:left'>{escape(self.title)}</caption>" if self.title else ""
        heads = "".join(self._cell("th", place, head) for place, head in enumerate(self.heads))
        rows = "".join(
            f"<tr>{''.join(self._cell('td', place, cell) for place, cell in enumerate(row))}</tr>"
            for row in self.rows
        )
        table = (
            f"<table>{title}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
            if self.rows
            else title
        )
        return table + "".join(f"<p>{escape(note)}</p>" for note in self.notes)

    def _cell(self, kind: str, place: int, text: str) -> str:
        side = "right" if place in self.numbers else "left"
        return f"<{kind} style='text-align:{side}'>{escape(text)}</{kind}>"


def _wrapped(note: str) -> list[str]:
    return textwrap.wrap(note, WIDTH, subsequent_indent="  ") or [""]
