"""Chooses the records that no method sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.roles import Role
from sdc.errors import BadData, Fault
from sdc.run.randomness import Randomness

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.staging import Staged


def held_out(
    cursor: duckdb.DuckDBPyConnection,
    staged: Staged,
    share: float,
    randomness: Randomness,
    key: Sequence[str],
) -> str | None:
    """The condition in SQL that holds for the records held out; None where none are.

    Whole households are taken where there are households, else single records by their key or their number in
    the file, as is a record without a household number: in the order of their hashes, until the share is
    reached.
    """
    wanted = round(share * staged.rows)
    if wanted == 0:
        return None
    household = next((column for column in staged.columns if column.plan.role is Role.HOUSEHOLD), None)
    alone = _key(staged, key)
    unit = (
        f"CASE WHEN {household.value} IS NULL THEN concat_ws(chr(31), 'alone', {alone}) ELSE"
        f" {household.text} END"
        if household
        else alone
    )
    drawn = f"md5_number(concat_ws(chr(31), {sql.text(randomness.below('holdout').key.hex())}, {unit}))"
    units = f"SELECT {drawn} AS drawn, count(*) AS n FROM {staged.table} GROUP BY drawn"
    ordered = (
        f"SELECT drawn, n, sum(n) OVER (ORDER BY drawn ROWS UNBOUNDED PRECEDING) AS total FROM ({units})"
    )
    last, taken = cursor.execute(
        f"SELECT max(drawn), sum(n) FROM ({ordered}) WHERE total - n < {wanted}"
    ).fetchall()[0]
    if taken >= staged.rows:
        raise BadData(
            [Fault(str(staged.path), "holdout_share would hold out every record", "lower it, or set it to 0")]
        )
    return f"{drawn} <= CAST('{last}' AS UHUGEINT)"


def _key(staged: Staged, key: Sequence[str]) -> str:
    return ", ".join(staged[name].text for name in key) if key else staged.row
