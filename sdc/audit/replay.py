"""Replays a run from its recorded profile, its source and the secret of the home, and compares the bytes."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdc.audit import vouched
from sdc.audit.candidate_record import CandidateRecord
from sdc.audit.record import show
from sdc.audit.software import code_digest, versions
from sdc.catalogue.external import external_of
from sdc.catalogue.readers import scheme_of
from sdc.data.warehouse import KEY_VARIABLE, Warehouse
from sdc.errors import CannotApprove, SdcError, redacted
from sdc.ingest import ingest
from sdc.ingest.files import source_fingerprint
from sdc.profile import Profile
from sdc.profile.load import load_profile
from sdc.publish.candidates import make
from sdc.run import digest
from sdc.run.home import Home
from sdc.run.randomness import Randomness
from sdc.run.scratch import scratch
from sdc.run.secret import FILE_VARIABLE, VARIABLE, Secret

UNFINISHED = ("failed", "cancelled", "crashed")


class CannotReplay(SdcError):
    """What a run was made from is not here any more."""

    exit_code = 3


@dataclass(frozen=True)
class Replayed:
    """For each candidate the recorded and the new SHA-256; `changes` names what is not as it was."""

    run: str
    candidates: dict[str, tuple[str, str]]
    changes: tuple[str, ...]

    @property
    def equal(self) -> bool:
        return all(recorded == again for recorded, again in self.candidates.values())


def replay(
    home: Home,
    run: str,
    *,
    threads: int | None = None,
    source: Path | None = None,
    households: Path | None = None,
) -> Replayed:
    """Make every candidate of a run again and compare. A source that has changed cannot give the same.

    It is named.

    `source` is where the file lies now, if it is not where it was, and `households` that of households where
    two files are linked; they must be the very files.
    """
    view = show(home, run)
    if view.record is None or not view.record_holds:
        raise CannotReplay(
            f"the sealed record of run {view.row.run} is not here, or not the one the ledger knows"
        )
    if view.record["outcome"] in UNFINISHED:
        raise CannotReplay(
            f"run {view.row.run} is {view.record['outcome']}: it came to no end that could be compared"
        )
    directory = home.directory(view.row.run)
    secret = _secret(home, view.record)
    try:
        origin = json.loads(vouched.read(directory, view.record, directory.origin))
        vouched.read(directory, view.record, directory.profile)
    except CannotApprove as problem:
        raise CannotReplay(str(problem)) from None
    profile = load_profile(directory.profile)
    if threads is not None:
        profile = profile.model_copy(
            update={"limits": profile.limits.model_copy(update={"threads": threads})}
        )
    profile = _found_again(profile, Path(origin["base"]), run, source, households)
    if known := source_fingerprint(profile.source, Path(origin["base"])).sha256:
        _require_same(profile, known, view.record)
    again = _made_again(profile, Path(origin["base"]), view.record, secret)
    recorded = _recorded(view.record)
    changes = [
        *_changes(view.record, Path(origin["profile"])),
        *_changed_files(profile, Path(origin["base"]), view.record),
    ]
    return Replayed(
        view.row.run, {name: (recorded[name], again.get(name, "")) for name in recorded}, tuple(changes)
    )


def _found_again(
    profile: Profile, base: Path, run: str, source: Path | None, households: Path | None
) -> Profile:
    """The profile with its files where they are now; CannotReplay names the first that is not there."""
    held = profile.source
    if households is not None and held.households is None:
        raise CannotReplay(f"run {run} read no file of households; leave --households out")
    if source is not None:
        held = held.model_copy(update={"path": source.absolute()})
    if households is not None and held.households is not None:
        moved = held.households.model_copy(update={"path": households.absolute()})
        held = held.model_copy(update={"households": moved})
    places = {"--source": held.path, **({"--households": held.households.path} if held.households else {})}
    for option, path in places.items():
        if scheme_of(path) is None and not (base / path).exists():
            raise CannotReplay(
                f"the source {path} is not where it was; say where it is now: sdc replay {run} {option} FILE"
            )
    return profile.model_copy(update={"source": held})


def _secret(home: Home, record: Any) -> Secret:
    """The secret the run drew its random numbers from; CannotReplay names it where it is not here."""
    secret, wanted = Secret.of(home), record["source"].get("secret")
    if wanted is None:
        raise CannotReplay(
            "the run was made before random numbers depended on a secret of the home; this version cannot"
            " draw them again"
        )
    if secret.fingerprint != wanted:
        raise CannotReplay(
            f"the run was made with the secret {wanted}, and the one here is {secret.fingerprint}; "
            f"give it by {FILE_VARIABLE} or {VARIABLE}, or replay in the home of the run"
        )
    return secret


def _require_same(profile: Profile, sha256: str, record: Any) -> None:
    if sha256 != record["source"]["sha256"]:
        raise CannotReplay(
            f"{profile.source.path} is not the source of the run, or has changed since the run: its SHA-256"
            " is another"
        )


def _made_again(profile: Profile, base: Path, record: Any, secret: Secret) -> dict[str, str]:
    readable = [base / path for path in profile.files]
    with (
        redacted("replaying"),
        scratch(Home.find().scratch) as directory,
        Warehouse.create(
            directory / "run", limits=profile.limits, key=os.environ.get(KEY_VARIABLE), readable=readable
        ) as warehouse,
    ):
        ingested = ingest(profile, base, warehouse, secret)
        _require_same(profile, ingested.sha256, record)
        recorded = _recorded(record)
        randomness = Randomness.of_release(secret, profile, ingested.sha256)
        found: dict[str, str] = {}
        for name in profile.candidates:
            found |= _digests(profile, base, warehouse, name, randomness, recorded.get(name, ""))
        return found


def _recorded(record: Any) -> dict[str, str]:
    """The SHA-256 of every candidate on record, and of its further syntheses."""
    return {
        name: sha256
        for each in record["candidates"]
        for name, sha256 in CandidateRecord.from_record(each).fingerprints.items()
    }


def _digests(
    profile: Profile, base: Path, warehouse: Warehouse, name: str, randomness: Randomness, recorded: str
) -> dict[str, str]:
    """The SHA-256 of a candidate made again, and of its further syntheses.

    None where it could not be made, then as now.
    """
    try:
        return make(profile, base, warehouse, name, randomness).fingerprints
    except SdcError:
        if recorded:
            raise
        return {name: ""}


def _changes(record: Any, profile: Path) -> list[str]:
    software = record["software"]
    then, now = software["packages"], versions()
    changes = [
        f"{name} was {then[name]}, is {now.get(name, 'absent')}"
        for name in then
        if then[name] != now.get(name)
    ]
    if software["code"] != code_digest():
        changes.append("the code of sdc-release is not the code of the run")
    if not profile.exists():
        changes.append(f"the profile {profile.name} is not where it was")
    elif digest.of_file(profile) != record["profile"]["sha256"]:
        changes.append(f"the profile {profile.name} has changed since the run; its copy in the run was used")
    return changes


def _changed_files(profile: Profile, base: Path, record: Any) -> list[str]:
    """Candidates made elsewhere whose file is not the one of the run."""
    then = {
        candidate["name"]: candidate["steps"][0]["record"].get("sha256")
        for candidate in record["candidates"]
        if candidate["steps"]
    }
    files = {
        name: found.path
        for name, steps in profile.candidates.items()
        if name in then and (found := external_of(steps))
    }
    return [
        f"the file {path.name} of candidate {name} has changed since the run"
        for name, path in files.items()
        if digest.of_file(base / path) != then.get(name)
    ]
