"""Tables every synthesiser must cope with."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def mixed():
    """200 records of every kind of variable, a tenth of each missing."""
    rng = np.random.default_rng(1)
    rows = 200
    age = rng.integers(18, 80, rows).astype(float)
    table = pd.DataFrame(
        {
            "age": age,
            "income": (rng.gamma(2, 1000, rows) + 20 * age).round(2),
            "sex": pd.Categorical(rng.choice(["f", "m"], rows)),
            "education": pd.Categorical(
                np.array(["low", "middle", "high"])[np.minimum(rng.poisson(age / 40), 2)],
                ["low", "middle", "high"],
                ordered=True,
            ),
            "born": pd.Series(
                pd.to_datetime("2020-01-01") - pd.to_timedelta((age * 365).astype(int), unit="D")
            ),
        }
    )
    for name in table:
        table.loc[rng.random(rows) < 0.1, name] = None
    return table
