"""What a pair shares is made once for each set of arguments, and never mixed up."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from sdc.data.sharing import Sharing, shared


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


def test_what_is_let_go_of_is_made_again_when_asked_for():
    counted = Counted()
    counted.kind(1)
    counted.forget()
    counted.kind(1)
    assert counted.calls == [(1, None), (1, None)]
