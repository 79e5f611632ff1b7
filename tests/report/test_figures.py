"""Drawings: their numbers counted by hand, and what the public ones leave out."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Interval, Measurement
from sdc.catalogue.protection import Protection, Step
from sdc.catalogue.registry import find_measure
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.gate.judged import JudgedCandidate
from sdc.measures.assess import assess
from sdc.profile import Profile
from sdc.profile.plan import Preference
from sdc.report import Edition, RunFacts, build, page, render
from sdc.report.figures.attacks import attack_rates, attacks
from sdc.report.figures.candidates import risk_utility_map, worst_on
from sdc.report.figures.categories import Category, categories, in_order, joined
from sdc.report.figures.contours import surface
from sdc.report.figures.correlations import correlations, matrices
from sdc.report.figures.distribution import distribution
from sdc.report.figures.draw import draw, variable_figures
from sdc.report.figures.mosaics import mosaic, mosaics
from sdc.report.figures.pairs import breadth, looked_at, selection
from sdc.report.figures.risk import class_sizes, riskiest
from sdc.report.figures.scene import Drawer
from sdc.report.figures.spread import find_spikes, spread
from sdc.report.figures.two_way_fits import fits, heat_map
from sdc.report.forbidden import Forbidden
from sdc.report.leaks import scan

NUMERIC = VariableType.NUMERIC
ROLES = Roles.of(
    [
        Variable("age", Role.QUASI_IDENTIFIER, NUMERIC),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("health", Role.SENSITIVE, VariableType.ORDINAL, ("good", "fair", "poor")),
        Variable("income", Role.SENSITIVE, NUMERIC),
        Variable("weight", Role.WEIGHT, NUMERIC),
    ]
)
PLAN = {
    "name": "people",
    "seed": 1,
    "source": {"path": "people.csv"},
    "variables": {
        "age": {"role": "quasi_identifier", "type": "numeric", "unit": "years"},
        "region": "quasi_identifier",
        "health": {"role": "sensitive", "type": "ordinal", "order": ["good", "fair", "poor"]},
        "income": {"role": "sensitive", "type": "numeric", "unit": "euros"},
        "weight": "weight",
    },
    "candidates": {"only": []},
}


def people(rows: int = 600) -> pd.DataFrame:
    """Ages 20 to 79, incomes 1,000 to 4,995.

    One record is very old, very rich and from a village of its own.
    """
    number = np.arange(rows)
    frame = pd.DataFrame(
        {
            "age": 20.0 + number % 60,
            "region": np.where(number % 3 == 0, "North", "South"),
            "health": np.array(["good", "fair", "poor"])[(number % 10 > 4).astype(int) + (number % 10 > 8)],
            "income": 1000.0 + 5 * (number % 800),
            "weight": 2.0,
        }
    )
    frame.loc[rows - 1, ["age", "region", "income"]] = [107.0, "Rarevillage", 987654.25]
    return frame


def candidate(frame: pd.DataFrame) -> pd.DataFrame:
    """The same without what is rare."""
    return frame.assign(
        age=frame.age.clip(upper=80),
        region=frame.region.replace("Rarevillage", "South"),
        income=(frame.income.clip(upper=5000) / 100).round() * 100,
    )


@pytest.fixture(scope="module")
def pair() -> ReleasePair:
    return ReleasePair.from_frames(people(), candidate(people()), ROLES, aligned=True)


@pytest.fixture(scope="module")
def drawers(pair: ReleasePair) -> dict[Edition, Drawer]:
    forbidden = Forbidden.of(pair)
    profile = Profile.model_validate(PLAN)
    return {edition: Drawer(edition, profile, forbidden) for edition in Edition}


def test_a_histogram_counts_both_tables_in_round_bins(pair: ReleasePair, drawers: dict[Edition, Drawer]):
    held = spread(pair, "age", drawers[Edition.INTERNAL])
    # From 20 to 80 in steps of two: thirty bins of 20 records, the old one in a bin open above.
    assert held.step == 2
    assert held.bins.edges.tolist() == [*range(20, 82, 2), np.inf]
    assert held.bins.original.tolist() == [20] * 29 + [19, 1]
    assert held.bins.candidate.tolist() == [20] * 29 + [19, 1]
    figure = distribution(held)
    assert figure.rows[0] == ("20 to 22", "3.3\u202f%", "3.3\u202f%")
    assert figure.rows[-1] == ("80 or more", "0.2\u202f%", "0.2\u202f%")


def test_the_public_histogram_joins_the_bin_of_one(pair: ReleasePair, drawers: dict[Edition, Drawer]):
    held = spread(pair, "age", drawers[Edition.PUBLIC])
    # Ages 20 and 79 end the range of all but one: the first bin is open below, the last above.
    assert held.bins.original.tolist() == [20] * 30
    assert held.bins.edges.tolist() == [-np.inf, *range(22, 80, 2), np.inf]
    assert min(held.bins.original) >= 10


def test_the_difference_is_drawn_at_each_border_and_step(pair: ReleasePair, drawers: dict[Edition, Drawer]):
    """Half of the older half is missing from the candidate.

    Below 50 it has 300 of 450 records, the original 300 of 600.
    """
    frame = people()
    young = frame[(frame.age < 50) | (frame.index % 120 < 60)]
    held = spread(ReleasePair.from_frames(frame, young, ROLES), "age", drawers[Edition.INTERNAL])
    drawn = next(mark for mark in distribution(held).drawing.marks if mark.style == "strong-line")
    lowest = min(float(y) for _, y in re.findall(r"([\d.]+) ([\d.]+)", dict(drawn.attributes)["d"]))
    assert held.steps.distance == pytest.approx(
        len(young[young.age < 50]) / len(young) - 300 / 600, abs=0.005
    )
    assert lowest == pytest.approx(208 - 24, abs=0.1), "the largest difference reaches the end of its scale"


def with_a_spike() -> ReleasePair:
    """Of 1,000 records 400 have no wealth and the candidate has 600 such.

    All others are spread between 10,000 and 100,000, 30 are missing.
    """
    number = np.arange(1000)
    original = pd.DataFrame({"wealth": np.where(number < 400, 0.0, 10_000.0 + 150 * (number - 400))})
    candidate = original.assign(wealth=np.where(number < 600, 0.0, original.wealth))
    original.loc[970:, "wealth"] = np.nan
    candidate.loc[970:, "wealth"] = np.nan
    return ReleasePair.from_frames(
        original, candidate, Roles.of([Variable("wealth", Role.SENSITIVE, NUMERIC)]), aligned=True
    )


def wealth_drawer(pair: ReleasePair, edition: Edition) -> Drawer:
    profile = Profile.model_validate(
        PLAN | {"variables": {"wealth": {"role": "sensitive", "type": "numeric", "unit": "euros"}}}
    )
    return Drawer(edition, profile, Forbidden.of(pair), assessments=(assess("ks_distance", pair),))


def test_the_caption_of_a_distribution_is_the_part_of_the_measurement():
    pair = with_a_spike()
    # At 0: 400 of 970 and 600 of 970 records; nowhere else are the tables that far apart.
    held = spread(pair, "wealth", wealth_drawer(pair, Edition.INTERNAL))
    assert held.measured == pytest.approx(200 / 970)
    assert distribution(held).caption == (
        "Furthest apart at 0: 41.2\u202f% of the original lie at or below it, 61.9\u202f% of the candidate; ks_distance of wealth is 0.206."
    )
    public = distribution(spread(pair, "wealth", wealth_drawer(pair, Edition.PUBLIC))).caption
    assert "Furthest" not in public
    assert public.endswith("Single values included, their largest distance, ks_distance of wealth, is 0.206.")


def test_spikes_and_missing_values_have_bars_of_their_own():
    pair = with_a_spike()
    held = spread(pair, "wealth", wealth_drawer(pair, Edition.INTERNAL))
    assert held.spikes == ((0.0, 400, 600),)
    assert distribution(held).rows[:2] == (
        ("0", "40.0\u202f%", "60.0\u202f%"),
        ("missing", "3.0\u202f%", "3.0\u202f%"),
    )
    assert (held.bins.original.sum(), held.bins.candidate.sum()) == (570, 370), (
        "what is a spike is in no bar of the histogram"
    )
    assert spread(pair, "wealth", wealth_drawer(pair, Edition.PUBLIC)).spikes == (), (
        "of a single value the public is told nothing"
    )


def test_a_variable_with_few_values_has_no_spikes(pair: ReleasePair):
    frame = pd.DataFrame({"children": np.arange(100) % 4})
    few = ReleasePair.from_frames(frame, frame, Roles.of([Variable("children", Role.OTHER, NUMERIC)]))
    assert find_spikes(few, "children") == ()
    assert find_spikes(pair, "age") == (), "60 ages, each of one in sixty"


def test_money_over_powers_of_ten_is_drawn_on_a_logarithmic_axis(drawers: dict[Edition, Drawer]):
    """Half of the records have 150, half 20,000: each half is in a bin of its own between round numbers."""
    frame = pd.DataFrame({"income": np.repeat([150.0, 20_000.0], 300)})
    frame.loc[0, "income"] = 151.0
    pair = ReleasePair.from_frames(frame, frame, Roles.of([Variable("income", Role.SENSITIVE, NUMERIC)]))
    held = spread(pair, "income", drawers[Edition.PUBLIC])
    assert held.log
    figure = distribution(held)
    assert [row[1] for row in figure.rows] == ["50.0\u202f%", "50.0\u202f%"]
    assert any(mark.text == "euros, log axis" for mark in figure.drawing.marks)
    assert not spread(pair, "income", drawers[Edition.INTERNAL]).hidden


def test_bars_count_each_value_in_declared_order(pair: ReleasePair, drawers: dict[Edition, Drawer]):
    found = categories(pair, "health", drawers[Edition.INTERNAL])
    assert [(held.label, held.original, held.candidate) for held in found] == [
        ("good", 300, 300),
        ("fair", 240, 240),
        ("poor", 60, 60),
    ]


def test_public_bars_never_name_a_rare_value(pair: ReleasePair, drawers: dict[Edition, Drawer]):
    inside = categories(pair, "region", drawers[Edition.INTERNAL])
    assert {held.label: held.original for held in inside} == {"South": 399, "North": 200, "Rarevillage": 1}
    # One record alone would be found by subtraction, so the next smallest joins it; one value is nothing to
    # draw.
    shown = joined(
        [Category("South", 399, 400), Category("North", 200, 200), Category("Rarevillage", 1, 0)], 10
    )
    assert [(held.label, held.original) for held in shown] == [("South", 399), ("2 other values", 201)]
    assert "Rarevillage" not in str(categories(pair, "region", drawers[Edition.PUBLIC]))


def test_public_bars_never_name_a_value_the_release_does_not_have():
    found = [Category("South", 400, 420), Category("North", 300, 320), Category("Dropped", 40, 0)]
    assert [held.label for held in joined(found, 10)] == ["South", "North", "other values"]
    assert [held.label for held in joined(found, 0)] == ["South", "North", "Dropped"]


def test_values_beyond_the_most_shown_become_one():
    found = [Category(f"v{number}", 100 - number, 50) for number in range(20)]
    shown = joined(found, 0, most=5)
    assert [held.label for held in shown] == ["v0", "v1", "v2", "v3", "v4", "15 other values"]
    assert sum(held.original for held in shown) == sum(held.original for held in found)


def test_labels_of_ranges_come_in_the_order_of_their_numbers():
    labels = ["missing", "100+", "20-29", "3-19", "<3"]
    assert [held.label for held in in_order([Category(label, 1, 1) for label in labels], ())] == [
        "<3",
        "3-19",
        "20-29",
        "100+",
        "missing",
    ]


def test_correlations_are_pearsons(pair: ReleasePair):
    frame = people()
    held = correlations(pair, ("age", "income"))
    assert held.original["age", "income"] == pytest.approx(frame.age.corr(frame.income), abs=1e-12)
    assert held.candidate["age", "income"] == pytest.approx(
        candidate(frame).age.corr(candidate(frame).income), abs=1e-12
    )
    assert "Largest change: age and income" in matrices(held).caption
    assert matrices(held).caption.endswith("Both numbers are shown.")


def test_a_variable_that_does_not_vary_has_no_correlation():
    frame = people().assign(age=30.0)
    held = correlations(ReleasePair.from_frames(frame, frame, ROLES), ("age", "income"))
    assert held.original["age", "income"] is None
    assert matrices(held).caption == "No pair of variables varies in both tables. Both numbers are shown."


def many_numbers(count: int) -> tuple[ReleasePair, list[str]]:
    """Numbers that all rise together; in the candidate the last two, and they only, fall."""
    names = [f"number{place}" for place in range(count)]
    original = pd.DataFrame({name: np.arange(40.0) for name in names})
    candidate = original.assign(**{name: np.arange(40.0)[::-1] for name in names[-2:]})
    return ReleasePair.from_frames(
        original, candidate, Roles.of([Variable(name, Role.OTHER, NUMERIC) for name in names])
    ), names


def test_of_many_numbers_those_are_shown_whose_correlations_changed_most_and_the_caption_says_so():
    pair, names = many_numbers(20)
    figure = matrices(correlations(pair, names))
    shown = [mark.text for mark in figure.drawing.marks if mark.text in names]
    assert len(shown) == 10
    assert set(names[-2:]) <= set(shown)
    assert (
        "Shown are 10 of 20 numbers: those of the pairs that changed most, of all 190 pairs."
        in figure.caption
    )
    assert len(figure.rows) == 45


def test_of_many_variables_the_worst_fit_is_the_worst_of_all_and_the_caption_says_how_many_are_shown():
    pair, names = many_numbers(20)
    original = pd.DataFrame({name: np.arange(40.0) for name in names})
    moved = ReleasePair.from_frames(original, original.assign(**{names[-1]: 0.0}), pair.roles)
    figure = heat_map(fits(moved, names))
    assert f"and {names[-1]} 80.0\u202f%" in figure.caption
    assert (
        "Shown are 14 of 20 variables: those of the pairs that changed most, of all 190 pairs."
        in figure.caption
    )
    assert len(figure.rows) == 91


def test_of_a_large_wide_file_only_the_first_variables_are_looked_at_and_the_caption_says_so():
    names = [f"v{place}" for place in range(100)]
    assert looked_at(names, 20_000, 200_000_000, 8) == tuple(names[:60]), "never more than sixty"
    assert looked_at(names, 2_000_000, 200_000_000, 8) == tuple(names[:14]), (
        "91 pairs of two million records, 105 would be too many"
    )
    assert looked_at(names, 10**9, 200_000_000, 8) == tuple(names[:8])
    assert selection(14, 30, 100, "variables").startswith(
        "Shown are 14 of 100 variables: those of the pairs that changed most among the first 30"
    )
    assert selection(8, 8, 100, "variables").startswith(
        "Shown are 8 of 100 variables: the first 8 of the profile"
    )


def test_cells_of_two_columns_with_many_values_are_counted_without_room_for_all():
    names = ["one", "two"]
    original = pd.DataFrame({name: [f"{name}{place}" for place in range(1500)] for name in names})
    moved = original.assign(two=np.roll(original["two"], 1))
    roles = Roles.of([Variable(name, Role.OTHER) for name in names])
    assert fits(ReleasePair.from_frames(original, moved, roles), names).values == {
        ("one", "two"): pytest.approx(1.0)
    }


def test_public_contours_are_made_from_cells_of_enough_records(
    pair: ReleasePair, drawers: dict[Edition, Drawer]
):
    held = surface(pair, ("age", "income"), drawers[Edition.PUBLIC])
    assert held is not None
    assert held.original[held.original > 0].min() >= 10
    assert not held.candidate[held.original == 0].any()


def test_the_fit_of_two_way_tables_is_the_share_of_records_to_move():
    original = pd.DataFrame({"region": ["a"] * 6 + ["b"] * 4, "health": ["good"] * 10})
    moved = pd.DataFrame({"region": ["a"] * 4 + ["b"] * 6, "health": ["good"] * 10})
    found = fits(ReleasePair.from_frames(original, moved, ROLES), ("region", "health"))
    assert found.values == {("region", "health"): pytest.approx(0.2)}
    figure = heat_map(found)
    assert "Worst: region and health 20.0\u202f%" in figure.caption
    assert figure.rows == (("region and health", "20.0\u202f%", "0.0\u202f%"),), (
        "region alone explains all of it"
    )


def test_what_single_variables_do_not_explain_is_left_in_the_squares():
    """Both variables keep their shares, and every record is in another cell."""
    original = pd.DataFrame({"region": ["a", "b"] * 5, "health": ["good", "fair"] * 5})
    crossed = original.assign(health=["fair", "good"] * 5)
    found = fits(ReleasePair.from_frames(original, crossed, ROLES), ("region", "health"))
    assert (found.singles, found.net(("region", "health"))) == ({"region": 0, "health": 0}, 1)


def test_a_mosaic_adds_weights(drawers: dict[Edition, Drawer]):
    frame = pd.DataFrame(
        {"region": ["a", "a", "b"], "health": ["good", "fair", "good"], "weight": [1.0, 3.0, 4.0]}
    )
    held = mosaic(
        ReleasePair.from_frames(frame, frame, ROLES), ("region", "health"), drawers[Edition.INTERNAL]
    )
    assert held.original == {("a", "good"): 1.0, ("a", "fair"): 3.0, ("b", "good"): 4.0}
    figure = mosaics(held)
    assert ("a, fair", "37.5\u202f%", "37.5\u202f%") in figure.rows
    tiles = [mark for mark in figure.drawing.marks if mark.kind == "rect"]
    areas = [
        float(dict(tile.attributes)["width"]) * float(dict(tile.attributes)["height"]) for tile in tiles[:3]
    ]
    assert [tile.tip for tile in tiles[:3]] == [
        "a, good: 12.5\u202f%",
        "a, fair: 37.5\u202f%",
        "b, good: 50.0\u202f%",
    ]
    assert areas[1] / areas[0] == pytest.approx(3, rel=0.05)


def test_a_mosaic_of_three_variables_is_cut_three_times(drawers: dict[Edition, Drawer]):
    roles = Roles.of([Variable("a"), Variable("b"), Variable("c")])
    frame = pd.DataFrame({"a": ["x", "x", "y", "y"], "b": ["p", "q", "p", "q"], "c": ["u", "v", "u", "v"]})
    figure = mosaics(
        mosaic(ReleasePair.from_frames(frame, frame, roles), ("a", "b", "c"), drawers[Edition.INTERNAL])
    )
    tiles = [mark for mark in figure.drawing.marks if mark.tip]
    assert [tile.tip for tile in tiles[:4]] == [
        f"{cell}: 25.0\u202f%" for cell in ("x, p, u", "x, q, v", "y, p, u", "y, q, v")
    ]
    assert len(tiles) == 8
    assert [tile.style for tile in tiles[:4]] == ["level-0", "level-1", "level-0", "level-1"]
    key = [mark for mark in figure.drawing.marks if mark.kind == "rect" and not mark.tip]
    assert [mark.style for mark in key] == ["level-0", "level-1"]
    assert "cut once more, from left to right, by c" in figure.caption


def test_a_report_has_a_mosaic_of_two_and_one_of_three_variables(published: RunFacts):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({name: rng.choice(list("xyz"), 400) for name in ("region", "sex", "health")})
    keys = [Variable("region", Role.QUASI_IDENTIFIER), Variable("sex", Role.QUASI_IDENTIFIER)]
    drawn = draw(
        published,
        ReleasePair.from_frames(frame, frame, Roles.of([*keys, Variable("health", Role.SENSITIVE)])),
        Edition.INTERNAL,
    )
    titles = [
        figure.title
        for section in drawn.sections
        for figure in section.figures
        if figure.title.startswith("Mosaic")
    ]
    assert titles == ["Mosaic of region by health", "Mosaic of region by health by sex"]


def test_a_public_mosaic_leaves_out_small_cells(pair: ReleasePair, drawers: dict[Edition, Drawer]):
    held = mosaic(pair, ("region", "health"), drawers[Edition.PUBLIC])
    assert "Rarevillage" not in str(held)
    assert all(weight / 2 % 10 == 0 for weight in held.original.values())


def test_class_sizes_are_shares_of_records():
    frame = pd.DataFrame({"age": [1.0, 1.0, 1.0, 2.0], "region": ["a"] * 4})
    pair = ReleasePair.from_frames(frame, frame.assign(age=1.0), ROLES)
    profile = Profile.model_validate(PLAN)
    inside = class_sizes(pair, Drawer(Edition.INTERNAL, profile, Forbidden()))
    assert inside.heads == ("records in the class", "original", "candidate")
    assert inside.rows[:3] == (
        ("1", "25.0\u202f%", "0.0\u202f%"),
        ("2", "0.0\u202f%", "0.0\u202f%"),
        ("3 to 4", "75.0\u202f%", "100.0\u202f%"),
    )
    public = class_sizes(pair, Drawer(Edition.PUBLIC, profile, Forbidden()))
    assert public.heads == ("records in the class", "candidate")


def test_the_riskiest_combinations_are_named_inside_the_house_only(
    pair: ReleasePair, drawers: dict[Edition, Drawer]
):
    figure = riskiest(pair, drawers[Edition.INTERNAL])
    # After the change one record is 80 years old.
    # Without their age, 400 records are of the South.
    assert figure.rows[0] == ("80.0", "South", "1", "age: 1 → 400")
    assert riskiest(pair, drawers[Edition.PUBLIC]) is None


def test_the_map_names_the_front_and_the_chosen_one(published: RunFacts):
    figure = risk_utility_map(published)
    assert figure.rows == (
        ("coarse", "5", "0.061 (95 % 0.051 to 0.071)", "passes, chosen"),
        ("fine", "1", "0.020 (95 % 0.010 to 0.030)", "would be withheld"),
    )
    assert figure.caption == (
        "On k_anonymity and ks_distance no candidate beats “fine” and “coarse” (dotted line). Shaded: beyond a limit. Thin lines: intervals."
    )
    assert risk_utility_map(replace(published, candidates=published.candidates[:1])) is None


def measured_as(held: JudgedCandidate, k: float, ks: float) -> tuple[Assessment, ...]:
    values = {"k_anonymity": k, "ks_distance": ks}
    return tuple(
        replace(each, outcome=Measurement(values[each.measure]))
        for each in held.assessments
        if each.measure in values
    )


def test_the_map_says_on_which_criteria_its_best_is_the_worst(published: RunFacts):
    """“coarse” has the better risk and the better use on the map, and is the worst on a third criterion that the map does not show."""
    first, second = published.candidates
    both = [
        replace(finding, value=value, margin=0.1 - value)
        for finding, value in ((first.decision.findings[1], 0.01), (second.decision.findings[1], 0.02))
    ]
    third = [
        Finding("attribution", "risk", name, holds, "refer", value, None, 0.5, 0.5 - value)
        for name, holds, value in (("coarse", False, 0.9), ("fine", True, 0.1))
    ]
    made = tuple(
        replace(
            held,
            decision=replace(held.decision, findings=(held.decision.findings[0], use, other)),
            assessments=measured_as(held, k, ks),
        )
        for held, use, other, k, ks in zip(
            published.candidates, both, third, (5, 1), (0.01, 0.02), strict=True
        )
    )
    figure = risk_utility_map(replace(published, candidates=made))
    assert "no candidate beats “coarse”." in figure.caption
    assert "“coarse” is the worst of all on attribution, which the map does not show." in figure.caption
    assert "best" not in figure.caption
    assert worst_on({held.name: held.decision for held in made}, "fine") == ["k_anonymity", "ks_distance"]


def test_a_preference_by_alias_draws_the_map(published: RunFacts):
    """The profile prefers a measurement by the name it has there, which is no name of the catalogue."""
    utility = published.profile.utility[0].model_copy(update={"name": "shape"})
    plan = published.profile.model_copy(update={"utility": (utility,), "prefer": Preference(measure="shape")})
    made = tuple(
        replace(
            held,
            assessments=tuple(
                replace(each, alias="shape") if each.alias == "ks_distance" else each
                for each in held.assessments
            ),
        )
        for held in published.candidates
    )
    assert risk_utility_map(replace(published, profile=plan, candidates=made)).heads == (
        "candidate",
        "k_anonymity",
        "shape",
        "gate",
    )


def test_names_on_the_map_do_not_collide(published: RunFacts):
    first = published.candidates[0]
    many = tuple(
        replace(
            first,
            name=f"candidate_{place}",
            decision=replace(first.decision, candidate=f"candidate_{place}"),
            assessments=measured_as(first, 5, 0.05),
        )
        for place in range(6)
    )
    texts = [
        mark
        for mark in risk_utility_map(replace(published, candidates=many, chosen=None)).drawing.marks
        if mark.text.startswith("candidate_")
    ]
    boxes = [(float(dict(mark.attributes)["x"]), float(dict(mark.attributes)["y"])) for mark in texts]
    assert len(boxes) == 6
    apart = [
        abs(y - other_y) >= 12 or abs(x - other_x) >= breadth("candidate_0")
        for n, (x, y) in enumerate(boxes)
        for other_x, other_y in boxes[:n]
    ]
    assert len(apart) == 15
    assert all(apart)


def test_attacks_are_drawn_beside_their_control(published: RunFacts):
    made = Assessment(
        "singling_out",
        "singling_out",
        "a",
        Measurement(0.1, {"attack_rate": 0.3, "control_rate": 0.2}, Interval(0.05, 0.15)),
    )
    (attack,) = attacks([made, *published.candidates[0].assessments])
    assert (attack.rate.ends, attack.control.ends) == ((0.3,), (0.2,)), (
        "the interval is that of the excess, not of the rates"
    )
    assert attack_rates([attack]).rows == (
        ("singling_out", "30.0\u202f%", "20.0\u202f%", "0.10 (95 % 0.05 to 0.15)"),
    )
    assert attack_rates([]) is None


def test_success_has_its_own_interval_and_each_variable_a_row():
    """Wilson's interval of 0 successes in 100 attacks ends at 3.84 / (100 + 3.84)."""
    parts = {"attack_rate": 0.5, "control_rate": 0.0, "attacks": 100, "control_attacks": 100}
    by_variable = {
        f"{name}.{variable}": value
        for name, value in {**parts, "value": 0.5}.items()
        for variable in ("health", "income")
    }
    both, health, income = attacks(
        [
            Assessment(
                "attribute_inference",
                "inference",
                "a",
                Measurement(0.5, parts | by_variable, Interval(0.4, 0.6)),
            )
        ]
    )
    assert (both.control.low, both.control.high) == (0, pytest.approx(0.0370, abs=1e-4))
    assert [attack.name for attack in (health, income)] == ["inference: health", "inference: income"]
    assert (health.excess, health.interval) == (0.5, None)


