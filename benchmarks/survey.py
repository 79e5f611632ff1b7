"""A made-up survey of any size, drawn by DuckDB itself.

It has six keys, one sensitive variable and three more columns.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from sdc.data.roles import Role, Roles, Variable, VariableType

KEYS = ("region", "age", "sex", "education", "marital_status", "occupation")
ROLES = Roles.of(
    [
        *(
            Variable(
                key, Role.QUASI_IDENTIFIER, VariableType.NUMERIC if key == "age" else VariableType.CATEGORICAL
            )
            for key in KEYS
        ),
        Variable("health", Role.SENSITIVE, VariableType.CATEGORICAL),
        Variable("income", Role.OTHER, VariableType.NUMERIC),
        Variable("score", Role.OTHER, VariableType.NUMERIC),
        Variable("weight", Role.WEIGHT, VariableType.NUMERIC),
    ]
)


def survey(rows: int, seed: int) -> str:
    """A query that gives the records; over a million combinations of the keys can occur."""

    def drawn(number: int, levels: int) -> str:
        return f"CAST(hash(i * 100 + {number} + {seed} * 10) % {levels} AS BIGINT)"

    def one_of(number: int, *labels: str) -> str:
        return f"[{', '.join(repr(label) for label in labels)}][1 + {drawn(number, len(labels))}]"

    return f"""SELECT
        'region ' || {drawn(1, 16)} AS region,
        18 + {drawn(2, 70)} AS age,
        {one_of(3, "female", "male")} AS sex,
        {one_of(4, "none", "primary", "secondary", "vocational", "bachelor", "master+")} AS education,
        {one_of(5, "single", "married", "widowed", "divorced")} AS marital_status,
        'occupation ' || {drawn(6, 20)} AS occupation,
        {one_of(7, "very good", "good", "fair", "bad", "very bad")} AS health,
        round({drawn(8, 10_000_000)} / 97, 2) AS income,
        {drawn(9, 100)} AS score,
        1 + {drawn(0, 300)} / 100 AS weight
        FROM range({rows}) r(i)"""


def write_tables(path: Path, rows: int) -> None:
    """A database with an original and a candidate."""
    with duckdb.connect(str(path)) as connection:
        for seed, table in enumerate(("original", "candidate")):
            connection.execute(f"CREATE TABLE {table} AS {survey(rows, seed)}")


def write_csv(path: Path, rows: int) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({survey(rows, 0)}) TO '{path}' (HEADER)")
