"""A release that runs in seconds: its people and its profile."""

from __future__ import annotations

import numpy as np
import pandas as pd


def small_people(rows: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "person": [f"P{number:05d}" for number in range(rows)],
            "name": [f"Aurelia Beck {number:05d}" for number in range(rows)],
            "region": rng.choice(["north", "south", "west"], rows),
            "sex": rng.choice(["female", "male"], rows),
            "age": rng.integers(18, 80, rows),
            "income": rng.lognormal(10, 0.5, rows).round(2),
            "health": rng.choice(["good", "fair", "bad"], rows),
        }
    )


PROFILE = """
name: small
title: Small release
access: open
seed: 11
source: {path: people.csv, record_key: [person]}
variables:
  person: direct_identifier
  name: direct_identifier
  region: quasi_identifier
  sex: quasi_identifier
  age: {role: quasi_identifier, type: numeric}
  income: {role: sensitive, type: numeric, at_least: 0}
  health: sensitive
candidates:
  masked:
    - {method: global_recode, with: {age: {width: 20}}}
    - {method: local_suppression, with: {k: 3}}
    - {method: microaggregation, with: {variables: [income], k: 3}}
risk:
  - {measure: k_anonymity, at_least: 3, because: rule 1}
utility:
  - {measure: ks_distance, at_most: 0.5, because: rule 2}
  - {measure: records_changed}
publish: {formats: [csv, parquet], outbox: outbox}
"""
