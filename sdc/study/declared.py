"""Declares every variable of a study: as it was told, the rest as `sdc draft` guesses, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.readers import WITHOUT_ENDING, reader_of
from sdc.data.roles import Role, VariableType
from sdc.draft.facts import ColumnFacts, TableFacts, seems_headless, table_facts
from sdc.draft.guesses import Guess, guess_household, guess_variables, guess_weight, type_of
from sdc.draft.opening import described_source, opened
from sdc.errors import BadData, BadStudy, Fault, redacted
from sdc.ingest.readers.header import headless
from sdc.ingest.readers.opened import NOTHING_SAID
from sdc.profile.wording import did_you_mean, listed
from sdc.spelling import composed
from sdc.study.frames import FrameKind

if TYPE_CHECKING:
    from sdc.ingest.readers.opened import ColumnMetadata
    from sdc.profile.plan import Source

Names = str | Iterable[str] | None
"""A name, several, or nothing said."""


@dataclass(frozen=True)
class SaidOfVariables:
    """What whoever makes a study says of its variables; None where nothing was said."""

    keys: Names = None
    sensitive: Names = None
    weight: str | None = None
    household: str | None = None
    stratum: str | None = None
    identifiers: Names = None
    dropped: Names = None
    types: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """What can be read once only is read now; texts are in the one form that the data have."""
        for role in ("keys", "sensitive", "identifiers", "dropped"):
            if isinstance(given := getattr(self, role), Iterator):
                object.__setattr__(self, role, list(given))
        for said in ("weight", "household", "stratum", "types", "variables"):
            object.__setattr__(self, said, composed(getattr(self, said)))

    def by_role(self) -> dict[Role, list[str]]:
        said = {
            Role.QUASI_IDENTIFIER: self.keys,
            Role.SENSITIVE: self.sensitive,
            Role.WEIGHT: self.weight,
            Role.HOUSEHOLD: self.household,
            Role.STRATUM: self.stratum,
            Role.DIRECT_IDENTIFIER: self.identifiers,
            Role.DROPPED: self.dropped,
        }
        return {role: names_of(names) for role, names in said.items() if names is not None}


def names_of(names: Names) -> list[str]:
    """One name or several, as a list."""
    held = [names] if isinstance(names, str) else [] if names is None else names
    return [composed(str(name)) for name in held]


@dataclass(frozen=True)
class Counted:
    """A file that nobody has described: how it is read, its counts, and what it says of its columns."""

    source: Source
    facts: TableFacts
    metadata: Mapping[str, ColumnMetadata]

    @classmethod
    def of(cls, path: Path, table: str | None = None, query: str | None = None) -> Counted:
        """Counted as a draft counts it; BadData where there is nothing to count."""
        source = described_source(path, table, query)
        is_text = not reader_of(path, source.format).typed
        with redacted("counting the data"), opened(source) as (data, told):
            facts = table_facts(data, comma_may_be_decimal=is_text and source.separator != ",")
        if is_text and seems_headless(facts):
            raise BadData([headless(path)])
        return cls(source, facts, told)

    def as_source(self, path: Path) -> dict[str, Any]:
        """The keys of `source` in a profile."""
        usual = {"encoding": "utf-8", "separator": ",", "quote": '"'}
        held = {key: getattr(self.source, key) for key in ("table", "query", *usual)}
        told = {key: value for key, value in held.items() if value not in (None, usual.get(key))}
        form = {} if self.source.format == WITHOUT_ENDING else {"format": self.source.format}
        decimal = {} if self.facts.decimal == "." else {"decimal": self.facts.decimal}
        return {"path": str(path), **form, **told, **decimal}


@dataclass(frozen=True)
class DeclaredVariable:
    """A variable as a profile declares it, and why."""

    name: str
    plan: Mapping[str, Any]
    why: str


def declared(counted: Counted, told: SaidOfVariables, kind: FrameKind) -> list[DeclaredVariable]:
    """Every column of the file in its order; BadStudy where a column that is spoken of is not there."""
    facts = counted.facts
    _require_names(told, list(facts.by_name))
    roles = _told_roles(told, list(facts.by_name), kind)
    household = told.household or (guess_household(facts) if told.household is None else None)
    weight = told.weight or (guess_weight(facts) if told.weight is None else None)
    guesses = {each.name: each for each in guess_variables(facts, household, weight, frozenset())}
    return [
        _declared(
            facts.by_name[name],
            guesses[name],
            told,
            roles.get(name),
            kind,
            counted.metadata.get(name, NOTHING_SAID),
        )
        for name in facts.by_name
    ]


def _require_names(told: SaidOfVariables, columns: list[str]) -> None:
    """Raises BadStudy where something stands in the place of a name."""
    faults = [
        Fault(
            role,
            f"one name of a column is meant, and this is of type {type(given).__name__}",
            f'write {role}="name"',
        )
        for role in ("weight", "household", "stratum")
        if not isinstance(given := getattr(told, role), str | None)
    ]
    for role in ("keys", "sensitive", "identifiers", "dropped"):
        given = getattr(told, role)
        held = given if isinstance(given, Iterable) else [given]
        wrong = [name for name in held if not isinstance(name, str)] if given is not None else []
        if wrong:
            problem = f"names of columns are meant, and one is of type {type(wrong[0]).__name__}"
            faults.append(Fault(role, problem, f'write {role}=["one", "another"]'))
        elif given is not None and _seems_data(names_of(given), given, columns):
            problem = "names of columns are meant, and this looks like values of records"
            faults.append(Fault(role, problem, f'write {role}=["one", "another"]'))
    for name, meant in (("types", '{"age": "numeric"}'), ("variables", '{"age": {"type": "numeric"}}')):
        if not isinstance(given := getattr(told, name), Mapping):
            problem = f"a mapping is meant, and this is of type {type(given).__name__}"
            faults.append(Fault(name, problem, f"write {name}={meant}"))
        elif name == "variables":
            faults += [
                Fault(
                    f"variable {column!r}",
                    f"what is said of it is of type {type(said).__name__}",
                    "say a role or a mapping",
                )
                for column, said in given.items()
                if not isinstance(said, str | Mapping)
            ]
    if faults:
        raise BadStudy(faults)


def _seems_data(names: list[str], given: Any, columns: list[str]) -> bool:
    """Whether a column itself stands where its name is meant: no error may quote what is in it."""
    strange = [name for name in names if name not in columns]
    is_column = not isinstance(given, str | list | tuple | set | frozenset) or len(names) > len(columns)
    return bool(strange) and (is_column or len(set(names)) < len(names))


def _told_roles(told: SaidOfVariables, columns: list[str], kind: FrameKind) -> dict[str, Role]:
    found: dict[str, Role] = {}
    faults = []
    for role, names in told.by_role().items():
        for name in names:
            if name in found and found[name] is not role:
                problem = f"it is told to be {found[name].value} and {role.value}"
                faults.append(Fault(f"variable {name!r}", problem, "say one of them"))
            found[name] = role
    faults += list(_unknown([*found, *told.types, *told.variables], columns, kind.index))
    if faults:
        raise BadStudy(faults)
    return found


def _unknown(names: Iterable[Any], columns: list[str], index: frozenset[str]) -> Iterator[Fault]:
    for name in dict.fromkeys(names):
        if name in index and name not in columns:
            yield Fault("the original", f"{name!r} is its index, and no column", "give frame.reset_index()")
        elif name not in columns:
            remedy = did_you_mean(str(name), columns) or "see the columns of the data"
            yield Fault("the original", f"it has no column {name!r}", remedy)


def _declared(
    column: ColumnFacts,
    guess: Guess,
    told: SaidOfVariables,
    role: Role | None,
    kind: FrameKind,
    said: ColumnMetadata,
) -> DeclaredVariable:
    own = told.variables.get(column.name, {})
    own = {"role": own} if isinstance(own, str) else dict(own)
    chosen, why = _role(guess, told, Role(own["role"]) if own.get("role") in [*Role] else role)
    plan: dict[str, Any] = {"role": chosen.value}
    of_type, why_type = _type(column, chosen, told, kind, own)
    if of_type != VariableType.CATEGORICAL.value and chosen is not Role.WEIGHT:
        plan["type"] = of_type
    if order := kind.order(column.name):
        plan["order"] = list(order) if of_type == VariableType.ORDINAL.value else []
    codes = dict.fromkeys((*said.missing_codes, *guess.missing_codes))
    further = {"label": said.label, "values": dict(said.values), "missing_codes": list(codes)}
    plan |= (
        {key: value for key, value in further.items() if value}
        if chosen is not Role.DIRECT_IDENTIFIER
        else {}
    )
    plan |= own
    reasons = "; ".join(filter(None, (why, why_type)))
    return DeclaredVariable(column.name, {key: held for key, held in plan.items() if held != []}, reasons)


def _role(guess: Guess, told: SaidOfVariables, role: Role | None) -> tuple[Role, str]:
    """The role of a column: as told; else as guessed, unless all that have this role were told."""
    if role is not None:
        return role, "told"
    said_of_all = (guess.role in (Role.QUASI_IDENTIFIER, Role.OTHER) and told.keys is not None) or (
        guess.role is Role.SENSITIVE and told.sensitive is not None
    )
    return (Role.OTHER, "not named") if said_of_all else (guess.role, f"guessed: {guess.reason}")


def _type(
    column: ColumnFacts, role: Role, told: SaidOfVariables, kind: FrameKind, own: Mapping[str, Any]
) -> tuple[str, str]:
    """The type of a column, and why it is not what somebody might expect."""
    if said := told.types.get(column.name) or own.get("type"):
        return str(said), f"told to be {said}"
    if column.name in kind.categories:
        ordered = kind.categories[column.name][1]
        return ("ordinal", "ordered categories") if ordered else ("categorical", "categories")
    guessed = type_of(column, role)
    if guessed is VariableType.CATEGORICAL and column.is_number and role not in UNTYPED:
        few = listed([f"{column.distinct} whole numbers taken for codes"])
        return guessed.value, f"{few} (types={{{column.name!r}: 'numeric'}} if they are amounts)"
    return guessed.value, ""


UNTYPED = (Role.DIRECT_IDENTIFIER, Role.HOUSEHOLD, Role.DROPPED, Role.WEIGHT)
