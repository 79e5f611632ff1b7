"""Gives bytes, files and records their fingerprint, and records their plain form."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel


def of_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def plain(value: Any) -> Any:  # noqa: PLR0911 - one a kind
    """The same as JSON holds it.

    Records become objects, sets sorted lists, keys texts, numbers that are not finite their names.
    """
    if isinstance(value, BaseModel):
        return plain(value.model_dump(mode="json", by_alias=True))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(held) for key, held in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(held) for held in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(held) for held in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return plain(value.tolist()) if hasattr(value, "tolist") else value


def canonical(value: Any) -> bytes:
    """One way to write a record: keys sorted, no spaces, ASCII only."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")
