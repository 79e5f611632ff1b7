"""Writes files of Stata (.dta, version 118), with labels of variables and of whole-number codes."""

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

STATA_14 = 14
"""Stata 14 and later write and read version 118."""
RELEASE = b"<stata_dta><header><release>118</release>"
RESERVED = re.compile(
    "_all|_b|byte|_coef|_cons|double|float|if|in|int|long|_n|_N|_pi|_pred|_rc|_skip|str[0-9]+|strL|using|with"
)
MOST_CHARACTERS = 32
MOST_VARIABLES = 32_767
EPOCH = date(1960, 1, 1)
STAMP = b"<timestamp>\x11"
WRITTEN_AT = (rb"[ \d]\d [A-Z][a-z]{2} \d{4} \d\d:\d\d", b"01 Jan 1980 00:00")


def _rule(name: str) -> str:
    if len(name) > MOST_CHARACTERS:
        return f"a name of Stata has at most {MOST_CHARACTERS} characters"
    if not re.fullmatch(r"[^\W\d]\w*", name):
        return "a name of Stata begins with a letter or _ and has letters, digits and _ only"
    return "Stata keeps this word for itself" if RESERVED.fullmatch(name) else ""


LIMITS = FormatLimits(name=_rule, columns=MOST_VARIABLES, text=2045, label=80, words=32_000)


def read_dta(table: LeavingTable, place: Path) -> Iterator[pa.Table]:
    import pyreadstat

    return readstat.read(table, place, pyreadstat.read_dta)


@writer(
    name="dta",
    suffix=".dta",
    media_type="application/x-stata-dta",
    words="the data for Stata 14 and later, with labels",
    read_back=read_dta,
    order=40,
    limits=LIMITS,
    packages=readstat.PACKAGES,
)
def write_dta(table: LeavingTable, place: Path) -> None:
    import pyreadstat

    pyreadstat.write_dta(
        readstat.filled(table, EPOCH, 1, whole="Int32"),
        str(place),
        file_label=cut(table.plan.title, LIMITS.label),
        column_labels=readstat.labels(table, LIMITS),
        version=STATA_14,
        variable_value_labels=readstat.words(table, LIMITS, of_texts=False),
        variable_format={column.name: "%td" for column in table.columns if column.kind is ColumnKind.DATE},
    )
    with place.open("rb") as file:
        head = file.read(1024)
    if not head.startswith(RELEASE) or STAMP not in head:
        raise table.fail(place, "is not a file of version 118")
    readstat.dated(table, place, {head.index(STAMP) + len(STAMP): WRITTEN_AT})
