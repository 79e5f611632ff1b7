"""The secret of a home, without which no random number of its releases can be repeated.

    Secret.of(home)   # SDC_SECRET, the file SDC_SECRET_FILE names, or the home's own file, made if missing

256 bits as 64 hexadecimal digits. The secret stands in no record, ledger, report or bundle; its fingerprint
stands in the sealed record of a run.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.errors import HomeUnusable, SdcError
from sdc.run import digest, durable

if TYPE_CHECKING:
    from sdc.run.home import Home

VARIABLE = "SDC_SECRET"
FILE_VARIABLE = "SDC_SECRET_FILE"


class SecretUnusable(SdcError):
    """What was given as the secret of the home is none."""

    exit_code = 2

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"the secret in {place} cannot be used: {problem}")


@dataclass(frozen=True)
class Secret:
    """256 random bits."""

    key: bytes = field(repr=False)

    @classmethod
    def of(cls, home: Home) -> Secret:
        given, named = os.environ.get(VARIABLE), os.environ.get(FILE_VARIABLE)
        if given is not None:
            return cls(_bits(given, VARIABLE))
        if named is not None:
            return _read(Path(named), FILE_VARIABLE)
        if not home.secret.exists():
            _make(home)
        return _read(home.secret, home.secret.name)

    @property
    def fingerprint(self) -> str:
        """Names the secret without telling it."""
        return digest.of_bytes(b"fingerprint of the secret " + self.key)[:16]


NO_SECRET = Secret(bytes(32))
"""For looking at files where nothing is published and there is no home: repeatable, and open to guesses."""


def _read(place: Path, called: str) -> Secret:
    try:
        mode, text = place.stat().st_mode & 0o777, place.read_text(encoding="ascii", errors="replace")
    except OSError as error:
        raise SecretUnusable(called, durable.reason(error)) from None
    if mode & 0o077:
        raise SecretUnusable(called, f"other users may read it (mode {mode:o}); close it with chmod 600")
    return Secret(_bits(text, called))


def _bits(text: str, called: str) -> bytes:
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text.strip()):
        raise SecretUnusable(
            called, "it must be 256 random bits, as 64 hexadecimal digits (openssl rand -hex 32 makes them)"
        )
    return bytes.fromhex(text.strip())


def _make(home: Home) -> None:
    """The file appears with its content; if two processes make it at once, the first one wins."""
    fresh = home.path / f".secret-{secrets.token_hex(8)}"
    try:
        durable.write(fresh, f"{secrets.token_hex(32)}\n".encode())
        with suppress(FileExistsError):
            os.link(fresh, home.secret)
        durable.sync(home.path)
    except OSError as error:
        raise HomeUnusable(home.path, durable.reason(error)) from None
    finally:
        fresh.unlink(missing_ok=True)
