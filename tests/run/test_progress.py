"""What is told of work under way, to whom, and how long it is thought to take."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.run.home import Home
from sdc.run.pace import Pace, remember, remembered
from sdc.run.progress import Advance, reporter, reporting_to, work_of
from sdc.run.progress_display import PAUSE, Plain, Silent, estimate

ROLES = Roles.of(
    [
        Variable("sex", Role.QUASI_IDENTIFIER),
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
    ]
)


def people(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["f", "m"], rows)),
            "age": rng.integers(18, 80, rows) * 1.0,
            "income": rng.random(rows),
        }
    )


def heard(name: str, **options: object) -> list[Advance]:
    advances: list[Advance] = []
    entry = find_method(name)
    with reporting_to(advances.append):
        entry.function(people(), ROLES, np.random.default_rng(1), **entry.arguments(options))
    return advances


def test_the_rest_is_thought_to_take_as_long_a_part_as_what_is_done() -> None:
    assert Advance(2, 6, "model of age", 5.0).left == 10.0
    assert Advance(6, 6, "model of age", 5.0).left == 0.0


def test_synthesis_tells_of_every_model_and_every_variable_drawn() -> None:
    advances = heard("sequential", m=2)
    assert {each.what for each in advances[:3]} == {"model of sex", "model of age", "model of income"}
    assert [each.what for each in advances[3:]] == 2 * ["values of sex", "values of age", "values of income"]
    assert [each.done for each in advances] == list(range(1, 10))
    assert {each.of for each in advances} == {9}


def test_proper_syntheses_are_fitted_each_and_strata_apart() -> None:
    assert [each.of for each in heard("sequential", m=2, proper=True)] == [12] * 12
    assert len(heard("sequential", strata=["sex"])) == 12


def test_all_others_tells_of_predictors_models_and_values() -> None:
    advances = heard("all_others", second_pass=True)
    assert len(advances) == advances[-1].of == 12
    assert {each.what.split(" of ")[0] for each in advances} == {"predictors", "model", "values"}


def test_what_is_told_names_variables_and_holds_no_value() -> None:
    for each in heard("sequential"):
        assert each.what.split(" of ")[1] in ("sex", "age", "income")


def test_nobody_need_listen() -> None:
    entry = find_method("sequential")
    assert len(entry.function(people(), ROLES, np.random.default_rng(1), **entry.arguments({})).table) == 60
    with work_of(3):
        reporter()("model of age")


def test_a_listener_does_not_change_what_is_drawn() -> None:
    entry = find_method("sequential")
    alone = entry.function(people(), ROLES, np.random.default_rng(1), **entry.arguments({})).table
    with reporting_to(lambda _: None):
        watched = entry.function(people(), ROLES, np.random.default_rng(1), **entry.arguments({})).table
    pd.testing.assert_frame_equal(alone, watched)


def test_candidates_made_side_by_side_are_heard_apart() -> None:
    def made(mark: int) -> list[int]:
        found: list[int] = []
        with reporting_to(lambda advance: found.append(mark * 100 + advance.done)), work_of(50):
            tell = reporter()
            for _ in range(50):
                tell("model of age")
        return found

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(made, (1, 2))) == [
            [100 + done for done in range(1, 51)],
            [200 + done for done in range(1, 51)],
        ]


def test_parts_done_in_other_threads_are_counted_once_each() -> None:
    advances: list[Advance] = []
    with reporting_to(advances.append), work_of(40):
        tell = reporter()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(tell, ["values of age"] * 40))
    assert [each.done for each in advances] == list(range(1, 41))


@pytest.mark.parametrize(("seconds", "said"), [(30.0, "about 30 s left"), (600.0, "about 10 min left")])
def test_an_estimate_is_said_in_words(seconds: float, said: str) -> None:
    assert estimate(Advance(5, 10, "model of age", seconds)) == f"model of age, 5 of 10, {said}"


def test_plain_lines_tell_of_slow_work_only_and_not_too_often(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("sdc.run.progress_display.time.monotonic", lambda: clock[0])
    told = Plain()
    told.stage("assess", Pace(["a", "b", "c", "d"]))
    for second in range(10):
        clock[0] = 100.0 + second
        told.under_way("protect synthetic", Advance(second + 1, 20, "model of age", float(second)))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 9 // PAUSE
    assert lines[0] == "    2.0 s  assess 0/4  protect synthetic: model of age, 3 of 20, about 11 s left"


def test_silence_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Silent().under_way("protect synthetic", Advance(1, 2, "model of age", 9.0))
    assert capsys.readouterr().err == ""


def paced(clock: list[float], before: dict[str, float] | None = None) -> Pace:
    return Pace(["a", "b", "c", "d"], before or {}, clock=lambda: clock[0])


def test_the_rest_is_thought_to_take_as_long_as_in_the_last_run() -> None:
    """a took 4 s as before; of b's 10 s two are gone, c and d take 3 and 1: 12 s one after the other."""
    clock = [0.0]
    pace = paced(clock, {"a": 4.0, "b": 10.0, "c": 3.0, "d": 1.0})
    assert pace.left is None
    pace.begin("a")
    clock[0] = 4.0
    pace.end("a")
    pace.begin("b")
    clock[0] = 6.0
    assert pace.left == pytest.approx(12.0)
    assert pace.running == ["b"]
    assert pace.in_words == "about 12 s left; running: b"


def test_without_an_earlier_run_parts_take_as_long_as_those_done_and_two_at_a_time_take_half() -> None:
    clock = [0.0]
    pace = paced(clock)
    pace.begin("a")
    pace.begin("b")
    clock[0] = 5.0
    pace.end("a")
    pace.end("b")
    assert pace.left == pytest.approx(2 * 5.0 / 2)


def test_a_part_that_was_timed_elsewhere_has_the_time_it_took_there() -> None:
    clock = [0.0]
    pace = paced(clock)
    clock[0] = 10.0
    pace.end("a", 10.0)
    assert pace.took == {"a": 10.0}
    assert pace.left == pytest.approx(30.0)


def test_a_part_that_takes_longer_than_before_is_about_to_end() -> None:
    clock = [0.0]
    pace = Pace(["a", "b"], {"b": 1.0}, clock=lambda: clock[0])
    pace.end("a", 0.0)
    pace.begin("b")
    clock[0] = 60.0
    assert pace.left == 0.0


def test_times_are_remembered_in_proportion_to_the_records(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    assert remembered(home, "survey", 100) == {}
    remember(home, "survey", 100, {"a": 2.0})
    assert remembered(home, "survey", 300) == {"a": 6.0}
    assert remembered(home, "other", 300) == {}
    (home.pace / "survey.json").write_text('{"records": 0, "seconds": {"a": 1}}')
    assert remembered(home, "survey", 300) == {}
    assert (home.pace / "survey.json").parent.stat().st_mode & 0o777 == 0o700


def test_plain_lines_say_how_long_the_rest_takes_and_what_is_running(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("sdc.run.progress_display.time.monotonic", lambda: clock[0])
    told = Plain()
    told.stage("assess", Pace(["a", "b", "c"], {"b": 8.0, "c": 2.0}, clock=lambda: clock[0]))
    told.begin("a")
    clock[0] = 104.0
    told.begin("b")
    told.done("a", "3")
    assert capsys.readouterr().err == "    4.0 s  assess 1/3  a: 3  (about 10 s left; running: b)\n"
