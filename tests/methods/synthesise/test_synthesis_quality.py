"""How good are synthetic data: beside those of an established tool, and where the model is true?"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.protection import Protection, Step
from sdc.catalogue.registry import find_measure, find_method
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType

NAMES = ["sex", "age", "region", "marital_status", "education", "activity", "income", "spending", "health"]
NUMBERS = {"age", "income", "spending"}
SEEDS = 5


def roles_for(names, numbers, keys=()):
    role = {name: Role.QUASI_IDENTIFIER if name in keys else Role.OTHER for name in names}
    return Roles.of(
        Variable(name, role[name], VariableType.NUMERIC if name in numbers else VariableType.CATEGORICAL)
        for name in names
    )


def typed(frame):
    return frame[NAMES].astype({name: float if name in NUMBERS else "category" for name in NAMES})


def measured(name, original, candidate, roles, *, steps=(), **options):
    entry = find_measure(name)
    given = entry.arguments(options)
    if entry.takes_rng:
        given["rng"] = np.random.default_rng(0)
    return entry.function(ReleasePair.from_frames(original, candidate, roles, steps=steps), **given)


def synthesise(table, roles, seed, **options):
    entry = find_method("sequential")
    return entry.function(table, roles, np.random.default_rng(seed), **entry.arguments(options)).table


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "options"), [("synthpop_cart", {}), ("synthpop_parametric", {"model": "parametric"})]
)
def test_the_propensity_ratio_is_no_worse_than_that_of_an_established_tool(households, pair, options):
    """A tree's ratio to its permutation null, the mean of five seeds.

    With forty permutations the null hardly moves.

    At the default complexity the tree finds no split in the tool's CART synthesis; a finer one tells it
    apart.
    """
    roles, original = roles_for(NAMES, NUMBERS), typed(households)
    reference = typed(pd.read_csv(f"tests/golden/households/pairs/{pair}.csv"))
    how = {"model": "cart", "complexity": 3e-4, "permutations": 40}
    peer = measured("propensity_mse", original, reference, roles, **how)
    ours = [
        measured("propensity_mse", original, synthesise(original, roles, seed, **options), roles, **how)
        for seed in range(SEEDS)
    ]
    for values, theirs in (
        ([found.value for found in ours], peer.value),
        ([found.parts["pmse"] for found in ours], peer.parts["pmse"]),
    ):
        # Two standard errors of the difference: ours is the mean of five draws, the tool's is one draw.
        assert np.mean(values) <= theirs + 2 * np.std(values, ddof=1) * np.sqrt(1 + 1 / SEEDS)


def drawn_from_a_model(seed, rows=500):
    """Each number a linear function of those before it plus normal noise, then a category by logistic regression."""
    rng = np.random.default_rng(seed)
    made = {"x": rng.normal(size=rows), "y": np.zeros(rows)}
    made["y"] = 1 + made["x"] + rng.normal(size=rows)
    for name in ("a", "b", "c", "d", "e"):
        made[name] = sum(0.3 * held for held in made.values()) + rng.normal(size=rows)
    share = 1 / (1 + np.exp(-(made["y"] - 1) / 2))
    return pd.DataFrame(made).assign(
        z=pd.Categorical.from_codes((rng.random(rows) < share).astype(int), ["no", "yes"])
    )


def overlap(original, candidate, target, predictor):
    """Mean share of each 95 % interval of the slope that lies in the other."""
    ends = []
    for frame in (original, candidate):
        x = frame[predictor] - frame[predictor].mean()
        slope = (x * frame[target]).sum() / (x**2).sum()
        residual = frame[target] - frame[target].mean() - slope * x
        error = np.sqrt((residual**2).sum() / (len(frame) - 2) / (x**2).sum())
        ends.append((slope - 1.96 * error, slope + 1.96 * error))
    common = min(end for _, end in ends) - max(start for start, _ in ends)
    return common / 2 * sum(1 / (end - start) for start, end in ends)


@pytest.mark.slow
def test_under_a_true_model_the_ratio_averages_one_and_intervals_overlap_by_four_fifths():
    """200 replications. The estimates of candidate and original differ by one standard error.

    1 - 0.798 / 3.92 = 0.80.
    """
    names = ["x", "y", "a", "b", "c", "d", "e", "z"]
    roles = roles_for(names, set(names) - {"z"})
    slopes = [("y", "x"), ("a", "y"), ("b", "a"), ("c", "b"), ("d", "c"), ("e", "d")]
    models = [f"{target} ~ {predictor}" for target, predictor in slopes]
    ratios, overlaps, ours = [], [], []
    for seed in range(200):
        table = drawn_from_a_model(seed)
        made = synthesise(table, roles, seed, model="norm", within_range=False)
        ratios.append(measured("propensity_mse", table, made, roles, model="logistic").value)
        overlaps += [overlap(table, made, target, predictor) for target, predictor in slopes]
        ours.append(measured("interval_overlap", table, made, roles, models=models, errors="own"))
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)
    assert np.mean(overlaps) == pytest.approx(0.8, abs=0.02)
    assert np.mean([found.value for found in ours]) == pytest.approx(0.8, abs=0.02)
    assert np.mean([found.parts["expected"] for found in ours]) == pytest.approx(0.8, abs=0.01)
    by_term = [
        found.parts[f"overlap.{number}.{predictor}"]
        for found in ours
        for number, (_, predictor) in enumerate(slopes, start=1)
    ]
    assert by_term == pytest.approx(overlaps, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "drawn"),
    [
        ({"model": "norm"}, []),
        ({"model": "norm_draw", "models": {"z": "logreg"}}, list("yabcde")),
        ({"model": "norm", "proper": True}, list("xyabcdez")),
    ],
    ids=["plain", "norm_draw", "proper"],
)
def test_the_ratio_of_a_true_model_averages_one_whether_its_parameters_were_drawn_or_not(options, drawn):
    """100 replications of a ratio that is chi-square over 8 degrees, at most three standard errors of its mean away."""
    names = ["x", "y", "a", "b", "c", "d", "e", "z"]
    roles, entry, ratios = roles_for(names, set(names) - {"z"}), find_method("sequential"), []
    for seed in range(100):
        table = drawn_from_a_model(seed)
        made = entry.function(
            table, roles, np.random.default_rng(seed), **entry.arguments({**options, "within_range": False})
        )
        assert made.record.get("drawn_parameters", []) == drawn
        step = Step(
            "sequential",
            options,
            Protection.SYNTHETIC,
            aligned=False,
            touched=frozenset(names),
            record=made.record,
        )
        ratios.append(measured("propensity_mse", table, made.table, roles, steps=(step,)).value)
    assert np.mean(ratios) == pytest.approx(1, abs=3 * np.sqrt(2 / 8 / 100))


def test_smoothing_reproduces_fewer_uniques(households):
    """By age and spending, which nearly all records are unique in."""
    original = typed(households).iloc[:1500]
    roles = roles_for(NAMES, NUMBERS, keys=("sex", "spending"))
    plain = measured("replicated_uniques", original, synthesise(original, roles, 1), roles).value
    smooth = measured(
        "replicated_uniques", original, synthesise(original, roles, 1, smoothing="density"), roles
    ).value
    assert smooth < 0.5 * plain


@pytest.fixture(scope="module")
def halves(households):
    """Records a synthesis is made from, and as many of the same population it never saw."""
    order = np.random.default_rng(0).permutation(len(households))
    return [
        typed(households.iloc[np.sort(part)]).reset_index(drop=True)
        for part in (order[: len(order) // 2], order[len(order) // 2 :])
    ]


def reproduced(halves, keys, **options):
    """Replicated uniques in percent.

    Of the records seen, and of those not seen, which is what chance gives.
    """
    roles = roles_for(NAMES, NUMBERS, keys=keys)
    made = synthesise(halves[0], roles, 0, **options)
    return [measured("replicated_uniques", half, made, roles).value for half in halves]


BUT_MONEY = [name for name in NAMES if name not in ("income", "spending")]


@pytest.mark.parametrize("model", ["parametric", "ctree"])
def test_models_other_than_trees_of_donors_reproduce_no_record_beyond_chance(halves, model):
    """About 5 of 100 records are hit in either half; three standard errors of that difference are 1.7."""
    seen, unseen = reproduced(halves, BUT_MONEY, model=model)
    assert unseen > 2
    assert seen < unseen + 1.7


@pytest.mark.slow
def test_trees_hand_on_records_unless_numbers_are_smoothed_and_fewer_with_larger_leaves(halves):
    whole, by_chance = reproduced(halves, NAMES)
    assert by_chance == 0
    assert whole > 1, "no longer true: say so in the docstring of sequential"
    assert reproduced(halves, NAMES, smoothing="density") == [0, 0]
    assert reproduced(halves, NAMES, settings={"cart": {"minbucket": 20}})[0] < whole / 2


def test_the_number_of_threads_changes_no_byte(households, monkeypatch):
    original = typed(households).iloc[:600]
    roles = roles_for(NAMES, NUMBERS)
    made = []
    for threads in (1, 4):
        monkeypatch.setattr("os.cpu_count", lambda threads=threads: threads)
        made.append([synthesise(original, roles, 3, model=model) for model in ("cart", "parametric")])
    for one, other in zip(*made, strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)
