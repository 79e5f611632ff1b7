"""Runs every method and measure on the demonstration data and prints, as JSON, the kernels compiled and used.

python tests/kernels/every_unit.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from sdc.catalogue.registry import measures, methods
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import SdcError
from sdc.kernels.compiled import KERNELS, compiled_now
from sdc.measures.assess import assess
from sdc.run.randomness import Randomness
from sdc.statistics.counts.wildcard import COMPILED_FROM, matching_records

DEMO = Path(__file__).parents[2] / "profiles" / "demo"
KEYS = ["region", "urbanisation", "household_size", "sex", "age", "marital_status", "education"]
NUMBERS = ["household_size", "age", "income", "equivalised_income", "spending", "wealth", "weight"]
MONEY = ["income", "equivalised_income", "spending", "wealth"]

OPTIONS = {
    "gaussian_noise": [{"epsilon": 0.5, "delta": 1e-5, "income": [0, 100_000]}],
    "coordinate_grid": [{"x": "income", "y": "wealth", "size": 10_000}],
    "global_recode": [{"age": {"width": 10}}],
    "household_consistency": [{"variables": ["region"]}],
    "k_anonymise": [{"keys": ["region", "sex", "marital_status"]}],
    "laplace_noise": [{"epsilon": 1.0, "income": [0, 100_000]}],
    "microaggregation": [{"variables": MONEY}, {"variables": ["income", "sex"]}],
    "partial_synthesis": [{"variables": ["income"]}],
    "record_swap": [{"variables": ["region"]}],
    "regression_laplace": [{"epsilon": 1.0}],
    "rounding": [{"income": {"to": 100}}],
    "subsample": [{"share": 0.5}],
    "top_bottom_code": [{"income": {"top": 60_000}}],
    "dependence_change": [{}, {"kind": "spearman"}, {"kind": "kendall"}],
    "ecdf_distance": [{}, {"variables": ["income", "wealth"]}],
    "local_suppression": [{}, {"missing": "wildcard"}],
    "cluster_utility": [{}, {"linkage": "kmeans"}],
    "propensity_mse": [{}, {"model": "cart"}, {"model": "ctree"}, {"model": "clustered_logistic"}],
}
SKIPPED = {"dp_marginals", "saturated_table", "ipf_tables"}
"""Methods that need another package or hold a table of all combinations; they have no kernel."""


def kind_of(name: str) -> VariableType:
    return VariableType.NUMERIC if name in NUMBERS else VariableType.CATEGORICAL


def roles() -> Roles:
    sensitive = [Variable(name, Role.SENSITIVE, kind_of(name)) for name in [*MONEY, "health"]]
    keys = [Variable(name, Role.QUASI_IDENTIFIER, kind_of(name)) for name in KEYS]
    household = Variable("household_id", Role.HOUSEHOLD)
    return Roles.of([household, *keys, *sensitive, Variable("weight", Role.WEIGHT, VariableType.NUMERIC)])


def table(of: Roles) -> pd.DataFrame:
    held = pd.read_csv(DEMO / "households.csv")[list(of.released)]
    for name in held:
        held[name] = held[name].astype("float64" if name in NUMBERS else "category")
    return held


def protect(of: Roles, held: pd.DataFrame) -> None:
    for name, entry in methods().items():
        for options in [] if name in SKIPPED else OPTIONS.get(name, [{}]):
            try:
                entry.function(held, of, np.random.default_rng(1), **entry.arguments(options))
            except SdcError as reason:
                sys.stderr.write(f"{name} {options}: {reason}\n")


def measure(of: Roles, original: pd.DataFrame, others: pd.DataFrame, holdout: pd.DataFrame) -> None:
    masked = original.assign(income=original["income"] * 1.01)
    masked.loc[:50, "marital_status"] = None
    population = pd.read_csv(DEMO / "population.csv").drop(columns=["person_id", "name"])[:4000]
    more = {"holdout": holdout, "population": population}
    pairs = [
        ReleasePair.from_frames(original, masked, of, aligned=True, **more),
        ReleasePair.from_frames(original, others, of, aligned=False, **more),
    ]
    for name in measures():
        for options in OPTIONS.get(name, [{}]):
            for pair in pairs:
                assess(name, pair, options, randomness=Randomness.from_seed(1))


def match_many() -> None:
    """Tables of more combinations than the demonstration has are joined by a kernel."""
    codes = np.random.default_rng(1).integers(-1, 40, (COMPILED_FROM + 1, 3)).astype(np.int32)
    matching_records(codes, np.ones(len(codes), dtype=np.int64))


if __name__ == "__main__":
    found = roles()
    whole = table(found)
    protect(found, whole[:400].reset_index(drop=True))
    # So many that columns of money have over 1,000 distinct values, as those of real tables have.
    parts = [whole[start : start + 1500].reset_index(drop=True) for start in (0, 1500, 3000)]
    measure(found, *parts)
    match_many()
    used = [kernel.name for kernel in KERNELS if kernel.types and kernel.dispatcher.overloads]
    print(json.dumps({"compiled": compiled_now(), "used": sorted(used)}))  # noqa: T201
