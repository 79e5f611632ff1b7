"""Exports all of a run an auditor needs, in one file that sha256sum alone can check."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from sdc import __version__
from sdc.audit.ledger import Ledger
from sdc.audit.record import RunView, show
from sdc.errors import CannotPublish
from sdc.run import digest
from sdc.run.home import Home

MEDIA_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".head": "application/json",
    ".yaml": "application/yaml",
    ".html": "text/html",
    ".md": "text/markdown",
}
UNFINISHED = ("failed", "cancelled", "crashed")
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""A zip file has times; equal contents are to give equal bytes."""


def export(home: Home, run: str, place: Path) -> Path:
    """A zip of profile, sealed record, gate, report, ledger and the manifest: no tables, no refused page.

    Refuses to overwrite.
    """
    view = show(home, run)
    if place.exists():
        raise CannotPublish(place, "this file exists")
    files = _files(home, view)
    files["ro-crate-metadata.json"] = _metadata(view, files)
    sums = "".join(f"{digest.of_bytes(data)}  {name}\n" for name, data in sorted(files.items()))
    with zipfile.ZipFile(place, "x", zipfile.ZIP_DEFLATED) as archive:
        for name, data in [*sorted(files.items()), ("SHA256SUMS", sums.encode())]:
            archive.writestr(zipfile.ZipInfo(f"{view.row.run}/{name}", LONG_AGO), data, zipfile.ZIP_DEFLATED)
    place.chmod(0o600)
    return place


def _files(home: Home, view: RunView) -> dict[str, bytes]:
    """All that leaves with an export.

    A public page that was refused is not among it: it may name a person or a cell of the original. What it
    was refused for, by line and kind, is in the sealed record.
    """
    held = home.directory(view.row.run)
    found = [held.profile, held.record, held.report, held.memo, held.memo_text]
    found += sorted(held.gate.glob("*.json"))
    files = {held.name_of(path): path.read_bytes() for path in found if path.is_file()}
    ledger = Ledger(home.ledger)
    files.update({place.name: place.read_bytes() for place in (ledger.path, ledger.head_path)})
    manifest = (
        Path(str(view.row.facts.get("outbox", ""))) / str(view.row.facts.get("bundle", "")) / "MANIFEST.json"
    )
    if view.row.facts.get("bundle") and manifest.is_file():
        files["bundle/MANIFEST.json"] = manifest.read_bytes()
    return files


def _metadata(view: RunView, files: dict[str, bytes]) -> bytes:
    """RO-Crate 1.1: what each file is, for machines."""
    parts: list[dict[str, Any]] = [
        {
            "@id": name,
            "@type": "File",
            "name": name,
            "encodingFormat": MEDIA_TYPES[Path(name).suffix],
            "contentSize": str(len(data)),
            "sha256": digest.of_bytes(data),
        }
        for name, data in sorted(files.items())
    ]
    ended = "Failed" if view.row.state in UNFINISHED else "Completed"
    graph: list[dict[str, Any]] = [
        {
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
            "about": {"@id": "./"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": f"Audit of run {view.row.run}",
            "description": f"Release run of profile {view.row.profile}: {view.row.state}",
            "datePublished": view.row.changed,
            "license": {"@id": "#licence"},
            "hasPart": [{"@id": part["@id"]} for part in parts],
            "mentions": {"@id": "#run"},
        },
        {
            "@id": "#run",
            "@type": "CreateAction",
            "name": view.row.run,
            "startTime": view.row.started,
            "endTime": view.row.changed,
            "instrument": {"@id": "#software"},
            "description": view.row.state,
            "actionStatus": {"@id": f"http://schema.org/{ended}ActionStatus"},
        },
        {
            "@id": "#licence",
            "@type": "CreativeWork",
            "name": "Confidential",
            "description": "For the audit of this release only.",
        },
        {
            "@id": "#software",
            "@type": "SoftwareApplication",
            "name": "sdc-release",
            "softwareVersion": __version__,
        },
        *parts,
    ]
    return json.dumps(
        {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}, indent=1
    ).encode()
