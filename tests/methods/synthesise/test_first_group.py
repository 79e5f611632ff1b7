"""Is a first group of categories drawn together, and what follows given it?"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import BadOption
from sdc.methods.first_group import FirstGroup


def table() -> pd.DataFrame:
    """Two categories that mostly go together (10, 30, 40, 20 of a hundred), a third that is missing in a tenth, a number by the first."""
    a, b = np.repeat([0, 0, 1, 1], [200, 600, 800, 400]), np.repeat([0, 1, 0, 1], [200, 600, 800, 400])
    c = np.tile([0, 1, 1, 1, 1, 0, 1, 1, 1, -1], 200)
    x = 10.0 * a + np.tile(np.arange(8) / 8, 250)
    return pd.DataFrame(
        {
            "x": x,
            **{
                name: pd.Categorical.from_codes(codes, ["n", "y"])
                for name, codes in (("a", a), ("b", b), ("c", c))
            },
        }
    )


def synthesise(given: dict[str, object], held: pd.DataFrame | None = None):
    held = table() if held is None else held
    kinds = {"x": VariableType.NUMERIC}
    variables = [
        Variable(
            name, Role.HOUSEHOLD if name == "home" else Role.OTHER, kinds.get(name, VariableType.CATEGORICAL)
        )
        for name in held
    ]
    entry = find_method("sequential")
    return entry.function(held, Roles.of(variables), np.random.default_rng(4), **entry.arguments(given))


def test_the_group_has_its_table_and_the_others_follow_it():
    made = synthesise({"first": ["a", "b"], "rows": 20_000})
    shares = pd.crosstab(made.table["a"], made.table["b"], normalize=True).to_numpy()
    assert shares == pytest.approx(np.array([[0.1, 0.3], [0.4, 0.2]]), abs=0.015)
    assert ((made.table["x"] > 5) == (made.table["a"] == "y")).all()
    assert made.record["visit"] == ["a", "b", "x", "c"]
    assert made.record["models"] == {"a": "ipf", "b": "ipf", "x": "cart", "c": "cart"}
    assert made.record["predictors"] == {"a": [], "b": [], "x": ["a", "b"], "c": ["a", "b", "x"]}


def test_of_three_variables_all_pairs_are_kept_and_a_missing_value_is_a_category():
    held = table()
    cells = FirstGroup(held, ("a", "b", "c")).fit(np.random.default_rng(0))
    assert cells.sum(axis=2)[:2, :2] == pytest.approx(np.array([[0.1, 0.3], [0.4, 0.2]]), abs=1e-6)
    assert cells.sum(axis=(0, 1)) == pytest.approx([0.2, 0.7, 0.1], abs=1e-6)
    made = synthesise({"first": ["a", "b", "c"], "rows": 20_000}).table
    assert made["c"].isna().mean() == pytest.approx(0.1, abs=0.01)


def test_all_variables_may_be_in_the_group():
    made = synthesise({"first": ["c", "b", "a"]}, table()[["a", "b", "c"]])
    assert made.record["visit"] == ["c", "b", "a"]
    assert len(made.table) == 2000


def test_proper_syntheses_draw_the_table_anew():
    def shares(*, proper: bool) -> np.ndarray:
        made = synthesise(
            {"first": ["a", "b"], "rows": 4000, "m": 60, "proper": proper}, table()[["a", "b"]].iloc[::20]
        )
        return np.array([(frame["a"] == "y").mean() for frame in (made.table, *made.syntheses)])

    # A share of 0.6 of 100 records is known up to 0.0024, and 4,000 draws add 0.00006.
    assert 0.6 < shares(proper=True).var(ddof=1) / 0.00246 < 1.6
    assert shares(proper=False).var(ddof=1) < 0.0002


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"first": ["x"]}, "x does not hold categories"),
        ({"first": ["z"]}, "no variable is called"),
        ({"first": ["a", "b"], "models": {"a": "cart"}}, "a is drawn from the table of the group"),
        ({"first": ["a", "b"], "predictors": {"b": ["a"]}}, "b is drawn from the table of the group"),
        (
            {"first": ["a", "b"], "rules": [{"when": "c == 'y'", "then": {"a": "n"}}]},
            "of a within the group are not heeded",
        ),
        ({"first": ["a", "b"], "combinations": [["a", "b"]]}, "of a within the group are not heeded"),
    ],
)
def test_what_a_table_does_not_heed_is_refused(given, message):
    with pytest.raises(BadOption, match=message):
        synthesise(given)


def test_households_that_are_kept_are_refused():
    held = table().assign(home=pd.Categorical([str(number // 2) for number in range(2000)]))
    with pytest.raises(BadOption, match="write households: separate"):
        synthesise({"first": ["a"]}, held)
    assert len(synthesise({"first": ["a"], "households": "separate"}, held).table) == 2000
