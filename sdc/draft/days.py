"""How are days written in a column, where they are not written as a profile reads them?"""

from __future__ import annotations

from sdc.data import sql

SPELLINGS = {
    "DD.MM.YYYY": (r"\d{1,2}\.\d{1,2}\.\d{4}", "%d.%m.%Y"),
    "DD/MM/YYYY": (r"\d{1,2}/\d{1,2}/\d{4}", "%d/%m/%Y"),
    "MM/DD/YYYY": (r"\d{1,2}/\d{1,2}/\d{4}", "%m/%d/%Y"),
    "DD-MM-YYYY": (r"\d{1,2}-\d{1,2}-\d{4}", "%d-%m-%Y"),
    "YYYY/MM/DD": (r"\d{4}/\d{1,2}/\d{1,2}", "%Y/%m/%d"),
    "YYYYMMDD": (r"\d{8}", "%Y%m%d"),
    "DD.MM.YY": (r"\d{1,2}\.\d{1,2}\.\d{2}", "%d.%m.%y"),
    "DD/MM/YY": (r"\d{1,2}/\d{1,2}/\d{2}", "%d/%m/%y"),
    "MM/DD/YY": (r"\d{1,2}/\d{1,2}/\d{2}", "%m/%d/%y"),
}
"""The form of a day's text, and how it is read."""
YEARS = (1850, 2100)
"""Numbers of eight digits are days only where all their years could be those of people."""


def is_day(spelling: str) -> str:
    """Is the text "t" a day in this spelling? In SQL."""
    form, reading = map(sql.text, SPELLINGS[spelling])
    return (
        f'regexp_full_match("t", {form}) AND year(try_strptime("t", {reading})) BETWEEN {YEARS[0]} AND'
        f" {YEARS[1]}"
    )
