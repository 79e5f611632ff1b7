"""Draws a sample of the records of a study into a database of its own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.warehouse import KEY_VARIABLE, Warehouse
from sdc.data.warehouse.candidates import PERSONS
from sdc.errors import redacted

if TYPE_CHECKING:
    from sdc.profile.plan import Profile

ORIGINAL = "original"


def draw(warehouse: Warehouse, directory: Path, profile: Profile, records: int) -> Warehouse:
    """A second warehouse with about so many records of the original, in their order.

    Whole households are drawn where there are any. The choice depends on the record's place or household
    alone, so that the same records are drawn again.
    """
    source = warehouse.database.table(ORIGINAL)
    household = profile.roles.household
    unit = f'"o".{sql.name(household)}' if household else '"o".rowid'
    drawn = f"hash({unit}) % {max(source.rows, 1)} < {records}"
    pair = f'"{ORIGINAL}" AS "o" POSITIONAL JOIN "{PERSONS}" AS "p"'
    # Drawing may have been cut short once: nothing of that is taken for a sample.
    shutil.rmtree(directory, ignore_errors=True)
    sample = Warehouse.create(directory / "run", limits=profile.limits, key=os.environ.get(KEY_VARIABLE))
    try:
        with redacted("drawing a sample"):
            for table, alias in ((ORIGINAL, "o"), (PERSONS, "p")):
                sample.database.write(table, source.arrow(f'SELECT "{alias}".* FROM {pair} WHERE {drawn}'))
    except BaseException:
        sample.close()
        raise
    return sample
