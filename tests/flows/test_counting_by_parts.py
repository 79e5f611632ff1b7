"""Are the parts of a table given to workers, and given again when a worker dies?"""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sdc.errors import SdcError
from tasks.parts import Shares, answer_shares, have_done, heard_from_all

NAMES = ("url", "question", "original")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scheduler of these tests knows at once who is gone."""
    monkeypatch.setattr("tasks.parts.LOOK_SECONDS", 0.0)


def have_answered(workers: "Workers", parts: Sequence[int]) -> None:
    have_done(workers, answer_shares, NAMES, parts, "original")


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
    have_answered(workers, range(7))
    assert workers.answered == {0: "a", 1: "b", 2: "c", 3: "a", 4: "b", 5: "c", 6: "a"}


def test_the_parts_of_a_worker_that_died_are_given_to_others() -> None:
    workers = Workers(["a", "b", "c"], dying=["b"])
    have_answered(workers, range(5))
    assert sorted(workers.answered) == [0, 1, 2, 3, 4]
    assert set(workers.answered.values()) == {"a", "c"}


def test_parts_that_kill_every_worker_are_not_counted_as_nothing() -> None:
    dying = [f"w{number}" for number in range(9)]
    with pytest.raises(SdcError, match="every worker that took parts of original died: 2 of 2"):
        have_answered(Workers(dying, dying), range(2))


def test_what_a_worker_says_it_cannot_do_is_said_here() -> None:
    class Refusing(Workers):
        def run(self, *_given: Any, workers: Sequence[str], **_named: Any) -> Any:
            return dict.fromkeys(workers, "counting original on a worker failed (MemoryError)")

    with pytest.raises(SdcError, match="MemoryError"):
        have_answered(Refusing(["a"]), range(2))


class Busy(Workers):
    """Workers that do not answer at first, though they live."""

    def __init__(self, names: Sequence[str], silent: dict[str, int]) -> None:
        super().__init__(names)
        self.silent = dict(silent)

    def run(self, function: Callable[..., Any], *given: Any, workers: Sequence[str], on_error: str) -> Any:
        busy = [worker for worker in workers if self.silent.get(worker)]
        for worker in busy:
            self.silent[worker] -= 1
        answering = [worker for worker in workers if worker not in busy]
        said = super().run(function, *given, workers=answering, on_error=on_error)
        return said | {worker: OSError("Timed out trying to connect") for worker in busy}


def test_workers_that_are_too_busy_to_answer_are_asked_again_and_not_counted_as_dead() -> None:
    workers = Busy(["a", "b"], silent={"a": 9, "b": 9})
    have_answered(workers, range(4))
    assert workers.answered.keys() == {0, 1, 2, 3}
    assert workers.names == ["a", "b"]


def test_the_parts_of_a_worker_that_is_silent_go_to_one_that_answers() -> None:
    workers = Busy(["a", "b"], silent={"a": 1000})
    have_answered(workers, range(4))
    assert set(workers.answered.values()) == {"b"}
    assert workers.silent["a"] == 999


def test_workers_that_never_answer_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.parts.SILENT_SECONDS", 0.05)
    with pytest.raises(SdcError, match="no worker that has parts of original answers: 4 of 4 are left"):
        have_answered(Busy(["a", "b"], silent={"a": 10**9, "b": 10**9}), range(4))


def test_an_error_of_a_worker_is_not_its_death_and_comes_without_its_words() -> None:
    class Broken(Workers):
        def run(self, *_given: Any, workers: Sequence[str], **_named: Any) -> Any:
            return dict.fromkeys(workers, ImportError("CANARY"))

    workers = Broken(["a"])
    with pytest.raises(SdcError, match=r"a worker cannot work on original \(ImportError\)"):
        have_answered(workers, range(2))
    assert workers.names == ["a"]


def test_a_worker_that_is_too_busy_to_be_examined_is_asked_again_alone() -> None:
    asked: list[Sequence[str]] = []

    class Examined(Busy):
        def run(
            self, function: Callable[..., Any], *given: Any, workers: Sequence[str], **_named: Any
        ) -> Any:
            asked.append(workers)
            busy = [worker for worker in workers if self.silent.get(worker)]
            for worker in busy:
                self.silent[worker] -= 1
            return {
                worker: OSError("Timed out") if worker in busy else function(*given) for worker in workers
            }

    heard = heard_from_all(Examined(["a", "b"], silent={"b": 2}), lambda word: word, "fit")
    assert heard == {"a": "fit", "b": "fit"}
    assert asked == [["a", "b"], ["b"], ["b"]]


def test_a_worker_that_dies_before_it_is_examined_is_not_missed() -> None:
    class Dying(Workers):
        def run(self, *_given: Any, workers: Sequence[str], **_named: Any) -> Any:
            self.names = ["a"]
            return {worker: "fit" if worker == "a" else OSError() for worker in workers}

    assert heard_from_all(Dying(["a", "b"]), str) == {"a": "fit"}


def test_a_worker_that_can_never_be_examined_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.parts.SILENT_SECONDS", 0.05)

    class Hanging(Workers):
        def run(self, *_given: Any, workers: Sequence[str], **_named: Any) -> Any:
            return {worker: "fit" if worker == "a" else OSError() for worker in workers}

    with pytest.raises(SdcError, match="worker b does not answer"):
        heard_from_all(Hanging(["a", "b"]), str)


def test_what_a_worker_raises_is_heard_too() -> None:
    class Old(Workers):
        def run(self, *_given: Any, workers: Sequence[str], **_named: Any) -> Any:
            return dict.fromkeys(workers, ImportError())

    assert isinstance(heard_from_all(Old(["a"]), str)["a"], ImportError)
