"""Every measure and method by its own name: what it needs, what it promises, which options it takes."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, cached_property
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model

from sdc.catalogue.needs import Condition, Extra
from sdc.catalogue.protection import Protection
from sdc.catalogue.units import Better, Part, Unit, Yardstick
from sdc.errors import UnknownName
from sdc.spelling import nearest

if TYPE_CHECKING:
    from sdc.catalogue.measurement import Measurement, NotAssessed

Function = TypeVar("Function", bound=Callable[..., Any])


class Family(StrEnum):
    """Which question a measure answers."""

    RISK = "risk"
    UTILITY = "utility"


class Need(StrEnum):
    """What a measure cannot do without, beyond a pair, or a method, beyond a table."""

    ALIGNED = "aligned"
    QUASI_IDENTIFIERS = "quasi_identifiers"
    SENSITIVE = "sensitive"
    NUMERIC = "numeric"
    WEIGHT = "weight"
    HOUSEHOLD = "household"
    HOUSEHOLD_LEVEL = "household_level"
    POPULATION = "population"
    HOLDOUT = "holdout"


class Examines(StrEnum):
    """Which variables decide whether a method's doing spoils a measure."""

    KEYS = "keys"
    ALL = "all"


class Touches(StrEnum):
    """Which variables a method changes when its options do not name them."""

    KEYS = "keys"
    NUMERIC = "numeric"
    SENSITIVE = "sensitive"
    HOUSEHOLD_LEVEL = "household_level"
    ALL = "all"


ANY = frozenset(Protection)
NON_PERTURBATIVE = frozenset({Protection.NON_PERTURBATIVE})
NOT_SYNTHETIC = frozenset({Protection.NON_PERTURBATIVE, Protection.PERTURBATIVE})


