"""The keys of a profile, their types and defaults."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, model_validator
from pydantic_core import PydanticKnownError

from sdc.catalogue.external import external_of
from sdc.catalogue.finding import Otherwise
from sdc.catalogue.readers import readers, scheme_of
from sdc.data.roles import MissingRule, Role, Roles, Variable, VariableType
from sdc.profile.figures_plan import FiguresPlan
from sdc.profile.publish_plan import Publish
from sdc.profile.strict import Plan


class Access(StrEnum):
    """Who may have the release."""

    OPEN = "open"
    SAFEGUARDED = "safeguarded"
    SECURE = "secure"


def _known_format(name: Any) -> str:
    if name in readers():
        return str(name)
    raise PydanticKnownError("literal_error", {"expected": ", ".join(map(repr, readers()))})


FormatName = Annotated[str, PlainValidator(_known_format)]
"""A format some reader is registered for."""


class LayoutColumn(Plan):
    """A column of fixed-width text: its name, its first character counted from 1, and how many it has."""

    name: str
    start: Annotated[int, Field(ge=1)]
    width: Annotated[int, Field(ge=1)]


class Source(Plan):
    """Where records come from: a file some reader reads, or a table or query of a database.

    Paths are relative to the profile. The path of a database server is its address: `postgres:SERVICE`.
    """

    path: Path
    format: FormatName | None = None
    table: str | None = None
    query: str | None = None
    sheet: str | None = None
    range: Annotated[str, Field(pattern=r"^[A-Z]{1,3}[1-9]\d{0,6}:[A-Z]{1,3}([1-9]\d{0,6})?$")] | None = None
    layout: tuple[LayoutColumn, ...] = ()
    encoding: str = "utf-8"
    separator: str = ","
    quote: str = '"'
    decimal: str = "."
    missing_codes: tuple[str, ...] = ("",)
    columns: tuple[str, ...] = ()
    where: str | None = None
    derived: dict[str, str] = Field(default_factory=dict)


class LinkedSource(Source):
    """A second file, and the column by which its records are found from the first."""

    key: str | None = None


class MicrodataSource(Source):
    """The confidential file, of persons where `households` has a second one."""

    key: str | None = None
    households: LinkedSource | None = None

    record_key: tuple[str, ...] = ()
    holdout_share: Annotated[float, Field(ge=0, lt=1)] = 0.0
    population: Source | None = None
    family: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")] | None = None


SHORT_TYPES: dict[str, dict[str, Any]] = {
    "integer": {"type": VariableType.NUMERIC, "decimals": 0},
    "boolean": {"type": VariableType.CATEGORICAL, "allowed": ("false", "true")},
    "time": {"type": VariableType.CATEGORICAL},
    "datetime": {"type": VariableType.CATEGORICAL},
    "text": {"type": VariableType.CATEGORICAL},
}
"""What `type: integer` and the like are short for."""


class VariablePlan(Plan):
    """What a variable is, and which values it may take."""

    role: Role = Role.OTHER
    type: VariableType = VariableType.CATEGORICAL
    written: Literal["", "integer", "boolean", "time", "datetime", "text"] = ""
    label: str = ""
    unit: str = ""
    order: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    values: dict[str, str] = Field(default_factory=dict)
    at_least: float | None = None
    at_most: float | None = None
    decimals: Annotated[int, Field(ge=0, le=15)] | None = None
    missing: Literal["allowed", "forbidden"] = "allowed"
    missing_codes: tuple[str, ...] = ()
    per: Literal["record", "household"] = "record"

    @model_validator(mode="before")
    @classmethod
    def _completed(cls, given: Any) -> Any:
        """A variable with its defaults: `age: quasi_identifier` is short for its role.

        A weight is numeric and a household has a number, even if the profile does not say so.
        """
        told = {"role": given} if isinstance(given, str) else given
        if not isinstance(told, dict):
            return told
        for word in (told.get("written"), told.get("type")):
            if isinstance(word, str) and word in SHORT_TYPES:
                told = {**SHORT_TYPES[word], **told, "type": SHORT_TYPES[word]["type"], "written": word}
        usual: dict[Role, dict[str, str]] = {
            Role.WEIGHT: {"type": VariableType.NUMERIC},
            Role.HOUSEHOLD: {"missing": "forbidden"},
        }
        kind = next((said for role, said in usual.items() if told.get("role") == role), {})
        # After this hook a strict reading takes a list for no tuple.
        return {
            **kind,
            **{key: tuple(value) if isinstance(value, list) else value for key, value in told.items()},
        }

    def words(self, code: str) -> str:
        """A category in words: its label, or itself where it has none."""
        return self.values.get(code, code)


class StepPlan(Plan):
    """One method to apply."""

    method: str
    options: dict[str, Any] = Field(default_factory=dict, alias="with")


class Criterion(Plan):
    """A measure to take, and the range its value must lie in; without a range it is reported, not judged."""

    measure: str
    name: str = Field(default="", alias="as")
    options: dict[str, Any] = Field(default_factory=dict, alias="with")
    part: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    because: str = ""
    otherwise: Otherwise = Otherwise.WITHHOLD
    candidates: tuple[str, ...] = Field(default=(), alias="for")

    @property
    def alias(self) -> str:
        """The name of the measurement in scorecard, report and audit."""
        return self.name or self.measure

    @property
    def is_judged(self) -> bool:
        return self.at_least is not None or self.at_most is not None

    def covers(self, candidate: str) -> bool:
        return not self.candidates or candidate in self.candidates


class Preference(Plan):
    """Among candidates that pass, publish the best by this measurement."""

    measure: str
    part: str | None = None


class Map(Plan):
    """The measurements on the axes of the map of candidates."""

    risk: str
    utility: str


class Fasttrack(Plan):
    """How far a run may be from the one people approved, and still leave without asking them again."""

    drift: Annotated[float, Field(ge=0, lt=1)]
    geography: tuple[str, ...] = ()
    scheduled: bool = False
    """May a schedule try it by itself?"""


class Approval(Plan):
    """When people decide, and who."""

    required: Literal["never", "when_referred", "always"] = "when_referred"
    roles: tuple[str, ...] = ("reviewer",)
    fasttrack: Fasttrack | None = None


class Limits(Plan):
    """What a run may use of the machine."""

    memory: str | None = None
    threads: Annotated[int, Field(ge=1)] | None = None
    spill: Path | None = None
    minutes: Annotated[float, Field(gt=0)] | None = None

    @property
    def room(self) -> int | None:
        """The bytes that `memory` says; the database takes it in more ways, and says where it cannot."""
        said = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *([KMGT]?)(i?)B", self.memory or "", re.IGNORECASE)
        if said is None:
            return None
        number, unit, binary = said.groups()
        return int(float(number) * (1024 if binary else 1000) ** " KMGT".index(unit.upper() or " "))


class Notify(Plan):
    """Who gets a message about the end of a run, and when: names, states and sentences, never a value."""

    states: tuple[Literal["published", "referred", "withheld", "failed", "cancelled"], ...] = (
        "referred",
        "withheld",
        "failed",
    )
    webhook: str | None = None
    mail_to: tuple[str, ...] = ()
    mail_from: str = "sdc-release@localhost"
    mail_server: str = "localhost:25"


class Profile(Plan):
    """One release's plan."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    title: str = ""
    description: str = ""
    access: Access = Access.OPEN
    seed: Annotated[int, Field(ge=0)] | None = None
    source: MicrodataSource
    missing_keys: MissingRule = MissingRule.OWN_CATEGORY
    variables: dict[str, VariablePlan]
    candidates: dict[str, tuple[StepPlan, ...]]
    risk: tuple[Criterion, ...] = ()
    utility: tuple[Criterion, ...] = ()
    prefer: Preference | None = None
    map: Map | None = None
    figures: FiguresPlan = FiguresPlan()
    approval: Approval = Approval()
    publish: Publish = Publish()
    limits: Limits = Limits()
    notify: Notify = Notify()

    @property
    def roles(self) -> Roles:
        return Roles.of(
            Variable(name, plan.role, plan.type, plan.order, plan.per == "household", plan.allowed)
            for name, plan in self.variables.items()
        )

    @property
    def family(self) -> str:
        """The common name of this release and others from the same source."""
        return self.source.family or self.name

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file records are read from; a database is none."""
        external = [found.path for steps in self.candidates.values() if (found := external_of(steps))]
        sources = (self.source, self.source.households, self.source.population)
        return (*(each.path for each in sources if each and scheme_of(each.path) is None), *external)

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        return (*self.risk, *self.utility)

    def measurements(self, candidate: str) -> tuple[Criterion, ...]:
        """What is to be measured on a candidate: one criterion for each alias, whatever its ranges."""
        first: dict[str, Criterion] = {}
        for criterion in self.criteria:
            if criterion.covers(candidate):
                first.setdefault(criterion.alias, criterion)
        return tuple(first.values())
