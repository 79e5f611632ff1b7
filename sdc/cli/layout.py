"""Rows for the terminal: side by side where there is room, one below the other where there is not."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

WIDE = 110
"""Columns of characters a table needs that says things in words."""


def console() -> Console:
    """Standard output; in a pipe as wide as COLUMNS says, else wide enough that no row is cut."""
    told = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return Console(highlight=False) if told else Console(width=160, highlight=False)


def show(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    right: Collection[str] = (),
    out: Console | None = None,
) -> None:
    """Rows under their headings. The first cells name a row.

    One, or two where the first has no heading (a mark).
    """
    held = out or console()
    if held.width >= WIDE:
        table = Table(title=title or None, title_justify="left", show_edge=False, pad_edge=False)
        for heading in headings:
            table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
        for cells in rows:
            table.add_row(*cells)
        held.print(table)
        return
    if title:
        held.print(title, style="italic", soft_wrap=True)
    names = 1 if headings[0] else 2
    for cells in rows:
        held.print(" ".join(cells[:names]), soft_wrap=True)
        below = Table.grid(padding=(0, 2, 0, 0))
        below.add_column(style="dim", no_wrap=True)
        below.add_column(overflow="fold")
        for heading, cell in zip(headings[names:], cells[names:], strict=True):
            if cell:
                below.add_row(heading, cell)
        held.print(Padding(below, (0, 0, 0, 2)))
