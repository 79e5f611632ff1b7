"""Copies a published bundle to other places: folders in a layout of their own, or an S3-compatible store.

The bundle in the outbox is the release. What is delivered is compared with its manifest, file by file. In a
store the manifest comes last: a bundle without one is not there yet, and the same command completes it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from sdc.errors import CannotDeliver
from sdc.publish import layouts
from sdc.publish.manifest import MANIFEST, TOMBSTONE, faults
from sdc.publish.places import STORE, BundleStore

CHUNK = 1 << 20


def addressed(address: str, base: Path) -> str:
    """A place of the profile as an absolute one: a store as it is, a folder from the profile's own."""
    return address if address.startswith(STORE) else str((base / address).resolve())


def check_place(address: str) -> None:
    """CannotDeliver where nothing could be delivered there; asked before any work."""
    if address.startswith(STORE):
        BundleStore(address).require_bucket()
    elif not Path(address).is_dir():
        raise CannotDeliver(address, "there is no such folder; create it with mkdir")


def deliver(bundle: Path, address: str, layout: str = "plain") -> None:
    """Bring a bundle to a place; nothing is done twice, and a bundle half delivered is completed.

    CannotDeliver where the bundle is not whole, or another one of its name is there.
    """
    if (bundle / TOMBSTONE).exists():
        raise CannotDeliver(address, f"bundle {bundle.name} was withdrawn")
    if wrong := faults(bundle):
        raise CannotDeliver(address, f"bundle {bundle.name} is not whole: {'; '.join(wrong)}")
    if address.startswith(STORE):
        _into_store(bundle, BundleStore(address))
    else:
        layouts.lay(bundle, Path(address), layout)


def _into_store(bundle: Path, store: BundleStore) -> None:
    with store.guarded():
        manifest = (bundle / MANIFEST).read_bytes()
        there = store.read(bundle.name, MANIFEST)
        if there is not None and there != manifest:
            problem = f"another bundle {bundle.name} is there, and a release is never overwritten"
            raise CannotDeliver(store.name, problem)
        listed: dict[str, Any] = {each["path"]: each for each in json.loads(manifest)["files"]}
        present = {*store.files(bundle.name)} - {MANIFEST}
        for name in sorted(present - listed.keys()):
            store.remove(bundle.name, name)
        for name, each in listed.items():
            if name not in present or _digest(store, bundle.name, name) != each["sha256"]:
                store.put(bundle.name, bundle / name)
        for name, each in listed.items():
            if _digest(store, bundle.name, name) != each["sha256"]:
                raise CannotDeliver(store.name, f"{name}, read back, is not the file that was sent")
        store.write(bundle.name, MANIFEST, manifest)
        if store.read(bundle.name, MANIFEST) != manifest:
            raise CannotDeliver(store.name, f"{MANIFEST}, read back, is not the file that was sent")


def _digest(store: BundleStore, bundle: str, name: str) -> str:
    found = hashlib.sha256()
    with store.opened(bundle, name) as file:
        while part := file.read(CHUNK):
            found.update(part)
    return found.hexdigest()
