"""How many of the true values that a method hid does the rest of the candidate give back?"""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.sharing import shared
from sdc.measures.comparison import comparable, is_number
from sdc.statistics.attribution.reconstruction import most_frequent_within, right_share
from sdc.statistics.regression.design import Feature
from sdc.statistics.trees.classification import TreeColumns, grow_tree

MOST_LABELS = 256
"""A tree is grown for variables of no more values; and splits on categories of no more."""


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0!: nothing comes back",
    bounds=(0, 1),
    needs=(Need.ALIGNED,),
    alternatives=("attribute_inference", "class_attribution"),
    parts="gain.VARIABLE:lower:0..1 released.VARIABLE by_one.VARIABLE:lower:0..1 by_tree.VARIABLE:lower:0..1",
)
def reconstruction(pair: ReleasePair, *, variables: list[Column] | None = None) -> Measurement | NotAssessed:
    """The largest gain in true values that an outsider has from the rest of the candidate.

    The gain is a share of records, over the variables that were changed or blanked.

    released.VARIABLE is the share of records whose released value is the true one. by_one.VARIABLE: the most
    frequent released value within the levels of one other released variable, for the variable that reveals
    most; the number of records under a household number is such a variable too. by_tree.VARIABLE: the most
    frequent value in the leaves of a classification tree grown on the candidate from all other variables, for
    variables of at most 256 values. A guess is taken everywhere, or only where the released value is blank,
    whichever is right more often. gain.VARIABLE is the larger of the two less released.VARIABLE, 0 where
    negative; the value is the largest gain, 0 where nothing was changed. A true value is the original's, or
    the label that holds it where it was generalised; records without one do not count. Household numbers are
    drawn anew and are nothing to reconstruct.

    Formula: max_v max(0, P(guess_v = x_v) − P(y_v = x_v)).

    Reference: Willenborg, de Waal (2001), Elements of Statistical Disclosure Control,
    doi:10.1007/978-1-4613-0121-9, on reconstructing suppressed and perturbed values; Breiman, Friedman,
    Olshen, Stone (1984), doi:10.1201/9781315139470, on trees.
    """
    targets = comparable(pair, variables)
    if isinstance(targets, NotAssessed):
        return targets
    parts: dict[str, float] = {}
    for target in (name for name in targets if name != pair.roles.household):
        truth, released = (pair.places(target, side) for side in (Side.ORIGINAL, Side.CANDIDATE))
        if bool(((truth >= 0) & (truth != released)).any()):
            parts.update(
                _guessed(
                    pair, target, [name for name in pair.candidate.columns if name != target], truth, released
                )
            )
    return Measurement(
        max((gain for name, gain in parts.items() if name.startswith("gain.")), default=0.0), parts
    )


def _guessed(
    pair: ReleasePair, target: str, others: list[str], truth: Array, released: Array
) -> dict[str, float]:
    itself = float((truth == released)[truth >= 0].mean())
    levels = [pair.grouping(name) for name in others]
    if pair.roles.household in others:
        levels.append(_records_at_home(pair, str(pair.roles.household)))
    by_one = max(
        (right_share(most_frequent_within(level, released), released, truth) for level in levels),
        default=itself,
    )
    found = {f"released.{target}": itself, f"by_one.{target}": by_one}
    by_tree = _by_tree(pair, [name for name in others if name != pair.roles.household], released, truth)
    if by_tree is not None:
        found[f"by_tree.{target}"] = by_tree
    return {f"gain.{target}": max(by_one - itself, (by_tree or 0.0) - itself, 0.0), **found}


@shared
def _records_at_home(pair: ReleasePair, household: str) -> Array:
    """How many records have this record's household number; a record without one is alone."""
    homes = pair.grouping(household)
    sizes: Array = np.append(np.bincount(homes[homes >= 0]), 1)[homes]
    return sizes


def _by_tree(pair: ReleasePair, others: list[str], released: Array, truth: Array) -> float | None:
    """The guesses of a tree; None where there is nothing to grow it from, or too many values to separate."""
    shown, codes = np.unique(released[released >= 0], return_inverse=True)
    features = [feature for name in others if (feature := _feature(pair, name)) is not None]
    if not features or not 1 < shown.size <= MOST_LABELS:
        return None
    columns = TreeColumns.of(features)
    tree = grow_tree(columns.part(released >= 0), codes, int(shown.size))
    guess = shown[tree.counts.argmax(axis=1)][tree.route(columns)]
    return right_share(guess, released, truth)


@shared
def _feature(pair: ReleasePair, name: str) -> Feature | None:
    if is_number(pair, name):
        return Feature(name, pair.numbers(name, Side.CANDIDATE))
    codes = pair.grouping(name)
    levels = int(codes.max(initial=-1)) + 1
    return Feature(name, codes, levels) if 0 < levels <= MOST_LABELS else None
