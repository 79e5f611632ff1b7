"""A process that is left while its threads compute ends with its own code."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COMPUTES = """
import threading, time
import duckdb
from concurrent.futures import ThreadPoolExecutor
from flows.orchestration import stopping

stopping.GRACE_SECONDS = 1.0
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
stopping.leave(7)
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


ENDS = """
import os
import flows.orchestration.stopping as stopping

class Told:
    def __del__(self, os=os):
        os.write(2, b"taken down")

told = Told()
print("done")
stopping.end(3)
"""


@pytest.mark.parametrize(("place", "ended"), [("/dev/null", (3, False)), ("/dev/full", (120, True))])
def test_a_command_that_is_done_ends_at_once_unless_its_words_cannot_be_written(place, ended):
    """120 is Python's own code for an output that could not be flushed."""
    command = ["bash", "-c", f'{sys.executable} -c "$0" > {place}', ENDS]
    buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
    done = subprocess.run(command, env=buffered, capture_output=True, timeout=60, check=False)
    assert (done.returncode, b"taken down" in done.stderr) == ended
