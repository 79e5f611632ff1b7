"""What a page shows of several candidates side by side, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MatrixCell:
    """A criterion on a candidate: how it stands in one word, the number and its margin.

    `state` is empty where the criterion does not apply.
    """

    state: str = ""
    text: str = ""
    margin: str = ""
    doubt: str = ""


@dataclass(frozen=True)
class MatrixColumn:
    """A candidate: what the gate says of it, and its tightest criterion."""

    name: str
    gate: str
    tightest: str
    chosen: bool


@dataclass(frozen=True)
class MatrixRow:
    """A criterion over all candidates."""

    name: str
    family: str
    limit: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True)
class Matrix:
    """Candidates by criteria: the best worst margin first, the tightest criterion first."""

    columns: tuple[MatrixColumn, ...]
    rows: tuple[MatrixRow, ...]


@dataclass(frozen=True)
class Comparison:
    """Candidates side by side: a row for each criterion or measurement, a cell for each candidate."""

    candidates: tuple[str, ...]
    chosen: str
    rows: tuple[ComparisonRow, ...]


@dataclass(frozen=True)
class ComparisonRow:
    """One measurement over all candidates.

    A cell is the text, whether it holds (None: not judged), and why it cannot be believed.
    """

    name: str
    limit: str
    direction: str
    cells: tuple[tuple[str, bool | None, str], ...]
