"""What would other records look like, drawn variable by variable from models of those held?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, Need, Protected, Protection, method
from sdc.data.roles import Roles
from sdc.errors import BadOption
from sdc.methods import columns
from sdc.methods.first_group import check_group
from sdc.methods.model_choice import ChosenModel, GeneralModel, Models, ModelSettings, may_draw_parameters
from sdc.methods.restrictions import Restrictions, WhenThen
from sdc.methods.sequence_models import METHOD, Settings
from sdc.methods.stratum_plan import StratumPlan
from sdc.methods.syntheses import Syntheses
from sdc.methods.synthetic import SyntheticFrame, shares_of
from sdc.methods.visit_order import visit_order
from sdc.statistics.synthesis.collinearity import Kind
from sdc.statistics.synthesis.expression import Expression, Formula
from sdc.statistics.synthesis.smoothing import Smoothing
from sdc.statistics.synthesis.visit import VisitTest

if TYPE_CHECKING:
    import pandas as pd


@method(
    protection=Protection.SYNTHETIC,
    aligned=False,
    needs={Need.WEIGHT: lambda options: options["weights"] == "case"},
    in_pieces=lambda options: bool(options["strata"]) or (options["m"] > 1 and may_draw_parameters(options)),
)
def sequential(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    model: GeneralModel = "cart",
    models: Models = {},  # noqa: B006
    settings: ModelSettings = {},  # noqa: B006
    visit: Literal["file", "automatic"] | list[Column] = "file",
    visit_test: VisitTest = "linear",
    first: list[Column] = [],  # noqa: B006
    predictors: dict[Column, list[Column]] = {},  # noqa: B006
    missing_codes: dict[Column, list[float]] = {},  # noqa: B006
    spikes: dict[Column, list[float]] = {},  # noqa: B006
    smoothing: Smoothing | dict[Column, Smoothing] | None = None,
    rules: list[WhenThen] = [],  # noqa: B006
    constraints: list[Formula] = [],  # noqa: B006
    combinations: list[list[Column]] = [],  # noqa: B006
    collinear: Kind | None = "pearson",
    collinear_above: Annotated[float, Field(gt=0)] | None = None,
    within_range: bool = True,
    proper: bool = False,
    m: Annotated[int, Field(ge=1, le=1000)] = 1,
    rows: Annotated[int, Field(ge=1)] | None = None,
    strata: list[Column] = [],  # noqa: B006
    weights: Literal["variable", "case"] = "variable",
    households: Literal["keep", "separate"] = "keep",
) -> Protected:
    """Variables are drawn one after another, each from a model of it given those drawn before.

    The first variable is only sampled: all its values come from the original. So begin with one that is not
    sensitive; the record of the step names sensitive variables that are sampled.

    `visit` is the order: `file` (that of the profile's variables), `automatic` (variables that follow most
    from all others come last), or names; variables not named follow. `visit_test` says how `automatic` tests
    that: `linear` and `cubic` regressions, or `distance` correlation, which finds any dependence; the sealed
    record has the p-values. Categories named in `first` come before all others and are drawn together, from
    their table fitted to all pairs by iterative proportions (at most 20 million cells).

    `model` is for all, `models` gives a variable its own, by name or with options (`{model: norm, ridge:
    0}`), `settings` gives a model its options wherever it is used. Models: sample, norm, norm_draw, lognorm,
    sqrtnorm, cubertnorm, normrank, pmm, logreg, polyreg, polr, cart, ctree, forest, bagging, nested, passive,
    constant, survival_tree; `parametric` chooses a regression by type. `predictors` names, for a variable,
    the only ones its model may use; the matrix used is in the record of the step. A number that says the same
    as an earlier one (`collinear`, above 0.999 or a variance inflation of 1000) predicts nothing and is named
    there.

    A missing category is a category. For numbers and dates it is first drawn whether they are missing, one of
    their `missing_codes` or one of their `spikes`, then their value. Values keep the observed range and
    decimals. `smoothing` moves values of donors, so that extremes are not copied. `rules` fix values under a
    condition; `constraints` (income >= tax) hold in every record that has all their values; of `combinations`
    only observed ones occur.

    Trees (cart, forest, bagging) hand on the values of a few donors and with them some original records, more
    than chance would; ctree and the regressions do not. Judge replicated_uniques; smoothing keeps whole
    records from being handed on, larger leaves (`settings: {cart: {minbucket: 20}}`) make it rarer.
    docs/synthesis.md compares the models.

    `proper` also draws the uncertainty of the models: it fits each to a bootstrap sample of its own for each
    of the `m` syntheses. norm_draw, pmm and models with `bayes` draw their parameters from the posterior
    instead, proper or not. `weights: variable` draws the weight as a variable, last; `case` counts records by
    it instead and gives all the same weight. `strata` are drawn apart. Households are kept: what members have
    in common is drawn once, then the first member, then the others given the first. Each variable has its own
    stream of random numbers.

    Formula: y_1 ~ p(x_1), y_2 ~ p(x_2 | y_1), …, y_p ~ p(x_p | y_1, …, y_{p−1}), each p a model fitted to the
    original.

    Reference: Raghunathan, Reiter, Rubin (2003), Multiple imputation for statistical disclosure limitation,
    Journal of Official Statistics 19, 1-16; Nowok, Raab, Dibben (2016), doi:10.18637/jss.v074.i11.
    """
    chosen = _settings(
        table,
        roles,
        Settings(
            model,
            {name: ChosenModel.of(given) for name, given in models.items()},
            settings,
            predictors,
            {name: tuple(held) for name, held in missing_codes.items()},
            {name: tuple(held) for name, held in spikes.items()},
            _smoothing(table, smoothing),
            within_range,
            proper,
            collinear,
            collinear_above if collinear_above is not None else 1000.0 if collinear == "vif" else 0.999,
        ),
    )
    restrictions = Restrictions(table, rules, constraints, combinations)
    held = columns.case_weights(METHOD, table, roles) if weights == "case" else None
    order, tests = visit_order(table, roles, visit, visit_test, chosen, weighted=held is not None)
    order = (*first, *(name for name in order if name not in first))
    groups = columns.strata(METHOD, table, strata)
    keep = (
        households == "keep"
        and roles.household in table.columns
        and len(np.unique(columns.units(table, roles))) < len(table)
    )
    check_group(table, first, chosen, restrictions, keep=keep)
    plans = [
        StratumPlan(
            table.iloc[group],
            roles,
            order,
            chosen,
            restrictions,
            None if held is None else held[group],
            keep,
            tuple(first),
        )
        for group in groups
    ]
    counts = shares_of(
        rows or len(table), [len(group) if held is None else float(held[group].sum()) for group in groups]
    )
    made = Syntheses(plans, counts, m, proper).drawn(rng)
    frame = SyntheticFrame(table, roles, None if held is None else float(held.sum()))
    frames = [frame.of(values, home) for values, home in made]
    record = plans[int(np.argmax(counts))].record()
    return Protected(
        frames[0],
        record={**record, **_told_of_samples(record["models"], roles, chosen.smoothing)},
        sealed=tests,
        syntheses=tuple(frames[1:]),
    )


def _told_of_samples(
    models: Mapping[str, str], roles: Roles, smoothing: Mapping[str, Smoothing]
) -> dict[str, str]:
    """A note where sensitive variables are sampled and not smoothed: every value comes from the original."""
    open_values = [
        name
        for name, model in models.items()
        if model == "sample" and name in roles.sensitive and name not in smoothing
    ]
    return (
        {"note": f"all values of {', '.join(open_values)} are original ones, drawn from those observed"}
        if open_values
        else {}
    )


def _settings(table: pd.DataFrame, roles: Roles, chosen: Settings) -> Settings:
    """The settings, once every variable they name is known to be one."""
    for option in ("models", "predictors", "missing_codes", "spikes", "smoothing"):
        columns.known(METHOD, table, getattr(chosen, option), option)
    for option in ("missing_codes", "spikes", "smoothing"):
        for name in getattr(chosen, option):
            if columns.is_category(table[name]):
                raise BadOption(METHOD, option, f"{name} does not hold numbers")
    for row in chosen.predictors.values():
        columns.known(METHOD, table, row, "predictors")
    for choice in chosen.models.values():
        named = [
            str(choice.options[key])
            for key in ("within", "event")
            if choice.model in ("nested", "survival_tree") and key in choice.options
        ]
        formula = Expression.of(choice.options["formula"]).names if choice.model == "passive" else ()
        columns.known(METHOD, table, [*named, *formula], "models")
    if roles.household in chosen.models:
        raise BadOption(
            METHOD, "models", f"{roles.household} is the household number, which is not drawn from a model"
        )
    return chosen


def _smoothing(
    table: pd.DataFrame, given: Smoothing | Mapping[str, Smoothing] | None
) -> Mapping[str, Smoothing]:
    if isinstance(given, str):
        return {name: given for name in table.columns if not columns.is_category(table[name])}
    return given or {}
