"""A small profile that holds, ways to spoil it, and a few measures and methods that exist only here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from sdc.catalogue import registry as catalogue
from sdc.catalogue.options import Column
from sdc.catalogue.protection import Protection
from sdc.catalogue.registry import NON_PERTURBATIVE, Examines, Family, Measure, Method, Need, Touches
from sdc.catalogue.units import Better, Part
from sdc.errors import BadProfile
from sdc.profile.load import examine, load_profile

SOUND = """\
name: survey
seed: 1
source: {path: survey.csv}
variables:
  person: direct_identifier
  home: household
  region: quasi_identifier
  age: {role: quasi_identifier, type: numeric}
  income: {role: sensitive, type: numeric}
  health: sensitive
  weight: weight
candidates:
  plain:
    - {method: coarsen}
risk:
  - {measure: crowd, at_least: 3, because: rule 1}
"""


class Band(BaseModel):
    model_config = ConfigDict(extra="forbid")
    width: float
    like: Column | None = None


def coarsen(table, roles, rng): ...
def blur(table, roles, rng, *, variables: list[Column] | None = None, share: Annotated[float, Field(gt=0, lt=1)] = 0.1, model: Literal["cart", "sample"] = "cart", k: int | Literal["auto"] = 3): ...  # fmt: skip
def blend(table, roles, rng, *, share: float, edges: list[float] | dict[Column, list[float]] | None = None, pairs: list[tuple[Column, float]] | None = None, target: Column | None = None, bands: dict[Column, Band] | None = None): ...  # fmt: skip
def band(table, roles, rng, **bands: Band): ...
def invent(
    table, roles, rng, *, visit: list[Column] | None = None, pairs: list[tuple[Column, float]] | None = None
): ...
def crowd(pair, *, k: Annotated[int, Field(ge=1)] = 3, keys: list[Column] | None = None): ...
def attacked(pair, *, target: Column | None = None): ...
def moved(pair): ...
def left_out(pair): ...
def registered(pair): ...
def shape(pair): ...


METHODS = [
    Method(coarsen, Protection.NON_PERTURBATIVE, True, Touches.KEYS),
    Method(blur, Protection.PERTURBATIVE, True, Touches.NUMERIC),
    Method(blend, Protection.NON_PERTURBATIVE, True, Touches.ALL),
    Method(band, Protection.NON_PERTURBATIVE, True, Touches.KEYS),
    Method(invent, Protection.SYNTHETIC, False, Touches.ALL),
]
SHAPES = tuple(
    map(
        Part,
        (
            "mean",
            "distance.VARIABLE",
            "p_value.VARIABLE",
            "paired_p.VARIABLE",
            "fit.VARIABLES",
            "rate.NUMBER.VARIABLE.TEXT",
        ),
    )
)
MEASURES = [
    Measure(
        crowd,
        Family.RISK,
        Better.HIGHER,
        (1, 1e9),
        frozenset({Need.QUASI_IDENTIFIERS}),
        NON_PERTURBATIVE,
        Examines.KEYS,
        ("attacked", "nowhere"),
    ),
    Measure(attacked, Family.RISK, Better.LOWER, (0, 1), frozenset(), catalogue.ANY, Examines.ALL),
    Measure(
        left_out, Family.RISK, Better.LOWER, (0, 1), frozenset({Need.HOLDOUT}), catalogue.ANY, Examines.ALL
    ),
    Measure(
        registered,
        Family.RISK,
        Better.LOWER,
        (0, 1),
        frozenset({Need.POPULATION}),
        catalogue.ANY,
        Examines.ALL,
    ),
    Measure(
        moved,
        Family.UTILITY,
        Better.LOWER,
        (0, 1),
        frozenset({Need.ALIGNED}),
        catalogue.ANY,
        Examines.ALL,
        ("shape",),
    ),
    Measure(
        shape, Family.UTILITY, Better.LOWER, (0, 1), frozenset(), catalogue.ANY, Examines.ALL, parts=SHAPES
    ),
]


@pytest.fixture(autouse=True)
def _small_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue.measures(), catalogue.methods()
    for entry in METHODS:
        monkeypatch.setitem(catalogue._methods, entry.name, entry)
    for entry in MEASURES:
        monkeypatch.setitem(catalogue._measures, entry.name, entry)


@pytest.fixture
def sound() -> str:
    """A profile without a fault."""
    return SOUND


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(text: str | bytes) -> Path:
        path = tmp_path / "file.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def faults(write: Callable[[str | bytes], Path]) -> Callable[[str | bytes], list[str]]:
    """All faults of a profile's text, each as it is shown."""

    def faults(text: str | bytes) -> list[str]:
        with pytest.raises(BadProfile) as raised:
            load_profile(write(text))
        return [str(fault) for fault in raised.value.faults]

    return faults


@pytest.fixture
def notes(write: Callable[[str | bytes], Path]) -> Callable[[str], list[str]]:
    """What is said about a profile that has no fault."""

    def notes(text: str) -> list[str]:
        return [str(note) for note in examine(write(text))[1]]

    return notes
