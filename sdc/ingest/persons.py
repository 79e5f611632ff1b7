"""Who is who in two releases of one home: a pseudonym for each record, kept in the run and never published.

With a `record_key` the pseudonym depends on the key alone, so that a person is found again when the source
has changed. Without one it depends on the bytes of the source, how they were read and the number of the
record: then only releases of the very same source can be put side by side. Who does not have the secret of
the home learns nothing from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.warehouse.candidates import PERSONS
from sdc.run.randomness import Randomness

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.staging import Staged
    from sdc.run.secret import Secret

SEPARATOR = "chr(31)"


def keep_persons(
    cursor: duckdb.DuckDBPyConnection,
    staged: Staged,
    condition: str,
    secret: Secret,
    key: Sequence[str],
    origin: str,
) -> None:
    """The table of persons.

    One pseudonym for each record that meets the condition, in the order of the source.

    `origin` names the bytes that were read and how.
    """
    values = (
        ", ".join(f"length({staged[name].text}), {staged[name].text}" for name in key)
        if key
        else f"{sql.text(origin)}, {staged.row}"
    )
    salt = sql.text(Randomness(secret.key).below("persons", "key" if key else "row").key.hex())
    person = f"left(sha256(concat_ws({SEPARATOR}, {salt}, {values}, {salt})), 32)"
    cursor.execute(
        f'CREATE OR REPLACE TABLE {PERSONS} AS SELECT {person} AS "person" FROM {staged.table} WHERE'
        f" {condition}"
    )
