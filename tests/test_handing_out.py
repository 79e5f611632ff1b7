"""What takes long begins first, and what shares something costly goes to one process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from handing_out import LONG, TOGETHER, place

ROOT = Path(__file__).parents[1]
CONFTEST = """
import handing_out
handing_out.TOGETHER = ("test_shared.py",)
from handing_out import LongestFirst, place
def pytest_xdist_make_scheduler(config, log):
    return LongestFirst(config, log)
def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: place(item.nodeid))
"""
SHARED = """
import os, pathlib, pytest
@pytest.mark.parametrize("number", range(8))
def test_it(number):
    with pathlib.Path("seen").open("a") as seen:
        seen.write(os.environ["PYTEST_XDIST_WORKER"] + "\\n")
"""


def test_every_file_that_is_named_is_there() -> None:
    assert [name for name in (*TOGETHER, *LONG) if not (ROOT / name).exists()] == []


def test_those_that_stay_together_begin_first_and_the_rest_keep_their_order() -> None:
    tests = [
        "tests/a/test_a.py::test_b",
        "tests/flows/test_release.py::test_c",
        "tests/a/test_a.py::test_a[tests/flows/test_dask.py::x]",
        f"{TOGETHER[1]}::test_z",
        f"{TOGETHER[0]}::test_z",
    ]
    assert sorted(tests, key=place) == [tests[4], tests[3], tests[1], tests[0], tests[2]]


def test_a_file_that_stays_together_is_run_by_one_process_and_others_by_more(tmp_path: Path) -> None:
    """Seen by running some, whatever versions of pytest and of pytest-xdist are here.

    Of three processes the first has the file, and the others begin with one test each.
    """
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_shared.py").write_text(SHARED)
    (tmp_path / "test_others.py").write_text(SHARED.replace('"seen"', '"others"'))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "3", "--dist", "loadgroup", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    shared, others = ((tmp_path / name).read_text().split() for name in ("seen", "others"))
    assert (len(shared), len({*shared})) == (8, 1)
    assert len(others) == 8
    assert len({*others}) > 1
