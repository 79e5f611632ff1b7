"""A worker that hangs is given up by the scheduler after a while; what it had goes to others."""

import os
import signal
from pathlib import Path
from typing import Any

import dask
import pytest

from tasks.parts import Shares, have_done
from tests.flows.test_dask import small_cluster, told

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::UserWarning:distributed.*"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning:distributed.*"),
]


def hang_once(marker: str, shares: Shares, dask_worker: Any = None) -> str:
    """The first that is asked hangs for ever with all its threads; others say where they were asked."""
    try:
        Path(marker).touch(exist_ok=False)
    except FileExistsError:
        for part in shares.get(dask_worker.address, ()):
            Path(f"{marker}-{part}").touch()
        return ""
    os.kill(os.getpid(), signal.SIGSTOP)
    return ""


def test_the_parts_of_a_worker_that_hangs_for_ever_go_to_others(tmp_path: Path) -> None:
    with (
        dask.config.set({"distributed.scheduler.worker-ttl": "10s"}),
        small_cluster(2, tmp_path) as made,
        told(made) as client,
    ):
        have_done(client, hang_once, (str(tmp_path / "asked"),), range(4), "original")
    assert {path.name for path in tmp_path.glob("asked-*")} == {f"asked-{part}" for part in range(4)}
