"""In which order a space is searched."""

from __future__ import annotations

import itertools

from sdc.gate.search import Search
from sdc.profile.sweep import SweepGrid


def grid(name: str, *lengths: int) -> SweepGrid:
    places = itertools.product(*(range(length) for length in lengths))
    return SweepGrid(lengths, {"_".join([name, *map(str, place)]): place for place in places})


def test_the_middle_comes_first_then_the_ends_then_what_lies_between() -> None:
    assert Search({"a": grid("a", 5)}).coarse_to_fine == ["a_2", "a_0", "a_4", "a_1", "a_3"]


def test_entries_take_turns() -> None:
    assert Search({"a": grid("a", 3), "b": grid("b", 1)}).coarse_to_fine == ["a_1", "b_0", "a_0", "a_2"]


def test_an_entry_without_a_sweep_is_tried_once() -> None:
    assert Search({"a": SweepGrid((), {"a": ()})}).coarse_to_fine == ["a"]


def test_every_candidate_is_tried_once_whatever_is_promising() -> None:
    search = Search({"a": grid("a", 4, 3), "b": grid("b", 7)})
    done: list[str] = []
    while batch := search.batch(done, done[:2], 2):
        done += batch
    assert sorted(done) == sorted(search.coarse_to_fine)


def test_every_other_try_is_the_nearest_to_what_is_promising() -> None:
    search = Search({"a": grid("a", 9)})
    assert search.batch(["a_4", "a_0", "a_8"], ["a_4"], 2) == ["a_3", "a_2"]
    assert search.batch(["a_4"], [], 2) == ["a_0", "a_8"]


def test_nothing_is_refined_before_every_corner_was_tried() -> None:
    search = Search({"a": grid("a", 9), "b": grid("b", 9), "c": grid("c", 9)})
    assert search.batch(["a_4"], ["a_4"], 2) == ["b_4", "c_4"]
    assert search.batch(["a_4", "b_4", "c_4"], ["a_4"], 6) == ["a_0", "b_0", "c_0", "a_8", "b_8", "c_8"]


def test_a_corner_that_passes_is_found_however_promising_the_middle_looks() -> None:
    """Two axes of three values beside one of nine.

    Four corners, two ends and two middles come before anything else.
    """
    search = Search({"a": grid("a", 3, 3), "b": grid("b", 9)})
    done: list[str] = []
    while len(done) < 8:
        done += search.batch(done, ["a_1_1"], 2)
    assert set(done) == {"a_1_1", "a_0_0", "a_0_2", "a_2_0", "a_2_2", "b_4", "b_0", "b_8"}


def test_what_was_found_decides_and_nothing_else() -> None:
    search, again = (Search({"a": grid("a", 6, 6)}) for _ in range(2))
    done = search.coarse_to_fine[:7]
    assert search.batch(done, ["a_5_5", "a_0_0"], 4) == again.batch(set(done), {"a_0_0", "a_5_5"}, 4)
