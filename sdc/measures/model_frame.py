"""Turns a model into one matrix for original and candidate together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import BOTH, comparable, is_number
from sdc.measures.survey_sample import survey_weights
from sdc.statistics.regression.design import Block, Design, design
from sdc.statistics.regression.formula import Factor, Model, parse
from sdc.statistics.regression.regression import Unfit, rows_of

if TYPE_CHECKING:
    from sdc.arrays import Array


MOST_COEFFICIENTS = 1000
MOST_BY_DEFAULT = 5
MOST_LEVELS_BY_DEFAULT = 20


@dataclass(frozen=True)
class ModelFrame:
    """A model on the records of both tables that have all its variables: matrix, column names and response.

    Numbers are divided by `scale`, a power of two for each column, so that none is large.
    """

    matrix: Design
    names: tuple[str, ...]
    scale: Array
    response: Array
    weights: Array
    is_candidate: Array
    logistic: bool
    levels: tuple[str, ...] = ()
    """The level each column stands for, where its term is one categorical variable; empty elsewhere."""

    def side(self, side: Side) -> Design:
        return rows_of(self.matrix, self.is_candidate == (side is Side.CANDIDATE))


def _readable(formula: str) -> str:
    parse(formula)
    return formula


Formula = Annotated[str, AfterValidator(_readable)]
"""A model as text, refused with the profile where it cannot be read."""


def models_by_default(pair: ReleasePair) -> tuple[Model, ...]:
    """Each sensitive variable (or number, where none is sensitive) explained by the keys, or by all others.

    For a category, the commonest level is explained.
    """
    import numpy as np

    shared = comparable(pair)
    known = () if isinstance(shared, NotAssessed) else shared
    responses = [name for name in known if name in pair.roles.sensitive] or [
        name for name in known if is_number(pair, name)
    ]
    keys = [name for name in known if name in pair.roles.quasi_identifiers]
    made = []
    for response in responses[:MOST_BY_DEFAULT]:
        others = [name for name in keys or known if name != response]
        few = [
            name
            for name in others
            if is_number(pair, name) or 1 < len(pair.labels(name)) <= MOST_LEVELS_BY_DEFAULT
        ]
        if is_number(pair, response):
            factor = Factor(response)
        else:
            labels, places = pair.labels(response), pair.places(response, Side.ORIGINAL)
            counts = np.bincount(places[places >= 0], minlength=len(labels))
            factor = Factor(
                response, comparison="==", value=labels[int(counts.argmax())] if counts.size else ""
            )
        if few:
            made.append(Model(factor, tuple((Factor(name),) for name in few)))
    return tuple(made)


def model_frame(pair: ReleasePair, model: Model, *, weighted: bool) -> ModelFrame | NotAssessed:
    """The matrix of a model, or why there is none.

    The reference of a categorical factor is the first level that both tables have, in declared or byte order.
    A response is fitted by logistic regression where it is a comparison or has two categories (the second is
    the event), else by least squares. Records with a missing factor or without a positive weight are left
    out.
    """
    import numpy as np

    shared = comparable(pair, model.variables)
    if isinstance(shared, NotAssessed):
        return shared
    try:
        response, logistic = _response(pair, model.response)
        factors = {factor: _factor(pair, factor) for term in model.terms for factor in term}
    except Unfit as problem:
        return NotAssessed(str(problem))
    weights = np.concatenate([survey_weights(pair, side, weighted=weighted) for side in BOTH])
    held = ~np.isnan(response) & (weights > 0)
    for values, levels in factors.values():
        held &= ~np.isnan(values) if levels is None else values >= 0
    is_candidate = (np.arange(weights.size) >= pair.original.rows)[held]
    if is_candidate.all() or not is_candidate.any():
        return NotAssessed(
            f"no record of the {'original' if is_candidate.all() else 'candidate'} has all of"
            f" {', '.join(model.variables)}"
        )
    blocks, names, levels_of, scales = [], ["intercept"], [""], [1.0]
    for term in model.terms:
        block, scale = _term(
            [(factors[factor][0][held], factors[factor][1]) for factor in term], is_candidate
        )
        blocks.append(block)
        levels_of += (
            _levels_of([(factors[factor][0][held], factors[factor][1]) for factor in term], is_candidate)
            or [""] * block.width
        )
        names += [":".join(map(str, term))] * block.width
        scales += [scale] * block.width
    if len(names) > MOST_COEFFICIENTS:
        return NotAssessed(f"the model has {len(names)} coefficients, and {MOST_COEFFICIENTS} is the limit")
    matrix = design(blocks, is_candidate.size)
    return ModelFrame(
        matrix,
        tuple(names),
        np.array(scales),
        response[held],
        weights[held],
        is_candidate,
        logistic,
        tuple(levels_of),
    )


def _response(pair: ReleasePair, factor: Factor) -> tuple[Array, bool]:
    """The response of all records, and whether it is yes or no."""
    import numpy as np

    values, levels = _factor(pair, factor)
    if levels is None:
        return values, bool(factor.comparison)
    if len(levels) != 2:
        message = (
            f"the response {factor.variable} has {len(levels)} categories: compare it with one, as in"
            f" {factor.variable} == category"
        )
        raise Unfit(message)
    return np.where(values < 0, np.nan, values), True


def _factor(pair: ReleasePair, factor: Factor) -> tuple[Array, tuple[str, ...] | None]:
    """A factor of all records, the original's first: numbers (comparisons 0 or 1), or codes with labels."""
    import numpy as np

    if is_number(pair, factor.variable):
        if factor.comparison and not _is_numeral(factor.value):
            message = f"{factor.variable} is a number and is compared with a word"
            raise Unfit(message)
        return factor.of_numbers(np.concatenate([pair.numbers(factor.variable, side) for side in BOTH])), None
    labels = pair.labels(factor.variable)
    codes = np.concatenate([pair.places(factor.variable, side) for side in BOTH])
    if factor.plain:
        return codes, labels
    if factor.comparison not in ("==", "!="):
        message = f"{factor.variable} is not a number in both tables, as {factor} asks for"
        raise Unfit(message)
    is_it = codes == (labels.index(factor.value) if factor.value in labels else -2)
    return np.where(codes < 0, np.nan, is_it == (factor.comparison == "==")), None


