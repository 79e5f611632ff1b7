"""A second workplace on a sample of the records, and candidates that are forgotten."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from sdc.profile.plan import Criterion, Profile
from sdc.study import document
from sdc.study.frames import FrameKind
from sdc.study.made_candidate import PlannedSteps
from sdc.study.workplace import Workplace

STEPS = ({"method": "global_recode", "with": {"age": {"width": 10}}},)
PLANNED = PlannedSteps("coarse", STEPS)
K = Criterion(measure="k_anonymity")


def profile_of(path: Path, *, keys: tuple[str, ...] = ("age", "sex"), household: str = "") -> Profile:
    roles = {"age": "other", "sex": "other", "home": "household" if household else "other"}
    variables = {
        name: {
            "role": "quasi_identifier" if name in keys else role,
            "type": "numeric" if name == "age" else "categorical",
        }
        for name, role in roles.items()
    }
    values = {
        "name": "people",
        "access": "secure",
        "source": {"path": str(path)},
        "variables": variables,
        "candidates": {"coarse": list(STEPS)},
    }
    return document.read(values)[0]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    frame = pd.DataFrame(
        {
            "age": [number % 90 for number in range(4000)],
            "sex": ["f" if number % 3 else "m" for number in range(4000)],
            "home": [f"h{number // 4}" for number in range(4000)],
        }
    )
    path = tmp_path / "people.parquet"
    frame.to_parquet(path)
    return path


@pytest.fixture
def place(people: Path, tmp_path: Path) -> Workplace:
    place = Workplace.opened(FrameKind(), home=None, seed=1, base=tmp_path)
    place.take_in(profile_of(people))
    return place


def test_a_sample_has_about_as_many_records_as_were_asked_for(place: Workplace, people: Path) -> None:
    sample = place.sampled(profile_of(people), 1000)
    assert 900 <= sample.ingested.rows <= 1100
    assert sample.warehouse.database.table("original").rows == sample.ingested.rows
    assert place.ingested.rows == 4000


def test_a_sample_is_drawn_once_and_has_its_own_numbers(place: Workplace, people: Path) -> None:
    profile = profile_of(people)
    sample = place.sampled(profile, 1000)
    assert place.sampled(profile, 1000) is sample
    sample.measured(profile, PLANNED, K)
    assert place.known(profile, PLANNED, K) is None


def test_households_are_drawn_whole(people: Path, tmp_path: Path) -> None:
    profile = profile_of(people, household="home")
    place = Workplace.opened(FrameKind(), home=None, seed=1, base=tmp_path)
    place.take_in(profile)
    sample = place.sampled(profile, 1000).warehouse.database.table("original")
    sizes = sample.fetch('SELECT DISTINCT count(*) FROM "original" GROUP BY "home"')
    assert sizes == [(4,)]


def test_a_sample_is_gone_with_its_study(place: Workplace, people: Path) -> None:
    sample = place.sampled(profile_of(people), 1000)
    place.close()
    assert not sample.directory.exists()


def test_what_was_measured_is_known_after_a_candidate_was_forgotten(place: Workplace, people: Path) -> None:
    profile = profile_of(people)
    found = place.measured(profile, PLANNED, K)
    assert place.held == [PLANNED.key]
    place.forget(PLANNED)
    assert place.held == []
    assert place.known(profile, PLANNED, K) is found
    tables = place.warehouse.database.cursor().execute("SELECT table_name FROM duckdb_tables()").fetchall()
    assert not [name for (name,) in tables if name.startswith("made_")]


def test_other_keys_are_measured_anew(place: Workplace, people: Path) -> None:
    """4,000 people by sex alone make two classes; with age in bands of ten, eighteen."""
    both = place.measured(profile_of(people), PLANNED, K).outcome
    alone = place.measured(profile_of(people, keys=("sex",)), PLANNED, K).outcome
    assert alone.value == sum(1 for number in range(4000) if number % 3 == 0)  # type: ignore[union-attr]
    assert both.value < alone.value  # type: ignore[union-attr]


def test_every_step_is_announced_and_may_end_the_making(place: Workplace, people: Path) -> None:
    profile, told = profile_of(people), []

    class Enough(Exception):
        pass

    def announce(number: int, method: str) -> None:
        told.append((number, method))
        raise Enough

    with pytest.raises(Enough):
        place.made(profile, PLANNED, announce)
    assert told == [(1, "global_recode")]
    assert place.held == []
