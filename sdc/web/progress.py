"""How far a run has come, by the files it has written: names and times alone are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.spelling import counted
from sdc.web.run_files import is_kept

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.run.home import Home


@dataclass(frozen=True)
class Stage:
    """A stage of a run, and what is known of it."""

    name: str
    said: str
    reached: bool


def stages(home: Home, run: str) -> tuple[Stage, ...]:
    """The stages in order; a stage is reached once its first file is there."""
    if not is_kept(home, run):
        return ()
    held = home.directory(run)
    made, judged = _count(held.candidates, ".json"), _count(held.gate, ".judged.json")
    return (
        Stage("source", "read and checked", held.source.exists()),
        Stage("candidates", f"{counted(made, 'candidate')} made" if made else "none yet", bool(made)),
        Stage("gate", f"{counted(judged, 'candidate')} judged" if judged else "none yet", bool(judged)),
        Stage("report", "written", held.report.exists()),
        Stage("record", "sealed", held.record.exists()),
    )


def _count(folder: Path, ending: str) -> int:
    try:
        return sum(place.name.endswith(ending) for place in folder.iterdir())
    except OSError:
        return 0
