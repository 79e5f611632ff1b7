"""Opens the workbench on a data file or on a profile."""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import scheme_of
from sdc.draft import draft
from sdc.draft.source_lines import written
from sdc.errors import BadProfile, Fault, SdcError
from sdc.profile.linked import COLUMNS
from sdc.profile.list_files import ProfileFiles
from sdc.run.home import Home
from sdc.run.plain_words import told
from sdc.studio.files import PROFILES, Folders
from sdc.studio.found_file import MOST_COUNTED
from sdc.studio.profile_text import ProfileText
from sdc.studio.workbench import Workbench
from sdc.study.demonstration import demo_data

if TYPE_CHECKING:
    from collections.abc import Iterable


def open_workbench(target: Path, more: Iterable[Path] = (), *, touring: bool = False) -> Workbench:
    """The workbench with the document open: a profile as it is, or the draft of a data file.

    A profile beside the data that has their name is opened instead of a new draft.
    """
    if (scheme := scheme_of(target)) is not None:
        return _of_data(target, Path.cwd() / f"{scheme}.yaml", Folders.of(Path.cwd(), *more), touring=touring)
    path = target.absolute()
    if not path.exists():
        raise BadProfile([Fault(target.name, "there is no such file", f"looked for it in {path.parent}")])
    home = Home.find()
    if path.suffix.lower() in PROFILES:
        folders = Folders.of(path.parent, *more, *_of_source(path))
        return Workbench(ProfileText.open(path, home.path / "studio"), folders, home, touring)
    # A folder of Parquet files is one source, and lies beside its profile.
    return _of_data(path, profile_beside(path), Folders.of(path.parent, *more), touring=touring)


def _of_data(data: Path, profile: Path, folders: Folders, *, touring: bool) -> Workbench:
    home, text, problem = Home.find(), None, ""
    if not profile.exists():
        text, problem = drafted(data, profile)
    opened = ProfileText.open(profile, home.path / "studio", text)
    return Workbench(opened, folders, home, touring, problem)


def profile_beside(data: Path) -> Path:
    """Where the profile of a data file is kept: beside it, under its name."""
    return data.with_name(f"{data.name.partition('.')[0] or 'profile'}.yaml")


def drafted(data: Path, profile: Path) -> tuple[str, str]:
    """The draft of a data file; where it cannot be read, the little that can be said, and why."""
    try:
        return draft(data, kept_in=profile.parent, most=MOST_COUNTED), ""
    except SdcError as error:
        named = str(data) if scheme_of(data) else data.name
        name = re.sub(r"[^a-z0-9]+", "_", profile.stem.lower()).strip("_")
        head = name if re.match("[a-z]", name) else f"release_{name}".rstrip("_")
        return f"name: {head}\nsource:\n  path: {written(named)}\n", told(error)


def _of_source(profile: Path) -> list[Path]:
    """The folders of the files a profile reads: whoever names it on the command line names them too."""
    try:
        values = ProfileText.open(profile).values or {}
    except SdcError:
        return []
    source = values.get("source")
    named = (
        [source, *(source.get(key) for key in ("households", "population", "persons"))]
        if isinstance(source, dict)
        else []
    )
    paths = [each.get("path") for each in named if isinstance(each, dict)]
    # Lists in files of their own, such as hierarchies.
    with suppress(SdcError):
        paths += [name for name in ProfileFiles.read(profile).lists if not name.endswith(COLUMNS)]
    found = [(profile.parent / each).resolve() for each in paths if isinstance(each, str)]
    return [each.parent for each in found if each.is_file()]


def demonstration_copy(folder: Path) -> Path:
    """The demonstration data in a folder of one's own; what lies there already stays as it is."""
    (folder / "outbox").mkdir(parents=True, exist_ok=True)
    target = folder / "households.csv"
    if not target.exists():
        shutil.copyfile(demo_data(), target)
    return target
