"""Are the parts of a table given to workers, and given again when a worker dies?"""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sdc.errors import SdcError
from tasks.parts import Shares, _have_answered


class Workers:
    """A cluster of which some workers die when they are asked."""

    def __init__(self, names: Sequence[str], dying: Sequence[str] = ()) -> None:
        self.names, self.dying = list(names), list(dying)
        self.answered: dict[int, str] = {}

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        assert n_workers == -1, "all of them"
        return {"workers": dict.fromkeys(self.names)}

    def wait_for_workers(self, _wanted: int, **_patience: float) -> None:
        if not self.names:
            raise TimeoutError

    def run(self, _function: Callable[..., Any], *given: Any, workers: Sequence[str], on_error: str) -> Any:
        assert on_error == "return"
        shares: Shares = given[3]
        said: dict[str, Any] = {}
        for worker in workers:
            if worker in self.dying:
                self.names.remove(worker)
                said[worker] = OSError("gone")
            else:
                self.answered.update(dict.fromkeys(shares[worker], worker))
                said[worker] = ""
        return said


def test_each_part_goes_to_a_worker_and_to_the_same_one_every_time() -> None:
    workers = Workers(["b", "a", "c"])
    _have_answered(workers, "url", "question", "original", range(7))
    assert workers.answered == {0: "a", 1: "b", 2: "c", 3: "a", 4: "b", 5: "c", 6: "a"}


def test_the_parts_of_a_worker_that_died_are_given_to_others() -> None:
    workers = Workers(["a", "b", "c"], dying=["b"])
    _have_answered(workers, "url", "question", "original", range(5))
    assert sorted(workers.answered) == [0, 1, 2, 3, 4]
    assert set(workers.answered.values()) == {"a", "c"}


def test_parts_that_kill_every_worker_are_not_counted_as_nothing() -> None:
    dying = [f"w{number}" for number in range(9)]
    with pytest.raises(SdcError, match="every worker that took parts of original died: 2 of 2"):
        _have_answered(Workers(dying, dying), "url", "question", "original", range(2))


def test_what_a_worker_says_it_cannot_do_is_said_here() -> None:
    class Refusing(Workers):
        def run(self, *_given: Any, workers: Sequence[str], **_named: Any) -> Any:
            return dict.fromkeys(workers, "counting original on a worker failed (MemoryError)")

    with pytest.raises(SdcError, match="MemoryError"):
        _have_answered(Refusing(["a"]), "url", "question", "original", range(2))
