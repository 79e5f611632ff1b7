"""Linear algebra is held to one thread while anyone asks for it."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sdc.kernels.one_thread import one_thread
from sdc.measures.assess import assess
from sdc.run.randomness import Randomness


def threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


OVERLAPPING = """
import threading, numpy, scipy.linalg
from threadpoolctl import threadpool_info
from sdc.kernels.one_thread import one_thread

def threads():
    return {each["num_threads"] for each in threadpool_info()}

before, inside, leave = threads(), threading.Event(), threading.Event()

def first():
    with one_thread():
        inside.set()
        leave.wait()

other = threading.Thread(target=first)
other.start()
inside.wait()
with one_thread():
    leave.set()
    other.join()
    assert threads() == {1}
assert threads() == before
"""


def test_the_limit_holds_until_the_last_has_left():
    assert subprocess.run([sys.executable, "-c", OVERLAPPING], check=False).returncode == 0


def test_one_who_leaves_first_does_not_lift_it_for_the_other():
    # It brings its own linear algebra, which counts only once it is loaded.
    import scipy.linalg  # noqa: F401

    before = threads()
    with one_thread():
        with one_thread():
            pass
        assert threads() == {1}
    assert threads() == before


def test_measures_are_taken_on_one_thread(monkeypatch):
    seen = []

    class Entry:
        name, needs, takes_rng, combines = "seen", frozenset(), False, True

        def arguments(self, _options):
            return {}

        def __call__(self, _pair):
            seen.append(threads())

    import sdc.measures.assess

    monkeypatch.setattr(sdc.measures.assess, "find_measure", lambda _name: Entry())
    monkeypatch.setattr(sdc.measures.assess, "unmet", lambda _entry, _pair: None)
    assess("seen", None, {}, candidate="c", randomness=Randomness.from_seed(1))
    assert seen == [{1}]


def test_a_command_runs_linear_algebra_on_one_thread_from_the_start():
    asked = "import sdc.cli.main, numpy, scipy.linalg; from threadpoolctl import threadpool_info; print({each['num_threads'] for each in threadpool_info()})"
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    answer = subprocess.run(
        [sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "{1}"


def test_sums_within_it_do_not_depend_on_how_many_threads_there_were():
    left, right = (np.random.default_rng(seed).normal(size=(400, 700)) for seed in (1, 2))
    products = []
    for limit in (1, 2):
        with threadpool_limits(limits=limit, user_api="blas"), one_thread():
            products.append(left.T @ right)
    assert (products[0] == products[1]).all()