def facts_of(published: RunFacts) -> RunFacts:
    profile = Profile.model_validate(PLAN)
    held = replace(published.candidates[0], name="only", made=Candidate("only", rows=1000), assessments=())
    return replace(published, profile=profile, candidates=(held,), chosen="only", rows={"original": 600})


@pytest.mark.parametrize("secret", ["Rarevillage", "987654", "987,654", "987,700", "107"])
def test_public_drawings_say_nothing_of_the_rare_one(published: RunFacts, pair: ReleasePair, secret: str):
    facts = facts_of(published)
    html = render(build(facts, Edition.PUBLIC, figures=draw(facts, pair, Edition.PUBLIC)))
    assert scan(html, Forbidden.of(pair)) == ()
    assert secret not in re.sub(r'\b(?:d|x|y|x1|y1|x2|y2|cx|cy|width|height)="[^"]*"', "", html)


def test_a_report_with_drawings_is_small_and_every_mark_is_an_aggregate(
    published: RunFacts, pair: ReleasePair
):
    facts = facts_of(published)
    html = render(build(facts, Edition.INTERNAL, figures=draw(facts, pair, Edition.INTERNAL)))
    assert len(html) < 300_000
    assert html.count("<circle") < 300


@pytest.mark.parametrize(
    "frame",
    [
        people(3),
        people(12),
        people(40).assign(income=np.nan),
        people(40).assign(income=5.0, region="a", health="good"),
        people(40).assign(region=None),
        people(40).assign(income=np.where(np.arange(40) < 39, np.nan, 7.0)),
        people(2).iloc[:1],
    ],
    ids=["three", "twelve", "no income", "constant", "no region", "one income", "one"],
)
@pytest.mark.parametrize("edition", list(Edition))
def test_odd_tables_are_drawn_or_left_out(frame: pd.DataFrame, edition: Edition, published: RunFacts):
    facts = facts_of(published)
    pair = ReleasePair.from_frames(frame, frame, ROLES)
    html = render(build(facts, edition, figures=draw(facts, pair, edition)))
    assert not re.search(r"\b(nan|inf)\b", html)
    if edition is Edition.PUBLIC:
        assert scan(html, Forbidden.of(pair)) == ()