@dataclass(frozen=True)
class Entry:
    """What is common to measures and methods: a documented function registered under its own name."""

    function: Callable[..., Any]

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def summary(self) -> str:
        """The module's sentence: the question the unit answers."""
        return (inspect.getmodule(self.function).__doc__ or "").strip().splitlines()[0]

    @property
    def definition(self) -> str:
        return inspect.getdoc(self.function) or ""

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
        """Can it draw lots? A method is always given a generator; one that never uses it calls it `_rng`."""
        return "rng" in inspect.signature(self.function).parameters

    @cached_property
    def options(self) -> type[BaseModel]:
        """The keyword-only options of the signature as a strict model; `**name.

        Type` takes a value for each variable.
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


@dataclass(frozen=True)
class Measure(Entry):
    """A measure of risk or utility."""

    family: Family
    better: Better
    bounds: tuple[float, float]
    needs: frozenset[Need]
    valid_after: frozenset[Protection]
    examines: Examines
    alternatives: tuple[str, ...] = ()
    looks_back: bool = False
    parts: tuple[Part, ...] = ()
    protects_within: tuple[float, float] = (-inf, inf)
    unit: Unit = Unit.NUMBER
    against: tuple[Yardstick, ...] = ()
    usual: Yardstick | None = None

    @property
    def usual_limit(self) -> str:
        """A limit that is often set, with its source; empty where none is."""
        way = "at least" if self.better is Better.HIGHER else "at most"
        return f"{way} {self.usual.number:g} ({self.usual.words})" if self.usual else ""

    def __call__(self, *arguments: Any, **options: Any) -> Measurement | NotAssessed:
        answer: Measurement | NotAssessed = self.function(*arguments, **options)
        return answer


@dataclass(frozen=True)
class Method(Entry):
    """A protection technique."""

    protection: Protection
    aligned: bool
    touches: Touches
    proves_budget: bool = False
    needs: Mapping[Need, Condition] = field(default_factory=dict)
    extra: Extra | None = None
    keeps_values: bool = False

    @property
    def needs_by_default(self) -> frozenset[Need]:
        """What it needs while no option is given; options that must be given say nothing of it."""
        given = {
            name: None if field.is_required() else field.default
            for name, field in self.options.model_fields.items()
        }
        return frozenset(need for need, holds in self.needs.items() if holds(given))


_measures: dict[str, Measure] = {}
_methods: dict[str, Method] = {}


def measure(
    *,
    family: Family,
    better: Better,
    unit: Unit,
    against: str,
    usual: str = "",
    bounds: tuple[float, float] = (0, inf),
    needs: tuple[Need, ...] = (),
    valid_after: frozenset[Protection] = ANY,
    examines: Examines = Examines.ALL,
    alternatives: tuple[str, ...] = (),
    looks_back: bool = False,
    parts: str = "",
    protects_within: tuple[float, float] = (-inf, inf),
) -> Callable[[Function], Function]:
    """Register `(pair, *, options) -> Measurement | NotAssessed` under its own name.

    The function is handed back unchanged.

    `unit` says what the value counts. `against` are numbers to read it against, apart by semicolons: what
    nothing done, a fresh sample or chance would give, as a number or as the name of a part (`0: nothing done;
    control_rate: chance`); behind a number with an exclamation mark a worse value is worth a look. `usual` is
    a limit that is often set, and its source. `alternatives` are measures to use instead after a method this
    one is not valid after. `looks_back`: it asks the pair what was released before. `parts` are the names its
    parts can have, apart by spaces: VARIABLE stands for a variable's name, VARIABLES for several with +
    between them, NUMBER for digits, TEXT for anything. Behind a colon stands the direction that is good,
    behind another where the part lies: share.VARIABLE:lower:0..1. `protects_within`: a limit on the value
    outside of this range is one that nobody calls protection.
    """

    def register(function: Function) -> Function:
        given = (
            frozenset(needs),
            valid_after,
            examines,
            alternatives,
            looks_back,
            tuple(map(Part.declared, parts.split())),
            protects_within,
        )
        read = (
            unit,
            tuple(map(Yardstick.declared, against.split(";"))),
            replace(Yardstick.declared(usual), alarms=True) if usual else None,
        )
        _measures[function.__name__] = Measure(function, family, better, bounds, *given, *read)
        return function

    return register


def method(
    *,
    protection: Protection,
    aligned: bool = True,
    touches: Touches = Touches.ALL,
    proves_budget: bool = False,
    needs: Mapping[Need, Condition] | None = None,
    extra: Extra | None = None,
    keeps_values: bool = False,
) -> Callable[[Function], Function]:
    """Register `(table, roles, rng, *, options) -> Protected` under its own name.

    The function is handed back unchanged.

    `aligned`: row i of the result is row i of the input. `touches`: the variables changed, unless an option
    `variables` (or `with` itself) names them. `needs`: what the roles must have, each under a condition on
    the options; a profile that lacks it is refused before anything runs, as where the packages of `extra` are
    not installed. `keeps_values`: it only chooses records, and every value leaves as it is.
    """

    def register(function: Function) -> Function:
        _methods[function.__name__] = Method(
            function, protection, aligned, touches, proves_budget, needs or {}, extra, keeps_values
        )
        return function

    return register


@cache
def _load(package: str) -> None:
    module = importlib.import_module(package)
    for found in pkgutil.walk_packages(module.__path__, f"{package}."):
        importlib.import_module(found.name)


def measures() -> dict[str, Measure]:
    """All measures by name."""
    _load("sdc.measures")
    return dict(sorted(_measures.items()))


def methods() -> dict[str, Method]:
    """All methods by name."""
    _load("sdc.methods")
    return dict(sorted(_methods.items()))


def find_measure(name: str) -> Measure:
    return _find("measure", name, measures())


def find_method(name: str) -> Method:
    return _find("method", name, methods())


Found = TypeVar("Found", bound=Entry)


def _find(kind: str, name: str, known: dict[str, Found]) -> Found:
    if name not in known:
        raise UnknownName(kind, name, nearest(name, list(known)))
    return known[name]
