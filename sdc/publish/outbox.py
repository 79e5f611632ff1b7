"""Writes a bundle beside its place, verifies it, and moves it in: all or nothing."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.errors import CannotPublish
from sdc.publish import manifest
from sdc.publish.data_files import write_data_files
from sdc.publish.descriptions import descriptions
from sdc.run import digest, durable

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.publish.bundle_plan import BundlePlan

INCOMING = ".incoming-"
PUBLIC_FILE = 0o644
PUBLIC_DIRECTORY = 0o755


@dataclass(frozen=True)
class Published:
    """A bundle in the outbox: its files with their SHA-256, and that of the manifest."""

    path: Path
    manifest_sha256: str
    files: Mapping[str, str]


def check_outbox(outbox: Path, bundle: str) -> None:
    """Checks that the outbox can be written to and has no bundle of this name."""
    if not outbox.is_dir():
        raise CannotPublish(
            outbox, "it is not a directory" if outbox.exists() else "it does not exist; create it with mkdir"
        )
    if not os.access(outbox, os.W_OK | os.X_OK):
        raise CannotPublish(outbox, "this user may not write there, or the file system is read-only")
    if os.path.lexists(outbox / bundle):
        raise CannotPublish(outbox, _taken(bundle))


def _taken(bundle: str) -> str:
    return f"a bundle {bundle} is already there, and a release is never overwritten"


def publish(
    plan: BundlePlan, outbox: Path, *, announce: Callable[[dict[str, str]], object] = lambda _intent: None
) -> Published:
    """Write, verify, announce, move; on any error the outbox is as it was.

    `announce` gets outbox, bundle and the manifest's SHA-256 before the move. With that on record, it is
    known after a crash at any later moment whether the bundle went out.
    """
    outbox = outbox.absolute()
    check_outbox(outbox, plan.bundle)
    folder = outbox / f"{INCOMING}{plan.run}"
    with _all_or_nothing(outbox, folder):
        files = _write(plan, folder)
        sha256 = digest.of_file(folder / manifest.MANIFEST)
        with _alone(outbox):
            check_outbox(outbox, plan.bundle)
            announce({"outbox": str(outbox), "bundle": plan.bundle, "manifest": sha256})
            _move(folder, outbox / plan.bundle)
    return Published(outbox / plan.bundle, sha256, files)


@contextlib.contextmanager
def _all_or_nothing(outbox: Path, folder: Path) -> Iterator[None]:
    try:
        shutil.rmtree(folder, ignore_errors=True)
        yield
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise CannotPublish(outbox, durable.reason(error)) from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _write(plan: BundlePlan, folder: Path) -> dict[str, str]:
    """All files of the bundle on disk, readable by all, checked against their manifest as read back."""
    folder.mkdir(mode=durable.PRIVATE_DIRECTORY)
    entries = write_data_files(plan, folder)
    made = descriptions(plan, entries, folder)
    for name, data in made.items():
        durable.write(folder / name, data, PUBLIC_FILE)
    durable.write(
        folder / manifest.MANIFEST,
        manifest.as_json(folder, bundle=plan.bundle, run=plan.run, anchor=plan.anchor),
        PUBLIC_FILE,
    )
    expected = {*made, manifest.MANIFEST, *(part.data_file(each) for part, each in plan.files)}
    written = {place.name for place in folder.iterdir()}
    if written != expected:
        raise CannotPublish(
            folder.parent, f"the bundle has other files than planned: {', '.join(sorted(written ^ expected))}"
        )
    for name in expected:
        (folder / name).chmod(PUBLIC_FILE)
        durable.sync(folder / name)
    folder.chmod(PUBLIC_DIRECTORY)
    durable.sync(folder)
    wrong = manifest.faults(folder)
    if wrong:
        raise CannotPublish(folder.parent, f"read back from disk, {'; '.join(wrong)}")
    return {name: digest.of_file(folder / name) for name in sorted(expected)}


@contextlib.contextmanager
def _alone(outbox: Path) -> Iterator[None]:
    """Holds a lock on the outbox, so that others who publish there wait.

    Where directories cannot be locked the move itself still refuses a bundle that exists.
    """
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            held.enter_context(durable.locked(outbox))
        yield


def _move(folder: Path, place: Path) -> None:
    try:
        folder.rename(place)
    except OSError as error:
        if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
            raise CannotPublish(place.parent, _taken(place.name)) from None
        raise
    try:
        durable.sync(place.parent)
    except OSError:
        place.rename(folder)
        raise
