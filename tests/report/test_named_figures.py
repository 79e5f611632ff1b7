"""Figures that a profile asks for: pairs, variables, curves over a sweep, the grid of classes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.measurement import Assessment, Measurement
from sdc.catalogue.protection import Protection, Step
from sdc.data.release_pair import ReleasePair
from sdc.gate.decision import Decision, Verdict
from sdc.gate.judged import JudgedCandidate
from sdc.measures.assess import assess
from sdc.profile import Profile
from sdc.report import Edition, RunFacts
from sdc.report.figures.boxes import by_value
from sdc.report.figures.class_grid import grid_of
from sdc.report.figures.draw import draw
from sdc.report.figures.scatter import MOST_POINTS, points_of
from sdc.report.figures.scene import Drawer
from sdc.report.figures.sweep_curves import curve, curve_figure, swept
from sdc.report.forbidden import Forbidden
from sdc.report.views import Figure


def profile(**more: Any) -> Profile:
    return Profile.model_validate(
        {
            "name": "survey",
            "source": {"path": "survey.csv"},
            "variables": {
                "key": {"role": "quasi_identifier", "type": "numeric"},
                "target": {"role": "sensitive", "type": "numeric"},
                "group": {"role": "other"},
            },
            "candidates": {"noisy": []},
            "risk": [{"measure": "class_attribution", "at_most": 0.5, "because": "rule"}],
            **more,
        }
    )


def tables(records: int = 800) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(5)
    key = rng.normal(10, 2, records)
    made = pd.DataFrame({"key": key, "target": key + rng.normal(size=records), "group": "a"})
    return made, made.assign(target=made["target"] + rng.normal(0, 1, records))


def pair_of(plan: Profile, records: int = 800) -> ReleasePair:
    original, candidate = tables(records)
    return ReleasePair.from_frames(original, candidate, plan.roles, aligned=True)


def step(k: float) -> Step:
    return Step(
        "microaggregation",
        {"k": k, "grouping": "mdav"},
        Protection.PERTURBATIVE,
        aligned=True,
        touched=frozenset(),
    )


def judged(k: float, value: float, *more: Step) -> JudgedCandidate:
    name = f"noisy_k{k:g}"
    held = Assessment("class_attribution", "class_attribution", name, Measurement(value, {"gain": -value}))
    return JudgedCandidate(name, Decision(name, ()), (held,), Candidate(name, steps=(step(k), *more)))


def facts(plan: Profile, *candidates: JudgedCandidate) -> RunFacts:
    when = datetime(2026, 11, 16, tzinfo=UTC)
    return RunFacts("run", plan, when, Verdict.WITHHELD, candidates)


def test_a_curve_runs_along_the_option_that_was_swept() -> None:
    group = [judged(10, 0.2), judged(3, 0.8), judged(5, 0.5), judged(7, 0.4, step(1))]
    ((option, held),) = swept(group)
    assert (option, list(held)) == ("k", [3, 5, 10])
    found = curve(option, held, "class_attribution")
    assert found is not None
    assert found.measured == (0.8, 0.5, 0.2)
    figure = curve_figure(found, [0.5])
    assert figure.rows == (("3", "0.8"), ("5", "0.5"), ("10", "0.2"))
    assert figure.caption == "class_attribution of the candidates of a sweep runs from 0.2 to 0.8."
    assert next(mark.tip for mark in figure.drawing.marks if mark.kind == "circle") == "noisy_k3: 0.8"
    assert any(mark.text == "limit 0.5" for mark in figure.drawing.marks)
    part = curve(option, held, "class_attribution", "gain")
    assert part is not None
    assert part.measured == (-0.8, -0.5, -0.2)
    assert curve(option, held, "class_attribution", "absent") is None


def test_the_page_has_the_curves_of_its_sweep_and_the_public_has_none() -> None:
    plan = profile(candidates={f"noisy_k{k}": [] for k in (3, 5, 10)})
    run = facts(plan, judged(3, 0.8), judged(5, 0.5), judged(10, 0.2))
    pair = pair_of(plan)
    (section,) = (each for each in draw(run, pair, Edition.INTERNAL).sections if each.anchor == "sweep")
    assert [figure.title for figure in section.figures] == ["class_attribution along k"]
    assert not [each for each in draw(run, pair, Edition.PUBLIC).sections if each.anchor == "sweep"]


def test_it_is_said_of_which_numbers_pairs_are_drawn() -> None:
    """Nobody but 40 of 800 has a benefit: no pair with it is drawn, whatever its correlation did."""
    numbers = {name: {"role": "other", "type": "numeric"} for name in ("key", "target", "benefit")}
    plan = profile(variables={**numbers, "age": "quasi_identifier"}, risk=[])
    original, candidate = (
        table.assign(benefit=[float(row) if row < 40 else 0.0 for row in range(800)], age="a")
        for table in tables()
    )
    held = ReleasePair.from_frames(original, candidate, plan.roles, aligned=True)
    (section,) = (
        each for each in draw(facts(plan), held, Edition.INTERNAL).sections if each.anchor == "pairs"
    )
    first, *drawn = section.figures
    assert first.caption.endswith("Beneath, pairs of the 2 numbers that are not mostly one value.")
    assert [each.title for each in drawn] == ["key and target"]
    other = draw(facts(profile()), pair_of(profile()), Edition.INTERNAL).sections
    assert "Beneath" not in next(each for each in other if each.anchor == "pairs").figures[0].caption


def test_points_are_records_and_a_large_table_shows_some_at_even_steps() -> None:
    plan = profile()
    drawer = Drawer(Edition.INTERNAL, plan, Forbidden())
    small = points_of(pair_of(plan, 50), ("key", "target"), drawer)
    large = points_of(pair_of(plan, 5000), ("key", "target"), drawer)
    counted = [
        sum(mark.kind == "circle" for mark in figure.drawing.marks) for figure in (small, large) if figure
    ]
    assert counted == [100, 2 * MOST_POINTS]


def test_the_grid_has_the_borders_of_the_classes_that_were_compared() -> None:
    plan = profile()
    pair = pair_of(plan)
    options = {"edges": {"key": [5, 10, 15], "target": [0, 10, 20]}}
    held = assess("class_attribution", pair, options)
    figure = grid_of(pair, held, Drawer(Edition.INTERNAL, plan, Forbidden(), assessments=(held,)))
    assert figure is not None
    rules = [mark for mark in figure.drawing.marks if mark.kind == "line" and mark.style == "limit"]
    assert len(rules) == 6
    assert f"class_attribution is {held.value:.3g}"[:-1] in figure.caption


def test_named_variables_pairs_and_figures_are_drawn_and_no_others() -> None:
    plan = profile(figures={"variables": ["target"], "pairs": [["key", "target"]], "draw": ["scatter"]})
    pair = pair_of(plan)
    run = facts(plan, judged(3, 0.8))
    held = draw(run, pair, Edition.INTERNAL)
    assert list(held.variables) == ["target"]
    assert [figure.title for each in held.sections for figure in each.figures] == [
        "key and target, record by record"
    ]
    public = draw(replace(run, chosen="noisy_k3"), pair, Edition.PUBLIC)
    assert not public.sections
    contours = draw(
        replace(run, profile=profile(figures={"pairs": [["target", "key"]]})), pair, Edition.INTERNAL
    )
    titles = [figure.title for each in contours.sections for figure in each.figures]
    assert "target and key" in titles


@pytest.mark.parametrize(
    ("figures", "problem"),
    [
        ("{variables: [agee]}", "figures names 'agee', which is no variable that is released"),
        ("{pairs: [[age, person]]}", "figures names 'person', which is no variable that is released"),
        ("{pairs: [[age, sex]]}", "age and sex are not two numeric variables"),
        ("{draw: [scater]}", "no figure of the report is called 'scater'; did you mean 'scatter'?"),
    ],
)
def test_what_cannot_be_drawn_is_a_fault_of_the_profile(tmp_path, figures: str, problem: str) -> None:
    from sdc.check import startable
    from sdc.errors import BadProfile
    from tests.flows.small_release import PROFILE, small_people

    (tmp_path / "outbox").mkdir()
    small_people().to_csv(tmp_path / "people.csv", index=False)
    path = tmp_path / "profile.yaml"
    path.write_text(f"{PROFILE}figures: {figures}\n")
    with pytest.raises(BadProfile) as refused:
        startable(path)
    assert problem in str(refused.value)


def test_a_box_holds_the_middle_half_of_the_records_with_a_value() -> None:
    """Of 0, 10, ..., 100 the quartiles are 25, 50 and 75, the 5th and 95th percentile 5 and 95."""
    groups = np.array([1.0] * 11 + [2.0, np.nan, 2.0])
    numbers = np.array([*np.arange(0.0, 101.0, 10.0), 7.0, 8.0, np.nan])
    held = by_value(groups, numbers)
    assert list(held) == [1.0, 2.0]
    assert (held[1.0].records, held[1.0].quantiles) == (11, pytest.approx((5.0, 25.0, 50.0, 75.0, 95.0)))
    assert (held[2.0].records, held[2.0].quantiles) == (1, (7.0,) * 5)


def test_a_pair_with_a_number_of_few_values_is_drawn_in_boxes_and_not_to_the_public() -> None:
    plan = profile(figures={"pairs": [["target", "key"]]})
    rng = np.random.default_rng(3)
    key = np.array([*rng.integers(1, 4, 380).astype(float), *[9.0] * 20])
    original = pd.DataFrame({"key": key, "target": rng.normal(50, 9, 400), "group": "a"})
    pair = ReleasePair.from_frames(original, original.assign(target=original["target"] + 5), plan.roles)
    run = facts(plan, judged(3, 0.8))

    def drawn(edition: Edition) -> dict[str, Figure]:
        held = draw(replace(run, chosen="noisy_k3"), pair, edition)
        return {figure.anchor: figure for each in held.sections for figure in each.figures}

    figure = drawn(Edition.INTERNAL)["boxes-key-target"]
    boxes = [mark for mark in figure.drawing.marks if mark.kind == "rect"]
    assert [mark.style for mark in boxes] == ["original", "candidate"] * 3
    assert figure.caption.endswith(" 1 value of fewer than 30 records in a table has no box.")
    medians = original[original["key"] < 9].groupby("key")["target"].median()
    assert figure.rows == tuple(
        (f"{value:g}", f"{median:.1f}", f"{median + 5:.1f}") for value, median in medians.items()
    )
    assert not any(anchor.startswith("boxes") for anchor in drawn(Edition.PUBLIC))
