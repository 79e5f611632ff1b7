"""Writes transport files of SAS (.xpt, version 8), with labels of variables.

A transport file has no words for codes; the dictionary beside it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from sdc.catalogue.writers import FormatLimits, writer
from sdc.publish import readstat
from sdc.publish.leaving_table import ColumnKind, cut

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from sdc.publish.leaving_table import LeavingTable

RESERVED = ("_N_", "_ERROR_", "_NUMERIC_", "_CHARACTER_", "_ALL_")
MOST_CHARACTERS = 32
EPOCH = date(1960, 1, 1)
PATTERN, FIXED = rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", b"01JAN80:00:00:00"
WRITTEN_AT = dict.fromkeys((144, 160, 464, 480), (PATTERN, FIXED))
"""When the library and its one member were made and last changed."""


def _rule(name: str) -> str:
    if len(name) > MOST_CHARACTERS:
        return f"a name of SAS has at most {MOST_CHARACTERS} characters"
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        return "a name of SAS begins with a letter or _ and has unaccented letters, digits and _ only"
    return "SAS keeps this word for itself" if name.upper() in RESERVED else ""


LIMITS = FormatLimits(name=_rule, text=32_767, label=256)


def read_xpt(table: LeavingTable, place: Path) -> Iterator[pa.Table]:
    import pyreadstat

    return readstat.read(table, place, pyreadstat.read_xport)


@writer(
    name="xpt",
    suffix=".xpt",
    media_type="application/x-sas-xport",
    words="the data as a transport file of SAS (version 8), with labels of variables",
    read_back=read_xpt,
    order=50,
    limits=LIMITS,
    packages=readstat.PACKAGES,
)
def write_xpt(table: LeavingTable, place: Path) -> None:
    import pyreadstat

    pyreadstat.write_xport(
        readstat.filled(table, EPOCH, 1),
        str(place),
        file_label=cut(table.plan.title, 40),
        column_labels=readstat.labels(table, LIMITS),
        table_name=table.name[:MOST_CHARACTERS].upper(),
        file_format_version=8,
        variable_format={column.name: "DATE9" for column in table.columns if column.kind is ColumnKind.DATE},
    )
    readstat.dated(table, place, WRITTEN_AT)
