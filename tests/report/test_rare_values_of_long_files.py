"""What no public page may say is found in little memory, however many records there are."""

from pathlib import Path

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable
from sdc.data.warehouse import Warehouse
from sdc.profile.plan import Limits
from sdc.report.forbidden import Forbidden


def test_a_rare_value_of_a_long_file_is_found_in_little_memory(tmp_path: Path) -> None:
    """Three of 2,000,000 records have a trade that no record of the candidate has any more."""
    with Warehouse.create(tmp_path / "run", limits=Limits(memory="30MB")) as warehouse:
        for table, rare in (("original", 3), ("candidate_a", 0)):
            trade = f"CASE WHEN i < {rare} THEN 'glass eye maker' ELSE 'trade ' || (i % 7) END"
            warehouse.database.cursor().execute(
                f'CREATE TABLE "{table}" AS SELECT {trade} AS "trade" FROM range(2000000) AS t(i)'
            )
        pair = ReleasePair(
            warehouse.database.table("original"),
            warehouse.database.table("candidate_a"),
            Roles.of([Variable("trade", Role.QUASI_IDENTIFIER)]),
        )
        assert Forbidden.of(pair).texts == {"glass eye maker": "a rare value of trade"}
