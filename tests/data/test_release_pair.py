"""Are counts of two tables right, equal however values are held, and the same from any thread?"""

import math
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdc.data import counting, table
from sdc.data.classes import Classed
from sdc.data.database import Database
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.roles import MissingRule, Role, Roles, Variable, VariableType

AWKWARD = [
    "n",
    "k0",
    "o",
    "c",
    "t",
    "x",
    "w0",
    "d0",
    "code",
    "side",
    "weight",
    "text",
    "count",
    "select",
    'a"b',
    "it's",
    "rowid",
    "values_0_0",
    "日本 ß",
]
LEVELS = ["a", "b", None, "é", "it's", 'say "x"', ""]


def roles_of(names: Sequence[str], **kinds: VariableType) -> Roles:
    return Roles.of(
        [Variable(name, Role.QUASI_IDENTIFIER, kinds.get(name, VariableType.CATEGORICAL)) for name in names]
    )


def random_frame(names: Sequence[str], rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {name: [LEVELS[place] for place in rng.integers(0, len(LEVELS), rows)] for name in names},
        dtype=object,
    )


def counted(frame: pd.DataFrame, names: Sequence[str]) -> Counter[tuple[Any, ...]]:
    return Counter(
        tuple(None if value is None else str(value) for value in row)
        for row in frame[list(names)].itertuples(index=False)
    )


def labels(codes: np.ndarray[Any, Any], levels: Sequence[Sequence[str]]) -> list[tuple[str | None, ...]]:
    return [
        tuple(None if code < 0 else levels[place][code] for place, code in enumerate(row)) for row in codes
    ]


@pytest.fixture(scope="module")
def awkward() -> tuple[ReleasePair, pd.DataFrame, pd.DataFrame]:
    original, candidate = random_frame(AWKWARD, 200, 1), random_frame(AWKWARD, 150, 2)
    return ReleasePair.from_frames(original, candidate, roles_of(AWKWARD)), original, candidate


@pytest.mark.parametrize(
    "keys",
    [
        AWKWARD[:3],
        AWKWARD[3:6],
        AWKWARD[6:8],
        AWKWARD[8:10],
        AWKWARD[10:13],
        AWKWARD[13:16],
        AWKWARD[16:],
        AWKWARD,
        AWKWARD[:1],
    ],
)
def test_counts_are_those_of_counting_by_hand_whatever_columns_are_called(
    awkward: tuple[ReleasePair, pd.DataFrame, pd.DataFrame], keys: list[str]
) -> None:
    pair, original, candidate = awkward
    expected_original, expected = counted(original, keys), counted(candidate, keys)
    sizes = pair.class_sizes(keys)
    assert dict(zip(sizes.size.tolist(), sizes.classes.tolist(), strict=True)) == Counter(expected.values())
    combinations = pair.combinations(keys)
    assert (
        dict(zip(labels(combinations.codes, combinations.levels), combinations.count.tolist(), strict=True))
        == expected
    )
    cells = pair.cells(keys)
    found = labels(cells.codes, cells.levels)
    assert dict(zip(found, cells.original.tolist(), strict=True)) == {
        cell: expected_original[cell] for cell in expected_original | expected
    }
    assert dict(zip(found, cells.candidate.tolist(), strict=True)) == {
        cell: expected[cell] for cell in expected_original | expected
    }


@pytest.mark.parametrize("keys", [AWKWARD[:2], AWKWARD[14:17], []])
def test_a_crosstab_has_a_run_of_cells_for_each_class(
    awkward: tuple[ReleasePair, pd.DataFrame, pd.DataFrame], keys: list[str]
) -> None:
    pair, original, candidate = awkward
    crosstab = pair.crosstab(keys, "count")
    targets = [None if code < 0 else crosstab.levels[code] for code in crosstab.target]
    classes = [
        Counter(
            {
                target: (int(o), int(c))
                for target, o, c in zip(
                    targets[a:b], crosstab.original[a:b], crosstab.candidate[a:b], strict=True
                )
            }
        )
        for a, b in zip(crosstab.offsets[:-1], crosstab.offsets[1:], strict=True)
    ]
    expected: dict[tuple[Any, ...], dict[Any, list[int]]] = {}
    for side, frame in enumerate((original, candidate)):
        for cell, count in counted(frame, [*keys, "count"]).items():
            expected.setdefault(cell[:-1], {}).setdefault(cell[-1], [0, 0])[side] = count
    by_hand = [{target: tuple(counts) for target, counts in cells.items()} for cells in expected.values()]
    assert sorted(map(_sortable, classes)) == sorted(map(_sortable, by_hand))


def _sortable(cells: dict[Any, tuple[int, ...]]) -> list[tuple[str, tuple[int, ...]]]:
    return sorted((repr(target), counts) for target, counts in cells.items())


