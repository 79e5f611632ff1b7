"""Are codes that a file calls missing compared with the part of the profile that reads this file?"""

from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from sdc.data.warehouse import Warehouse
from sdc.errors import BadData
from sdc.ingest import ingest
from sdc.profile.load import load_profile
from sdc.run.secret import NO_SECRET

PROFILE = """
name: survey
source:
  households: {{path: h.sav{of_households}}}
  persons: {{path: p.csv, key: hid{of_persons}}}
variables:
  hid: household
  age: {{role: quasi_identifier, type: numeric}}
  rent: {{role: sensitive, type: numeric, missing: allowed}}
candidates: {{plain: [{{method: local_suppression, with: {{k: 2}}}}]}}
risk: [{{measure: k_anonymity, at_least: 2, because: house rule}}]
"""
CODES = ', missing_codes: ["999"]'


def rents(folder: Path, *, of_households: str = "", of_persons: str = "") -> list[float | None]:
    (folder / "p.csv").write_text("hid,age\n1,30\n2,40\n3,50\n")
    held = pd.DataFrame({"hid": [1.0, 2.0, 3.0], "rent": [100.0, 999.0, 50.0]})
    pyreadstat.write_sav(held, str(folder / "h.sav"), missing_ranges={"rent": [999.0]})
    (folder / "profile.yaml").write_text(PROFILE.format(of_households=of_households, of_persons=of_persons))
    profile = load_profile(folder / "profile.yaml")
    with Warehouse.create(folder / "run", readable=[folder / path for path in profile.files]) as warehouse:
        ingest(profile, folder, warehouse, NO_SECRET)
        found = warehouse.database.cursor().execute("SELECT rent FROM original ORDER BY hid").fetchall()
    return [rent for (rent,) in found]


@pytest.mark.parametrize("of_persons", ["", CODES])
def test_a_code_of_the_file_of_households_is_a_fault_where_only_persons_declare_it(
    tmp_path: Path, of_persons: str
) -> None:
    with pytest.raises(BadData) as bad:
        rents(tmp_path, of_persons=of_persons)
    assert "h.sav, column 'rent': the file says that 999 stand for missing" in str(bad.value)
    assert "p.csv, column 'rent'" not in str(bad.value)


def test_a_code_that_the_source_of_households_declares_is_missing(tmp_path: Path) -> None:
    assert rents(tmp_path, of_households=CODES) == [100, None, 50]
