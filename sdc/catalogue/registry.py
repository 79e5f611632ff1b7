"""Every measure and method by its own name: what it needs, what it promises, which options it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

from sdc.catalogue.entry import CatalogueEntry
from sdc.catalogue.measurement import NOT_COMPARED
from sdc.catalogue.named_units import NamedUnits
from sdc.catalogue.needs import Condition, Extra, never
from sdc.catalogue.protection import Protection
from sdc.catalogue.units import Better, Part, Unit, Yardstick

if TYPE_CHECKING:
    from sdc.catalogue.measurement import Measurement, NotAssessed

__all__ = [
    "ANY",
    "NON_PERTURBATIVE",
    "NOT_SYNTHETIC",
    "CatalogueEntry",
    "Examines",
    "Family",
    "Measure",
    "Method",
    "MissingValues",
    "Need",
    "Touches",
    "find_measure",
    "find_method",
    "measure",
    "measures",
    "method",
    "methods",
]

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


class MissingValues(StrEnum):
    """What a method does with missing values: keeps them as they are, adds more, or fills them."""

    KEPT = "kept"
    ADDED = "added"
    FILLED = "filled"


ANY = frozenset(Protection)
NON_PERTURBATIVE = frozenset({Protection.NON_PERTURBATIVE})
NOT_SYNTHETIC = frozenset({Protection.NON_PERTURBATIVE, Protection.PERTURBATIVE})


@dataclass(frozen=True)
class Measure(CatalogueEntry):
    """A measure of risk or utility."""

    family: Family
    better: Better
    bounds: tuple[float, float]
    needs: frozenset[Need]
    valid_after: frozenset[Protection]
    examines: Examines
    alternatives: tuple[str, ...] = ()
    looks_back: bool = False
    combines: bool = False
    parts: tuple[Part, ...] = ()
    protects_within: tuple[float, float] = (-inf, inf)
    unit: Unit = Unit.NUMBER
    against: tuple[Yardstick, ...] = ()
    usual: Yardstick | None = None
    example: Mapping[str, Any] = field(default_factory=dict)
    variants: tuple[Mapping[str, Any], ...] = ()

    def compares_all(self, options: Mapping[str, Any]) -> bool:
        """Is it about all numeric variables, with these options?"""
        named = any(options.get(option) for option in ("variables", "pairs"))
        return not named and any(part.name == NOT_COMPARED for part in self.parts)

    @property
    def usual_limit(self) -> str:
        """A limit that is often set, with its source; empty where none is."""
        way = "at least" if self.better is Better.HIGHER else "at most"
        return f"{way} {self.usual.number:g} ({self.usual.words})" if self.usual else ""

    def __call__(self, *arguments: Any, **options: Any) -> Measurement | NotAssessed:
        answer: Measurement | NotAssessed = self.function(*arguments, **options)
        return answer


@dataclass(frozen=True)
class Method(CatalogueEntry):
    """A protection technique."""

    protection: Protection
    aligned: bool
    touches: Touches
    proves_budget: bool = False
    needs: Mapping[Need, Condition] = field(default_factory=dict)
    extra: Extra | None = None
    keeps_values: bool = False
    example: Mapping[str, Any] = field(default_factory=dict)
    example_variables: tuple[str, ...] = ()
    missing: MissingValues = MissingValues.KEPT
    columnwise: bool = False
    in_parts: Condition = never
    in_pieces: Condition = never

    @property
    def needs_by_default(self) -> frozenset[Need]:
        """What it needs while no option is given; options that must be given say nothing of it."""
        given = {
            name: None if field.is_required() else field.default
            for name, field in self.options.model_fields.items()
        }
        return frozenset(need for need, holds in self.needs.items() if holds(given))


LEFT_OUT = (f"{NOT_COMPARED}:lower", f"{NOT_COMPARED}.VARIABLE")
"""Parts of a measure over all numeric variables: those that could not be compared."""

_measures: NamedUnits[Measure] = NamedUnits("measure", "sdc.measures")
_methods: NamedUnits[Method] = NamedUnits("method", "sdc.methods")


def measure(
    *,
    family: Family,
    better: Better,
    unit: Unit,
    against: str,
    usual: str = "",
    bounds: tuple[float, float] = (0, inf),
    needs: tuple[Need, ...] = (),
    valid_after: frozenset[Protection] | None = None,
    examines: Examines = Examines.ALL,
    alternatives: tuple[str, ...] = (),
    looks_back: bool = False,
    combines: bool = False,
    parts: str = "",
    protects_within: tuple[float, float] = (-inf, inf),
    example: Mapping[str, Any] | None = None,
    variants: tuple[Mapping[str, Any], ...] = (),
) -> Callable[[Function], Function]:
    """Register `(pair, *, options) -> Measurement | NotAssessed` under its own name, unchanged.

    `unit` says what the value counts. `against` are numbers to read it against, apart by semicolons: what
    nothing done, a fresh sample or chance would give, as a number or as the name of a part (`0: nothing done;
    control_rate: chance`); behind a number with an exclamation mark a worse value is worth a look. `usual` is
    a limit that is often set, and its source. `alternatives` are measures to use instead after a method this
    one is not valid after; `valid_after` is any protection where nothing is said, and must be said by a
    measure of risk that looks at the keys alone. `looks_back`: it asks the pair what was released before.
    `combines`: of several syntheses that leave it makes one value, by a rule; others are taken on each of
    them, and the worst counts.
    `parts` are the names its parts can have, apart by spaces: VARIABLE stands for a variable's name,
    VARIABLES for several with + between them, NUMBER for digits, TEXT for anything. Behind a colon stands the
    direction that is good, behind another where the part lies: share.VARIABLE:lower:0..1. `protects_within`:
    a limit on the value outside of this range is one that nobody calls protection. `example` are options that
    let it run on the demonstration data, where its defaults do not; the laws take them from here, and hold it
    to its `variants` (further options) as well.
    """

    def register(function: Function) -> Function:
        if valid_after is None and family is Family.RISK and examines is Examines.KEYS:
            message = f"{function.__name__} looks at keys: valid_after must say when they tell of people"
            raise TypeError(message)
        _measures.add(
            Measure(
                function,
                family,
                better,
                bounds,
                frozenset(needs),
                ANY if valid_after is None else valid_after,
                examines,
                alternatives,
                looks_back,
                combines,
                parts=tuple(
                    map(Part.declared, [*parts.split(), *(LEFT_OUT if Need.NUMERIC in needs else ())])
                ),
                protects_within=protects_within,
                unit=unit,
                against=tuple(map(Yardstick.declared, against.split(";"))),
                usual=replace(Yardstick.declared(usual), alarms=True) if usual else None,
                example=example or {},
                variants=variants,
            )
        )
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
    example: Mapping[str, Any] | None = None,
    example_variables: tuple[str, ...] = (),
    missing: MissingValues = MissingValues.KEPT,
    columnwise: bool = False,
    in_parts: Condition = never,
    in_pieces: Condition = never,
) -> Callable[[Function], Function]:
    """Register `(table, roles, rng, *, options) -> Protected` under its own name, unchanged.

    `aligned`: row i of the result is row i of the input. `touches`: the variables changed, unless an option
    `variables` (or `with` itself) names them. `needs`: what the roles must have, each under a condition on
    the options; a profile that lacks it is refused before anything runs, as where the packages of `extra` are
    not installed. `keeps_values`: it only chooses records, and every value leaves as it is. `missing`
    says what it does with missing values. `example` are options that let it run on the demonstration data,
    where its defaults do not, and `example_variables` the variables it is then given, where all would be too
    many: the laws take both from here. `columnwise`: it looks at no variable but those it touches and
    those its options name, so that the others need not be loaded. `in_parts`: with these options it takes a
    LongTable too, sees its records in parts, and makes of them what it makes of a frame. `in_pieces`: with
    these options it asks `each_piece` of `sdc/run/pieces.py` for several, which other machines may make.
    """

    def register(function: Function) -> Function:
        told = (needs or {}, extra, keeps_values, example or {}, example_variables, missing)
        ways = (columnwise, in_parts, in_pieces)
        _methods.add(Method(function, protection, aligned, touches, proves_budget, *told, *ways))
        return function

    return register


def measures() -> dict[str, Measure]:
    """All measures by name."""
    return _measures.all()


def methods() -> dict[str, Method]:
    """All methods by name."""
    return _methods.all()


def find_measure(name: str) -> Measure:
    return _measures.find(name)


def find_method(name: str) -> Method:
    return _methods.find(name)
