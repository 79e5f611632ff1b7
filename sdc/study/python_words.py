"""Says in words of Python what a fault of a profile or its data says in words of YAML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sdc.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable

_CODES = 'say variables={"...": {"missing_codes": [...]}}'
WORDS: tuple[tuple[str, str], ...] = (
    (r"name this one with as:, or judge another part of that one", 'name one: NAME={"measure": "...", ...}'),
    (r"give at least one variable the role quasi_identifier", 'name some: keys=["..."]'),
    (r"give at least one variable the role sensitive", 'name some: sensitive=["..."]'),
    (r"give one variable the role (weight|household)", r'name it: \1="..."'),
    (r"give it the role (dropped); source\.derived can make a code of it", r'name it: \1=["..."]'),
    (r"give it the role (dropped|household)", r'name it: \1="..."'),
    (
        r"declare it direct_identifier|declare (a number of records) direct_identifier",
        r"name it in identifiers=",
    ),
    (r"write per: household where", 'say variables={"...": {"per": "household"}} where'),
    (r"add population: \{path: \.\.\.\} under source", "give population="),
    (r"add holdout_share: 0\.1 under source", "give holdout=0.1"),
    (r"(?:write|declare) type: (\w+)", r'say types={"...": "\1"}'),
    (r"add order: with its values", 'say variables={"...": {"order": [...]}} with its values'),
    (r"list them with allowed: instead", 'list them instead: variables={"...": {"allowed": [...]}}'),
    (r"list the values with allowed:", 'list the values: variables={"...": {"allowed": [...]}}'),
    (
        r"write (\S+): \{\.\.\., allowed: \[\.\.\.\]\} under variables:",
        r'say variables={"\1": {"allowed": [...]}}',
    ),
    (r"leave such records out by source\.where", "leave such records out before"),
    (r"write aligned: false", "say aligned=False"),
    (r"add their code to missing_codes|list codes in missing_codes", _CODES),
    (r"say which in source\.encoding", "write it in UTF-8"),
    (r"(, or )?give a source\.range", r"\1take out the rows above the names of columns"),
    (r'add because: ("[^"]*")', r"add because=\1"),
    (r"write with: \{(\w+): \{(\w+): \.\.\.\}\}", r'give \1={"\2": ...}'),
    (r"with: \{(\w+): \.\.\.\}", r"\1=..."),
    (r"a set of 'key: value' pairs", 'a mapping, as {"key": value}'),
    (r"write \[(\w+)\]", r'write ["\1"]'),
    (r"must be true or false", "must be True or False"),
    (r"unknown key ('\w+') in the \d+\w+ item of (?:risk|utility)", r"demand has no argument \1"),
    (r"is the name of a criterion already, on line \d+", "is asked for already"),
    (r"\bholdout_share\b", "holdout"),
    (r"say what it is in source\.format", "leave table= and query= to databases"),
    (r"it is an option of (\w+): write \w+=\.\.\.", r"it is an option of \1: give it as a mapping before"),
)
"""What a profile's reader says, as a pattern, and what is said of a study instead."""


def in_python(sentence: str) -> str:
    """What is wrong, or would be right, for somebody who writes no YAML."""
    for pattern, said in WORDS:
        sentence = re.sub(pattern, said, sentence)
    return sentence


def all_in_python(faults: Iterable[Fault]) -> list[Fault]:
    """The same faults with remedies in words of Python."""
    return [Fault(fault.place, in_python(fault.problem), in_python(fault.remedy)) for fault in faults]
