"""Which model draws a variable: the names and options a profile may give, checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationError

from sdc.catalogue.options import Column
from sdc.catalogue.synthesis_models import find_model, models
from sdc.spelling import nearest

PARAMETRIC = "parametric"
"""Instead of a model: normrank for numbers, logreg for two categories, polr for ordered, else polyreg."""
MOST_CATEGORIES = 60
"""A category of more levels than this is not regressed; a tree draws it."""


def draws_parameters(choice: ChosenModel) -> bool:
    """Whether a model, with these options, draws its own parameters from their posterior."""
    return find_model(choice.model).draws_parameters(choice.options)


def may_draw_parameters(options: Mapping[str, Any]) -> bool:
    """Whether each synthesis of a method with these options may come from models of its own."""
    named = [
        ChosenModel(options["model"]),
        *map(ChosenModel.of, options["models"].values()),
        *(ChosenModel(model, told) for model, told in options["settings"].items()),
    ]
    return options["proper"] or any(draws_parameters(each) for each in named if each.model != PARAMETRIC)


def _known(name: str) -> str:
    choices = [*models(), PARAMETRIC]
    if name not in choices:
        like = nearest(name, choices)
        message = f"no model is called {name!r}" + (
            f"; did you mean {like!r}?" if like else f"; there are {', '.join(choices)}"
        )
        raise ValueError(message)
    return name


def _general(name: str) -> str:
    if name in models() and (
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
class ChosenModel:
    """A model and the options it was given."""

    model: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, given: str | Mapping[str, Any]) -> ChosenModel:
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
    choice = ChosenModel.of(given)
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
