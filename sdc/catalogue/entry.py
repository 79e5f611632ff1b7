"""A documented function of the catalogue, with its options read from its signature."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model


@dataclass(frozen=True)
class CatalogueEntry:
    """A documented function, registered under its own name: a measure, a method or a model."""

    function: Callable[..., Any]

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def file(self) -> str:
        """The file it stands in, for messages."""
        return inspect.getsourcefile(inspect.unwrap(self.function)) or self.function.__module__

    @property
    def summary(self) -> str:
        """The module's sentence: the question the unit answers."""
        return (inspect.getmodule(self.function).__doc__ or "").strip().splitlines()[0]

    @property
    def definition(self) -> str:
        """The docstring without its formula."""
        paragraphs = (inspect.getdoc(self.function) or "").split("\n\n")
        return "\n\n".join(each for each in paragraphs if not each.startswith("Formula:"))

    @property
    def formula(self) -> str:
        """The docstring's paragraph that begins with 'Formula', in the signs of the catalogue."""
        found = re.search(
            r"^Formula:\s*(.+?)(?:\n\s*\n|\Z)", inspect.getdoc(self.function) or "", re.DOTALL | re.MULTILINE
        )
        return " ".join(found[1].split()) if found else ""

    @property
    def reference(self) -> str:
        """The docstring's paragraph that begins with 'Reference'."""
        found = re.search(r"References?:\s*(.+?)(?:\n\s*\n|\Z)", self.definition, re.DOTALL)
        return " ".join(found[1].split()) if found else ""

    @cached_property
    def hints(self) -> dict[str, Any]:
        """Types of the options; those of the data may belong to a library that is not loaded yet."""
        options = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
        texts = {
            name: parameter.annotation
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind in options
        }
        return get_type_hints(
            type("Options", (), {"__annotations__": texts}),
            inspect.unwrap(self.function).__globals__,
            include_extras=True,
        )

    @cached_property
    def takes_rng(self) -> bool:
        """Does it use randomness?

        A method is always given a generator; one that never uses it calls it `_rng`.
        """
        return "rng" in inspect.signature(self.function).parameters

    @cached_property
    def options(self) -> type[BaseModel]:
        """The keyword-only options of the signature as a strict model.

        `**name: Type` takes a value for each variable.
        """
        parameters = inspect.signature(self.function).parameters.values()
        fields: dict[str, Any] = {
            parameter.name: (
                self.hints[parameter.name],
                ... if parameter.default is parameter.empty else parameter.default,
            )
            for parameter in parameters
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "rng"
        }
        per_variable = next(
            (
                self.hints[parameter.name]
                for parameter in parameters
                if parameter.kind is parameter.VAR_KEYWORD
            ),
            None,
        )
        if per_variable is None:
            config = ConfigDict(
                extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False
            )
            return create_model(self.name, __config__=config, **fields)
        extras: Any = dict[str, per_variable]  # type: ignore[valid-type]
        body = {
            "__annotations__": {"__pydantic_extra__": extras},
            "model_config": ConfigDict(extra="allow", frozen=True, allow_inf_nan=False),
        }
        base: type[BaseModel] = type("PerVariable", (BaseModel,), body)
        return create_model(self.name, __base__=base, **fields)

    @property
    def takes_variables(self) -> bool:
        """Does `with` have variables of the profile as its keys?"""
        return any(
            parameter.kind is parameter.VAR_KEYWORD
            for parameter in inspect.signature(self.function).parameters.values()
        )

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Options checked and completed with their defaults; pydantic's error where they do not hold."""
        model = self.options.model_validate(dict(given))
        return {
            name: getattr(model, name) for name in [*type(model).model_fields, *(model.model_extra or {})]
        }
