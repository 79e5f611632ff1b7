"""Does what the producer wrote say anything the public report may not? Told before anything runs, and not after hours of work."""

from __future__ import annotations

import html
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.errors import Fault
from sdc.ingest import identifier_values
from sdc.release_pair import ReleasePair
from sdc.report.forbidden import Forbidden, known_words
from sdc.report.leaks import scan

if TYPE_CHECKING:
    from sdc.profile import Profile
    from sdc.table import Table


def word_faults(profile: Profile, base: Path, original: Table, sha256: str, scratch: Path) -> list[Fault]:
    """A fault for each text of the profile that names a person, an extreme or a rare combination of the original.

    No candidate is known yet: categories that no record of it will have are looked for in the finished report alone.
    """
    written = list(_written(profile))
    if not written:
        return []
    pair = ReleasePair(original, original, profile.roles)
    forbidden = Forbidden.of(pair, units={name: plan.unit for name, plan in profile.variables.items()})
    page = "\n".join(f"<p>{html.escape(' '.join(text.split()))}</p>" for _, text in written)
    with identifier_values(profile, base, sha256, scratch) as identifiers:
        hits = scan(page, forbidden.naming(page, identifiers, partial(known_words, profile, pair)))
    told = dict.fromkeys((written[hit.line - 1][0], hit.what) for hit in hits)
    return [Fault(place, f"it says {what}, which the public report may not say", "say it otherwise") for place, what in told]


def _written(profile: Profile) -> Iterator[tuple[str, str]]:
    """Texts that people wrote and the public reads, with their place in the profile."""
    texts = [("title", profile.title), ("description", profile.description)]
    texts += [(f"variables.{name}.{key}", getattr(plan, key)) for name, plan in profile.variables.items() for key in ("label", "unit")]
    for family, criteria in (("risk", profile.risk), ("utility", profile.utility)):
        texts += [(f"{family}.{criterion.alias}.because", criterion.because) for criterion in criteria]
    return ((place, text) for place, text in texts if text.strip())
