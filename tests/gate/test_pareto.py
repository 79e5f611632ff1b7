from sdc.catalogue.measurement import Assessment, Measurement
from sdc.catalogue.units import Better
from sdc.gate.pareto import MapAxis, axes, front
from sdc.profile import Profile

PLAN = {
    "name": "small",
    "source": {"path": "a.csv"},
    "variables": {"age": "quasi_identifier"},
    "candidates": {"plain": [], "strict": []},
    "risk": [
        {"measure": "k_anonymity", "at_least": 3},
        {"measure": "k_anonymity", "as": "small_classes", "part": "share_below_k", "at_most": 0.1},
        {"measure": "replicated_uniques", "for": ["plain"], "at_most": 5},
    ],
    "utility": [{"measure": "ks_distance", "as": "shape"}, {"measure": "propensity_mse", "as": "told_apart"}],
}


def axes_of(**changes: object) -> tuple[MapAxis, MapAxis] | None:
    return axes(Profile.model_validate(PLAN | changes), ["plain", "strict"])


def test_the_axes_are_those_the_profile_names() -> None:
    named = axes_of(map={"risk": "small_classes", "utility": "told_apart"}, prefer={"measure": "shape"})
    assert named == (
        MapAxis("small_classes", "share_below_k", Better.LOWER),
        MapAxis("told_apart", None, Better.LOWER),
    )


def test_without_a_name_the_first_judged_risk_and_the_preferred_measurement_are_taken() -> None:
    assert axes_of(prefer={"measure": "told_apart"}) == (
        MapAxis("k_anonymity", None, Better.HIGHER),
        MapAxis("told_apart", None, Better.LOWER),
    )
    assert axes_of() == (MapAxis("k_anonymity", None, Better.HIGHER), MapAxis("shape", None, Better.LOWER))


def test_a_candidate_that_was_not_measured_has_no_place() -> None:
    axis = MapAxis("shape", "distance.age", Better.LOWER)
    assert (
        axis.value([Assessment("ks_distance", "shape", "plain", Measurement(0.3, {"distance.age": 0.2}))])
        == 0.2
    )
    assert axis.value([Assessment("ks_distance", "other", "plain", Measurement(0.3))]) is None


def test_the_front_has_the_points_no_other_beats() -> None:
    assert front({"a": (1, 4), "b": (2, 2), "c": (3, 3), "d": (4, 1), "e": (2, 5)}) == {"a", "b", "d"}


def test_equal_points_are_both_on_the_front() -> None:
    assert front({"a": (1, 1), "b": (1, 1), "c": (1, 2)}) == {"a", "b"}


def test_one_point_is_its_own_front_and_none_has_none() -> None:
    assert front({"a": (7, 7)}) == {"a"}
    assert front({}) == frozenset()
