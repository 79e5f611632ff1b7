"""A panel released every quarter: the second file must not undo what the first one suppressed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flows.orchestration.run_release import run_release
from flows.publish_approved import approve_and_publish
from sdc.audit.record import show
from sdc.gate.decision import Verdict
from sdc.run.home import Home
from tests.signing_keys import PASSPHRASE, key_for

pytestmark = pytest.mark.usefixtures("server")

KEYS = ["region", "age", "job"]
PROFILE = """
name: quarterly
seed: 20250127
source: {path: panel.csv, record_key: [person]}
variables:
  person: direct_identifier
  region: quasi_identifier
  age: quasi_identifier
  job: quasi_identifier
  income: {role: sensitive, type: numeric}
candidates:
  blanked:
    - {method: local_suppression, with: {k: 3}}
    - {method: rounding, with: {income: {to: 100}}}
risk:
  - {measure: k_anonymity, at_least: 3, because: rule 1}
  - {measure: release_difference}
utility:
  - {measure: added_missing, at_most: 0, otherwise: refer, because: rule 2}
approval: {fasttrack: {drift: 0.5}}
publish: {outbox: outbox}
"""


def first_quarter() -> pd.DataFrame:
    rng = np.random.default_rng(21)
    columns = {
        "region": rng.choice(list("abcdef"), 900),
        "age": rng.choice(list("pqrstuvw"), 900),
        "job": rng.choice(list("klmno"), 900),
    }
    return pd.DataFrame(
        {"person": np.arange(900) + 10_000, **columns, "income": rng.integers(500, 9000, 900)}
    )


def second_quarter() -> pd.DataFrame:
    """Three per cent have moved and changed their work."""
    rng = np.random.default_rng(22)
    panel = first_quarter()
    moved = rng.choice(900, 27, replace=False)
    panel.loc[moved, "region"], panel.loc[moved, "job"] = (
        rng.choice(list("abcdef"), 27),
        rng.choice(list("klmno"), 27),
    )
    return panel.sample(frac=1, random_state=3)


@pytest.fixture
def referred(tmp_path: Path, home: Path) -> Callable[[pd.DataFrame], str]:
    (tmp_path / "outbox").mkdir()
    (tmp_path / "profile.yaml").write_text(PROFILE)

    def run(panel: pd.DataFrame) -> str:
        panel.to_csv(tmp_path / "panel.csv", index=False)
        outcome = run_release(tmp_path / "profile.yaml", quiet=True)
        assert outcome.verdict is Verdict.REFERRED
        return outcome.run_id

    return run


def test_what_two_quarters_give_away_together_is_counted_by_person_and_goes_to_review(referred, home):
    from flows.fasttrack import fasttrack

    house = Home.at(home)
    first = referred(first_quarter())
    key_for(house, "anna", ["reviewer"])
    approve_and_publish(
        house, first, role="reviewer", by="anna", reason="the loss is known and small", passphrase=PASSPHRASE
    )
    second = referred(second_quarter())
    (candidate,) = show(house, second).record["candidates"]
    measured = next(each for each in candidate["measurements"] if each["measure"] == "release_difference")
    persons = {
        run: pd.read_parquet(home / "runs" / run / "persons" / "blanked.parquet")["person"]
        for run in (first, second)
    }
    tables = {
        run: pd.read_parquet(home / "runs" / run / "candidates" / "blanked.parquet").assign(
            person=persons[run]
        )
        for run in persons
    }
    for table in tables.values():
        table["alone"] = table.groupby(KEYS, dropna=False)["person"].transform("size")
    joined = tables[second].merge(tables[first], on="person", suffixes=("_now", "_then"))
    assert len(joined) == 900
    size = joined.groupby([f"{key}_{when}" for key in KEYS for when in ("now", "then")], dropna=False)[
        "person"
    ].transform("size")
    unique = int(((size == 1) & (joined[["alone_now", "alone_then"]].min(axis=1) >= 2)).sum())
    assert unique > 10
    assert round(measured["value"] * 900) == unique
    blank = {(key, when): joined[f"{key}_{when}"].isna() for key in KEYS for when in ("now", "then")}
    assert (
        measured["parts"]["newly_revealed_values"]
        == sum((blank[key, "then"] & ~blank[key, "now"]).sum() for key in KEYS)
        > 0
    )
    assert (
        measured["parts"]["suppressed_in_vain"]
        == sum((blank[key, "now"] & ~blank[key, "then"]).sum() for key in KEYS)
        > 0
    )
    # The files left in orders of their own, and nothing published says who is who.
    assert int((persons[first] == persons[second]).sum()) <= 8
    assert not set(persons[first]) & set(second_quarter()["person"].astype(str))
    done = fasttrack(house, second)
    assert done.exit_code == 4
    assert any("singled out together with earlier releases" in reason for reason in done.memo.reasons)
    assert any("were blank in earlier releases and are shown now" in reason for reason in done.memo.reasons)
