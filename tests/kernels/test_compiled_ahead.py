"""`python -m sdc.kernels` compiles all that a release needs: afterwards nothing is compiled any more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sdc.kernels import __main__ as compiler
from sdc.kernels.compiled import KERNELS, Store, kernel

EVERY_UNIT = Path(__file__).with_name("every_unit.py")
ROOT = Path(__file__).parents[2]
OWN = "sdc.kernels."


def own_kernels():
    compiler.import_all()
    return [held for held in KERNELS if held.dispatcher.py_func.__module__.startswith(OWN)]


def not_reached(kernels):
    """Kernels that neither have types of their own nor are called by one that is compiled ahead."""
    by_function = {id(held.dispatcher): held for held in kernels}
    waiting = [held for held in kernels if held.types]
    reached = {held.name for held in waiting}
    while waiting:
        function = waiting.pop().dispatcher.py_func
        for name in function.__code__.co_names:
            called = by_function.get(id(function.__globals__.get(name)))
            if called is not None and called.name not in reached:
                reached.add(called.name)
                waiting.append(called)
    return sorted({held.name for held in kernels} - reached)


def test_every_kernel_is_compiled_ahead():
    assert not_reached(own_kernels()) == []


def test_a_kernel_that_is_not_compiled_ahead_is_named():
    before = list(KERNELS)

    @kernel
    def forgotten(x):
        return x

    added = [held for held in KERNELS if held not in before]
    KERNELS[:] = before
    assert [name.rsplit(".", 1)[1] for name in not_reached([*own_kernels(), *added])] == ["forgotten"]
    assert forgotten.py_func(1) == 1


def test_every_kernel_lets_other_threads_run():
    assert [held.name for held in own_kernels() if not held.dispatcher.targetoptions["nogil"]] == []


def test_no_module_compiles_in_another_way():
    """Machine code of a kernel elsewhere would not be told apart by the sources of those that call it."""
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "sdc").rglob("*.py")}
    here = ROOT / "sdc" / "kernels"
    assert [path.name for path, text in sources.items() if "njit" in text] == ["compiled.py"]
    assert [path for path, text in sources.items() if "import kernel\n" in text and path.parent != here] == []


@pytest.mark.slow
def test_methods_and_measures_compile_nothing_once_kernels_are_compiled(tmp_path):
    """Runs every unit of the catalogue on the demonstration data; takes a minute more where nothing is kept yet."""
    environment = {**os.environ, "SDC_SECRET": "5d" * 32}
    subprocess.run(
        [sys.executable, "-m", "sdc.kernels"], check=True, env=environment, stdout=subprocess.DEVNULL
    )
    ran = subprocess.run(
        [sys.executable, EVERY_UNIT],
        check=True,
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    found = json.loads(ran.stdout)
    assert found["compiled"] == []
    assert found["used"] == sorted(held.name for held in own_kernels() if held.types)


def test_the_second_time_there_is_nothing_to_compile(monkeypatch, capsys):
    compiler.import_all()
    one = next(held for held in KERNELS if held.name == "rank_swap.partners")
    monkeypatch.setattr(compiler, "KERNELS", [one])
    monkeypatch.setattr(Store, "drop_older", lambda _: None)
    compiler.compile_all()
    capsys.readouterr()
    compiler.compile_all()
    assert capsys.readouterr().out.startswith("0 kernels compiled in 0 s; kept in ")


def test_directories_of_older_sources_are_removed(tmp_path):
    tag = sys.implementation.cache_tag
    names = [f"{tag}-new", f"{tag}-old", "cpython-27-other"]
    for name in names:
        (tmp_path / name).mkdir()
    Store(tmp_path, "new", tmp_path / names[0]).drop_older()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([names[0], names[2]])


def test_importing_the_package_does_not_import_numba():
    script = "import sys, sdc.kernels, sdc.kernels.compiled; print('numba' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert ran.stdout.strip() == "False"


def test_kernels_give_the_same_for_types_they_were_not_compiled_for():
    from sdc.kernels.k_means import nearest

    points = np.random.default_rng(0).normal(size=(100, 3))
    assert (nearest(points, points[:5].copy()) == nearest(np.asfortranarray(points), points[:5])).all()
