"""Makes sure that a query reads tables and views of its own file, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc.data.expressions import BARE_CLOCKS, SURROUNDINGS, unsteady_functions
from sdc.errors import BadData, Fault

if TYPE_CHECKING:
    import duckdb

TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest"})
"""Functions in FROM that make rows out of what they are given."""
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


@dataclass(frozen=True)
class Contents:
    """What a file has.

    Its tables and views, the names of its macros, and the SELECTs that views and generated columns stand for.
    """

    held: frozenset[tuple[str, str]]
    macros: frozenset[str]
    definitions: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, cursor: duckdb.DuckDBPyConnection, catalogue: str) -> Contents:
        def rows(query: str) -> list[tuple[str, str, str]]:
            found: list[tuple[str, str, str]] = cursor.execute(
                f"{query} WHERE database_name = ? AND NOT internal", [catalogue]
            ).fetchall()
            return found

        tables, views = (
            rows(f"SELECT schema_name, {kind}_name, sql FROM duckdb_{kind}s()") for kind in ("table", "view")
        )
        generated = {(schema, name) for schema, name, text in tables if "GENERATED ALWAYS" in text}
        columns = rows("SELECT schema_name, table_name, column_default FROM duckdb_columns()")
        made: dict[str, tuple[str, ...]] = {}
        for _, name, text in views:
            made[name.lower()] = (*made.get(name.lower(), ()), *_after_as(text))
        for schema, name, text in columns:
            if text and (schema, name) in generated:
                made[name.lower()] = (*made.get(name.lower(), ()), f"SELECT {text}")
        macros = rows("SELECT DISTINCT schema_name, function_name, function_type FROM duckdb_functions()")
        held = frozenset((schema.lower(), name.lower()) for schema, name, _ in (*tables, *views))
        return cls(held, frozenset(name.lower() for _, name, _ in macros), made)


def _after_as(statement: str) -> tuple[str, ...]:
    """Whatever may be the SELECT of a view. A name may hold the word too.

    All places are tried, and what is no SELECT is passed over.
    """
    return tuple(statement[found.end() :].rstrip().rstrip(";") for found in re.finditer(r"\bAS\s", statement))


def refuse_other_sources(
    query: str, cursor: duckdb.DuckDBPyConnection, catalogue: str, place: str = PLACE
) -> None:
    """BadData where a query names anything but tables and views of the catalogue.

    So may no view and no generated column that it reads.
    """
    nodes = _parsed(query, cursor)
    if nodes is None:
        raise BadData([Fault(place, "it cannot be told what this query reads", "write one plain SELECT")])
    contents = Contents.of(cursor, catalogue)
    problems = dict.fromkeys(_others(nodes, contents, catalogue))
    waiting, seen = _names_read(nodes), set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in contents.definitions:
            continue
        seen.add(name)
        parsed = [
            found for text in contents.definitions[name] if (found := _parsed(text, cursor)) is not None
        ]
        if not parsed:
            problems["it reads a view of which it cannot be told what it reads"] = None
        for found in parsed:
            problems.update(
                dict.fromkeys(
                    f"{problem}, by a view or a generated column"
                    for problem in _others(found, contents, catalogue)
                )
            )
            waiting |= _names_read(found)
    if problems:
        raise BadData(
            [
                Fault(place, problem, "read tables and views of the file the profile names")
                for problem in problems
            ]
        )


def _parsed(query: str, cursor: duckdb.DuckDBPyConnection) -> list[dict[str, Any]] | None:
    parsed = json.loads(
        cursor.execute("SELECT json_serialize_sql(CAST(? AS VARCHAR))", [query]).fetchall()[0][0]
    )
    return None if parsed["error"] else list(_nodes(parsed["statements"]))


def _names_read(nodes: list[dict[str, Any]]) -> set[str]:
    return {node["table_name"].lower() for node in nodes if node.get("type") == "BASE_TABLE"}


def _others(nodes: list[dict[str, Any]], contents: Contents, catalogue: str) -> Iterator[str]:
    known = (
        {("", name.lower()) for name in _named_parts(nodes)}
        | contents.held
        | {("", name) for _, name in contents.held}
    )
    for node in nodes:
        kind = node.get("type")
        if kind == "BASE_TABLE":
            # a name of two parts may be schema.table or catalogue.table
            schema = "" if node["schema_name"].lower() == catalogue else node["schema_name"].lower()
            if (
                node["catalog_name"].lower() not in ("", catalogue)
                or (schema, node["table_name"].lower()) not in known
            ):
                yield "it reads something that is no table of its file"
        elif (
            kind == "TABLE_FUNCTION"
            and node["function"].get("function_name", "").lower() not in TABLE_FUNCTIONS - contents.macros
        ):
            yield "it reads from a function that is no table of its file"
        elif kind == "SHOW_REF":
            yield "it reads what is no record"
        elif kind == "FUNCTION" and (name := node["function_name"].lower()) in SURROUNDINGS:
            yield f"it calls {name}, which tells of the program and not of the data"
        elif kind == "FUNCTION" and name in contents.macros:
            yield "it calls a macro of its file, which may do anything"
        elif kind == "FUNCTION" and name in unsteady_functions():
            yield f"it calls {name}, which does not give the same value every time"
        elif kind == "COLUMN_REF" and (word := node["column_names"][-1].lower()) in BARE_CLOCKS:
            yield f"it asks for {word}, which is not the same every time"
        if node.get("sample") is not None:
            yield "it draws a sample, which is another every time"


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
