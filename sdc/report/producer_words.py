"""Checks that what the producer wrote says nothing that may not be public."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.release_pair import ReleasePair
from sdc.errors import Fault
from sdc.ingest import identifier_values
from sdc.publish.metadata.summary import summaries
from sdc.publish.parts import parts_of
from sdc.report.forbidden import Forbidden, known_words
from sdc.report.leaks import scan

if TYPE_CHECKING:
    from sdc.data.table import Table
    from sdc.profile import Profile
    from sdc.profile.plan import Criterion


def word_faults(profile: Profile, base: Path, original: Table, sha256: str, scratch: Path) -> list[Fault]:
    """A fault for each text of the profile that names a person, an extreme or a rare combination.

    No candidate is known yet: categories that none of its records will have are searched for only before
    publishing.
    """
    pair = ReleasePair(original, original, profile.roles)
    forbidden = Forbidden.of(pair, declared=profile.variables)
    texts = written(profile, pair)
    with identifier_values(profile, base, sha256, scratch) as identifiers:
        named = forbidden.naming(as_page(profile, texts), identifiers, partial(known_words, profile, pair))
    return [
        Fault(place, f"it says {what}, which nothing public may say", "say it otherwise")
        for place, what in word_hits(profile, named, texts)
    ]


def word_hits(
    profile: Profile, forbidden: Forbidden, texts: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The place of each text that says what it must not, and what kind of thing that is."""
    places = [place for place, _ in texts]
    return list(
        dict.fromkeys((places[hit.line - 1], hit.what) for hit in scan(as_page(profile, texts), forbidden))
    )


def as_page(profile: Profile, texts: Sequence[tuple[str, str]]) -> str:
    """All that the producer wrote, one text per line, as the scan reads it; numbers are no codes."""
    names = {place for place, _ in _names(profile)}
    marked = (
        (' data-categories-of="[]"' if place in names else "", " ".join(text.split()))
        for place, text in texts
    )
    return "\n".join(f"<p{mark}>{html.escape(text)}</p>" for mark, text in marked)


def written(profile: Profile, pair: ReleasePair | None = None) -> list[tuple[str, str]]:
    """Every text of the profile that the public reads, in any file of the bundle, with its place.

    Words for a code leave where a record of the candidate has it; without a `pair` all of them count.
    """
    texts = [("title", profile.title), ("description", profile.description)]
    texts += [
        (f"publish.{key}", getattr(profile.publish, key)) for key in ("publisher", "contact", "licence")
    ]
    texts += [
        (f"variables.{name}.{key}", getattr(plan, key))
        for name, plan in profile.variables.items()
        for key in ("label", "unit")
    ]
    texts += _labels(profile, pair)
    texts += [(f"{place}.because", criterion.because) for place, criterion in _criteria(profile)]
    texts += _statistics(profile, pair)
    return [(place, text) for place, text in (*texts, *_names(profile)) if text.strip()]


def _statistics(profile: Profile, pair: ReleasePair | None) -> Iterator[tuple[str, str]]:
    """The statistics that descriptions of the release tell of the candidate."""
    if pair is not None:
        parts = [(held, part) for held in pair.leaving for part in parts_of(profile, held, profile.name)]
        for table, part in parts:
            for name, found in summaries(table, {}, part).items():
                yield f"statistics of {name}", f"{name} {found.in_words}" if found.in_words else ""


def _labels(profile: Profile, pair: ReleasePair | None) -> Iterator[tuple[str, str]]:
    for name, plan in profile.variables.items():
        released = _released(pair, name) if pair is not None and plan.values else plan.values.keys()
        yield from (
            (f"variables.{name}.values", words) for code, words in plan.values.items() if code in released
        )


def _released(pair: ReleasePair, name: str) -> Collection[str]:
    if name not in pair.candidate.columns:
        return ()
    found = pair.candidate.fetch(
        f"SELECT DISTINCT CAST({sql.name(name)} AS VARCHAR) FROM {sql.name(pair.candidate.name)}"
    )
    return {str(row[0]) for row in found}


def _names(profile: Profile) -> Iterator[tuple[str, str]]:
    """Names that people chose, of files, candidates and measurements.

    Their places do not contain the names, because many people read a fault.
    """
    yield "name", profile.name
    yield "publish.version", profile.publish.version or ""
    yield "publish.replaces", profile.publish.replaces or ""
    yield from ((f"candidates.{number}", name) for number, name in enumerate(profile.candidates, 1))
    yield from ((f"{place}.as", criterion.name) for place, criterion in _criteria(profile))


def _criteria(profile: Profile) -> Iterator[tuple[str, Criterion]]:
    for family, criteria in (("risk", profile.risk), ("utility", profile.utility)):
        yield from ((f"{family}.{number}", criterion) for number, criterion in enumerate(criteria, 1))
