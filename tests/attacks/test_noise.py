"""Attacks on differentially private noise: its low bits, and the categories of the table it is put on."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import BadProfile
from sdc.profile.load import load_profile
from sdc.run.randomness import Randomness
from sdc.statistics.noise.discrete_laplace import discrete_laplace

PROFILE = """
name: private
access: ACCESS
source: {path: people.csv}
variables:
  illness: ILLNESS
  age: {role: quasi_identifier, type: numeric}
candidates:
  drawn:
    STEP
risk:
  - {measure: privacy_budget, at_most: 1, because: rule 1}
"""
TABLE = "- {method: saturated_table, with: {epsilon: 0.1, edges: {age: [0, 50, 100]}}}"


def faults(tmp_path, access: str, illness: str, step: str = TABLE) -> str:
    (tmp_path / "profile.yaml").write_text(
        PROFILE.replace("ACCESS", access).replace("ILLNESS", illness).replace("STEP", step)
    )
    with pytest.raises(BadProfile) as refused:
        load_profile(tmp_path / "profile.yaml")
    return str(refused.value)


@pytest.mark.parametrize("method", ["saturated_table", "ipf_tables", "dp_marginals"])
def test_categories_read_off_the_data_are_refused_in_an_open_release(tmp_path, method):
    assert f"{method} does not know the categories of 'illness'" in faults(
        tmp_path, "open", "sensitive", TABLE.replace("saturated_table", method)
    )
    recoded = (
        "- {method: global_recode, with: {illness: {groups: {some: [flu, rare]}}}}\n    "
        + TABLE.replace("saturated_table", method)
    )
    assert "a step before gave to 'illness'" in faults(
        tmp_path, "open", "{role: sensitive, allowed: [none, flu, rare]}", recoded
    )
    for access, illness in (
        ("open", "{role: sensitive, allowed: [none, flu, rare]}"),
        ("secure", "sensitive"),
    ):
        text = (
            PROFILE.replace("ACCESS", access)
            .replace("ILLNESS", illness)
            .replace("STEP", TABLE.replace("saturated_table", method))
        )
        (tmp_path / "profile.yaml").write_text(text)
        load_profile(tmp_path / "profile.yaml")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["saturated_table", "ipf_tables"])
def test_one_persons_category_does_not_give_that_person_away(method):
    """In draws at epsilon 0.1 a declared category appears about as often with the only person who has it as without."""
    roles = Roles.of([Variable("illness", Role.SENSITIVE, allowed=("none", "flu", "rare"))])
    entry = find_method(method)
    shares = []
    for people in (["none"] * 30 + ["flu"] * 20, ["none"] * 30 + ["flu"] * 20 + ["rare"]):
        table = pd.DataFrame({"illness": pd.Categorical(people)})
        draws = [
            entry.function(
                table, roles, Randomness.from_seed(seed).stream(), **entry.arguments({"epsilon": 0.1})
            ).table
            for seed in range(400)
        ]
        shares.append(np.mean([(drawn["illness"] == "rare").any() for drawn in draws]))
    # Their ratio is at most exp(0.1); the standard error of a share of 400 is 0.025.
    assert 0.2 < shares[0] < 0.8
    assert shares[1] <= math.exp(0.1) * shares[0] + 0.1


@pytest.mark.parametrize("rate", [0.05, 0.7, 3.0])
def test_discrete_laplace_noise_has_its_distribution(rate):
    n = 200_000
    drawn = discrete_laplace(rate, n, Randomness.from_seed(1).stream())
    ratio = math.exp(-rate)
    values = np.arange(-3, 4)
    expected = (1 - ratio) / (1 + ratio) * ratio ** np.abs(values)
    observed = np.array([(drawn == value).mean() for value in values])
    assert np.all(np.abs(observed - expected) < 5 * np.sqrt(expected / n))
    assert drawn.var() == pytest.approx(2 * ratio / (1 - ratio) ** 2, rel=0.05)
    for wrong in (0.0, -1.0, math.inf, math.nan, 1e-20):
        with pytest.raises((ValueError, OverflowError)):
            discrete_laplace(wrong, 1, Randomness.from_seed(1).stream())


@pytest.mark.parametrize(
    ("method", "options"),
    [("laplace_noise", {"epsilon": 1.0}), ("gaussian_noise", {"epsilon": 1.0, "delta": 1e-6})],
)
def test_the_low_bits_of_a_noisy_value_do_not_tell_the_value(method, options):
    """Whatever the value, results lie on the same grid: 1/3 and 1/7 leave no trace in the last bits."""
    entry = find_method(method)
    roles = Roles.of([Variable("income", Role.SENSITIVE, type="numeric")])
    offsets = []
    for value in (1 / 3, 1 / 7, 0.123456789):
        table = pd.DataFrame({"income": np.full(2000, value)})
        made = entry.function(
            table,
            roles,
            Randomness.from_seed(3).stream(),
            **entry.arguments({**options, "income": (0.0, 1.0)}),
        ).table["income"]
        step = 2.0 ** math.floor(math.log2(made.std())) / 2**22
        offsets.append(set(np.round((made / step) % 1, 12)))
    assert offsets[0] == offsets[1] == offsets[2] == {0.0}


NOISY = {
    "laplace_noise": "age: [0, 100]",
    "gaussian_noise": "delta: 0.00001, age: [0, 100]",
    "regression_laplace": "variables: [age]",
    "saturated_table": "edges: {age: [0, 50, 100]}",
    "ipf_tables": "edges: {age: [0, 50, 100]}",
    "dp_marginals": "edges: {age: [0, 50, 100]}",
}


@pytest.mark.parametrize("method", NOISY)
@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        ("1e308", "must be at most 1e+06"),
        ("1e-308", "must be at least 1e-06"),
        ("0", "must be at least 1e-06"),
    ],
)
def test_an_epsilon_beyond_all_use_is_refused_in_a_sentence(tmp_path, method, epsilon, said):
    step = f"- {{method: {method}, with: {{epsilon: {epsilon}, {NOISY[method]}}}}}"
    assert f"epsilon {said}" in faults(tmp_path, "secure", "sensitive", step)


@pytest.mark.parametrize("bounds", ["[-1e308, 1e308]", "[0, 1e308]", "[-1.1e15, 0]", "[0, 1e-300]", "[5, 5]"])
def test_bounds_beyond_all_use_are_refused_in_a_sentence(tmp_path, bounds):
    said = faults(
        tmp_path, "secure", "sensitive", f"- {{method: laplace_noise, with: {{epsilon: 1, age: {bounds}}}}}"
    )
    assert (
        "the lower bound must lie below the upper, by 1e-09 at least, and both between -1e+15 and 1e+15"
        in said
    )


def test_a_delta_too_small_to_compute_with_is_refused(tmp_path):
    step = "- {method: gaussian_noise, with: {epsilon: 1, delta: 1e-320, age: [0, 100]}}"
    assert "delta must be at least 1e-300" in faults(tmp_path, "secure", "sensitive", step)


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("bounds", [(-1e15, 1e15), (0.0, 1e-9), (1e15 - 1, 1e15), (0.0, 100.0)])
@pytest.mark.parametrize("method", ["laplace_noise", "gaussian_noise"])
def test_noise_is_finite_at_every_end_of_what_is_allowed(method, bounds, epsilon):
    entry = find_method(method)
    options = {
        "epsilon": epsilon,
        "age": list(bounds),
        **({"delta": 1e-300} if method == "gaussian_noise" else {}),
    }
    roles = Roles.of([Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC)])
    table = pd.DataFrame({"age": np.linspace(*bounds, 50)})
    made = (
        entry.function(table, roles, Randomness.from_seed(1).stream(), **entry.arguments(options))
        .table["age"]
        .to_numpy()
    )
    assert np.isfinite(made).all()
    # Noise far wider than the bounds at the lowest epsilon, and far narrower at the highest, as far as
    # numbers of this size go.
    spread = float(np.abs(made - table["age"]).mean()) / (bounds[1] - bounds[0])
    assert (spread > 1e4) if epsilon == 1e-6 else (spread < 100)


@pytest.mark.parametrize("rate", [4096.0, 1e6, 1e300])
def test_a_rate_beyond_all_noise_gives_the_noise_of_the_largest_rate(rate):
    assert not discrete_laplace(rate, 1000, Randomness.from_seed(1).stream()).any()
