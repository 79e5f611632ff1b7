"""Random numbers come from named streams, each with a secret key of its own.

    randomness = Randomness.of_release(secret, profile, source_sha256)
    randomness.of_candidate("recoded", steps).stream("order")      # a numpy Generator

The key of a release depends on the secret of the home, on the bytes of the source and on all that decides
what is made of it: two releases share no random number unless they are the same release. A stream is the key
stream of ChaCha20: whoever sees its numbers learns neither its key nor its other numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sdc.run import digest

if TYPE_CHECKING:
    import numpy as np

    from sdc.run.secret import Secret

DECIDING = ("name", "seed", "missing_keys")
"""Keys of a profile that decide which values are drawn, beside source, variables and steps."""
ORDERING = ("format", "table", "query", "encoding", "separator", "quote")
"""Keys of a source that decide which records are read, and in which order."""
READING = (*ORDERING, "decimal", "missing_codes", "record_key", "holdout_share")
"""Keys of a source that decide what is read of them, and what is held out."""
PLACING = ("sheet", "range", "layout")
"""Keys of a source that decide where in its file the records are; they count where they are given."""
SHAPING = ("columns", "where", "derived", "key", *PLACING)
"""Keys of a source that decide which records and columns there are; they count where they are given."""
SPOKEN = ("label", "unit", "values")
"""Keys of a variable that only words depend on."""
LATER = ("decimals", "written")
"""Keys of a variable that came later: they count where they are given, so that old releases repeat."""


@dataclass(frozen=True)
class Randomness:
    """The key from which the streams below it are derived."""

    key: bytes = field(repr=False)

    @classmethod
    def of_release(cls, secret: Secret, plan: Any, source_sha256: str) -> Randomness:
        """For a profile, or the plan a record has of it, and the SHA-256 of its source.

        Titles, limits, criteria and places do not count: who repeats a release under another title repeats
        its bytes, and nothing can be averaged.
        """
        held: Mapping[str, Any] = digest.plain(plan)
        variables = {
            name: {
                key: told
                for key, told in each.items()
                if key not in SPOKEN and (key not in LATER or told not in (None, ""))
            }
            for name, each in held["variables"].items()
        }
        source = {key: held["source"].get(key) for key in READING}
        source |= {key: told for key in SHAPING if (told := held["source"].get(key))}
        if households := held["source"].get("households"):
            source["households"] = {key: households.get(key) for key in (*READING, *SHAPING)}
        deciding = {
            **{key: held.get(key) for key in DECIDING},
            "source": source,
            "variables": variables,
            "sha256": source_sha256,
        }
        return cls(secret.key).below("release", _text(deciding))

    @classmethod
    def from_seed(cls, seed: int) -> Randomness:
        """From a number alone, for notebooks and tests. Whoever guesses the number knows all.

        Never for a release.
        """
        return cls(bytes(32)).below("seed", str(seed))

    def of_candidate(self, name: str, steps: Sequence[Any]) -> Randomness:
        """A candidate whose steps differ in anything draws anew throughout."""
        return self.below("candidate", name, _text(steps))

    def below(self, *names: str) -> Randomness:
        """A key of its own for these names: HKDF of RFC 5869."""
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        return Randomness(
            HKDF(SHA256(), 32, salt=None, info=digest.of_bytes(_text(names).encode()).encode()).derive(
                self.key
            )
        )

    def stream(self, *names: str) -> np.random.Generator:
        """The generator that belongs to these names, the same wherever and whenever it is asked for."""
        from sdc.run.random_stream import RandomStream

        return RandomStream(self.below("stream", *names))

    @property
    def fingerprint(self) -> str:
        """Names the key without telling it: two releases with the same fingerprint drew the same numbers."""
        return digest.of_bytes(self.below("fingerprint").key)[:16]


def _text(value: Any) -> str:
    return json.dumps(digest.plain(value), sort_keys=True)