def test_of_an_empty_candidate_only_shares_of_nothing_are_drawn(published: RunFacts):
    facts = facts_of(published)
    pair = ReleasePair.from_frames(people(), people().iloc[:0], ROLES)
    for edition in Edition:
        figures = draw(facts, pair, edition)
        rows = [row for drawn in figures.variables.values() for each in drawn.figures for row in each.rows]
        assert {shares[-1] for shares in rows} == ({"0.0\u202f%"} if edition is Edition.INTERNAL else set())
        assert "<html" in render(build(facts, edition, figures=figures))


def test_variables_a_candidate_generalised_are_drawn_by_its_labels(drawers: dict[Edition, Drawer]):
    frame = people()
    bands = frame.assign(age=np.where(frame.age < 50, "20-49", "50+"))
    figures = variable_figures(ReleasePair.from_frames(frame, bands, ROLES), drawers[Edition.INTERNAL])
    assert figures["age"].figures[0].rows == (
        ("20-49", "50.0\u202f%", "50.0\u202f%"),
        ("50+", "50.0\u202f%", "50.0\u202f%"),
    )


def test_every_caption_of_a_distribution_is_what_ks_distance_says(published: RunFacts):
    frame = people()
    shifted = candidate(frame).assign(
        age=np.minimum(frame.age + 7, 80), income=np.where(frame.income > 3000, 1000, frame.income)
    )
    pair = ReleasePair.from_frames(frame, shifted, ROLES, aligned=True)
    taken = find_measure("ks_distance").function(pair, rng=np.random.default_rng(1))
    facts = facts_of(published)
    facts = replace(
        facts,
        candidates=(
            replace(facts.candidates[0], assessments=(Assessment("ks_distance", "shape", "only", taken),)),
        ),
    )
    for edition, digits in ((Edition.INTERNAL, 3), (Edition.PUBLIC, 3)):
        captions = {
            name: " ".join(figure.caption for figure in drawn.figures)
            for name, drawn in draw(facts, pair, edition).variables.items()
        }
        said = {
            name: re.search(rf"ks_distance of {name},? is (\d\.\d+)", caption)
            for name, caption in captions.items()
        }
        assert {name for name, found in said.items() if found} == {"age", "income"}
        for name in ("age", "income"):
            assert float(said[name][1]) == pytest.approx(
                taken.parts[f"distance.{name}"], rel=0.5 * 10.0 ** (1 - digits)
            )
            assert ("Furthest apart" in captions[name]) is (edition is Edition.INTERNAL)
    inside = draw(facts, pair, Edition.INTERNAL).variables
    for name in ("age", "income"):
        caption = next(
            figure.caption for figure in inside[name].figures if figure.anchor.startswith("histogram")
        )
        first, second = (float(share) / 100 for share in re.findall(r"([\d.]+)\u202f%", caption))
        assert abs(first - second) == pytest.approx(taken.parts[f"distance.{name}"], abs=0.0011)


