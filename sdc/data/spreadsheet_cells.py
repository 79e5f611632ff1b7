"""Recognises texts that a spreadsheet would run as a formula, and escapes them.

A text that begins with =, +, -, @, a tab, a line break or another control character is taken for a formula
when a CSV file is opened. So is one that does once spaces of any width, marks of byte order and characters
without width are trimmed, and one with a wide or small form of these signs. Numbers, bands of numbers and a
sign alone are none. The escape is an apostrophe in front, for texts that look escaped already too: taking one
away gives every text back.
"""

from __future__ import annotations

import re

from sdc.data import sql

CONTROL = r"\x00-\x1f\x7f" + "\u0080-\u009f"
# Python and RE2 both read these as the characters themselves.
SPACE = " \u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
UNSEEN = "\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
SIGN = r"\-+−＋－﹢﹣"
BEGINS = f"[{CONTROL}{SPACE}{UNSEEN}]*[=@＝＠﹦﹫{SIGN}]|[{CONTROL}]"
HARMLESS = f"[{SPACE}]*[{SIGN}]?[0-9.,{SPACE}]*( to [{SIGN}]?[0-9.,]+)?"
NOTE = (
    "in the CSV file an apostrophe stands before a value that a spreadsheet would take for a formula; it is"
    " no part of the value"
)

ESCAPED = f"'+(?:{BEGINS})"
LOOKS_ESCAPED = f"'*(?:{BEGINS})"


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run this."""
    return bool(re.match(BEGINS, text)) and not re.fullmatch(HARMLESS, text)


def escaped(text: str) -> str:
    """The text with one apostrophe in front where it is, or looks like an escaped, formula."""
    return f"'{text}" if re.match(LOOKS_ESCAPED, text) and not re.fullmatch(HARMLESS, text) else text


def formula_condition(value: str) -> str:
    """`is_formula` of a text in SQL."""
    return f"({_begins(value, BEGINS)} AND NOT regexp_full_match({value}, {sql.text(HARMLESS)}))"


def escaped_value(value: str) -> str:
    """`escaped` of a text in SQL."""
    looks = f"{_begins(value, LOOKS_ESCAPED)} AND NOT regexp_full_match({value}, {sql.text(HARMLESS)})"
    return f"CASE WHEN {looks} THEN chr(39) || {value} ELSE {value} END"


def unescaped_value(value: str) -> str:
    """The text that was escaped, in SQL."""
    return f"CASE WHEN {_begins(value, ESCAPED)} THEN substr({value}, 2) ELSE {value} END"


def _begins(value: str, pattern: str) -> str:
    return f"regexp_matches({value}, {sql.text(f'^(?:{pattern})')})"
