"""The models of sequential synthesis by name, with their options from their signatures."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationError

import sdc.statistics.synthesis.models as package
from sdc.catalogue import Entry, nearest


@cache
def model_names() -> tuple[str, ...]:
    return tuple(sorted(found.name for found in pkgutil.iter_modules(package.__path__)))


@cache
def find_model(name: str) -> Entry:
    """A model: the function that has the name of its module."""
    return Entry(getattr(importlib.import_module(f"{package.__name__}.{name}"), name))


def _known(name: str) -> str:
    if name not in model_names():
        like = nearest(name, list(model_names()))
        message = f"no model is called {name!r}" + (f"; did you mean {like!r}?" if like else f"; there are {', '.join(model_names())}")
        raise ValueError(message)
    return name


ModelName = Annotated[str, AfterValidator(_known)]


def _sound(settings: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Mapping[str, Any]]:
    for name, given in settings.items():
        try:
            find_model(name).options.model_validate(dict(given))
        except ValidationError as wrong:
            places = [f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in wrong.errors()]
            message = f"{name}: {'; '.join(places)}"
            raise ValueError(message) from None
    return settings


ModelSettings = Annotated[dict[ModelName, dict[str, Any]], AfterValidator(_sound)]
