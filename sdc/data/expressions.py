"""Expressions in SQL that a profile may contain: over the columns of one record, and over nothing else.

    expression = RecordExpression.of("left(postcode, 2)")
    expression.names                                   # ("postcode",)
    expression.type({"postcode": "VARCHAR"})           # "VARCHAR", or BadExpression

Only what gives the same value at any time and on any machine passes: no query, no clock, no random number,
nothing of the program. Counts and extremes over a group may be asked for: count(*) OVER (PARTITION BY hid).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sdc.data import sql

PLAIN = frozenset(
    {"COLUMN_REF", "CONSTANT", "COMPARISON", "CONJUNCTION", "OPERATOR", "CASE", "CAST", "BETWEEN", "FUNCTION"}
)
OVER_GROUPS = frozenset({"count", "count_star", "min", "max"})
SURROUNDINGS = frozenset(
    {"getenv", "getvariable", "current_setting", "current_user", "session_user", "user", "current_query"}
)
"""Functions that tell of the process."""
CLOCK = ("current_", "get_current_", "localtime", "now", "today", "transaction_timestamp")
"""How functions begin that give the time or the day it is."""
BARE_CLOCKS = frozenset({"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"})
"""Words of SQL that do so without brackets, where no column is called that."""


class BadExpression(Exception):
    """What is wrong with an expression, and what would be right."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem, self.remedy = problem, remedy


@dataclass(frozen=True)
class RecordExpression:
    """An expression that reads columns of its own record."""

    text: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> RecordExpression:
        """BadExpression where it is none, or does more than it may."""
        nodes = list(_nodes(_parsed(text)))
        for node in nodes:
            _refuse(node)
        columns = [node["column_names"] for node in nodes if node.get("class") == "COLUMN_REF"]
        if any(len(parts) > 1 for parts in columns):
            raise BadExpression(
                "it names a column with a table before it", "write the name of the column alone"
            )
        return cls(text, tuple(dict.fromkeys(parts[0] for parts in columns)))

    def type(self, types: Mapping[str, str]) -> str:
        """The type of its value where columns have these types; BadExpression where it cannot have one."""
        import duckdb

        columns = ", ".join(f"{sql.name(name)} {kind}" for name, kind in types.items())
        with duckdb.connect(":memory:") as room:
            room.execute(f"CREATE TABLE records ({columns or 'nothing INTEGER'})")
            try:
                described = room.execute(f"DESCRIBE SELECT ({self.text}\n) FROM records").fetchall()
            except duckdb.Error as error:
                raise BadExpression(f"it cannot be computed: {_first_sentence(error)}") from None
        return str(described[0][1])


def _parsed(text: str) -> dict[str, Any]:
    import duckdb

    with duckdb.connect(":memory:") as room:
        written = room.execute(
            "SELECT json_serialize_sql(CAST(? AS VARCHAR))", [f"SELECT ({text}\n) FROM records"]
        ).fetchall()[0][0]
    held = json.loads(written)
    if held["error"] or len(held["statements"]) != 1:
        raise BadExpression("this is no expression in SQL", "write one expression, and nothing else")
    query = held["statements"][0]["node"]
    chosen: list[dict[str, Any]] = query["select_list"]
    alone = query["type"] == "SELECT_NODE" and query["where_clause"] is None and not query["modifiers"]
    if len(chosen) != 1 or not alone or query["from_table"]["type"] != "BASE_TABLE":
        raise BadExpression("this is more than one expression", "write one expression, and nothing else")
    return chosen[0]


def _nodes(held: Any) -> Iterator[dict[str, Any]]:
    if isinstance(held, dict) and "class" in held:
        yield held
    for value in held.values() if isinstance(held, dict) else held if isinstance(held, list) else ():
        yield from _nodes(value)


def _refuse(node: Mapping[str, Any]) -> None:
    """BadExpression where a part does more than compute a value from its own record."""
    kind, name = node["class"], str(node.get("function_name", "")).lower()
    if kind == "WINDOW":
        if name not in OVER_GROUPS or node["orders"] or not node["partitions"]:
            raise BadExpression(
                "it looks at other records in a way that depends on their order",
                "count, min and max OVER (PARTITION BY a column) are allowed",
            )
    elif kind == "SUBQUERY":
        raise BadExpression("it has a query inside", "use the columns of the record alone")
    elif kind not in PLAIN:
        raise BadExpression(f"it uses {kind.lower().replace('_', ' ')}, which is not allowed here")
    elif kind == "FUNCTION" and name in SURROUNDINGS:
        raise BadExpression(f"it calls {name}, which tells of the program and not of the record")
    elif kind == "FUNCTION" and (name == "age" and len(node["children"]) == 1):
        raise BadExpression("age of one day depends on today", "give both days: age(later, earlier)")
    elif kind == "FUNCTION" and name not in _steady_functions():
        raise BadExpression(
            f"it calls {name}, which is unknown or does not give the same value every time",
            "use a function of DuckDB that computes one value from one record",
        )


@cache
def _scalar_functions() -> dict[str, bool]:
    """Functions of one record, and whether they give the same value for the same record, always."""
    import duckdb

    with duckdb.connect(":memory:") as room:
        rows = room.execute(
            "SELECT lower(function_name), bool_and(stability = 'CONSISTENT') FROM duckdb_functions()"
            " WHERE function_type = 'scalar' GROUP BY 1"
        ).fetchall()
    return {name: steady and not name.startswith(CLOCK) for name, steady in rows}


def _steady_functions() -> frozenset[str]:
    held = _scalar_functions()
    return frozenset(name for name, steady in held.items() if steady) | {"coalesce", "nullif", "ifnull"}


def unsteady_functions() -> frozenset[str]:
    """Functions that may give another value the next time: of chance, of the clock, of the program."""
    return frozenset(name for name, steady in _scalar_functions().items() if not steady)


def _first_sentence(error: Exception) -> str:
    """What the database says of the expression: it has seen no record, so it can tell of none."""
    return str(error).splitlines()[0].partition(": ")[2].partition("!")[0].strip(" .") or type(error).__name__
