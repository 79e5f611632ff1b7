"""Every model of sequential synthesis by its own name: which variables it can draw, and its options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from sdc.catalogue.entry import CatalogueEntry
from sdc.catalogue.named_units import NamedUnits
from sdc.catalogue.needs import Condition, never

Function = TypeVar("Function", bound=Callable[..., Any])


class Targets(StrEnum):
    """Which variables a model can draw."""

    NUMBERS = "numbers"
    CATEGORIES = "categories"
    ANY = "any"


@dataclass(frozen=True)
class SynthesisModel(CatalogueEntry):
    """A model of one variable given others."""

    targets: Targets
    draws_parameters: Condition


_models: NamedUnits[SynthesisModel] = NamedUnits("model", "sdc.methods.models")


def model(
    *, targets: Targets = Targets.ANY, draws_parameters: Condition = never
) -> Callable[[Function], Function]:
    """Register `(target, observed, rng, *, options) -> draw` under its own name.

    The function is handed back unchanged.

    `targets` are the variables it can draw. `draws_parameters` says under which options it draws its own
    parameters from their posterior, so that several syntheses differ by what is not known of them.
    """

    def register(function: Function) -> Function:
        _models.add(SynthesisModel(function, targets, draws_parameters))
        return function

    return register


def models() -> dict[str, SynthesisModel]:
    """All models by name."""
    return _models.all()


def find_model(name: str) -> SynthesisModel:
    return _models.find(name)
