"""Where the numbers come from, and how they can be had again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.report.views import Fact

if TYPE_CHECKING:
    from sdc.report.edition import Rules
    from sdc.report.facts import RunFacts


def provenance(facts: RunFacts, rules: Rules) -> tuple[Fact, ...]:
    """What an auditor compares.

    The public edition has nothing that would confirm a guess at a confidential input.
    """
    held = facts.provenance
    lines = [
        Fact("Run", facts.run, code=True),
        Fact("Profile", facts.profile.name, code=True),
        Fact("Code", held.code, code=True),
    ]
    if not rules.public:
        lines += [
            Fact("Source", str(facts.profile.source.path), code=True),
            Fact("SHA-256 of the source", held.source_sha256, code=True),
            Fact("SHA-256 of the profile", held.profile_sha256, code=True),
            *(Fact(f"Records in the {table}", f"{rows:,}") for table, rows in facts.rows.items() if rows),
        ]
    lines.append(Fact("Missing keys", facts.profile.missing_keys.value.replace("_", " ")))
    return tuple(line for line in lines if line.text)


def versions(facts: RunFacts) -> tuple[Fact, ...]:
    return tuple(
        Fact(package, version, code=True) for package, version in sorted(facts.provenance.versions.items())
    )
