"""Are equal rows counted, in order, whatever way they arrive?"""

from collections import Counter

import numpy as np
import pytest

from sdc.statistics.counts.runs import count_runs, merge_runs, run_starts, run_sums


def test_equal_rows_are_counted_in_order() -> None:
    runs = count_runs([np.array([3, 1, 3, 2, 3])])
    assert (runs.words[0].tolist(), runs.counts.tolist()) == ([1, 2, 3], [1, 1, 3])


def test_rows_of_two_words_are_equal_only_in_both() -> None:
    runs = count_runs([np.array([1, 1, 0, 1]), np.array([5, 4, 5, 5])])
    assert list(zip(*(word.tolist() for word in runs.words), strict=True)) == [(0, 5), (1, 4), (1, 5)]
    assert runs.counts.tolist() == [1, 1, 2]


@pytest.mark.parametrize("words", [1, 2, 3])
def test_counting_in_parts_is_counting_the_whole(words: int) -> None:
    rng = np.random.default_rng(words)
    rows = [rng.integers(0, 4, 500) for _ in range(words)]
    weights = rng.integers(1, 10**15, 500)
    whole = count_runs(rows, weights=weights)
    parts = merge_runs(
        [
            count_runs([row[part] for row in rows], weights=weights[part])
            for part in (slice(0, 100), slice(100, 450), slice(450, 500))
        ]
    )
    assert all(np.array_equal(one, other) for one, other in zip(whole.words, parts.words, strict=True))
    assert np.array_equal(whole.counts, parts.counts)
    assert whole.weights is not None
    assert parts.weights is not None
    assert np.array_equal(whole.weights, parts.weights)
    expected = Counter(zip(*(row.tolist() for row in rows), strict=True))
    assert (
        dict(
            zip(
                zip(*(word.tolist() for word in whole.words), strict=True), whole.counts.tolist(), strict=True
            )
        )
        == expected
    )


def test_no_rows_have_no_runs() -> None:
    runs = count_runs([np.zeros(0, dtype=np.int64)])
    assert (runs.words[0].size, runs.counts.size) == (0, 0)
    assert run_starts([np.zeros(0, dtype=np.int64)]).size == 0
    assert run_sums(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)).size == 0
