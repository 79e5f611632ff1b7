"""Writes a candidate of a study as a profile that the pipeline runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
from sdc.run import durable
from sdc.study.document import flow, relative, writable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc.study.candidate import StudyCandidate

RECORDS = (".parquet", ".pq")
Files = dict[Path, "bytes | Path"]
"""Files to be written: what each holds, or the file it is a copy of."""

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
    records = None if data is None else writable(data, RECORDS, "to_profile")
    files: Files = {}
    values = {**candidate._values, "access": access}  # noqa: SLF001 - of one room
    values["source"] = _source(candidate, values["source"], folder, records, files)
    values["candidates"] = _candidates(candidate, folder, records, files)
    criteria, drafted = _criteria(candidate)
    text = "\n".join(_lines(values, criteria, title, drafted=drafted)) + "\n"
    load_profile(path, ProfileFiles.of_text(path.absolute(), text.encode()))
    _write(path, text, files)
    return path


def write_page(place: Path, text: str) -> None:
    """A confidential page, for its owner's eyes only."""
    with _refusals(place):
        durable.write(place, text.encode())


@contextmanager
def _refusals(place: Path) -> Iterator[None]:
    """What the operating system refuses is a fault of the place."""
    try:
        yield
    except OSError as error:
        problem = f"it cannot be written: {durable.reason(error)}"
        raise BadStudy([Fault(str(place), problem, "name another place")]) from None


def _write(path: Path, text: str, files: Files) -> None:
    """The records, for their owner's eyes only, and the profile; nothing new is left where one fails."""
    made = [place for place in (*files, path) if not place.exists()]
    with _refusals(path):
        try:
            for place, content in files.items():
                durable.write(place, content if isinstance(content, bytes) else content.read_bytes())
                place.chmod(durable.PRIVATE_FILE)
            (path.absolute().parent / "outbox").mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError:
            for place in made:
                place.unlink(missing_ok=True)
            raise


def _candidates(
    candidate: StudyCandidate, folder: Path, data: Path | None, files: Files
) -> dict[str, list[dict[str, Any]]]:
    """The steps; a file made elsewhere is named by the way to it from the profile."""
    (name, steps), *_ = candidate._values["candidates"].items()  # noqa: SLF001 - of one room
    if steps and steps[0]["method"] == EXTERNAL.name:
        made, content = candidate._place.elsewhere.named(Path(steps[0]["with"]["path"]), data)  # noqa: SLF001
        if content is not None:
            files[made] = content
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
    candidate: StudyCandidate, source: Mapping[str, Any], folder: Path, data: Path | None, files: Files
) -> dict[str, Any]:
    """The source with paths that begin at the profile; records of a frame are written where `data` says."""
    place = candidate._place  # noqa: SLF001
    held = {**source, "path": _named(place, source["path"], folder, data, files)}
    if "households" in source:
        told = source["households"]
        held["households"] = {**told, "path": _named(place, told["path"], folder, None, files)}
    if "population" in source:
        beside = None if data is None else data.with_name(f"{data.stem}_population.parquet")
        told = source["population"]
        held["population"] = {**told, "path": _named(place, told["path"], folder, beside, files)}
    return held


def _named(place: Any, path: str, folder: Path, data: Path | None, files: Files) -> str:
    """The way from the profile to a file; records of a frame are among the files to be written."""
    kept = Path(path)
    if scheme_of(kept):
        return path
    if not kept.is_relative_to(place.directory):
        return relative(place.base / kept, folder)
    if data is None:
        problem = "the records came as a frame, and a profile reads them from a file"
        raise BadStudy([Fault("to_profile", problem, 'say where to write them: data="records.parquet"')])
    files[data] = kept if place.source_bytes is None else place.source_bytes
    return relative(data, folder)


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
