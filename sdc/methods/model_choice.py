"""The models of sequential synthesis by name, with their options from their signatures."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationError

import sdc.methods.models as package
from sdc.catalogue.options import Column
from sdc.catalogue.registry import Entry
from sdc.spelling import nearest

PARAMETRIC = "parametric"
"""In place of a model.

Normrank for numbers, logreg for two categories, polr for ordered ones, polyreg for others.
"""
MOST_CATEGORIES = 60
"""A category of more levels than this is not regressed; a tree draws it."""


@cache
def model_names() -> tuple[str, ...]:
    return tuple(sorted(found.name for found in pkgutil.iter_modules(package.__path__)))


@cache
def find_model(name: str) -> Entry:
    """A model: the function that has the name of its module."""
    return Entry(getattr(importlib.import_module(f"{package.__name__}.{name}"), name))


@cache
def targets(name: str) -> str:
    """What a model can draw: numbers, categories or any."""
    return str(getattr(importlib.import_module(f"{package.__name__}.{name}"), "TARGETS", "any"))


def draws_parameters(choice: Choice) -> bool:
    """Does a model draw its own parameters from their posterior?"""
    module = importlib.import_module(f"{package.__name__}.{choice.model}")
    return bool(getattr(module, "POSTERIOR", False) or choice.options.get("bayes", False))


def _known(name: str) -> str:
    choices = [*model_names(), PARAMETRIC]
    if name not in choices:
        like = nearest(name, choices)
        message = f"no model is called {name!r}" + (
            f"; did you mean {like!r}?" if like else f"; there are {', '.join(choices)}"
        )
        raise ValueError(message)
    return name


def _general(name: str) -> str:
    if name in model_names() and (
        needed := [
            option for option, info in find_model(name).options.model_fields.items() if info.is_required()
        ]
    ):
        message = f"{name} must be told {', '.join(needed)} for each variable: name it under models"
        raise ValueError(message)
    return name


ModelName = Annotated[str, AfterValidator(_known)]
GeneralModel = Annotated[str, AfterValidator(_known), AfterValidator(_general)]


@dataclass(frozen=True)
class Choice:
    """A model and the options it was given."""

    model: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, given: str | Mapping[str, Any]) -> Choice:
        if isinstance(given, str):
            return cls(given)
        return cls(
            str(given.get("model", "cart")), {name: value for name, value in given.items() if name != "model"}
        )


def _sound_options(name: str, given: Mapping[str, Any]) -> None:
    if _known(name) == PARAMETRIC:
        if given:
            message = f"{PARAMETRIC} chooses a model by type and has no options"
            raise ValueError(message)
        return
    try:
        find_model(name).options.model_validate(dict(given))
    except ValidationError as wrong:
        places = [f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in wrong.errors()]
        message = f"{name}: {'; '.join(places)}"
        raise ValueError(message) from None


def _sound(settings: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Mapping[str, Any]]:
    for name, given in settings.items():
        _sound_options(name, given)
    return settings


def _sound_choice(given: str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    choice = Choice.of(given)
    _sound_options(choice.model, choice.options)
    return given


ModelSettings = Annotated[dict[ModelName, dict[str, Any]], AfterValidator(_sound)]
ModelChoice = Annotated[str | dict[str, Any], AfterValidator(_sound_choice)]
Models = dict[Column, ModelChoice]


def by_type(*, numeric: bool, ordered: bool, levels: int) -> str:
    """The regression that suits a variable, a tree where it has too many levels."""
    if numeric:
        return "normrank"
    if levels > MOST_CATEGORIES:
        return "cart"
    return "logreg" if levels <= 2 else "polr" if ordered else "polyreg"
