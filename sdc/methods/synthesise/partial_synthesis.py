"""What would a few values of a record be, drawn from models given all that is kept of it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, Protected, Protection, method
from sdc.data.roles import Roles
from sdc.errors import BadOption
from sdc.kernels.one_thread import one_thread
from sdc.methods import columns
from sdc.methods.model_choice import (
    ChosenModel,
    GeneralModel,
    Models,
    ModelSettings,
    draws_parameters,
    may_draw_parameters,
)
from sdc.methods.restrictions import Restrictions, WhenThen, readable
from sdc.methods.sequence import Sequence
from sdc.methods.sequence_models import Settings
from sdc.methods.synthetic import SyntheticFrame
from sdc.run.pieces import each_piece
from sdc.run.progress import work_of
from sdc.statistics.synthesis.expression import Expression, Formula
from sdc.statistics.synthesis.smoothing import Smoothing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

    from sdc.arrays import Array


METHOD = "partial_synthesis"
FEWEST = 20


@method(
    protection=Protection.PERTURBATIVE,
    aligned=True,
    example={"variables": ["income"]},
    in_pieces=lambda options: options["m"] > 1 and may_draw_parameters(options),
)
def partial_synthesis(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    variables: Annotated[list[Column], Field(min_length=1)],
    where: Formula | None = None,
    model: GeneralModel = "cart",
    models: Models = {},  # noqa: B006
    settings: ModelSettings = {},  # noqa: B006
    predictors: dict[Column, list[Column]] = {},  # noqa: B006
    smoothing: Smoothing | Literal["none"] = "none",
    rules: list[WhenThen] = [],  # noqa: B006
    constraints: list[Formula] = [],  # noqa: B006
    within_range: bool = True,
    proper: bool = False,
    m: Annotated[int, Field(ge=1, le=1000)] = 1,
) -> Protected:
    """The named variables are drawn anew, one after another, given those kept and those drawn before.

    Everything else stays as it is.

    `where` names the records whose values are drawn (`age >= 90 or income > 200000`); models are then fitted
    to these records alone, of which there must be 20 or more: models of all records would draw values that
    such records hardly ever have. `models`, `settings`, `predictors`, `smoothing`, `rules` and `constraints`
    are those of `sequential`. What a household has in common (`per: household`) is that of its first member
    whose value is drawn. The household number and the weight are kept. `m` tables are drawn; each tells more
    about the values that were replaced.

    Record i stays record i, and what was kept of it is true: it is judged as a perturbed table, not as a
    synthetic one. Keys that are not named protect nobody; trees hand on values of donors. Judge
    record_linkage, and attribute_disclosure with the kept keys.

    Formula: y_iv ~ p(x_v | kept variables, variables drawn before) for the named v and the records of where;
    y_iv = x_iv else.

    Reference: Reiter (2003), Inference for partially synthetic, public use microdata sets, Survey Methodology
    29, 181-188; Drechsler (2011), Synthetic Datasets for Statistical Disclosure Control, chapter 7,
    doi:10.1007/978-1-4614-0326-5.
    """
    order = tuple(columns.known(METHOD, table, variables))
    if fixed := [name for name in order if name in (roles.household, roles.weight)]:
        raise BadOption(
            METHOD, "variables", f"{fixed[0]} is the household number or the weight, which is kept"
        )
    chosen = _chosen(table, where)
    part = table.iloc[chosen]
    given = tuple(name for name in table.columns if name not in (*order, roles.household, roles.weight))
    smoothed = {
        name: smoothing for name in order if smoothing != "none" and not columns.is_category(table[name])
    }
    asked = Settings(
        model,
        {name: ChosenModel.of(held) for name, held in models.items()},
        settings,
        predictors,
        smoothing=smoothed,
        within_range=within_range,
        proper=proper,
        collinear="pearson",
    )
    for option in ("models", "predictors"):
        columns.known(METHOD, table, getattr(asked, option), option)
    restrictions = Restrictions(part, rules, constraints, method=METHOD)
    restrictions.check_order(order, given)
    sequence = Sequence(part, given, order, asked, restrictions)
    kept = {name: columns.as_numbers(part[name]) for name in given}
    shared = any(roles[name].household_level for name in order)
    homes = _first_of_home(part, roles) if shared else np.arange(len(part))

    def placed(drawn: Mapping[str, Array]) -> pd.DataFrame:
        values = {name: columns.as_numbers(table[name]).copy() for name in order}
        for name in order:
            values[name][chosen] = drawn[name][homes] if roles[name].household_level else drawn[name]
        made = SyntheticFrame(table[list(order)], roles).of(values)
        return table.assign(**{name: made[name] for name in order})

    first, *further = (placed(drawn) for drawn in _drawn(sequence, kept, len(part), m, rng))
    record = {
        "models": {name: sequence.chosen[name].model for name in order},
        "predictors": {name: sequence.used[name] for name in order},
        "records": len(part),
    }
    return Protected(first, record=record, syntheses=tuple(further))


def _drawn(
    sequence: Sequence, kept: Mapping[str, Array], rows: int, m: int, rng: np.random.Generator
) -> Iterator[Mapping[str, Array]]:
    """The values of each of m tables, from models of their own where parameters are drawn as well.

    What comes from the same models is one piece.
    """
    anew = sequence.settings.proper or any(map(draws_parameters, sequence.chosen.values()))
    streams = [rng.spawn(2), *(stream.spawn(2) for stream in rng.spawn(m - 1))]
    copies = [[copy] for copy in range(m)] if anew else [list(range(m))]

    def made(number: int) -> list[Array]:
        fitted = sequence.fit(streams[copies[number][0]][0])
        drawn = (sequence.draw(fitted, dict(kept), rows, streams[copy][1]) for copy in copies[number])
        return [values[name] for values in drawn for name in sequence.order]

    with one_thread(), work_of(len(copies) * len(sequence.modelled) + m * len(sequence.order)):
        for arrays in each_piece(len(copies), made):
            for start in range(0, len(arrays), len(sequence.order)):
                yield dict(zip(sequence.order, arrays[start:], strict=False))


def _chosen(table: pd.DataFrame, where: str | None) -> Array:
    """The places of the records whose values are drawn."""
    if where is None:
        return np.arange(len(table))
    condition = Expression.of(where)
    columns.known(METHOD, table, condition.names, "where")
    texts = {name: readable(table[name], columns.as_numbers(table[name])) for name in condition.names}
    chosen: Array = np.flatnonzero(np.broadcast_to(condition.holds(texts), len(table)))
    if chosen.size < FEWEST:
        raise BadOption(
            METHOD, "where", f"it holds in fewer than {FEWEST} records, which are too few for a model"
        )
    return chosen


def _first_of_home(part: pd.DataFrame, roles: Roles) -> Array:
    """For each record the place of the first one of its household."""
    homes = columns.units(part, roles)
    _, first = np.unique(homes, return_index=True)
    places: Array = first[homes]
    return places
