"""What does a query of the profile read? Tables and views of its own file, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sdc.errors import BadData, Fault

if TYPE_CHECKING:
    import duckdb

TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest"})
"""Functions in FROM that make rows out of what they are given."""
SURROUNDINGS = frozenset({"getenv", "getvariable", "current_setting", "current_user", "session_user", "user", "current_query"})
"""Functions that tell of the process."""
PLACE = "source.query"


def single_select(query: str, cursor: duckdb.DuckDBPyConnection) -> str:
    """The query, where it is one SELECT."""
    import duckdb

    wrong = BadData([Fault(PLACE, "this is not a single SELECT", "write one SELECT, and nothing else")])
    try:
        statements = cursor.extract_statements(query)
    except duckdb.Error:
        raise wrong from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise wrong
    return str(statements[0].query).rstrip().rstrip(";")


def refuse_other_sources(query: str, cursor: duckdb.DuckDBPyConnection, catalogue: str) -> None:
    """BadData where a query names anything but tables and views of the catalogue."""
    parsed = json.loads(cursor.execute("SELECT json_serialize_sql(CAST(? AS VARCHAR))", [query]).fetchall()[0][0])
    if parsed["error"]:
        raise BadData([Fault(PLACE, "it cannot be told what this query reads", "write one plain SELECT")])
    listed = "SELECT schema_name, {0}_name FROM duckdb_{0}s() WHERE database_name = ? AND NOT internal"
    rows = [row for kind in ("table", "view") for row in cursor.execute(listed.format(kind), [catalogue]).fetchall()]
    held = {(schema.lower(), name.lower()) for schema, name in rows}
    nodes = list(_nodes(parsed["statements"]))
    known = {("", name.lower()) for name in _named_parts(nodes)} | held | {("", name) for _, name in held}
    problems = dict.fromkeys(_others(nodes, known, catalogue))
    if problems:
        raise BadData([Fault(PLACE, problem, "read tables and views of the file the profile names") for problem in problems])


def _others(nodes: list[dict[str, Any]], known: set[tuple[str, str]], catalogue: str) -> Iterator[str]:
    for node in nodes:
        kind = node.get("type")
        if kind == "BASE_TABLE":
            # a name of two parts may be schema.table or catalogue.table
            schema = "" if node["schema_name"].lower() == catalogue else node["schema_name"].lower()
            if node["catalog_name"].lower() not in ("", catalogue) or (schema, node["table_name"].lower()) not in known:
                yield "it reads something that is no table of its file"
        elif kind == "TABLE_FUNCTION" and node["function"].get("function_name", "").lower() not in TABLE_FUNCTIONS:
            yield "it reads from a function that is no table of its file"
        elif kind == "SHOW_REF":
            yield "it reads what is no record"
        elif kind == "FUNCTION" and node["function_name"].lower() in SURROUNDINGS:
            yield f"it calls {node['function_name'].lower()}, which tells of the program and not of the data"


def _nodes(held: Any) -> Iterator[dict[str, Any]]:
    if isinstance(held, dict):
        yield held
    for value in held.values() if isinstance(held, dict) else held if isinstance(held, list) else ():
        yield from _nodes(value)


def _named_parts(nodes: list[dict[str, Any]]) -> Iterator[str]:
    """Names that WITH gives to parts of the query."""
    for node in nodes:
        if isinstance(node.get("cte_map"), dict):
            yield from (part["key"] for part in node["cte_map"]["map"])