def test_sizes_of_classes_are_no_risk_where_keys_were_drawn_from_a_model(
    published: RunFacts, pair: ReleasePair
):
    drawn = Step(
        "sequential",
        {},
        Protection.SYNTHETIC,
        aligned=False,
        touched=frozenset({"age", "region", "health", "income"}),
    )
    facts = facts_of(published)
    facts = replace(
        facts,
        candidates=(replace(facts.candidates[0], made=replace(facts.candidates[0].made, steps=(drawn,))),),
    )
    figures = {
        figure.anchor: figure
        for section in draw(facts, pair, Edition.INTERNAL).sections
        for figure in section.figures
    }
    assert (
        "Cannot be believed as a risk here: sequential draws age, region from a model"
        in figures["class-sizes"].caption
    )
    assert "riskiest" not in figures
    public = {
        figure.anchor for section in draw(facts, pair, Edition.PUBLIC).sections for figure in section.figures
    }
    assert "class-sizes" not in public
    plain = {
        figure.anchor: figure
        for section in draw(facts_of(published), pair, Edition.INTERNAL).sections
        for figure in section.figures
    }
    assert plain["class-sizes"].caption.endswith("A record in a class of one stands alone.")
    assert "riskiest" in plain


@pytest.mark.slow
def test_of_a_wide_file_the_variables_that_changed_most_are_drawn(drawers):
    names = [f"x{place}" for place in range(205)]
    roles = Roles.of(Variable(name, Role.SENSITIVE, VariableType.NUMERIC) for name in names)
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 205)), columns=names)
    step = Step(
        "some_method",
        {},
        Protection.PERTURBATIVE,
        True,
        frozenset(names[-5:]),
        None,
        dict.fromkeys(names[-5:], 60),
    )
    drawn = variable_figures(
        ReleasePair.from_frames(frame, frame, roles, aligned=True, steps=[step]), drawers[Edition.INTERNAL]
    )
    assert len(drawn) == 200
    assert set(names[-5:]) <= set(drawn)
    assert not set(names[195:200]) & set(drawn)


