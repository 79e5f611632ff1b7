"""Finds the demonstration data: fictitious persons in households."""

from __future__ import annotations

from pathlib import Path

from sdc.cli.demonstration import INSTALLED, SOURCE_TREE

__all__ = ["demo_data"]


def demo_data() -> Path:
    """The file of the demonstration survey: 5,915 fictitious persons, 20 variables.

    >>> sdc.demo_data().name
    'households.csv'
    """
    folder = SOURCE_TREE if SOURCE_TREE.is_dir() else INSTALLED
    return folder / "households.csv"
