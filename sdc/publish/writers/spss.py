"""Writes files of SPSS (.sav), with labels of variables and of codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from sdc.catalogue.writers import FormatLimits, writer
from sdc.publish import readstat
from sdc.publish.leaving_table import ColumnKind, LeavingColumn, cut

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from sdc.publish.leaving_table import LeavingTable

RESERVED = ["ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"]
MOST_BYTES = 64
EPOCH = date(1582, 10, 14)
DAY = 86_400
WRITTEN_AT = {92: (rb"[ \d]\d [A-Z][a-z]{2} \d\d", b"01 Jan 80"), 101: (rb"\d\d:\d\d:\d\d", b"00:00:00")}
"""Where the header has its date and time."""


def _rule(name: str) -> str:
    if len(name.encode()) > MOST_BYTES:
        return f"a name of SPSS has at most {MOST_BYTES} bytes"
    if not re.fullmatch(r"[^\W\d_][\w.$#@]*", name) or name.endswith("."):
        return "a name of SPSS begins with a letter and has letters, digits, _ . $ # @ only; no . last"
    return "SPSS keeps this word for itself" if name.upper() in RESERVED else ""


LIMITS = FormatLimits(name=_rule, text=32_767, label=256, words=120)


def read_sav(table: LeavingTable, place: Path) -> Iterator[pa.Table]:
    import pyreadstat

    return readstat.read(table, place, pyreadstat.read_sav)


@writer(
    name="sav",
    suffix=".sav",
    media_type="application/x-spss-sav",
    words="the data for SPSS, with labels",
    read_back=read_sav,
    order=30,
    limits=LIMITS,
    packages=readstat.PACKAGES,
)
def write_sav(table: LeavingTable, place: Path) -> None:
    import pyreadstat

    pyreadstat.write_sav(
        readstat.filled(table, EPOCH, DAY),
        str(place),
        file_label=cut(table.plan.title, 64),
        column_labels=readstat.labels(table, LIMITS),
        variable_value_labels=readstat.words(table, LIMITS, of_texts=True),
        variable_measure={column.name: column.level for column in table.columns},
        variable_format={column.name: shown for column in table.columns if (shown := _format(column))},
        row_compress=True,
    )
    readstat.dated(table, place, WRITTEN_AT)


def _format(column: LeavingColumn) -> str:
    if column.kind is ColumnKind.DATE:
        return "SDATE10"
    if column.kind in (ColumnKind.WHOLE, ColumnKind.TRUTH):
        return "F16.0" if column.kind is ColumnKind.WHOLE else "F1.0"
    return f"F16.{column.decimals}" if column.decimals is not None else ""