def coded(rows: int = 600) -> pd.DataFrame:
    """Full time, part time and, one person alone, on call; the sexes take turns."""
    number = np.arange(rows)
    frame = pd.DataFrame(
        {"hours": np.where(number % 3 == 0, "2", "1"), "sex": np.where(number % 2 == 0, "1", "2")}
    )
    frame.loc[0, "hours"] = "3"
    return frame


CODED = Roles.of([Variable("hours", Role.QUASI_IDENTIFIER), Variable("sex", Role.QUASI_IDENTIFIER)])
WORDS = {
    "hours": {"1": "full time", "2": "part time", "3": "lighthouse watch"},
    "sex": {"1": "women", "2": "men"},
}


def coded_profile() -> Profile:
    return Profile.model_validate(
        PLAN
        | {
            "variables": {
                name: {"role": "quasi_identifier", "values": words} for name, words in WORDS.items()
            }
        }
    )


def test_figures_say_codes_in_words():
    pair = ReleasePair.from_frames(coded(), coded().replace({"hours": {"3": "2"}}), CODED, aligned=True)
    profile = coded_profile()
    inside = Drawer(Edition.INTERNAL, profile, Forbidden())
    assert [each.label for each in categories(pair, "hours", inside)] == [
        "full time",
        "part time",
        "lighthouse watch",
    ]
    assert {row[0] for row in mosaics(mosaic(pair, ("hours", "sex"), inside)).rows} >= {
        "full time, men",
        "full time, women",
    }
    # 200 of 600 work part time, 100 of either sex; the first code comes first.
    assert riskiest(pair, inside).rows[0] == ("part time", "women", "100", "hours: 100 → 300")


def test_who_says_the_words_for_a_code_says_the_code():
    pair = ReleasePair.from_frames(coded(), coded().replace({"hours": {"3": "2"}}), CODED, aligned=True)
    forbidden = Forbidden.of(pair, declared=coded_profile().variables)
    assert [hit.what for hit in scan("<p>a lighthouse watch</p>", forbidden)] == ["a rare value of hours"]
    assert scan("<p>part time</p>", forbidden) == ()
    unchanged = Forbidden.of(
        ReleasePair.from_frames(coded(), coded(), CODED), declared=coded_profile().variables
    )
    assert [hit.what for hit in scan("<p>lighthouse watch, women: 0 %</p>", unchanged)] == [
        "a rare combination of hours, sex"
    ]


def test_the_public_page_of_a_coded_file_says_words_of_crowds_alone(published: RunFacts):
    pair = ReleasePair.from_frames(coded(), coded().replace({"hours": {"3": "2"}}), CODED, aligned=True)
    facts = replace(facts_of(published), profile=coded_profile())
    html = page(facts, Edition.PUBLIC, pair)
    assert "full time" in html
    assert "lighthouse" not in html
