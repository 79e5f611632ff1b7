"""Describes a release for catalogues on the web: DCAT 3 and schema.org in one JSON-LD file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sdc.catalogue.writers import find_writer
from sdc.publish.dictionary import NOTICE
from sdc.run import digest

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.publish.bundle_plan import BundlePlan
    from sdc.publish.dictionary import VariableEntry
    from sdc.publish.parts import BundlePart

CONTEXT = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "schema": "https://schema.org/",
    "spdx": "http://spdx.org/rdf/terms#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
RIGHTS = {"open": "PUBLIC", "safeguarded": "RESTRICTED", "secure": "NON_PUBLIC"}
AUTHORITY = "http://publications.europa.eu/resource/authority/access-right/"
MEDIA_TYPES = "https://www.iana.org/assignments/media-types/"
SHA256 = "http://spdx.org/rdf/terms#checksumAlgorithm_sha256"


def as_json(plan: BundlePlan, entries: tuple[VariableEntry, ...], folder: Path) -> bytes:
    profile, publish = plan.profile, plan.profile.publish
    day = plan.released.date().isoformat()
    description = " ".join(text for text in (profile.description, NOTICE if plan.synthetic else "") if text)
    agent = {"@type": ["foaf:Agent", "schema:Organization"], "foaf:name": publish.publisher}
    said: dict[str, Any] = {
        "dct:description": description,
        "schema:description": description,
        "dct:publisher": {**agent, "schema:name": publish.publisher} if publish.publisher else "",
        "dcat:contactPoint": {"@type": "vcard:Kind", "vcard:fn": publish.contact} if publish.contact else "",
        "dct:license": _licence(publish.licence),
        "schema:license": publish.licence,
        "dcat:version": publish.version or "",
        "schema:version": publish.version or "",
        "dct:replaces": publish.replaces or "",
    }
    held = {
        "@context": CONTEXT,
        "@id": f"urn:sdc-release:{plan.bundle}",
        "@type": ["dcat:Dataset", "schema:Dataset"],
        "dct:title": plan.title,
        "schema:name": plan.title,
        "dct:issued": {"@type": "xsd:date", "@value": day},
        "schema:datePublished": day,
        "dct:accessRights": {"@id": f"{AUTHORITY}{RIGHTS[profile.access.value]}"},
        **{key: value for key, value in said.items() if value},
        "schema:variableMeasured": [_variable(entry) for entry in entries],
        "dcat:distribution": [_distribution(part, folder, each) for part, each in plan.files],
    }
    return json.dumps(held, ensure_ascii=False, indent=2).encode() + b"\n"


def _licence(licence: str) -> Any:
    return {"@id": licence} if licence.startswith(("http://", "https://")) else licence


def _variable(entry: VariableEntry) -> dict[str, str]:
    said = {"schema:description": entry.label, "schema:unitText": entry.unit}
    return {
        "@type": "schema:PropertyValue",
        "schema:name": entry.name,
        **{key: value for key, value in said.items() if value},
    }


def _distribution(part: BundlePart, folder: Path, file_format: str) -> dict[str, Any]:
    place, media = folder / part.data_file(file_format), find_writer(file_format).media_type
    return {
        "@type": ["dcat:Distribution", "schema:DataDownload"],
        "dct:title": place.name,
        **({"dct:description": part.in_words} if part.in_words else {}),
        "dcat:downloadURL": {"@id": place.name},
        "schema:contentUrl": place.name,
        "dcat:mediaType": {"@id": f"{MEDIA_TYPES}{media}"},
        "schema:encodingFormat": media,
        "dcat:byteSize": {"@type": "xsd:nonNegativeInteger", "@value": str(place.stat().st_size)},
        "spdx:checksum": {
            "@type": "spdx:Checksum",
            "spdx:algorithm": {"@id": SHA256},
            "spdx:checksumValue": {"@type": "xsd:hexBinary", "@value": digest.of_file(place)},
        },
    }
