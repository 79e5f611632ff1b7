"""Drawings made from the parts of measurements, and of scores."""

from __future__ import annotations

import pandas as pd
import pytest

from sdc.catalogue.measurement import Assessment, Measurement, NotAssessed
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.report.figures.clusters import clusters
from sdc.report.figures.distance_law import law_of
from sdc.report.figures.measured import attribution, bands, contributions, grid
from sdc.report.figures.scores import score_histogram


def assessed(measure: str, parts: dict[str, float], **options: object) -> Assessment:
    return Assessment(measure, measure, "a", Measurement(0.5, parts), options)


SURFACE = {
    f"{head}.{key}.{target}": value
    for head, value in (("p", 0.25), ("p_original", 0.75))
    for key in (1, 10, 2)
    for target in (1, 5)
}


def test_a_surface_has_a_cell_for_each_pair_of_numbers_of_classes():
    held = grid({**SURFACE, "p.10.5": 0.5, "gain": 3})
    assert (held.keys, held.targets) == ((1, 2, 10), (1, 5))
    assert held.candidate[10, 5] == 0.5
    assert held.original[1, 1] == 0.75


def test_a_surface_with_a_hole_is_not_drawn():
    assert grid({name: value for name, value in SURFACE.items() if name != "p.2.5"}) is None
    assert grid({}) is None


def test_a_surface_is_drawn_as_differences_and_as_it_is():
    figure = attribution(assessed("attribution_surface", SURFACE, binning="equal_length"))
    squares = [mark for mark in figure.drawing.marks if mark.kind == "rect"]
    assert [square.style for square in squares] == ["minus"] * 6 + ["plus"] * 6
    words = [mark.text for mark in figure.drawing.marks]
    assert (words.count("−50"), words.count("25")) == (6, 6)
    assert "equal length" in figure.caption
    assert figure.rows[0] == ("1 and 1", "75.0\u202f%", "25.0\u202f%")


def test_keys_come_by_their_contribution():
    figure = contributions(
        assessed(
            "special_uniques", {"contribution.age": 20.0, "contribution.region": 60.0, "largest_score": 3}
        )
    )
    assert figure.rows == (("region", "60 %"), ("age", "20 %"))
    assert contributions(assessed("special_uniques", {"contribution.age": 0.0})) is None


def test_bands_follow_the_number_of_groups():
    parts = {
        "jensen_shannon.1": 0.0,
        "jensen_shannon.20": 0.2,
        "jensen_shannon.5": 0.1,
        "cell_ks.5": 0.3,
        "spread.cell_ks": 0.1,
    }
    figure = bands(assessed("grouping_sensitivity", parts))
    assert figure.rows == (("1", "–", "0"), ("5", "0.3", "0.1"), ("20", "–", "0.2"))


def test_what_was_not_assessed_is_not_drawn():
    drawn = {
        "attribution_surface": attribution,
        "special_uniques": contributions,
        "grouping_sensitivity": bands,
    }
    for name, draw in drawn.items():
        assert draw(Assessment(name, name, "a", NotAssessed("no"))) is None


def test_tables_a_model_tells_apart_have_their_scores_at_the_ends():
    roles = Roles.of([Variable("colour"), Variable("size", Role.OTHER, VariableType.NUMERIC)])
    first = pd.DataFrame({"colour": ["red"] * 30, "size": [1.0, 2.0, 3.0] * 10})
    figure = score_histogram(
        ReleasePair.from_frames(first, first.assign(colour="blue"), roles), assessed("propensity_mse", {})
    )
    assert figure.rows[0] == ("0.000 to 0.025", "100.0\u202f%", "0.0\u202f%")
    assert figure.rows[-1] == ("0.975 to 1.000", "0.0\u202f%", "100.0\u202f%")
    assert figure.caption.endswith("What gives the tables away most: colour.")


def test_nothing_gives_the_same_table_away():
    roles = Roles.of([Variable("colour"), Variable("size", Role.OTHER, VariableType.NUMERIC)])
    same = pd.DataFrame({"colour": ["red", "blue"] * 15, "size": [1.0, 2.0, 3.0] * 10})
    assert (
        "away"
        not in score_histogram(
            ReleasePair.from_frames(same, same, roles), assessed("propensity_mse", {})
        ).caption
    )


def test_each_cluster_is_a_bar_cut_where_the_original_ends():
    parts = {
        "original.cluster_1": 60,
        "candidate.cluster_1": 40,
        "original.cluster_2": 10,
        "candidate.cluster_2": 30,
        "clusters": 2,
    }
    figure = clusters(assessed("cluster_utility", parts))
    bars = [mark for mark in figure.drawing.marks if mark.kind == "rect"]
    widths = [float(dict(bar.attributes)["width"]) for bar in bars]
    assert [bar.style for bar in bars] == ["original", "candidate"] * 2
    assert (widths[0] / (widths[0] + widths[1]), widths[2] / (widths[2] + widths[3])) == (
        pytest.approx(0.6, abs=0.01),
        pytest.approx(0.25, abs=0.01),
    )
    assert figure.rows == (("cluster 1", "60", "40", "60.0\u202f%"), ("cluster 2", "10", "30", "25.0\u202f%"))
    assert "(50.0\u202f% original). Cluster 2 counts most, with 25.0\u202f% original." in figure.caption


def test_without_counts_there_is_no_drawing_of_clusters():
    assert clusters(assessed("cluster_utility", {"clusters": 2000})) is None
    assert clusters(Assessment("cluster_utility", "c", "a", NotAssessed("no numbers"))) is None


def test_the_caption_of_a_law_has_the_distance_of_its_own_variable():
    parts = {
        "distance.age": 0.0625,
        "critical_if_independent.age": 0.25,
        "exceeded.age": 0.5,
        "law.age.95": 0.125,
    }
    held = law_of(assessed("ks_distance", parts), "age")
    assert held.caption.startswith("ks_distance is 0.5. Of age alone it is 0.0625: in 50 % of the draws")
