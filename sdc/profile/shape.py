"""Checks that every value of a profile has the key, the type and the range of the plan."""

from __future__ import annotations

import json
import types
from copy import deepcopy
from dataclasses import dataclass
from inspect import get_annotations
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from sdc.profile.wording import did_you_mean, subject, worded

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc.errors import Fault
    from sdc.profile.document import Document, Place


@dataclass(frozen=True)
class Misfit:
    """One error of pydantic, at its place in the values.

    `branch` is the (place, name) of the choice it was found in.
    """

    place: Place
    branch: tuple[Place, str | int] | None
    error: Any


def misfits(
    model: type[BaseModel],
    values: Any,
    place: Place,
    document: Document,
    elsewhere: Callable[[Place], str] = lambda _: "",
) -> dict[Place, Fault]:
    """Every value that does not fit the model, by its place in the document. The model is that of `place`.

    `elsewhere` may say where a key that is unknown at its place belongs.
    """
    found: dict[Place, list[Any]] = {}
    for misfit in _misfits(model, values):
        found.setdefault((*place, *misfit.place), []).append(misfit.error)
    return {
        where: document.fault(where, *_said(model, where, len(place), errors, elsewhere))
        for where, errors in found.items()
    }


def _said(
    model: type[BaseModel], where: Place, outside: int, errors: list[Any], elsewhere: Callable[[Place], str]
) -> tuple[str, str]:
    if errors[0]["type"] == "extra_forbidden":
        remedy = elsewhere(where) or did_you_mean(str(where[-1]), keys_at(model, where[outside:-1]))
        return f"unknown key {where[-1]!r}" + (f" in {subject(where[:-1])}" if len(where) > 1 else ""), remedy
    return worded(where, errors)


def fits(model: type[BaseModel], values: Any) -> bool:
    return not _misfits(model, values)


def as_typed(model: type[BaseModel], values: Any, place: Place, document: Document) -> Any:
    """The values with numbers, dates and booleans as typed wherever the model wants text: 007 stays 007."""
    mended = deepcopy(values)
    for misfit in _misfits(model, values):
        typed = document.texts.get((*place, *misfit.place))
        if (
            misfit.error["type"] == "string_type"
            and misfit.error["input"] is not None
            and typed is not None
            and misfit.place
        ):
            _put(mended, misfit.place, typed)
    return mended


def _misfits(model: type[BaseModel], values: Any) -> list[Misfit]:
    """What strict JSON does not accept: 3 is no text, 'three' no number, true not 1.

    Texts become enums and paths, lists become tuples.
    """
    try:
        model.model_validate_json(json.dumps(values), strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        return _of_likeliest_branches([_located(values, found) for found in error.errors(include_url=False)])
    return []


def _located(values: Any, error: Any) -> Misfit:
    """Steps of a location that are not in the values name a branch of a choice, or what is missing."""
    place: tuple[str | int, ...] = ()
    branch = None
    for position, step in enumerate(error["loc"]):
        if (isinstance(values, dict) and step in values) or (
            isinstance(values, list) and isinstance(step, int) and step < len(values)
        ):
            values = values[step]
            place = (*place, step)
        elif error["type"] == "missing" and position == len(error["loc"]) - 1:
            place = (*place, step)
        else:
            branch = branch or (place, step)
    return Misfit(place, branch, error)


def _of_likeliest_branches(misfits: list[Misfit]) -> list[Misfit]:
    """For each choice only the branch that got furthest with the value.

    It is all of them where none got beyond its kind.
    """
    choices: dict[Place, dict[str | int, list[Misfit]]] = {}
    for misfit in misfits:
        if misfit.branch:
            choices.setdefault(misfit.branch[0], {}).setdefault(misfit.branch[1], []).append(misfit)
    kept = [misfit for misfit in misfits if not misfit.branch]
    for base, branches in choices.items():
        further = [found for found in branches.values() if all(misfit.place != base for misfit in found)]
        likeliest: list[Misfit] = min(further, key=_misfits_in, default=[])
        kept += likeliest or [misfit for found in branches.values() for misfit in found]
    return kept


def _misfits_in(branch: list[Misfit]) -> int:
    return len(branch)


def _put(values: Any, place: Place, value: Any) -> None:
    for step in place[:-1]:
        values = values[step]
    values[place[-1]] = value


def keys_at(model: Any, place: Place) -> list[str]:
    """The keys a model knows at a place inside it."""
    held: Any = model
    for step in place:
        if isinstance(held, type) and issubclass(held, BaseModel):
            named = {field.alias or name: field.annotation for name, field in held.model_fields.items()}
            held = _bare(named.get(str(step), _extra(held)))
        else:
            held = _bare(get_args(held)[-1 if get_origin(held) is dict else 0]) if get_args(held) else None
    if isinstance(held, type) and issubclass(held, BaseModel):
        return [field.alias or name for name, field in held.model_fields.items()]
    return []


def _extra(model: type[BaseModel]) -> Any:
    """What a model takes for keys it does not know, if any."""
    declared = next(
        (
            held["__pydantic_extra__"]
            for base in model.__mro__
            if "__pydantic_extra__" in (held := get_annotations(base))
        ),
        None,
    )
    return get_args(declared)[-1] if get_args(declared) else None


def _bare(annotation: Any) -> Any:
    """An annotation without marks, without None, and of a choice its first model or container."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        branches = [_bare(branch) for branch in get_args(annotation) if branch is not type(None)]
        return next(
            (
                branch
                for branch in branches
                if get_origin(branch) or (isinstance(branch, type) and issubclass(branch, BaseModel))
            ),
            branches[0],
        )
    return annotation
