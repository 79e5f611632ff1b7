"""Does a tree that explains the original explain the candidate as well?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import candidate_records, coded, comparable, features
from sdc.statistics.trees.classification import Tree, TreeColumns, grow_tree, node_gini, overall_gini

GROUPS = 5
MOST_LEAVES = 30


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.IMPURITY,
    against="0: nothing done",
    bounds=(0, 1),
    parts=(
        "original candidate candidate_own leaves original.NUMBER candidate.NUMBER first.NUMBER.VARIABLE"
        " second.NUMBER leaf.NUMBER"
    ),
)
def tree_impurity(
    pair: ReleasePair,
    *,
    target: Column | None = None,
    min_leaf: Annotated[int, Field(ge=1)] = 20,
    complexity: Annotated[float, Field(ge=0, lt=1)] = 0.001,
    variables: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """The absolute change of the overall Gini impurity of a classification tree for `target`.

    The tree is grown on the original from the other variables; records of both tables fall into its leaves. A
    leaf's impurity is 1 - the sum of squared shares of the target's categories, the overall one its mean by
    records. `original` and `candidate` are the overall values, `original.N` and `candidate.N` those of leaf
    N, `candidate_own` that of a tree grown on the candidate. Of a tree of up to 30 leaves, first.N.VARIABLE
    and second.N are the children of node N, which that variable splits, and leaf.N says which leaf a node is.
    `target` is the first sensitive variable unless
    named; a number is cut into five groups of equal frequency; missing is a category. No p-value is given:
    the tables are dependent.

    Formula: |Σ_l (m_l / m) G_l(y) − Σ_l (n_l / n) G_l(x)|, G_l = 1 − Σ_c p_lc².

    Reference: Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees,
    doi:10.1201/9781315139470.
    """
    chosen = target or next(iter(pair.roles.sensitive), None)
    if chosen is None:
        return NotAssessed("no target was named and no variable is sensitive")
    columns = comparable(pair, [*variables, chosen] if variables else None)
    if isinstance(columns, NotAssessed):
        return columns
    predictors = tuple(column for column in columns if column != chosen)
    if chosen not in columns or not predictors:
        return NotAssessed(f"{chosen} and a variable to predict it from must be in both tables")
    held = coded(pair, chosen, GROUPS)
    labels = np.concatenate([held.original, held.candidate]).astype(np.int64) % (held.size + 1)
    explained_by = features(pair, predictors)
    table, is_candidate = TreeColumns.of(explained_by), candidate_records(pair)
    sides = [table.part(~is_candidate), table.part(is_candidate)]
    parted = [labels[~is_candidate], labels[is_candidate]]
    trees = [
        grow_tree(
            side, own, held.size + 1, complexity=complexity, least_split=2 * min_leaf, least_leaf=min_leaf
        )
        for side, own in zip(sides, parted, strict=True)
    ]
    counts = np.zeros(trees[0].counts.shape, dtype=np.int64)
    np.add.at(counts, (trees[0].route(sides[1]), parted[1]), 1)
    before, after = trees[0].gini, overall_gini(counts)
    parts = {
        "original": before,
        "candidate": after,
        "candidate_own": trees[1].gini,
        "leaves": trees[0].leaves,
    }
    for leaf in range(trees[0].leaves):
        parts.update(
            {
                f"original.{leaf + 1}": node_gini(trees[0].counts[leaf]),
                f"candidate.{leaf + 1}": node_gini(counts[leaf]),
            }
        )
    if trees[0].leaves <= MOST_LEAVES:
        parts |= _structure(
            trees[0], [explained_by[place].name for place in TreeColumns.sources(explained_by)]
        )
    return Measurement(abs(after - before), parts)


def _structure(tree: Tree, names: list[str]) -> dict[str, float]:
    """The nodes of a tree with their children, numbered from the root; no value that splits one."""
    inner = tree.inner_nodes
    listed = [0, *(child for _, _, first, second in inner for child in (first, second))]
    number = {node: place for place, node in enumerate(listed, start=1)}
    found: dict[str, float] = {}
    for node, column, first, second in inner:
        found[f"first.{number[node]}.{names[column]}"] = number[first]
        found[f"second.{number[node]}"] = number[second]
    found |= {f"leaf.{number[int(node)]}": place for place, node in enumerate(tree.ends, start=1)}
    return found
