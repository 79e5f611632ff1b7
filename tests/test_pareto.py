from sdc.pareto import front


def test_the_front_has_the_points_no_other_beats() -> None:
    assert front({"a": (1, 4), "b": (2, 2), "c": (3, 3), "d": (4, 1), "e": (2, 5)}) == {"a", "b", "d"}


def test_equal_points_are_both_on_the_front() -> None:
    assert front({"a": (1, 1), "b": (1, 1), "c": (1, 2)}) == {"a", "b"}


def test_one_point_is_its_own_front_and_none_has_none() -> None:
    assert front({"a": (7, 7)}) == {"a"}
    assert front({}) == frozenset()
