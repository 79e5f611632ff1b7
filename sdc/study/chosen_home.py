"""Finds the home that a study is told of: a name that looks like a slip makes no new one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sdc.errors import BadStudy, Fault
from sdc.run.home import Home
from sdc.spelling import nearest


def chosen_home(given: Any) -> tuple[Home | None, tuple[str, ...]]:
    """The home that is meant, and a note where it is new; BadStudy where its name looks like a slip."""
    if given is None:
        return None, ()
    if not isinstance(given, str | Path):
        problem = f"a folder is meant, and this is of type {type(given).__name__}"
        raise BadStudy([Fault("home", problem, 'write home="folder"')])
    place = Path(given).absolute()
    if place.is_dir() and any(place.iterdir()):
        return Home.at(place), ()
    if not place.parent.is_dir():
        problem = f"there is no folder {place.parent} for a home to be in"
        raise BadStudy([Fault("home", problem, "correct the path, or make the folder first")])
    homes = [each.name for each in place.parent.iterdir() if Home(each).runs.is_dir()]
    if not place.exists() and (meant := nearest(place.name, homes)):
        problem = f"there is no home {place.name} in {place.parent}"
        raise BadStudy(
            [Fault("home", problem, f"did you mean {meant!r}? For a new home, make the folder first")]
        )
    return Home.at(place), (f"home {place} is new: it has a secret of its own and knows no earlier release",)
