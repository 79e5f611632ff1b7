"""A made-up survey in two files, as those of EU-SILC are: households, and the persons in them.

Incomes depend on tenure, region and age, so that there is something to keep. Nobody in it exists.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

HOUSEHOLDS = 300
REGIONS = ("AT1", "AT2", "AT3")
TENURES = ("owner", "tenant", "rent-free")
STATUSES = ("employed", "unemployed", "retired", "other")


def linked_survey(households: int = HOUSEHOLDS, seed: int = 5) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Persons and households, each in an order of its own; `hid` links them."""
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(households) + 100_001
    homes = pd.DataFrame(
        {
            "hid": numbers,
            "region": rng.choice(REGIONS, households, p=[0.4, 0.35, 0.25]),
            "tenure": rng.choice(TENURES, households, p=[0.5, 0.4, 0.1]),
            "rooms": rng.integers(1, 6, households),
            "hincome": np.round(np.exp(rng.normal(10.2, 0.4, households)), -1).astype(int),
            "hweight": rng.choice([900.5, 1200.25, 1500.0], households),
        }
    )
    sizes = rng.choice([1, 2, 3, 4, 5], households, p=[0.3, 0.3, 0.18, 0.15, 0.07])
    home = np.repeat(np.arange(households), sizes)
    people = len(home)
    age = rng.integers(0, 90, people)
    status = np.where(age >= 65, "retired", np.where(age < 16, "other", rng.choice(STATUSES[:2], people)))
    income = np.where(status == "employed", np.round(np.exp(rng.normal(9.8, 0.5, people)), 2), np.nan)
    persons = pd.DataFrame(
        {
            "pid": [f"P{number:06d}" for number in rng.permutation(people)],
            "hid": numbers[home],
            "age": age,
            "sex": rng.choice(["female", "male"], people),
            "status": status,
            "pincome": income,
            "weight": homes["hweight"].to_numpy()[home],
        }
    )
    return (
        persons.sample(frac=1, random_state=seed).reset_index(drop=True),
        homes.drop(columns="hweight").sort_values("region", kind="stable").reset_index(drop=True),
    )


def write_csv(folder: Path, **told: int) -> tuple[Path, Path]:
    """The two files as CSV: that of persons, and that of households."""
    persons, homes = linked_survey(**told)
    persons.to_csv(folder / "persons.csv", index=False)
    homes.to_csv(folder / "households.csv", index=False)
    return folder / "persons.csv", folder / "households.csv"


def write_sav(folder: Path, **told: int) -> tuple[Path, Path]:
    """The two files as SPSS writes them, with labels and words for the codes of tenure."""
    import pyreadstat

    persons, homes = linked_survey(**told)
    coded = homes.assign(tenure=homes["tenure"].map(TENURES.index) + 1)
    words = dict(enumerate(TENURES, start=1))
    pyreadstat.write_sav(persons, str(folder / "persons.sav"), column_labels={"sex": "Sex of the person"})
    pyreadstat.write_sav(
        coded,
        str(folder / "households.sav"),
        column_labels={"tenure": "How the dwelling is held"},
        variable_value_labels={"tenure": words},
        variable_measure={"tenure": "nominal"},
    )
    return folder / "persons.sav", folder / "households.sav"