def test_more_levels_than_one_word_holds_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    names = list("abcdefg")
    original, candidate = random_frame(names, 300, 3), random_frame(names, 250, 4)
    found = []
    for word, words in ((2**62, 1), (100, 4)):
        monkeypatch.setattr(counting, "WORD", word)
        pair = ReleasePair.from_frames(original, candidate, roles_of(names))
        assert len(counting._packing([pair._coding(name, Side.CANDIDATE) for name in names], 2)) == words
        cells, crosstab = pair.cells(names), pair.crosstab(names[:-1], "g")
        found.append(
            [
                cells.codes,
                cells.original,
                cells.candidate,
                crosstab.offsets,
                crosstab.target,
                crosstab.original,
                crosstab.candidate,
            ]
        )
    assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))


def test_rows_counted_by_the_batch_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["a", "b"]
    original, candidate = random_frame(names, 1000, 5), random_frame(names, 30, 6)
    original["w"] = candidate["w"] = 0.1
    roles = Roles.of([*roles_of(names), Variable("w", Role.WEIGHT, VariableType.NUMERIC)])
    whole = ReleasePair.from_frames(original, candidate, roles)
    expected = whole.cells(names), whole.combinations(names, Side.ORIGINAL)
    monkeypatch.setattr(table, "BATCH", 64)
    parts = ReleasePair.from_frames(original, candidate, roles)
    found = parts.cells(names), parts.combinations(names, Side.ORIGINAL)
    for one, other in zip(expected, found, strict=True):
        assert np.array_equal(one.codes, other.codes)
    assert np.array_equal(expected[0].original, found[0].original)
    assert np.array_equal(expected[0].candidate, found[0].candidate)
    assert np.array_equal(expected[1].count, found[1].count)
    assert np.array_equal(expected[1].weights, found[1].weights)


def test_rows_that_were_deleted_hide_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "BATCH", 64)
    database = Database.in_memory()
    for name in ("original", "candidate"):
        database.cursor().execute(f"CREATE TABLE {name} AS SELECT i % 5 AS x, i FROM range(1000) r(i)")
        database.cursor().execute(f"DELETE FROM {name} WHERE i < 500")
    pair = ReleasePair(database.table("original"), database.table("candidate"), roles_of(["x"]))
    assert pair.cells(["x"]).original.tolist() == [100] * 5


HELD = {
    "BIGINT": "CAST(v AS BIGINT)",
    "INTEGER": "CAST(v AS INTEGER)",
    "DOUBLE": "CAST(v AS DOUBLE)",
    "FLOAT": "CAST(v AS FLOAT)",
    "DECIMAL": "CAST(v AS DECIMAL(9, 2))",
    "HUGEINT": "CAST(v AS HUGEINT)",
    "VARCHAR": "CAST(CAST(v AS BIGINT) AS VARCHAR)",
}


@pytest.mark.parametrize("one", HELD)
@pytest.mark.parametrize("other", HELD)
def test_an_age_is_the_same_key_whichever_type_holds_it(one: str, other: str) -> None:
    database = Database.in_memory()
    for name, expression in (("original", HELD[one]), ("candidate", HELD[other])):
        database.cursor().execute(
            f"CREATE TABLE {name} AS SELECT {expression} AS age FROM (VALUES (23), (23), (41), (0), (NULL)) r(v)"
        )
    pair = ReleasePair(database.table("original"), database.table("candidate"), roles_of(["age"]))
    cells = pair.cells(["age"])
    assert labels(cells.codes, cells.levels) == [(None,), ("0",), ("23",), ("41",)]
    assert cells.original.tolist() == cells.candidate.tolist() == [1, 1, 2, 1]


@pytest.mark.parametrize(
    ("one", "other", "levels"),
    [
        ("DATE '2020-01-02'", "TIMESTAMP '2020-01-02 00:00:00'", ["2020-01-02"]),
        ("DATE '2020-01-02'", "'2020-01-02'", ["2020-01-02"]),
        ("TRUE", "'true'", ["true"]),
        ("CAST(-0.0 AS DOUBLE)", "CAST(0 AS BIGINT)", ["0"]),
        (
            "CAST(0.1 AS DOUBLE) + CAST(0.2 AS DOUBLE)",
            "CAST('0.30000000000000004' AS DOUBLE)",
            ["0.30000000000000004"],
        ),
        ("CAST('a' AS ENUM ('a'))", "CAST('a' AS ENUM ('b', 'a'))", ["a"]),
    ],
)
def test_days_truths_and_labels_are_the_same_whichever_type_holds_them(
    one: str, other: str, levels: list[str]
) -> None:
    database = Database.in_memory()
    for name, expression in (("original", one), ("candidate", other)):
        database.cursor().execute(f"CREATE TABLE {name} AS SELECT {expression} AS x")
    pair = ReleasePair(database.table("original"), database.table("candidate"), roles_of(["x"]))
    assert pair.cells(["x"]).levels == (tuple(levels),)
    assert pair.cells(["x"]).candidate.tolist() == [1]
    assert pair.levels("x") == tuple(levels)
    assert pair.codes("x", Side.ORIGINAL).tolist() == pair.codes("x", Side.CANDIDATE).tolist() == [0]


