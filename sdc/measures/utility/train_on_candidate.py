"""Does a model trained on the candidate predict as well as one trained on the original?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import comparable, is_number
from sdc.statistics.distances.ordering import canonical_order
from sdc.statistics.regression.design import Feature
from sdc.statistics.regression.prediction import Learner, explained_share, predicted, predictors

MOST_RECORDS = 100_000
MOST_COLUMNS = 1_000
LEAST_EXPLAINED = 0.01


@measure(
    family=Family.UTILITY,
    better=Better.HIGHER,
    unit=Unit.RATIO,
    against="1: nothing done",
    parts="original candidate accuracy_original accuracy_candidate on_holdout tested_records",
    variants=({"target": "spending"},),
)
def train_on_candidate(
    pair: ReleasePair,
    *,
    target: Column | None = None,
    model: Learner = "linear",
    variables: list[Column] | None = None,
    rng: np.random.Generator,
) -> Measurement | NotAssessed:
    """The score of a model trained on the candidate over that of the same model trained on the original.

    Both are tested on the holdout, which neither the methods nor the models saw; without one, on the original
    itself, which favours the model trained there (part `on_holdout` is 0 then). The score is the share of the
    squared error that predictions of `target` take away from the best constant: R² for a number, and for
    categories the same of their probabilities (Brier); worse than the constant is 0. `original` and
    `candidate` are the scores, `accuracy_original` and `accuracy_candidate` the shares of categories that are
    predicted right.

    `target` is the first sensitive variable unless named, `variables` are what it is predicted from, else all
    others. `linear` is a ridge regression (of each category's indicator), `tree` one tree and `forest` a
    hundred, from scikit-learn. Records without the target are left out; a missing predictor is a level, or 0
    with an indicator. From a table beyond 100,000 records, 100,000 are drawn at random. Where the original's
    model explains less than a hundredth there is nothing to compare. No p-value is given: the tables are
    dependent.

    Formula: max(0, score(f_y)) / score(f_x), score(f) = 1 − Σ (t − f)² / Σ (t − mean(t))² on the holdout.

    Reference: Esteban, Hyland and Rätsch (2017), arXiv:1706.02633.
    """
    tests = Side.HOLDOUT if pair.holdout is not None else Side.ORIGINAL
    asked = _asked(pair, target, variables, tests)
    if isinstance(asked, NotAssessed):
        return asked
    chosen, names = asked
    seed = int(rng.integers(2**31))
    sides = {
        side: _records(pair, names, chosen, side, seed)
        for side in dict.fromkeys((Side.ORIGINAL, Side.CANDIDATE, tests))
    }
    if lacking := [side.value for side, held in sides.items() if not held.target.size]:
        return NotAssessed(f"no record of the {' and the '.join(lacking)} has a value of {chosen}")
    reference = sides[Side.ORIGINAL].features
    if (width := sum(2 if known.levels is None else known.levels + 1 for known in reference)) > MOST_COLUMNS:
        return NotAssessed(
            f"the predictors have {width} columns, and {MOST_COLUMNS} is the limit: name fewer variables or"
            " group their levels"
        )
    scores = {
        side: _scores(sides[side], sides[tests], reference, model, seed)
        for side in (Side.ORIGINAL, Side.CANDIDATE)
    }
    if not scores[Side.ORIGINAL]["score"] >= LEAST_EXPLAINED:
        return NotAssessed(f"the other variables do not explain {chosen}, even in the original")
    parts = {
        f"{name}_{side.value}" if name != "score" else side.value: number
        for side, held in scores.items()
        for name, number in held.items()
    }
    parts.update({"on_holdout": tests is Side.HOLDOUT, "tested_records": sides[tests].target.size})
    return Measurement(scores[Side.CANDIDATE]["score"] / scores[Side.ORIGINAL]["score"], parts)


def _asked(
    pair: ReleasePair, target: str | None, variables: list[str] | None, tests: Side
) -> tuple[str, list[str]] | NotAssessed:
    """The target, and the variables from which it is predicted."""
    chosen = target or next(iter(pair.roles.sensitive), None)
    if chosen is None:
        return NotAssessed("no target was named and no variable is sensitive")
    columns = comparable(pair, [*variables, chosen] if variables else None)
    if isinstance(columns, NotAssessed):
        return columns
    names = [column for column in columns if column != chosen]
    if chosen not in columns or not names or not set(columns) <= set(pair.table(tests).columns):
        return NotAssessed(f"{chosen} and a variable to predict it from must be in all tables")
    return chosen, names


@dataclass(frozen=True)
class Records:
    """Features and target of some records; `categories` is None for a number."""

    features: list[Feature]
    target: Array
    categories: int | None


def _records(pair: ReleasePair, names: list[str], target: str, side: Side, seed: int) -> Records:
    """The records of a table that have the target, in an order of their own."""
    features = [_feature(pair, name, side) for name in names]
    held = _feature(pair, target, side)
    order = canonical_order([*(each.values for each in features), held.values])
    order = order[~np.isnan(held.values[order]) if held.numeric else held.values[order] >= 0]
    if order.size > MOST_RECORDS:
        order = order[np.sort(np.random.default_rng(seed).choice(order.size, MOST_RECORDS, replace=False))]
    return Records(
        [Feature(each.name, each.values[order], each.levels) for each in features],
        held.values[order],
        held.levels,
    )


def _feature(pair: ReleasePair, name: str, side: Side) -> Feature:
    if is_number(pair, name) and pair.table(side).is_numeric(name):
        return Feature(name, pair.numbers(name, side))
    known = [pair.places(name, each) for each in (Side.ORIGINAL, Side.CANDIDATE)]
    codes = pair.places(name, side)
    return Feature(name, codes, int(max(places.max(initial=-1) for places in (*known, codes))) + 1)


def _scores(
    train: Records, test: Records, reference: list[Feature], model: Learner, seed: int
) -> dict[str, float]:
    inside, outside = predictors(train.features, reference), predictors(test.features, reference)
    if train.categories is None or test.categories is None:
        # In units of its size, so that no square overflows.
        size = float(np.abs(np.concatenate([train.target, test.target])).max()) or 1.0
        return {
            "score": explained_share(
                predicted(model, inside, train.target / size, outside, seed), test.target / size
            )
        }
    categories = max(train.categories, test.categories)
    shares = predicted(model, inside, train.target, outside, seed, categories)
    accuracy = np.count_nonzero(shares.argmax(axis=1) == test.target) / test.target.size
    return {"score": explained_share(shares, np.eye(categories)[test.target]), "accuracy": accuracy}
