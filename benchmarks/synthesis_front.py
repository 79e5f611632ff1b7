"""Utility against risk of synthesisers on a table given on the command line, a row for each setting.

    python benchmarks/synthesis_front.py survey.csv --keys sex,age,region --target income --control

Risk: replicated uniques on the keys, DiSCO of the target, and the share of synthetic records that equal an
original one. Utility: the mean and the largest standardised pMSE of two-way tables (1 for a perfect model).
All are means over seeds. With `--control` half of the records are set aside in each turn: as the candidate
they show what a perfect model would have, and `singling out` compares with them. With `--made FOLDER` the
syntheses FOLDER/1.csv, FOLDER/2.csv, ... of the whole table are measured, made elsewhere: rpart_synthesis.R
makes such files.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdc.catalogue.measurement import Measurement, NotAssessed
from sdc.catalogue.registry import find_method
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.risk.attribute_disclosure import attribute_disclosure
from sdc.measures.risk.replicated_uniques import replicated_uniques
from sdc.measures.risk.singling_out import singling_out
from sdc.measures.utility.table_fit import table_fit

FEW_VALUES = 12
"""A column of numbers with fewer values than this is a category unless it is named among the numbers."""
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "cart": ("sequential", {}),
    **{
        f"cart, minbucket {least}": ("sequential", {"settings": {"cart": {"minbucket": least}}})
        for least in (5, 20, 50)
    },
    "cart, smoothing density": ("sequential", {"smoothing": "density"}),
    "ctree": ("sequential", {"model": "ctree"}),
    "forest": ("sequential", {"model": "forest"}),
    "bagging": ("sequential", {"model": "bagging"}),
    "parametric": ("sequential", {"model": "parametric"}),
    "copula": ("gaussian_copula", {}),
    "independent": ("sequential", {"model": "sample"}),
    "bootstrap": ("bootstrap", {}),
}


def read(path: str, columns: str | None, numbers: str | None) -> pd.DataFrame:
    """Numbers as floats, everything else as categories; columns in the order in which they are named."""
    chosen = columns.split(",") if columns else None
    table = pd.read_csv(path, usecols=chosen)
    table = table[chosen] if chosen else table
    named = set(numbers.split(",")) if numbers else set()
    for name in table.columns:
        numeric = pd.api.types.is_numeric_dtype(table[name]) and (
            name in named or table[name].nunique() >= FEW_VALUES
        )
        table[name] = of_kind(table[name], numeric=numeric)
    return table


def of_kind(column: pd.Series, *, numeric: bool) -> pd.Series:
    """A code is the same category whether others are missing or not: 1 and not 1.0."""
    if numeric:
        return column.astype(float)
    return column.convert_dtypes().astype("string").astype(object).astype("category")


def roles_of(table: pd.DataFrame, keys: list[str], target: str) -> Roles:
    def role(name: str) -> Role:
        return Role.QUASI_IDENTIFIER if name in keys else Role.SENSITIVE if name == target else Role.OTHER

    kinds = {
        name: VariableType.NUMERIC if table[name].dtype == float else VariableType.CATEGORICAL
        for name in table
    }
    return Roles.of(Variable(name, role(name), kind) for name, kind in kinds.items())


def value(outcome: Measurement | NotAssessed) -> float:
    assert isinstance(outcome, Measurement), outcome
    return float(outcome.value)


def measured(
    original: pd.DataFrame, candidate: pd.DataFrame, control: pd.DataFrame | None, roles: Roles, seed: int
) -> dict[str, float]:
    pair = ReleasePair.from_frames(original, candidate, roles, holdout=control)
    fit = table_fit(pair)
    assert isinstance(fit, Measurement), fit
    equal = pd.util.hash_pandas_object(candidate.astype(str), index=False).isin(
        pd.util.hash_pandas_object(original.astype(str), index=False)
    )
    found = {
        "replicated uniques": value(replicated_uniques(pair)),
        "DiSCO": value(attribute_disclosure(pair)),
        "equal records": 100 * float(equal.mean()),
        "fit, mean": fit.parts["mean"],
        "fit, largest": fit.value,
    }
    if control is not None:
        found["singling out"] = value(
            singling_out(pair, rng=np.random.default_rng(seed), attacks=1000, mode="multivariate")
        )
    return found


def turns(
    table: pd.DataFrame, seeds: int, *, control: bool
) -> Iterator[tuple[int, pd.DataFrame, pd.DataFrame | None]]:
    for seed in range(seeds):
        order = np.random.default_rng(1000 + seed).permutation(len(table))
        halves = np.sort(order[: len(table) // 2]), np.sort(order[len(table) // 2 :])
        if control:
            yield (
                seed,
                table.iloc[halves[0]].reset_index(drop=True),
                table.iloc[halves[1]].reset_index(drop=True),
            )
        else:
            yield seed, table, None


def made_elsewhere(folder: Path, like: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The syntheses of a folder, each column of the kind it has in the original."""
    for place in range(1, len(list(folder.glob("*.csv"))) + 1):
        held = pd.read_csv(folder / f"{place}.csv")[list(like.columns)]
        for name in held.columns:
            held[name] = of_kind(held[name], numeric=like[name].dtype == float)
        yield held


def row(label: str, held: list[Mapping[str, float]]) -> str:
    return f"| {label} | {' | '.join(f'{np.mean([each[name] for each in held]):.2f}' for name in held[0])} |"


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("path")
    given.add_argument("--keys", required=True)
    given.add_argument("--target", required=True)
    given.add_argument("--columns")
    given.add_argument("--numbers")
    given.add_argument("--seeds", type=int, default=5)
    given.add_argument("--control", action="store_true")
    given.add_argument("--made", type=Path, help="a folder of syntheses made elsewhere")
    given.add_argument("--only", help="settings by name, with ; between them")
    asked = given.parse_args()
    table = read(asked.path, asked.columns, asked.numbers)
    roles = roles_of(table, asked.keys.split(","), asked.target)
    chosen = asked.only.split(";") if asked.only else list(SETTINGS)
    split = list(turns(table, asked.seeds, control=asked.control))
    print(f"{len(split[0][1]):,} records, {len(table.columns)} variables, {asked.seeds} seeds")
    if asked.made:
        held = [measured(table, candidate, None, roles, 0) for candidate in made_elsewhere(asked.made, table)]
        print(f"| setting | {' | '.join(held[0])} |\n|{'---|' * (len(held[0]) + 1)}")
        print(row(asked.made.name, held))
        return
    if asked.control:
        print(
            row(
                "fresh sample",
                [
                    measured(original, control, control, roles, seed)
                    for seed, original, control in split
                    if control is not None
                ],
            )
        )
    for label in chosen:
        method, options = SETTINGS[label]
        entry, held = find_method(method), []
        for seed, original, control in split:
            start = time.perf_counter()
            candidate = entry.function(
                original, roles, np.random.default_rng(seed), **entry.arguments(options)
            ).table
            seconds = time.perf_counter() - start
            held.append({**measured(original, candidate, control, roles, seed), "seconds": seconds})
        if label == chosen[0]:
            print(f"| setting | {' | '.join(held[0])} |\n|{'---|' * (len(held[0]) + 1)}")
        print(row(label, held), flush=True)


if __name__ == "__main__":
    main()