def test_negative_zero_and_not_a_number_make_no_class_of_their_own() -> None:
    database = Database.in_memory()
    values = "(VALUES (CAST(0.0 AS DOUBLE)), (CAST(-0.0 AS DOUBLE)), (CAST('nan' AS DOUBLE)), (NULL)) r(x)"
    for name in ("original", "candidate"):
        database.cursor().execute(f"CREATE TABLE {name} AS SELECT x FROM {values}")
    pair = ReleasePair(
        database.table("original"), database.table("candidate"), roles_of(["x"], x=VariableType.NUMERIC)
    )
    assert pair.class_sizes(["x"]).size.tolist() == [2]
    assert pair.cells(["x"]).original.tolist() == [2, 2]
    assert pair.combinations(["x"]).count.tolist() == [2, 2]
    assert pair.cells([Classed("x", (0.0,))]).original.tolist() == [2, 2]


def test_classes_begin_at_their_edge_to_the_last_digit() -> None:
    edge = 0.1 + 0.2
    frame = pd.DataFrame({"x": [np.nextafter(edge, 0), edge, np.nextafter(edge, 1), np.nan]})
    pair = ReleasePair.from_frames(frame, frame, roles_of(["x"], x=VariableType.NUMERIC))
    cells = pair.cells([Classed("x", (edge,))])
    assert cells.codes[:, 0].tolist() == [-1, 0, 1]
    assert cells.original.tolist() == [1, 1, 2]


def test_missing_keys_are_a_value_of_their_own_or_match_all() -> None:
    frame = pd.DataFrame({"a": ["x", "x", None, "y"], "b": ["1", None, "1", "2"]})
    pair = ReleasePair.from_frames(frame, frame, roles_of(["a", "b"]))
    assert pair.class_sizes(["a", "b"]).records.tolist() == [4]
    matched = pair.class_sizes(["a", "b"], missing=MissingRule.WILDCARD)
    assert dict(zip(matched.size.tolist(), matched.records.tolist(), strict=True)) == {1: 1, 3: 3}


def test_weights_add_up_the_same_in_any_order() -> None:
    rng = np.random.default_rng(7)
    weights = rng.random(5000).round(6) * 1000
    keys = rng.integers(0, 3, 5000).astype(str)
    roles = Roles.of([Variable("k", Role.QUASI_IDENTIFIER), Variable("w", Role.WEIGHT, VariableType.NUMERIC)])
    totals = []
    for order in (np.arange(5000), rng.permutation(5000)):
        frame = pd.DataFrame({"k": keys[order], "w": weights[order]})
        totals.append(ReleasePair.from_frames(frame, frame, roles).combinations(["k"]).weights)
    assert np.array_equal(totals[0], totals[1])
    assert totals[0] == pytest.approx([math.fsum(weights[keys == key]) for key in "012"], abs=1e-3)


def test_weights_too_large_to_be_summed_exactly_are_refused() -> None:
    frame = pd.DataFrame({"k": ["a"] * 20, "w": [9e11] * 20})
    roles = Roles.of([Variable("k", Role.QUASI_IDENTIFIER), Variable("w", Role.WEIGHT, VariableType.NUMERIC)])
    with pytest.raises(OverflowError, match="summed exactly"):
        ReleasePair.from_frames(frame, frame, roles).combinations(["k"])


def test_empty_tables_have_no_classes() -> None:
    empty = pd.DataFrame({"a": pd.Series([], dtype=str), "b": pd.Series([], dtype=str)})
    pair = ReleasePair.from_frames(empty, empty, roles_of(["a", "b"]))
    assert pair.class_sizes(["a"]).total_classes == 0
    assert pair.cells(["a", "b"]).codes.shape == (0, 2)
    assert pair.combinations(["a"]).count.size == 0
    assert pair.crosstab(["a"], "b").offsets.tolist() == [0]


def test_without_keys_all_records_are_one_class() -> None:
    frame = pd.DataFrame({"a": ["x", "y", "y"]})
    pair = ReleasePair.from_frames(frame, frame, roles_of(["a"]))
    assert pair.class_sizes([]).size.tolist() == [3]
    assert pair.crosstab([], "a").offsets.tolist() == [0, 2]


