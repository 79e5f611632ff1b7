"""The passphrase of a key: asked for at the terminal, or read from a file that is its owner's alone."""

from __future__ import annotations

import getpass
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sdc.errors import CannotApprove
from sdc.run.durable import reason


def with_passphrase(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that names a file, for machines without a terminal."""
    told = (
        "A file with the passphrase in its first line, readable by you alone (mode 0600); without it you are"
        " asked."
    )
    return click.option("--passphrase-file", type=click.Path(path_type=Path, dir_okay=False), help=told)(
        command
    )


def passphrase(name: str, file: Path | None, *, new: bool = False) -> str:
    """The passphrase of this person's key; a new one is asked for twice."""
    if file is not None:
        return _read(file)
    if not sys.stdin.isatty():
        raise CannotApprove(
            "there is no terminal to ask for the passphrase; name a file with --passphrase-file"
        )
    said = getpass.getpass(f"passphrase for the key of {name}: ")
    if new and getpass.getpass("once more: ") != said:
        raise CannotApprove("the two passphrases are not the same")
    return said


def _read(file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as held:
            found = os.fstat(held.fileno())
            if stat.S_IMODE(found.st_mode) & 0o077 or found.st_uid != os.getuid():
                raise CannotApprove(f"others may read {file.name}: it must be yours, with mode 0600")
            return held.readline().rstrip("\r\n")
    except UnicodeDecodeError:
        raise CannotApprove(f"{file.name} is no text in UTF-8") from None
    except OSError as error:
        raise CannotApprove(f"{file.name} cannot be read: {reason(error)}") from None
