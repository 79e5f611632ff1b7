"""Runs the release of the saved profile as `sdc release` does, in a process that can be stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from sdc.errors import SdcError
from sdc.run.plain_words import without_places
from sdc.studio.jobs import Cancelled

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.studio.jobs import Job
    from sdc.studio.workbench import Workbench

RELEASING = "running the release"
STAGES = ("start", "ingest", "assess", "publish")
"""The stages that a run tells of, in their order; the most time goes into the third."""
SPANS = ((0.0, 0.1), (0.1, 0.2), (0.2, 0.9), (0.9, 1.0))
TOLD = re.compile(r"\s*[\d.]+ s  (\w+) (\d+)/(\d+)  (.*)")
MOST_LINES = 400
LOOK_SECONDS = 0.2
ENDED = (0, 3, 4)
"""Exit codes of a run that came to a verdict: published, withheld, referred."""


class RunFailed(SdcError):
    """A run ended without a verdict."""

    def __init__(self, said: str) -> None:
        super().__init__(f"the run failed: {without_places(said)}" if said else "the run failed")


@dataclass(frozen=True)
class ReleaseOutcome:
    """How a run ended: its name in the ledger, its verdict, and why."""

    run: str
    verdict: str
    sentence: str
    because: str
    missed: tuple[str, ...]
    reasons: tuple[str, ...] = ()
    """What the gate said of each that was missed."""


def start_release(workbench: Workbench) -> Job:
    """Begin a run of the profile as it is on the disk."""
    path, home = workbench.path, workbench.home.path
    lines = workbench.run_lines
    lines.clear()

    def work(progress: Callable[..., None], cancelled: Callable[[], bool]) -> ReleaseOutcome:
        return _released(path, home, lines, progress, cancelled)

    # The process of the run is told to end, and ends by itself: it may be publishing.
    return workbench.jobs.start(RELEASING, work, ends_itself=True)


def _released(
    path: Path,
    home: Path,
    lines: list[str],
    progress: Callable[..., None],
    cancelled: Callable[[], bool],
) -> ReleaseOutcome:
    process = subprocess.Popen(  # noqa: S603 - our own command on a path of our own
        [sys.executable, "-m", "sdc", "release", str(path), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "SDC_HOME": str(home)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    said: list[str] = []
    readers = [
        threading.Thread(target=_tell, args=(process.stderr, lines, progress), daemon=True),
        threading.Thread(target=lambda: said.append(process.stdout.read()), daemon=True),  # type: ignore[union-attr]
    ]
    for reader in readers:
        reader.start()
    stopped = False
    while process.poll() is None:
        if cancelled() and not stopped:
            stopped = True
            process.send_signal(signal.SIGTERM)
        threading.Event().wait(LOOK_SECONDS)
    for reader in readers:
        reader.join()
    if process.returncode in ENDED and said and said[0].strip():
        return _outcome(said[0])
    if stopped:
        raise Cancelled
    raise RunFailed(next((line for line in reversed(lines) if line.strip()), ""))


def _tell(stream: IO[str], lines: list[str], progress: Callable[..., None]) -> None:
    """Keep what the run says, and how far it is."""
    for line in stream:
        lines.append(without_places(line.rstrip()))
        del lines[:-MOST_LINES]
        found = TOLD.match(line)
        if found and found[1] in STAGES:
            begin, end = SPANS[STAGES.index(found[1])]
            share = begin + (end - begin) * min(int(found[2]) / max(int(found[3]), 1), 1.0)
            try:
                progress(share, found[4])
            except Cancelled:
                continue


def _outcome(said: str) -> ReleaseOutcome:
    told = json.loads(said[said.index("{") :])
    failed = [
        each for each in told["findings"] if not each.get("holds", True) and each.get("otherwise") != "note"
    ]
    missed = tuple(dict.fromkeys(str(each["criterion"]) for each in failed))
    reasons = tuple(dict.fromkeys(str(each["reason"]) for each in failed if each.get("reason")))
    return ReleaseOutcome(
        told["run"], told["verdict"], told["sentence"], told["because"] or "", missed, reasons
    )
