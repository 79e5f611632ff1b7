"""Writes a candidate of a study as a profile that the pipeline runs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.external import EXTERNAL
from sdc.catalogue.readers import scheme_of
from sdc.catalogue.registry import Family, find_measure, measures
from sdc.catalogue.units import Better
from sdc.catalogue.validity import believable
from sdc.errors import BadStudy, Fault
from sdc.measures.assess import unmet
from sdc.profile.list_files import ProfileFiles
from sdc.profile.load import load_profile
from sdc.profile.wording import PLACEHOLDER
from sdc.study.document import flow, relative

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sdc.study.candidate import StudyCandidate

STANDING_IN: dict[str, dict[str, Any]] = {
    "class_attribution": {"at_most": 0.6},
    "replicated_uniques": {"at_most": 25},
}
"""Limits of a first draft where no measure with a usual limit can be believed."""


def write_profile(
    candidate: StudyCandidate, path: Path, *, data: str | Path | None, access: str, title: str
) -> Path:
    """The profile, checked before it is written; BadProfile with all that `sdc check` would find in it."""
    folder = path.absolute().parent
    values = {**candidate._values, "access": access}  # noqa: SLF001 - of one room
    values["source"] = _source(candidate, values["source"], folder, data)
    values["candidates"] = _candidates(candidate, folder, None if data is None else Path(data))
    criteria, drafted = _criteria(candidate)
    text = "\n".join(_lines(values, criteria, title, drafted=drafted)) + "\n"
    load_profile(path, ProfileFiles.of_text(path.absolute(), text.encode()))
    (folder / "outbox").mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _candidates(
    candidate: StudyCandidate, folder: Path, data: Path | None
) -> dict[str, list[dict[str, Any]]]:
    """The steps; a file made elsewhere is named by the way to it from the profile."""
    (name, steps), *_ = candidate._values["candidates"].items()  # noqa: SLF001 - of one room
    if steps and steps[0]["method"] == EXTERNAL.name:
        made = candidate._place.elsewhere.written(Path(steps[0]["with"]["path"]), data)  # noqa: SLF001
        steps = [{**steps[0], "with": {**steps[0]["with"], "path": relative(made, folder)}}]
    return {name: steps}


def _criteria(candidate: StudyCandidate) -> tuple[list[dict[str, Any]], bool]:
    """What is demanded and measured, and whether some of it is a first draft that people have to replace."""
    held = candidate._criteria()  # noqa: SLF001
    judged = [each for each in held if "at_least" in each or "at_most" in each]
    if not any(find_measure(each["measure"]).family is Family.RISK for each in judged):
        first = _first_demand(candidate)
        held = [first, *(each for each in held if each["measure"] != first["measure"] or "as" in each)]
        return held, True
    told = [
        {**each, "because": PLACEHOLDER} if each in judged and "because" not in each else each
        for each in held
    ]
    return told, told != held


def _source(
    candidate: StudyCandidate, source: Mapping[str, Any], folder: Path, data: str | Path | None
) -> dict[str, Any]:
    """The source with paths that begin at the profile; records of a frame are written where `data` says."""
    place = candidate._place  # noqa: SLF001
    held = {**source, "path": _written(place, source["path"], folder, data)}
    if "households" in source:
        told = source["households"]
        held["households"] = {**told, "path": _written(place, told["path"], folder, None)}
    if "population" in source:
        beside = None if data is None else Path(data).with_name(f"{Path(data).stem}_population.parquet")
        told = source["population"]
        held["population"] = {**told, "path": _written(place, told["path"], folder, beside)}
    return held


def _written(place: Any, path: str, folder: Path, data: str | Path | None) -> str:
    kept = Path(path)
    if scheme_of(kept):
        return path
    if not kept.is_relative_to(place.directory):
        return relative(place.base / kept, folder)
    if data is None:
        problem = "the records came as a frame, and a profile reads them from a file"
        raise BadStudy([Fault("to_profile", problem, 'say where to write them: data="records.parquet"')])
    target = Path(data)
    if target.suffix not in (".parquet", ".pq"):
        problem = f"records are written as Parquet, and the name of {target.name} does not end in .parquet"
        raise BadStudy([Fault("to_profile", problem, "name such a file")])
    target.touch(mode=0o600)
    target.chmod(0o600)
    if place.source_bytes is not None:
        target.write_bytes(place.source_bytes)
    else:
        shutil.copyfile(kept, target)
    return relative(target, folder)


def _first_demand(candidate: StudyCandidate) -> dict[str, Any]:
    """A risk with a usual limit that can be believed after the steps: a first draft of what is demanded."""
    profile = candidate._profile()  # noqa: SLF001
    pair = candidate._place.pair(profile, candidate._planned)  # noqa: SLF001
    usual: dict[str, dict[str, Any]] = {
        entry.name: {"at_least" if entry.better is Better.HIGHER else "at_most": _bare(entry.usual.number)}
        for entry in measures().values()
        if entry.family is Family.RISK and entry.usual is not None
    }
    for name, limit in {**usual, **STANDING_IN}.items():
        entry = find_measure(name)
        if unmet(entry, pair) is None and believable(entry, {}, pair.steps, profile.roles).valid:
            return {"measure": name, **limit, "because": PLACEHOLDER}
    return {"measure": "k_anonymity", "at_least": 3, "because": PLACEHOLDER}


def _bare(number: float | str) -> float | int | str:
    """A whole number without a point."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _lines(
    values: Mapping[str, Any], criteria: list[dict[str, Any]], title: str, *, drafted: bool
) -> Iterator[str]:
    yield f"name: {values['name']}"
    if title:
        yield f"title: {flow(title)}"
    yield f"access: {values['access']}"
    for key in ("seed", "source", "missing_keys"):
        if key in values:
            yield f"{key}: {flow(values[key])}"
    yield "variables:"
    yield from (f"  {flow(name)}: {flow(plan)}" for name, plan in values["variables"].items())
    yield "candidates:"
    for name, steps in values["candidates"].items():
        if steps and steps[0]["method"] == EXTERNAL.name:
            yield f"  {name}: {flow(steps[0]['with'])}"
            continue
        yield f"  {name}:"
        yield from (f"    - {flow(step)}" for step in steps)
    for family in Family:
        held = [each for each in criteria if find_measure(each["measure"]).family is family]
        if held:
            yield f"{family.value}:"
            yield from (f"  - {flow(each)}" for each in held)
    if drafted:
        yield "approval: {required: always, roles: [reviewer]}"
    yield "publish: {formats: [csv, parquet], outbox: outbox}"
