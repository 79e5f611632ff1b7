"""Every caption says what was measured.

Its numbers are the measurement's own, whatever the drawn table would give.

The measurements are made up, so that no number in them could come from the tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Interval, Measurement
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.gate.decision import Decision, Verdict
from sdc.gate.judged import JudgedCandidate
from sdc.measures.assess import assess
from sdc.profile import Profile
from sdc.report import Edition, RunFacts
from sdc.report.figures.attacks import attack_rates, attacks
from sdc.report.figures.candidates import risk_utility_map
from sdc.report.figures.class_grid import grid_of
from sdc.report.figures.clusters import clusters
from sdc.report.figures.correlations import correlations, matrices
from sdc.report.figures.distribution import distribution
from sdc.report.figures.figure_registry import figures, variable_figures
from sdc.report.figures.intervals import coefficients, estimates, indicators
from sdc.report.figures.measured import attribution, bands, contributions
from sdc.report.figures.multiples import multiples
from sdc.report.figures.risk import class_sizes
from sdc.report.figures.scatter import points_of
from sdc.report.figures.scene import Drawer, Scene
from sdc.report.figures.scores import score_histogram, scores_of
from sdc.report.figures.spread import spread
from sdc.report.figures.sweep_curves import Curve, curve_figure
from sdc.report.figures.two_way_fits import fits, heat_map
from sdc.report.forbidden import Forbidden
from sdc.report.views import Figure
from sdc.report.words import Token, counts

NUMERIC = VariableType.NUMERIC
ROLES = Roles.of(
    [
        Variable("age", Role.QUASI_IDENTIFIER, NUMERIC),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("income", Role.SENSITIVE, NUMERIC),
        Variable("wealth", Role.SENSITIVE, NUMERIC),
    ]
)
PLAN = Profile.model_validate(
    {
        "name": "people",
        "source": {"path": "people.csv"},
        "variables": {
            "age": {"role": "quasi_identifier", "type": "numeric"},
            "region": "quasi_identifier",
            "income": {"role": "sensitive", "type": "numeric"},
            "wealth": {"role": "sensitive", "type": "numeric"},
        },
        "candidates": {"one": [], "two": []},
        "risk": [{"measure": "k_anonymity", "at_least": 5}],
        "utility": [{"measure": "ks_distance"}],
    }
)


def tables() -> ReleasePair:
    number = np.arange(600)
    frame = pd.DataFrame(
        {
            "age": 20.0 + number % 60,
            "region": np.where(number % 3 == 0, "North", "South"),
            "income": 1000.0 + 5 * (number * 7 % 800),
            "wealth": (number * 13 % 500).astype(float),
        }
    )
    changed = frame.assign(
        income=(frame.income / 100).round() * 100,
        wealth=frame.wealth.iloc[::-1].to_numpy(),
        region=frame.region.shift(1, fill_value="North"),
    )
    return ReleasePair.from_frames(frame, changed, ROLES, aligned=True)


@dataclass(frozen=True)
class Case:
    """A figure drawn beside a made-up measurement.

    `besides` are numbers of its caption that count what is drawn or name a level.
    """

    figure: str
    measure: str
    measured: Measurement
    draw: Callable[[ReleasePair, Drawer, Assessment], Figure | None]
    says: str
    besides: tuple[float, ...] = ()
    options: tuple[tuple[str, object], ...] = ()


SURFACE = {
    f"{head}.{key}.{target}": value
    for head, value in (("p", 0.277), ("p_original", 0.733))
    for key in (2, 10)
    for target in (2, 5)
}
CASES = {
    "map": Case(
        "map_of_candidates",
        "k_anonymity",
        Measurement(7.5, {}, Interval(6.25, 8.75)),
        lambda _pair, _drawer, held: risk_utility_map(two_candidates(held)),
        "",
    ),
    "clusters": Case(
        "cluster_shares",
        "cluster_utility",
        Measurement(
            0.01,
            {
                "original.cluster_1": 60,
                "candidate.cluster_1": 40,
                "original.cluster_2": 10,
                "candidate.cluster_2": 30,
            },
        ),
        lambda _pair, _drawer, held: clusters(held),
        "cluster_utility is 0.01",
        besides=(50.0, 25.0, 2),
    ),
    "correlations": Case(
        "pairs_of_numbers",
        "dependence_change",
        Measurement(
            0.777,
            {
                "correlation.income.wealth": -0.777,
                "correlation.age.income": 0.111,
                "correlation.age.wealth": 0.0,
            },
        ),
        lambda pair, _drawer, held: matrices(correlations(pair, ["age", "income", "wealth"], held)),
        "income and wealth, by −0.777 (dependence_change)",
        besides=(3,),
    ),
    "rank correlations": Case(
        "pairs_of_numbers",
        "dependence_change",
        Measurement(
            0.777,
            {
                "correlation.income.wealth": -0.777,
                "correlation.age.income": 0.111,
                "correlation.age.wealth": 0.0,
            },
        ),
        lambda pair, _drawer, held: matrices(correlations(pair, ["age", "income", "wealth"], held)),
        "income and wealth, by −0.777 (dependence_change, spearman)",
        besides=(3,),
        options=(("kind", "spearman"),),
    ),
    "numbers": Case(
        "number_distribution",
        "ks_distance",
        Measurement(0.777, {"distance.wealth": 0.777}),
        lambda pair, drawer, _held: without_place(distribution(spread(pair, "wealth", drawer))),
        "ks_distance of wealth is 0.777",
    ),
    "coefficients": Case(
        "model_coefficients",
        "interval_overlap",
        Measurement(0.777, {"smallest": 0.111, "expected": 0.796}),
        lambda pair, _drawer, held: coefficients(pair, held, PLAN.variables),
        "interval_overlap is 0.777, at worst 0.111",
        besides=(95,),
        options=(("models", ["income ~ age"]),),
    ),
    "indicators": Case(
        "indicator_changes",
        "indicator_change",
        Measurement(
            7.77, {"original.mean.income": 100.0, "value.mean.income": 107.77, "change.mean.income": 7.77}
        ),
        lambda _pair, _drawer, held: indicators(held, PLAN.variables),
        "indicator_change is 7.77",
        besides=(95,),
    ),
    "attribution": Case(
        "attribution_squares",
        "attribution_surface",
        Measurement(0.277, SURFACE),
        lambda _pair, _drawer, held: attribution(held),
        "attribution_surface is 0.277",
    ),
    "contributions": Case(
        "key_contributions",
        "special_uniques",
        Measurement(0.011, {"contribution.age": 22.2, "contribution.region": 77.7}),
        lambda _pair, _drawer, held: contributions(held),
        "special_uniques is 0.011",
    ),
    "bands": Case(
        "grouping_bands",
        "grouping_sensitivity",
        Measurement(0.333, {"cell_ks.2": 0.111, "cell_ks.5": 0.444, "spread.cell_ks": 0.333}),
        lambda _pair, _drawer, held: bands(held),
        "grouping_sensitivity is 0.333",
    ),
    "multiples": Case(
        "candidates_side_by_side",
        "ks_distance",
        Measurement(0.777, {"distance.income": 0.777}),
        lambda pair, drawer, _held: multiples({"one": pair, "two": pair}, {"one": drawer, "two": drawer}),
        "ks_distance as it was measured",
        besides=(4, 2, 3),
    ),
    "classes": Case(
        "sizes_of_classes",
        "k_anonymity",
        Measurement(
            2, {"records_below_2": 0, "records_below_3": 111, "records_below_5": 222, "share_below_k": 0.777}
        ),
        lambda pair, drawer, _held: class_sizes(pair, drawer),
        "222 records are in classes of fewer than 5",
    ),
    "attacks": Case(
        "attack_rates_of_all",
        "singling_out",
        Measurement(0.111, {"attack_rate": 0.777, "control_rate": 0.666}, Interval(0.05, 0.17)),
        lambda _pair, _drawer, held: attack_rates(attacks([held])),
        "singling_out 0.11 (95 % 0.05 to 0.17)",
        besides=(95,),
    ),
    "scores": Case(
        "propensity_scores",
        "propensity_mse",
        Measurement(7.77, {"pmse": 0.0111}),
        lambda pair, _drawer, held: score_histogram(pair, held),
        "propensity_mse is 7.77",
    ),
    "tables": Case(
        "fit_of_two_way_tables",
        "table_fit",
        Measurement(
            77.7,
            {
                f"{head}.{names}": value
                for head, scale in (("specks", 1), ("standardised", 100))
                for names, value in {
                    "age+region": 0.111 * scale,
                    "age+income": 0.222 * scale,
                    "age+wealth": 0.333 * scale,
                    "region+income": 0.444 * scale,
                    "region+wealth": 0.777 * scale,
                    "income+wealth": 0.0 * scale,
                }.items()
            },
        ),
        lambda pair, _drawer, held: heat_map(fits(pair, ["age", "region", "income", "wealth"], held)),
        "region and wealth 77.7\u202f%",
        besides=(4,),
    ),
}
CASES |= {
    "scatter": Case(
        "scatter",
        "dependence_change",
        Measurement(0.125, {"correlation.income.wealth": -0.125}),
        lambda pair, drawer, _held: points_of(pair, ("income", "wealth"), drawer),
        "dependence_change is 0.125.",
    ),
    "class_grid": Case(
        "class_grid",
        "class_attribution",
        Measurement(0.375, {"value.wealth": 0.375, "p_original": 0.5}),
        lambda pair, drawer, held: grid_of(pair, held, drawer),
        "class_attribution is 0.375.",
        options=(("keys", ["income"]), ("target", "wealth")),
    ),
    "sweep_curves": Case(
        "sweep_curves",
        "ks_distance",
        Measurement(0.25, {"distance.income": 0.125}),
        lambda _pair, _drawer, held: curve_figure(
            Curve("k", held.alias, (3, 5, 10), (0.125, 0.25, 0.25), ("one", "two", "three"))
        ),
        "runs from 0.125 to 0.25.",
    ),
}
CASES |= {
    name: Case(
        name,
        entry.measures[0],
        entry.example,
        lambda pair, drawer, held, entry=entry: next(
            iter(entry.drawn(Scene(two_candidates(held), pair, drawer)))
        ),
        f"{entry.measures[0]} is",
    )
    for name, entry in figures().items()
    if entry.example is not None
}
"""A figure may have its example beside it."""
SAYS_NO_NUMBER = {
    "category_shares": "bars of a variable: shares of the tables themselves, which no measure gives",
    "mosaics_of_tables": "weights of the tables themselves, which no measure gives",
    "riskiest_combinations": "combinations of keys and how many records have them",
}
"""Figures drawn from the tables alone, and why no caption of theirs can say what was measured."""


def two_candidates(held: Assessment) -> RunFacts:
    other = Assessment("ks_distance", "ks_distance", "one", Measurement(0.333))
    finding = Finding(
        "k_anonymity", "risk", "one", holds=True, otherwise="withhold", value=6.25, at_least=5, margin=1.25
    )
    one = JudgedCandidate("one", Decision("one", (finding,)), (held, other))
    return RunFacts(
        "r", PLAN, pd.Timestamp("2025-01-01", tz="UTC"), Verdict.WITHHELD, (one, replace(one, name="two"))
    )


def without_place(figure: Figure) -> Figure:
    """The caption without the place and the two shares there.

    They are of the table, and no measure gives them.
    """
    return replace(figure, caption=figure.caption.partition("; ")[2])


def drawn(case: Case) -> tuple[Figure, Assessment]:
    held = Assessment(case.measure, case.measure, "one", case.measured, dict(case.options))
    figure = case.draw(tables(), Drawer(Edition.INTERNAL, PLAN, Forbidden(), assessments=(held,)), held)
    assert figure is not None
    return figure, held


@pytest.mark.parametrize("name", CASES)
def test_a_caption_says_what_was_measured(name: str):
    figure, _ = drawn(CASES[name])
    assert CASES[name].says in figure.caption


@pytest.mark.parametrize("name", CASES)
def test_a_caption_has_no_number_of_its_own(name: str):
    case = CASES[name]
    figure, _ = drawn(case)
    interval = case.measured.interval
    known = [
        case.measured.value,
        *case.measured.parts.values(),
        *case.besides,
        *((interval.low, interval.high) if interval else ()),
    ]
    known += [float(number) for part in case.measured.parts for number in re.findall(r"\d+", part)]
    strange = [
        token
        for token in said(figure.caption)
        if not any(token.rounds(abs(number) * scale) for number in known for scale in (1, 100))
    ]
    assert strange == []


def said(caption: str) -> list[Token]:
    return list(counts(caption.replace("−", "")))


FIGURES = {**figures(), **variable_figures()}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_its_caption_compared(name: str):
    cases = [case for case in CASES.values() if case.figure == name]
    assert cases or name in SAYS_NO_NUMBER, f"{FIGURES[name].file} needs an example, or a case here"


@pytest.mark.parametrize("name", CASES)
def test_a_figure_declares_the_measure_its_caption_says(name: str):
    entry = figures().get(CASES[name].figure)
    declared = entry.measures if entry else ()
    assert not declared or CASES[name].measure in declared, entry


def test_the_map_shows_what_was_measured():
    figure, _ = drawn(CASES["map"])
    assert figure.rows[0][:3] == ("one", "7.5 (95 % 6.2 to 8.8)", "0.333")


def test_small_multiples_say_the_measured_distance_of_each_candidate():
    figure, _ = drawn(CASES["multiples"])
    assert {row[0]: row[1] for row in figure.rows}["income"].endswith("ks_distance 0.777")


@pytest.mark.slow
def test_scores_are_those_of_the_model_that_was_measured():
    """The mean of (score - c)² of the drawn scores is the part pmse of the measurement, for each model that is drawn."""
    pair = tables()
    for options in ({}, {"terms": "quadratic"}, {"variables": ["age", "region"]}, {"model": "cart"}):
        held = assess("propensity_mse", pair, options)
        scores, is_candidate = scores_of(pair, held)
        assert np.mean((scores - is_candidate.mean()) ** 2) == pytest.approx(held.outcome.parts["pmse"])
    assert score_histogram(pair, assess("propensity_mse", pair, {"model": "ctree"})) is None


def test_the_drawn_intervals_overlap_as_was_measured():
    """The mean overlap of the intervals as they are drawn is the part of the measurement, whatever their lengths."""
    pair = tables()
    for errors in ("original", "population", "own"):
        held = assess(
            "interval_overlap", pair, {"models": ["income ~ age + region"], "errors": errors, "level": 0.9}
        )
        shares = []
        for each in estimates(pair, held, PLAN.variables):
            low = max(each.original - each.half_original, each.candidate - each.half_candidate)
            high = min(each.original + each.half_original, each.candidate + each.half_candidate)
            shares.append(
                ((high - low) / (2 * each.half_original) + (high - low) / (2 * each.half_candidate)) / 2
            )
        assert np.mean(shares) == pytest.approx(held.outcome.value)
