"""What a pair shares is made once for each set of arguments, and never mixed up."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest

from sdc.data import sharing
from sdc.data.classes import Classed, RecordClasses
from sdc.data.sharing import KEPT, TEXT_BYTES, WORTH_COUNTING, Sharing, bytes_of, shared


class Counted(Sharing):
    """Counts how often its functions are really called."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []

    @shared
    def kind(self, value: Any, *, more: Any = None) -> tuple[type, Any]:
        self.calls.append((value, more))
        return type(value), more

    @shared
    def other(self, value: Any) -> str:
        return f"other {value}"

    @shared
    def circle(self) -> Any:
        return self.circle()


def test_each_set_of_arguments_is_made_once_however_it_is_written():
    counted = Counted()
    assert counted.kind([1, 2]) is counted.kind((1, 2), more=None)
    assert counted.calls == [([1, 2], None)]


def test_equal_values_of_other_types_are_other_arguments():
    counted = Counted()
    assert [counted.kind(value)[0] for value in (1, True, 1.0)] == [int, bool, float]


def test_functions_with_the_same_arguments_do_not_share():
    counted = Counted()
    assert counted.kind("a")[0] is str
    assert counted.other("a") == "other a"


def test_threads_that_ask_at_once_get_one_object():
    counted, made = Counted(), []
    threads = [threading.Thread(target=lambda: made.append(counted.kind("x"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(each) for each in made}) == 1
    assert len(counted.calls) == 1


def test_what_asks_for_itself_ends_in_an_error_and_not_in_silence():
    with pytest.raises(RecursionError):
        Counted().circle()


def test_what_cannot_be_made_is_tried_again():
    class Broken(Sharing):
        tries = 0

        @shared
        def value(self) -> int:
            self.tries += 1
            if self.tries == 1:
                raise ValueError
            return 7

    broken = Broken()
    with pytest.raises(ValueError):
        broken.value()
    assert broken.value() == 7


def test_a_function_with_open_names_cannot_be_shared():
    with pytest.raises(AssertionError):

        @shared
        def open_names(pair: Sharing, **names: int) -> int:
            return len(names)


class Arrays(Sharing):
    """Makes arrays of a mebibyte, or of a few bytes."""

    def __init__(self, room: int | None) -> None:
        super().__init__(room)
        self.calls: list[str] = []

    @shared
    def large(self, name: str) -> Any:
        self.calls.append(name)
        return np.zeros(WORTH_COUNTING, dtype=np.int8)

    @shared
    def small(self, name: str) -> Any:
        self.calls.append(name)
        return np.zeros(8)


def test_what_was_asked_for_longest_ago_makes_room():
    held = Arrays(room=2 * WORTH_COUNTING)
    first = held.large("a")
    held.large("b")
    assert held.large("a") is first, "two have room, and a was asked for last"
    held.large("c")
    assert held.large("a") is first
    held.large("b")
    assert held.calls == ["a", "b", "c", "b"]


def test_small_things_stay_and_one_that_needs_more_than_all_room_is_held():
    held = Arrays(room=10)
    few = held.small("few")
    large = held.large("a")
    assert held.large("a") is large
    held.large("b")
    assert held.small("few") is few
    held.large("a")
    assert held.calls == ["few", "a", "b", "a"]


def test_without_a_room_all_is_held():
    held = Arrays(room=None)
    for _ in range(2):
        for name in "abcdef":
            held.large(name)
    assert held.calls == [*"abcdef"]


def test_when_columns_are_let_go_of_the_small_things_stay(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sharing, "KEPT", WORTH_COUNTING - 1)
    held = Arrays(room=None)
    few = held.small("few")
    first = held.large("column")
    held.forget()
    assert held.small("few") is few
    assert held.large("column") is not first
    assert held.calls == ["few", "column", "column"]


def test_no_more_small_things_stay_than_have_room(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sharing, "KEPT", 3 * 64)
    held = Arrays(room=None)
    for name in "abcde":
        held.small(name)
    held.forget()
    for name in "abcde":
        held.small(name)
    assert sorted(held.calls) == [*"abcddee"], "an array of eight numbers takes 64 bytes"
    assert KEPT == 16 * 2**20


def test_what_may_be_large_is_let_go_of_though_nobody_can_tell_its_size():
    class Other(Sharing):
        """Holds a further one, whose columns nobody sees from here."""

        @shared
        def inner(self) -> Sharing:
            return Sharing()

    other = Other()
    first = other.inner()
    other.forget()
    assert other.inner() is not first


def test_what_stays_takes_its_room(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sharing, "KEPT", WORTH_COUNTING)
    held = Arrays(room=2 * WORTH_COUNTING)
    first = held.large("a")
    held.forget()
    assert held.large("a") is first
    for name in "bca":
        held.large(name)
    assert held.calls == [*"abca"], "what stayed makes room as anything else does"


def test_threads_may_ask_while_large_things_are_let_go_of():
    held, right = Arrays(room=None), []

    def ask(name: str) -> None:
        right.extend(
            held.small(name).size == 8 and held.large(name).size == WORTH_COUNTING for _ in range(50)
        )

    threads = [threading.Thread(target=ask, args=(name,)) for name in "aabb"]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        held.forget()
    for thread in threads:
        thread.join()
    assert right == [True] * 200


def test_bytes_are_those_of_arrays_wherever_they_are():
    numbers = np.zeros(5, dtype=np.int32)
    assert bytes_of(numbers) == 20
    assert bytes_of((numbers, ["a", "b"])) == 20 + 2 * TEXT_BYTES
    assert bytes_of(RecordClasses(numbers, numbers, numbers)) == 60
    assert bytes_of(7) == bytes_of("7") == bytes_of(None) == TEXT_BYTES
    assert bytes_of({"a": numbers}) == TEXT_BYTES + 20
    assert bytes_of(Classed("age", (1.0, 2.0))) == 4 * TEXT_BYTES


def test_of_what_is_neither_nobody_can_tell_the_bytes():
    assert (bytes_of(object()), bytes_of(object(), math.inf)) == (0, math.inf)
    assert (bytes_of((np.zeros(5), object())), bytes_of((np.zeros(5), object()), math.inf)) == (40, math.inf)


def test_an_array_beside_something_unknown_takes_its_room():
    held = Sharing(room=WORTH_COUNTING)
    for name in "ab":
        held.once(name, lambda: (np.zeros(WORTH_COUNTING), object()))
    calls = []
    held.once("a", lambda: calls.append("made again"))
    assert calls == ["made again"]