def _is_numeral(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _term(
    factors: Sequence[tuple[Array, tuple[str, ...] | None]], is_candidate: Array
) -> tuple[Block, float]:
    """The product of factors as a block of columns, and the scale its numbers were divided by."""
    import numpy as np

    product: Block | None = None
    scale = 1.0
    for values, levels in factors:
        if levels is None:
            largest = float(np.abs(values).max())
            unit = 2.0 ** math.ceil(math.log2(largest)) if largest else 1.0
            block, scale = Block(np.zeros(values.size, dtype=np.int32), values / unit, 1, -1), scale * unit
        else:
            block = _levels(values, len(levels), is_candidate)
        product = block if product is None else product.times(block)
    assert product is not None
    return product, scale


def _levels_of(factors: Sequence[tuple[Array, tuple[str, ...] | None]], is_candidate: Array) -> list[str]:
    """The levels the columns of a term stand for, where it is one categorical variable."""
    codes, levels = factors[0]
    return (
        [levels[code] for code in _columns(codes, len(levels), is_candidate)]
        if len(factors) == 1 and levels is not None
        else []
    )


def _columns(codes: Array, levels: int, is_candidate: Array) -> list[int]:
    """The codes that have a column: all that occur, but for the first one both tables have."""
    import numpy as np

    counts = [np.bincount(codes[is_candidate == side], minlength=levels) for side in (False, True)]
    common = np.flatnonzero((counts[0] > 0) & (counts[1] > 0))
    return [
        code
        for code in np.flatnonzero(counts[0] + counts[1]).tolist()
        if not common.size or code != common[0]
    ]


def _levels(codes: Array, levels: int, is_candidate: Array) -> Block:
    """A column for each level that occurs, but for the first one both tables have."""
    import numpy as np

    columns = _columns(codes, levels, is_candidate)
    place = np.full(levels, -1, dtype=np.int32)
    place[columns] = np.arange(len(columns), dtype=np.int32)
    return Block(place[codes], None, len(columns), -1)
