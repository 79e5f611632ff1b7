"""cluster_utility against Hu's table, R's hclust and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.utility import cluster_utility as module
from sdc.measures.utility.cluster_utility import cluster_utility
from sdc.statistics.neighbours import clusters as clustering
from sdc.statistics.neighbours.linkage import linked_clusters, share_deviation, standardised


def rng():
    return np.random.default_rng(5)


def together(labels):
    """A partition, whatever its clusters are called."""
    return sorted(tuple(np.flatnonzero(labels == label)) for label in np.unique(labels))


def test_hus_table_in_all_three_scalings(worked_examples):
    case = worked_examples["H-Uc"]
    original, candidate = (np.array(case["inputs"][side]) for side in ("n_orig", "n_masked"))
    value = share_deviation(original, candidate)
    assert value == pytest.approx(worked_examples["H-Uc-mean"]["recomputed"], rel=1e-14)
    assert value / case["parameters"]["G"] == pytest.approx(case["recomputed"], rel=1e-14)
    assert value * (original + candidate).sum() == pytest.approx(
        worked_examples["H-Uc-karr"]["recomputed"], rel=1e-14
    )


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [5, 20])
def test_the_golden_pair_agrees_with_hclust(clusters, golden, golden_pair):
    expected = golden("cluster_utility")["outputs"][f"clusters_{clusters}"]
    pair = golden_pair("noise")
    found = cluster_utility(pair, clusters=clusters, variables=["equivalised_income", "spending"], rng=rng())
    assert found.value == pytest.approx(expected["weighted_mean_of_squared_deviation"], rel=1e-12)
    assert found.parts["hu"] == pytest.approx(expected["hu_weighted_mean_over_G"], rel=1e-12)
    assert found.parts["karr"] == pytest.approx(expected["karr_N_times_weighted_mean"], rel=1e-12)
    assert (found.parts["average_linkage"], found.parts["clusters"]) == (1, clusters)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize(("records", "columns"), [(2, 1), (9, 1), (60, 2), (700, 3)])
def test_clusters_are_scipys(records, columns, squared):
    points = rng().exponential(size=(records, columns))
    tree = hierarchy.linkage(pdist(points, "sqeuclidean" if squared else "euclidean"), "average")
    for clusters in {1, 2, records // 2, records - 1, records}:
        theirs = hierarchy.cut_tree(tree, n_clusters=max(clusters, 1)).ravel()
        assert together(linked_clusters(points, max(clusters, 1), squared=squared)) == together(theirs)


def test_equal_points_are_one_and_count_as_often_as_they_occur():
    points = np.repeat(rng().normal(size=(40, 2)), rng().integers(1, 20, 40), axis=0)
    tree = hierarchy.linkage(pdist(points), "average")
    for clusters in (2, 5, 12, 39):
        assert together(linked_clusters(points, clusters)) == together(
            hierarchy.cut_tree(tree, n_clusters=clusters).ravel()
        )
    assert len(np.unique(linked_clusters(points, 100))) == 40


def test_a_lattice_of_equal_distances_comes_to_an_end():
    grid = np.stack(np.meshgrid(np.arange(30.0), np.arange(30.0)), axis=-1).reshape(-1, 2) / 3
    assert len(np.unique(linked_clusters(grid, 7))) == 7


def test_a_separate_candidate_is_as_bad_as_can_be(pair_of):
    pair = pair_of({"a": [1.0, 1.1, 1.2]}, {"a": [9.0, 9.1, 9.2]})
    assert cluster_utility(pair, clusters=2, rng=rng()).value == 0.25


def test_c_is_the_share_of_original_records(pair_of):
    """Three original and one candidate record in each of two clusters: every share is c."""
    pair = pair_of({"a": [0, 0.1, 0.2, 5, 5.1, 5.2]}, {"a": [0.1, 5.1]})
    assert cluster_utility(pair, clusters=2, rng=rng()).value == 0


def test_beyond_its_limit_k_means_takes_over_and_says_so(pair_of, monkeypatch):
    pair = pair_of({"a": [0, 0.1, 0.2, 5, 5.1, 5.2]}, {"a": [0.1, 0.2, 5.1]})
    asked = cluster_utility(pair, clusters=2, linkage="kmeans", rng=rng())
    monkeypatch.setattr(clustering, "MOST_LINKED", 8)
    found = cluster_utility(pair, clusters=2, rng=rng())
    # Clusters of 3 + 2 and 3 + 1 records, c = 2/3.
    assert (
        found.value == asked.value == pytest.approx((5 * (3 / 5 - 2 / 3) ** 2 + 4 * (3 / 4 - 2 / 3) ** 2) / 9)
    )
    assert found.parts["average_linkage"] == 0


def test_units_are_standard_deviations_and_constants_say_nothing():
    held = standardised(np.array([[1e200, 7.0, 0.0], [3e200, 7.0, 0.0], [5e200, 7.0, 0.0]]))
    assert held.ravel() == pytest.approx([-1, 0, 1])


def test_records_with_a_missing_value_are_left_out(pair_of):
    found = cluster_utility(pair_of({"a": [1, 2, np.nan]}, {"a": [1.0, 2.0]}), clusters=2, rng=rng())
    assert (found.value, found.parts["original_records"]) == (0, 2)
    nothing = cluster_utility(
        pair_of({"a": [1, np.nan], "b": [np.nan, 1]}, {"a": [1.0, 2], "b": [1.0, 2]}), rng=rng()
    )
    assert isinstance(nothing, NotAssessed)


def test_clusters_are_counted_table_by_table_the_largest_first(monkeypatch):
    from sdc.data.release_pair import ReleasePair
    from sdc.data.roles import Role, Roles, Variable, VariableType

    pd = pytest.importorskip("pandas")
    roles = Roles.of([Variable("x", Role.SENSITIVE, VariableType.NUMERIC)])
    original, candidate = (
        pd.DataFrame({"x": [0.0, 0.1, 0.2, 9.0]}),
        pd.DataFrame({"x": [0.15, 9.1, 9.2, 9.3, 9.4]}),
    )
    found = cluster_utility(ReleasePair.from_frames(original, candidate, roles), clusters=2, rng=rng())
    assert {name: value for name, value in found.parts.items() if "cluster_" in name} == {
        "original.cluster_1": 1,
        "candidate.cluster_1": 4,
        "original.cluster_2": 3,
        "candidate.cluster_2": 1,
    }
    monkeypatch.setattr(module, "MOST_SHOWN", 1)
    again = cluster_utility(ReleasePair.from_frames(original, candidate, roles), clusters=2, rng=rng())
    assert (again.value, [name for name in again.parts if "cluster_" in name]) == (found.value, [])


def test_the_scalings_count_the_clusters_there_are_and_all_records(pair_of):
    """Two distinct points of four records each, three of one table.

    Both shares are a quarter off one half.
    """
    found = cluster_utility(pair_of({"a": [0.0, 0, 0, 1]}, {"a": [0.0, 1, 1, 1]}), clusters=20, rng=rng())
    assert found.value == 0.25**2
    assert (found.parts["clusters"], found.parts["hu"], found.parts["karr"]) == (2, 0.25**2 / 2, 8 * 0.25**2)


@pytest.mark.parametrize(("scale", "made"), [("none", lambda points: points), ("standard", standardised)])
def test_the_scale_is_that_of_the_data_or_of_their_spread(scale, made, pair_of):
    points = rng().normal(size=(120, 2)) * [1, 1000]
    pair = pair_of(dict(zip("ab", points[:70].T, strict=True)), dict(zip("ab", points[70:].T, strict=True)))
    labels = hierarchy.cut_tree(hierarchy.linkage(pdist(made(points)), "average"), n_clusters=6).ravel()
    original, candidate = (np.bincount(held, minlength=6) for held in (labels[:70], labels[70:]))
    assert cluster_utility(pair, clusters=6, scale=scale, rng=rng()).value == pytest.approx(
        share_deviation(original, candidate), rel=1e-12
    )


@pytest.mark.slow
def test_twenty_thousand_records_far_from_zero_on_their_own_scale(pair_of):
    """Two heaps of 10,000 records each, a billion away from zero and skewed.

    One has 6,000 of the original, the other 4,000.
    """
    heap = 1e9 + 1e4 * rng().exponential(size=(20_000, 2)) ** 2
    heap[10_000:] += 1e8
    own = np.r_[np.arange(6000), np.arange(10_000, 14_000)]
    original, candidate = heap[own], np.delete(heap, own, axis=0)
    found = cluster_utility(
        pair_of(dict(zip("ab", original.T, strict=True)), dict(zip("ab", candidate.T, strict=True))),
        clusters=2,
        scale="none",
        rng=rng(),
    )
    assert (found.value, found.parts["average_linkage"]) == (pytest.approx(0.1**2, rel=1e-9), 1)
