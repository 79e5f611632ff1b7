"""Writes the value of a swept option as part of a candidate's name."""

from __future__ import annotations

import re
from typing import Any

LONGEST_LABEL = 24


def label(value: Any, position: int) -> str:
    """A value as part of a candidate's name; its place in the list where it makes none."""
    said = _said(value)
    return said if said and len(said) <= LONGEST_LABEL else f"_{position + 1}"


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "_yes" if value else "_no"
    if isinstance(value, int):
        return str(value).replace("-", "minus")
    if isinstance(value, float):
        return (
            re.sub(r"[^0-9a-z]", "_", f"{value:g}".replace("-", "minus").replace("+", ""))
            if value == float(f"{value:g}")
            else ""
        )
    if isinstance(value, str):
        return f"_{value}" if re.fullmatch(r"[a-z0-9_]+", value) else ""
    if isinstance(value, dict) and len(value) == 1:
        ((key, held),) = value.items()
        inner = _said(held)
        return f"_{key}{inner}" if inner and re.fullmatch(r"[a-z0-9_]+", str(key)) else ""
    return ""
