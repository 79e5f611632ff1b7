"""Describes a release as an RO-Crate 1.2 with the run that made it; inputs are told by digest only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sdc.catalogue.writers import find_writer
from sdc.publish.release_note import ACCESS, applied
from sdc.run import digest

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.publish.bundle_plan import BundlePlan
    from sdc.publish.parts import BundlePart

NAME = "ro-crate-metadata.json"
CRATE = "https://w3id.org/ro/crate/1.2"
PROCESS = "https://w3id.org/ro/wfrun/process/0.5"


def as_json(plan: BundlePlan, folder: Path, others: tuple[str, ...]) -> bytes:
    """`others` are the names of the files beside the data."""
    data = [_data(folder, part, each) for part, each in plan.files]
    beside = [{"@id": name, "@type": "File", "name": name} for name in sorted(others)]
    inputs = _inputs(plan)
    graph: list[dict[str, Any]] = [
        {
            "@id": NAME,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": CRATE},
        },
        _root(plan, [*data, *beside]),
        {"@id": PROCESS, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
        *_publisher(plan),
        *data,
        *beside,
        {
            "@id": "#software",
            "@type": "SoftwareApplication",
            "name": "sdc-release",
            **({"softwareVersion": plan.made_with["version"]} if plan.made_with.get("version") else {}),
        },
        *inputs,
        {
            "@id": "#run",
            "@type": "CreateAction",
            "name": f"Run {plan.run}",
            "description": " ".join(
                f"{name}: {said}" if said else name for name, said in applied(plan).items()
            )
            or "No method was applied to the values.",
            "endTime": plan.released.isoformat(timespec="seconds"),
            "instrument": {"@id": "#software"},
            "object": [{"@id": each["@id"]} for each in inputs],
            "result": [{"@id": each["@id"]} for each in data],
        },
    ]
    held = {"@context": f"{CRATE}/context", "@graph": graph}
    return json.dumps(held, ensure_ascii=False, indent=2).encode() + b"\n"


def _root(plan: BundlePlan, parts: list[dict[str, Any]]) -> dict[str, Any]:
    profile, publish = plan.profile, plan.profile.publish
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": plan.title,
        "description": profile.description or plan.title,
        "datePublished": plan.released.date().isoformat(),
        "license": publish.licence or ACCESS[profile.access.value],
        **({"version": publish.version} if publish.version else {}),
        **({"publisher": {"@id": "#publisher"}} if publish.publisher else {}),
        "conformsTo": {"@id": PROCESS},
        "hasPart": [{"@id": each["@id"]} for each in parts],
        "mentions": {"@id": "#run"},
    }


def _publisher(plan: BundlePlan) -> list[dict[str, Any]]:
    name = plan.profile.publish.publisher
    return [{"@id": "#publisher", "@type": "Organization", "name": name}] if name else []


def _data(folder: Path, part: BundlePart, file_format: str) -> dict[str, Any]:
    place = folder / part.data_file(file_format)
    return {
        "@id": place.name,
        "@type": "File",
        "name": "; ".join(filter(None, (find_writer(file_format).words, part.in_words))),
        "encodingFormat": find_writer(file_format).media_type,
        "contentSize": str(place.stat().st_size),
        "sha256": digest.of_file(place),
    }


def _inputs(plan: BundlePlan) -> list[dict[str, Any]]:
    """The profile and the confidential file, neither of which is here."""
    named = {"profile": "the profile of the release", "source": "the confidential file"}
    return [
        {
            "@id": f"#{key}",
            "@type": "CreativeWork",
            "name": what,
            "description": "It is not in this package; its SHA-256 says which one it was.",
            "sha256": plan.made_with[key],
        }
        for key, what in named.items()
        if plan.made_with.get(key)
    ]
