"""Values of statistical packages as SQL reads them: codes, dates by their formats, kinds of missing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sdc.ingest.readers.opened import ColumnMetadata, Level

SPSS_EPOCH, SAS_EPOCH = "1582-10-14", "1960-01-01"
SPSS_DAYS = re.compile(r"(DATE|ADATE|EDATE|SDATE|JDATE|QYR|MOYR|WKYR)\d+(\.\d+)?")
SPSS_MOMENTS = re.compile(r"(DATETIME|YMDHMS)\d+(\.\d+)?")
SPSS_TIMES = re.compile(r"(TIME|MTIME)\d+(\.\d+)?")
SAS_DAYS = re.compile(
    r"(DATE|DAY|(DDMMYY|MMDDYY|YYMMDD)[BCDNPS]?|(MMYY|YYMM|YYQ|YYQR)[CDNPS]?|MONYY|YYMON|JULIAN"
    r"|WEEKDATE|WEEKDATX|WORDDATE|WORDDATX|E8601DA|B8601DA|IS8601DA)\d*(\.\d*)?"
)
SAS_MOMENTS = re.compile(r"(DATETIME|DATEAMPM|E8601DT|B8601DT|IS8601DT|MDYAMPM)\d*(\.\d*)?")
SAS_TIMES = re.compile(r"(TIME|TIMEAMPM|HHMM|TOD|E8601TM|B8601TM|IS8601TM)\d*(\.\d*)?")
"""The whole name of a format, its width and decimals: users of SAS have formats of their own."""


@dataclass(frozen=True)
class ReadAs:
    """How the numbers of a format become days, moments or times: in SQL, and the type that gives."""

    expression: str
    type: str


def temporal(package: str, form: str | None, number: str) -> ReadAs | None:
    """How a number with this format is read where it is a day, a moment or a time; None where it is none."""
    if not form:
        return None
    if package == "spss":
        return _counted(form, number, SPSS_EPOCH, (SPSS_DAYS, SPSS_MOMENTS, SPSS_TIMES), seconds_a_day=86_400)
    if package == "sas":
        return _counted(form.upper(), number, SAS_EPOCH, (SAS_DAYS, SAS_MOMENTS, SAS_TIMES), seconds_a_day=1)
    return _of_stata(form, number)


def _counted(
    form: str, number: str, epoch: str, kinds: tuple[re.Pattern[str], ...], *, seconds_a_day: int
) -> ReadAs | None:
    days, moments, times = kinds
    if moments.fullmatch(form):
        return _moment(epoch, f"{number} * 1000000")
    if times.fullmatch(form):
        clock = f"TIME '00:00:00' + to_microseconds(CAST(round({number} * 1000000) AS BIGINT))"
        is_time = f"{number} >= 0 AND {number} < 86400"
        return ReadAs(
            f"CASE WHEN {is_time} THEN CAST({clock} AS VARCHAR) ELSE CAST({number} AS VARCHAR) END", "VARCHAR"
        )
    if days.fullmatch(form):
        return _day(epoch, f"floor({number} / {seconds_a_day})")
    return None


def _of_stata(form: str, number: str) -> ReadAs | None:
    if form.startswith(("%tc", "%-tc")):
        return _moment(SAS_EPOCH, f"{number} * 1000")
    if form.startswith(("%td", "%d", "%-td", "%-d")):
        return _day(SAS_EPOCH, f"floor({number})")
    months = {"%tm": 1, "%tq": 3}.get(form.replace("-", "")[:3])
    if months:
        return ReadAs(
            f"CAST(DATE '{SAS_EPOCH}' + to_months(CAST({number} * {months} AS INTEGER)) AS DATE)", "DATE"
        )
    return None


def _day(epoch: str, days: str) -> ReadAs:
    return ReadAs(f"(DATE '{epoch}' + CAST({days} AS INTEGER))", "DATE")


def _moment(epoch: str, microseconds: str) -> ReadAs:
    return ReadAs(
        f"(TIMESTAMP '{epoch} 00:00:00' + to_microseconds(CAST(round({microseconds}) AS BIGINT)))",
        "TIMESTAMP",
    )


def code_text(value: Any) -> str:
    """A code as it reads in a profile: 1.0 is 1, as for numbers that were read."""
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return str(int(value))
    return str(value)


def spss_missing(
    labels: Mapping[Any, str], ranges: Sequence[Mapping[str, Any]]
) -> tuple[tuple[str, ...], str | None]:
    """The codes for missing that can be told by name, and a condition in SQL for all others.

    Single values, and values with a label inside a range, are codes of their own. What else lies in a range
    has no name: `{}` stands for its number in the condition.
    """
    single = [each["lo"] for each in ranges if each["lo"] == each["hi"]]
    wide = [(each["lo"], each["hi"]) for each in ranges if each["lo"] != each["hi"]]
    named = [
        code
        for code in labels
        if not isinstance(code, str) and any(low <= code <= high for low, high in wide)
    ]
    codes = tuple(dict.fromkeys(map(code_text, (*single, *named))))
    if not wide:
        return codes, None
    kept = ", ".join(f"CAST('{code!r}' AS DOUBLE)" for code in (*single, *named) if not isinstance(code, str))
    within = " OR ".join(
        f"{{}} BETWEEN CAST('{low!r}' AS DOUBLE) AND CAST('{high!r}' AS DOUBLE)" for low, high in wide
    )
    return codes, f"({within})" + (f" AND {{}} NOT IN ({kept})" if kept else "")


def described(
    label: str | None,
    labels: Mapping[Any, str],
    missing_codes: Sequence[str],
    measure: str | None,
    dot: str = "",
) -> ColumnMetadata:
    """What a file says of a column. `dot` stands before codes that are letters."""
    values = {
        f"{dot}{code}" if isinstance(code, str) else code_text(code): word for code, word in labels.items()
    }
    level = Level(measure) if measure and measure in {*Level} else None
    order: tuple[str, ...] = ()
    if level is Level.ORDINAL:
        numbers = sorted(code for code in labels if not isinstance(code, str))
        order = tuple(text for text in map(code_text, numbers) if text not in missing_codes)
    return ColumnMetadata(label or "", values, tuple(missing_codes), level, order)
