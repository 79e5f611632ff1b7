"""A process that is left while its threads compute ends with its own code."""

from __future__ import annotations

import subprocess
import sys

import pytest

COMPUTES = """
import threading, time
import duckdb
from concurrent.futures import ThreadPoolExecutor
from flows.orchestration.stopping import leave

begun = threading.Event()

def count():
    connection = duckdb.connect()
    begun.set()
    while True:
        connection.execute("SELECT sum(hash(a.range, b.range)) FROM range(2000) a, range(2000) b").fetchall()

pool = ThreadPoolExecutor(2)
pool.submit(count)
begun.wait()
print("stopped", flush=False)
leave(7)
"""


@pytest.mark.parametrize("attempt", range(3))
def test_threads_that_still_compute_neither_hold_a_process_up_nor_crash_it(attempt):
    """A pool's threads are waited for when Python ends by itself: this query would never let it."""
    done = subprocess.run(
        [sys.executable, "-c", COMPUTES], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (7, "stopped\n"), done.stderr


@pytest.mark.parametrize("closed", [">&-", ">/dev/full", "2>&-"])
def test_a_fault_is_a_fault_also_where_nothing_can_be_printed(closed):
    command = f"{sys.executable} -m sdc check nowhere.yaml {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
