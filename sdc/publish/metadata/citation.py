"""Says how a release is to be cited (CITATION.cff, version 1.2.0)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdc.publish.bundle_plan import BundlePlan

NAME = "CITATION.cff"
SPDX = re.compile(
    r"(CC0-1\.0|CC-BY(-NC)?(-ND|-SA)?-[1-4]\.0|ODbL-1\.0|ODC-By-1\.0|PDDL-1\.0|OGL-UK-[123]\.0)"
)


def as_cff(plan: BundlePlan) -> bytes:
    """YAML whose texts are written as JSON has them, which YAML reads alike."""
    publish = plan.profile.publish
    message = "Please cite these data as below."
    if publish.replaces:
        message += f" This version replaces {publish.replaces}."
    lines = [
        "cff-version: 1.2.0",
        f"message: {_text(message)}",
        "type: dataset",
        f"title: {_text(plan.title)}",
        "authors:",
        f"  - name: {_text(publish.publisher or plan.title)}",
        f"version: {_text(publish.version or plan.run)}",
        f"date-released: {plan.released.date().isoformat()}",
    ]
    if plan.profile.description:
        lines.append(f"abstract: {_text(plan.profile.description)}")
    if SPDX.fullmatch(publish.licence):
        lines.append(f"license: {publish.licence}")
    elif publish.licence.startswith(("http://", "https://")):
        lines.append(f"license-url: {_text(publish.licence)}")
    return ("\n".join(lines) + "\n").encode()


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