def test_sizes_of_a_class_in_two_tables_are_paired() -> None:
    original, candidate = pd.DataFrame({"a": list("xxyz")}), pd.DataFrame({"a": list("xyyw")})
    paired = ReleasePair.from_frames(original, candidate, roles_of(["a"])).paired_sizes(["a"])
    found = sorted(zip(paired.first.tolist(), paired.second.tolist(), paired.classes.tolist(), strict=True))
    assert found == [(0, 1, 1), (1, 0, 1), (1, 2, 1), (2, 1, 1)]


@pytest.mark.slow
def test_a_million_levels_are_counted() -> None:
    rows = 1_000_000
    database = Database.in_memory()
    for name, shift in (("original", 0), ("candidate", 1)):
        database.cursor().execute(
            f"CREATE TABLE {name} AS SELECT 'r' || (i + {shift}) AS region, i % 3 AS sex FROM range({rows}) r(i)"
        )
    pair = ReleasePair(database.table("original"), database.table("candidate"), roles_of(["region", "sex"]))
    assert pair.class_sizes(["region"]).classes.tolist() == [rows]
    crosstab = pair.crosstab(["region"], "sex")
    assert crosstab.offsets.size - 1 == rows + 1
    assert (int(crosstab.original.sum()), int(crosstab.candidate.sum())) == (rows, rows)


@pytest.mark.slow
def test_threads_that_ask_all_at_once_get_the_counts_of_one() -> None:
    rng = np.random.default_rng(8)
    rows = 20_000
    names = list("abcdef")
    tables = [
        pa.table({name: rng.integers(0, 4 + place, rows).astype(str) for place, name in enumerate(names)})
        for _ in range(2)
    ]

    def fresh() -> ReleasePair:
        database = Database.in_memory()
        return ReleasePair(
            database.write("original", tables[0]), database.write("candidate", tables[1]), roles_of(names)
        )

    asked: dict[str, Callable[[ReleasePair], Any]] = {
        "sizes": lambda pair: pair.class_sizes(names).classes.tolist(),
        "cells": lambda pair: pair.cells(names[:3]).original.tolist(),
        "crosstab": lambda pair: pair.crosstab(names[:5], "f").candidate.tolist(),
        "combinations": lambda pair: pair.combinations(names[2:]).count.tolist(),
        "codes": lambda pair: pair.codes("d", Side.CANDIDATE).tolist(),
        "levels": lambda pair: pair.levels("e"),
        "original": lambda pair: pair.class_sizes(names, Side.ORIGINAL).classes.tolist(),
        "paired": lambda pair: pair.paired_sizes(names[:2]).classes.tolist(),
    }

    def answers(pair: ReleasePair, turn: int) -> dict[str, Any]:
        order = list(asked)
        return {name: asked[name](pair) for name in order[turn:] + order[:turn]}

    alone, shared = answers(fresh(), 0), fresh()
    found: list[dict[str, Any]] = []
    failed: list[BaseException] = []

    def hammer(turn: int) -> None:
        try:
            for _ in range(3):
                found.append(answers(shared, turn))
                found.append(answers(ReleasePair(shared.original, shared.candidate, shared.roles), turn))
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=hammer, args=(2 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(found) == 24
    assert all(each == alone for each in found)


def test_what_is_asked_for_twice_is_made_once() -> None:
    pair = ReleasePair.from_frames(pd.DataFrame({"a": ["x"]}), pd.DataFrame({"a": ["x"]}), roles_of(["a"]))
    assert pair.cells(["a"]) is pair.cells(["a"])
    made: list[int] = []
    assert [pair.once("key", lambda: made.append(1) or len(made)) for _ in range(3)] == [1, 1, 1]


def test_what_fails_is_tried_again_by_the_next_who_asks() -> None:
    pair = ReleasePair.from_frames(pd.DataFrame({"a": ["x"]}), pd.DataFrame({"a": ["x"]}), roles_of(["a"]))

    def broken() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        pair.once("key", broken)
    assert pair.once("key", lambda: 7) == 7


def test_codes_of_a_column_that_both_tables_write_alike_are_held_once() -> None:
    original = pd.DataFrame({"same": ["a", "b", None, "b"], "other": ["x", "y", "y", "z"]})
    candidate = pd.DataFrame({"same": ["b", "a", "b", None], "other": ["y", "z", "z", "y"]})
    pair = ReleasePair.from_frames(original, candidate, roles_of(["same", "other"]))
    for side in (Side.ORIGINAL, Side.CANDIDATE):
        assert np.shares_memory(pair.codes("same", side), pair.places("same", side))
    assert pair.places("same", Side.ORIGINAL).tolist() == [0, 1, -1, 1]
    assert pair.places("same", Side.CANDIDATE).tolist() == [1, 0, 1, -1]
    # The candidate has no x: its own codes are others than those on the values of both.
    assert pair.places("other", Side.CANDIDATE).tolist() == [1, 2, 2, 1]
    with pytest.raises(ValueError, match="read-only"):
        pair.codes("same", Side.ORIGINAL)[0] = 5
