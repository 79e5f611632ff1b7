"""Suppression on combinations has the outcome of suppression on all records."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.suppression import solve
from sdc.statistics.suppression.demand import Demand, Terms

TERMS = Terms((1.0, 2.0, 1.0), (3000, 3000, 3000))


def table(seed: int) -> np.ndarray:
    """Large classes, rare combinations that nobody shares, and some values that are missing already."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, size, 3000) for size in (2, 3, 2)]).astype(np.int32)
    codes[rng.random(codes.shape) < 0.01] = -1
    codes[rng.choice(3000, 9, replace=False)] = rng.integers(2, 9, (9, 3))
    return codes


def test_of_a_large_class_only_the_first_records_are_in_play():
    codes = np.array([[0], [0], [1], [0], [-1], [-1], [-1]], dtype=np.int32)
    assert solve.in_play(codes, 2).tolist() == [True, True, True, False, True, True, True]


@pytest.mark.parametrize("demands", [[Demand((0, 1, 2), 4)], [Demand((0, 1), 3), Demand((1, 2), 7)]])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_outcome_is_that_of_a_search_on_all_records(demands, seed, monkeypatch):
    codes = table(seed)
    assert solve.in_play(codes, 72).sum() < 2000
    found = solve.suppressed(codes, demands, TERMS, wildcard=False)
    monkeypatch.setattr(solve, "SPARE", ())
    assert np.array_equal(found, solve.suppressed(codes, demands, TERMS, wildcard=False))
    assert (found != codes).any()


def test_where_more_records_must_help_than_are_in_play_all_are_searched(monkeypatch):
    """One record is like nobody, and dear keys forbid that it loses them all: members of a class follow it."""
    codes = np.zeros((500, 3), dtype=np.int32)
    codes[7] = 5
    demand, terms = [Demand((0, 1, 2), 3)], Terms((1.0, 1.0, 1.0), (500, 500, 500))
    outcomes = []
    for spare in ((), (0,), (64,)):
        monkeypatch.setattr(solve, "SPARE", spare)
        outcomes.append(solve.suppressed(codes, demand, terms, wildcard=False))
    assert (outcomes[0] < 0).any(axis=1).sum() == 3
    assert np.array_equal(outcomes[0], outcomes[1])
    assert np.array_equal(outcomes[0], outcomes[2])


@pytest.mark.parametrize("size", [1, 7, 512, 1999])
@pytest.mark.parametrize("wildcard", [False, True])
def test_records_seen_in_parts_lose_what_they_lose_when_seen_together(size, wildcard):
    codes = table(2)
    codes = codes[codes.max(axis=1).argsort()[-200:]] if wildcard else codes
    demands = [Demand((0, 1), 3), Demand((1, 2), 7)]
    parts = [codes[begin : begin + size] for begin in range(0, len(codes), size)]
    rows, found = solve.suppressed_rows(lambda: iter(parts), demands, TERMS, wildcard=wildcard)
    made = codes.copy()
    made[rows] = found
    assert np.array_equal(made, solve.suppressed(codes, demands, TERMS, wildcard=wildcard))
    assert (made != codes).any()
    assert rows.tolist() == sorted(set(rows.tolist()))
