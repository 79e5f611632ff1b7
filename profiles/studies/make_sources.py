"""Writes the data of the studies into a folder `data`: typed from the documents, or drawn as they describe.

No data of others are in this repository. What a document prints is typed; what it draws with R and a seed is
drawn again, number by number (Kulik); what it only describes is drawn here with a seed of our own (Hu, Templ,
Qu's simulations, Karr). The page of results says which is which.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
from r_random import RRandom

FOLDER = Path(__file__).parent / "data"
AGES = [22, 25, 28, 30, 35, 40, 45, 50, 55, 60]
INCOMES = [30000, 35000, 40000, 45000, 50000, 60000, 70000, 80000, 85000, 90000]
SYNTHETIC_AGES = [40, 22, 30, 30, 50, 60, 30, 40, 28, 35]
SYNTHETIC_INCOMES = [
    60257.33,
    33786.17,
    45652.61,
    40345.76,
    75937.89,
    95796.99,
    49990.02,
    60031.50,
    47308.36,
    49256.03,
]
REGIONS = {
    "Burgenland": (261, 288),
    "Carinthia": (517, 561),
    "Lower Austria": (1417, 1387),
    "Salzburg": (440, 484),
    "Styria": (1128, 1167),
    "Tyrol": (650, 667),
    "Upper Austria": (1363, 1442),
    "Vienna": (1132, 1190),
    "Vorarlberg": (359, 374),
}
"""Men and women of eusilc by federal state, as Templ's slide prints them."""
STRUCTURES = {
    f"{shape}_{'high' if strength > 0.5 else 'low'}_{'negative' if sign < 0 else 'positive'}": (
        shape,
        sign * strength,
    )
    for shape, strength, sign in itertools.product(("symmetric", "skewed"), (0.9, 0.3), (-1, 1))
}
"""Karr's eight kinds of data: shape and correlation."""
RECORDS = 2000


def kulik() -> dict[str, pd.DataFrame]:
    """Lectures 7 to 9: the table of ten people with its anonymised version; two correlated variables."""
    people = pd.DataFrame({"age": AGES, "income": INCOMES, "gender": list("MFMFMFMFMF")})
    drawn = pd.DataFrame({"age": SYNTHETIC_AGES, "income": SYNTHETIC_INCOMES, "gender": list("FMMMFFMFMM")})
    r = RRandom(105)
    x1 = r.rnorm(100, 50, 5)
    x2 = 0.9 * x1 + r.rnorm(100)
    noisy = pd.DataFrame({"x1": x1 + r.rnorm(100), "x2": x2 + r.rnorm(100, 0, 2)})
    shuffled = pd.DataFrame({"x1": x1 + r.rnorm(100), "x2": r.sample(x2)})
    return {
        "kulik_people": people,
        "kulik_people_anonymised": drawn,
        "kulik_pairs": pd.DataFrame({"x1": x1, "x2": x2}),
        "kulik_pairs_noisy": noisy,
        "kulik_pairs_shuffled": shuffled,
    }


def hu() -> dict[str, pd.DataFrame]:
    """994 consumer units with log expenditure and log income, about as far apart as those of the survey."""
    rng = np.random.default_rng(20230)
    spent = rng.normal(8.8, 0.9, 994)
    return {
        "hu_ce": pd.DataFrame(
            {"log_expenditure": spent, "log_income": 3.2 + 0.85 * spent + rng.normal(0, 0.9, 994)}
        ).round(6)
    }


def templ() -> dict[str, pd.DataFrame]:
    """14,827 persons with the federal states and sexes of the slide; the rest is drawn."""
    rng = np.random.default_rng(20190)
    rows = [
        (region, sex)
        for region, counts in REGIONS.items()
        for sex, count in zip(("male", "female"), counts, strict=True)
        for _ in range(count)
    ]
    people = pd.DataFrame(rows, columns=["db040", "rb090"])
    n = len(people)
    people["hsize"] = rng.choice(
        np.arange(1, 10), n, p=[0.12, 0.22, 0.2, 0.25, 0.13, 0.05, 0.02, 0.007, 0.003]
    )
    people["pb220a"] = rng.choice(["AT", "EU", "Other"], n, p=[0.89, 0.04, 0.07])
    people["age"] = rng.integers(0, 97, n)
    people["eqIncome"] = rng.lognormal(9.75, 0.5, n).round(2)
    people["rb050"] = rng.normal(550, 60, n).round(3)
    return {"templ_survey": people.sample(frac=1, random_state=7).reset_index(drop=True)}


def qu() -> dict[str, pd.DataFrame]:
    """The thesis: a table with five classes, four people, and two simulations."""
    born = [("Female", "1970-1979", "-ve")] * 2 + [
        ("Female", "1960-1969", "-ve"),
        ("Female", "1960-1969", "Zero"),
    ]
    born += [("Male", "1950-1959", "+ve")] * 2 + [("Male", "1950-1959", "-ve")]
    born += [("Male", "1960-1969", "-ve")] * 2 + [("Male", "1970-1979", "-ve")] * 2
    four = pd.DataFrame({"key": list("MMFF"), "target": list("PPPN")})
    released = pd.DataFrame({"key": list("MFFF"), "target": list("PPNN")})
    rng = np.random.default_rng(2024)
    normal = rng.multivariate_normal([10, 20], [[20, 10], [10, 20]], 1000)
    common = rng.normal(0, np.sqrt(15), 3000)
    return {
        "qu_classes": pd.DataFrame(born, columns=["sex", "born", "test"]),
        "qu_cap": four,
        "qu_cap_released": released,
        "qu_noise": pd.DataFrame(normal, columns=["key", "target"]).round(6),
        "qu_bins": pd.DataFrame({"key": 5 + common, "target": 15 + common}).round(6),
    }


def karr() -> dict[str, pd.DataFrame]:
    """Eight kinds of two variables that are not normal; the paper does not print their laws."""
    rng = np.random.default_rng(20060)
    made = {}
    for name, (shape, correlation) in STRUCTURES.items():
        z = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], RECORDS)
        if shape == "symmetric":
            side = rng.choice([-1, 1], RECORDS)
            z += side[:, None] * np.array([3, 3 * np.sign(correlation)]) * np.abs(correlation)
        else:
            z = np.exp(z)
        made[f"karr_{name}"] = pd.DataFrame(z, columns=["x1", "x2"]).round(6)
    return made


def write(folder: Path = FOLDER) -> None:
    """All sources as CSV files."""
    folder.mkdir(exist_ok=True)
    for tables in (kulik(), hu(), templ(), qu(), karr()):
        for name, table in tables.items():
            table.to_csv(folder / f"{name}.csv", index=False)


if __name__ == "__main__":
    write()
