"""Makes a candidate from the original: applies the steps of a profile in order, each on record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sdc.catalogue.needs import never
from sdc.catalogue.protection import Protected, Protection, Step
from sdc.catalogue.registry import Method, Need, find_method
from sdc.catalogue.validity import touched
from sdc.data.long_table import AnyTable, LongTable
from sdc.data.roles import MissingRule, Roles
from sdc.errors import redacted
from sdc.kernels.one_thread import one_thread
from sdc.run.randomness import Randomness

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from sdc.arrays import Array
    from sdc.profile import StepPlan


@dataclass(frozen=True)
class ProtectedTable:
    """A candidate before it is written: rows as the methods left them, and the `order` they will leave in.

    The order of a confidential file can tell what was suppressed in it, so records leave shuffled. Each
    of the further `syntheses` has an order of its own in `orders`: nobody can put their records side by side.
    """

    name: str
    table: AnyTable
    steps: tuple[Step, ...]
    order: Array
    sealed: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    syntheses: tuple[pd.DataFrame, ...] = ()
    orders: tuple[Array, ...] = ()

    @property
    def aligned(self) -> bool:
        return all(step.aligned for step in self.steps)

    @property
    def synthetic(self) -> bool:
        return any(step.protection is Protection.SYNTHETIC for step in self.steps)


def protect(
    table: AnyTable,
    roles: Roles,
    plans: Sequence[StepPlan],
    *,
    name: str,
    randomness: Randomness,
    missing: MissingRule,
    announce: Callable[[int, str], None] = lambda _place, _method: None,
    left_out: Sequence[str] = (),
) -> ProtectedTable:
    """Apply the steps in order, with the random numbers of this candidate.

    `left_out` are variables of the original that the table has not, as no step looks at them.
    """
    steps: list[Step] = []
    sealed: list[Mapping[str, Any]] = []
    syntheses: tuple[pd.DataFrame, ...] = ()
    for place, plan in enumerate(plans, start=1):
        announce(place, plan.method)
        entry = find_method(plan.method)
        options = _with_missing_rule(entry, plan.options, missing)
        with one_thread(), redacted(f"step {place} of candidate {name}, {plan.method}"):
            rng = randomness.stream("method", str(place), plan.method)
            made = _applied(entry, table, roles, rng, options)
            changed = _all_changes(table, made.table, roles, left_out) if entry.aligned else {}
        reach = touched(entry, options, roles)
        steps.append(
            Step(
                plan.method,
                options,
                entry.protection,
                entry.aligned,
                reach,
                made.budget,
                changed,
                made.record,
                made.labels,
            )
        )
        sealed.append(made.sealed)
        syntheses = made.syntheses or tuple(
            _further(
                entry, options, each, roles, randomness.stream("method", str(place), plan.method, str(copy))
            )
            for copy, each in enumerate(syntheses, start=2)
        )
        table = made.table
    with redacted(f"the order in which candidate {name} leaves"):
        return leaving(name, table, syntheses, steps, sealed, roles, randomness)


def _applied(
    entry: Method,
    table: AnyTable,
    roles: Roles,
    rng: np.random.Generator,
    options: Mapping[str, Any],
) -> Protected:
    """A step applied; of a long table a method that needs a frame gets the columns that it looks at."""
    arguments = entry.arguments(options)
    if not isinstance(table, LongTable) or entry.in_parts(arguments):
        made: Protected = entry.function(table, _roles_of(roles, table), rng, **arguments)
        return made
    homes = {roles.household} if entry.needs.get(Need.HOUSEHOLD, never)(arguments) else set()
    seen = homes | _seen(entry, options, roles)
    frame = table.frame([name for name in table.columns if name in seen])
    made = entry.function(frame, _roles_of(roles, frame), rng, **arguments)
    return replace(made, table=table.assigned(made.table))


def _further(
    entry: Method, options: Mapping[str, Any], table: pd.DataFrame, roles: Roles, rng: np.random.Generator
) -> pd.DataFrame:
    """A step applied to a further synthesis that an earlier step made."""
    with one_thread(), redacted(f"{entry.name} on a further synthesis"):
        made: Protected = entry.function(table, _roles_of(roles, table), rng, **entry.arguments(options))
    return made.table


def leaving(
    name: str,
    table: AnyTable,
    syntheses: Sequence[pd.DataFrame],
    steps: Sequence[Step],
    sealed: Sequence[Mapping[str, Any]],
    roles: Roles,
    randomness: Randomness,
) -> ProtectedTable:
    """A table as it leaves: households under new numbers, its records in random order."""
    numbered = [
        _numbered_anew(each, roles, randomness.stream("households", str(copy)))
        for copy, each in enumerate((table, *syntheses))
    ]
    return ProtectedTable(
        name,
        numbered[0],
        tuple(steps),
        leaving_order(randomness, len(table)),
        tuple(sealed),
        tuple(numbered[1:]),
        tuple(leaving_order(randomness, len(each), copy) for copy, each in enumerate(numbered[1:], start=2)),
    )


def leaving_order(randomness: Randomness, rows: int, copy: int = 1) -> Array:
    """The order in which the records of a candidate, or of a further synthesis of it, leave.

    Record j of the file is record order[j] of the table.
    """
    return randomness.stream("order", *([str(copy)] if copy > 1 else [])).permutation(rows)


def _with_missing_rule(entry: Method, options: Mapping[str, Any], missing: MissingRule) -> dict[str, Any]:
    """The options with the profile's rule for missing keys, where a method has that option and no value."""
    field = entry.options.model_fields.get("missing")
    told = {"missing": missing.value} if field is not None and field.annotation is MissingRule else {}
    return {**told, **options}


def _roles_of(roles: Roles, table: AnyTable) -> Roles:
    """The roles of the columns a method sees: direct identifiers never get this far."""
    return Roles.of(variable for variable in roles if variable.name in table.columns)


def looked_at(plans: Sequence[StepPlan], roles: Roles) -> tuple[str, ...]:
    """The released variables that some step looks at: all of them unless every step works on columns."""
    entries = [find_method(plan.method) for plan in plans]
    if not all(entry.columnwise and entry.aligned for entry in entries):
        return roles.released
    needed = {roles.household}.union(
        *(_seen(entry, plan.options, roles) for entry, plan in zip(entries, plans, strict=True))
    )
    return tuple(name for name in roles.released if name in needed)


def need_no_frame(plans: Sequence[StepPlan]) -> bool:
    """Whether every step takes the records in parts, or a few columns of them."""
    entries = [(find_method(plan.method), plan.options) for plan in plans]
    return all(
        entry.in_parts(entry.arguments(options)) or (entry.columnwise and entry.aligned)
        for entry, options in entries
    )


def fall_into_pieces(plans: Sequence[StepPlan]) -> bool:
    """Whether some step has pieces that other machines may make."""
    entries = [(find_method(plan.method), plan.options) for plan in plans]
    return any(entry.in_pieces(entry.arguments(options)) for entry, options in entries)


def _seen(entry: Method, options: Mapping[str, Any], roles: Roles) -> set[str | None]:
    """The variables that a method which works on columns looks at."""
    return {*touched(entry, options, roles), *_texts_in(options)}


def _texts_in(options: Any) -> Iterator[str]:
    """Every text in the options: a variable is named by one."""
    if isinstance(options, str):
        yield options
    elif isinstance(options, Mapping):
        for key, value in options.items():
            yield from (*_texts_in(key), *_texts_in(value))
    elif isinstance(options, Sequence):
        for each in options:
            yield from _texts_in(each)


def _all_changes(before: AnyTable, after: AnyTable, roles: Roles, left_out: Sequence[str]) -> dict[str, int]:
    """How many records have another value, by variable; those left out have the values they had."""
    found = changes_in_parts(before, after) if isinstance(before, LongTable) else changes(before, after)
    counted = {**found, **dict.fromkeys(left_out, 0)}
    return {name: counted[name] for name in roles.released if name in counted}


def changes_in_parts(before: LongTable, after: LongTable) -> dict[str, int]:
    """How many records have another value, by variable, counted a part at a time."""
    counted, names = dict.fromkeys(before.columns, 0), after.rewritten(before)
    for mine, theirs in zip(before.parts(names), after.parts(names), strict=True):
        for name, count in changes(mine, theirs).items():
            counted[name] += count
    return counted


def changes(before: pd.DataFrame, after: pd.DataFrame) -> dict[str, int]:
    """How many records have another value, by variable; both missing is no change."""
    return {
        column: _changed(before[column], after[column])
        for column in before.columns
        if column in after.columns
    }


def _changed(before: pd.Series, after: pd.Series) -> int:
    import numpy as np
    import pandas as pd

    if before.dtype.kind == after.dtype.kind and before.dtype.kind in "fM":
        same = before.to_numpy() == after.to_numpy()
        same |= before.isna().to_numpy() & after.isna().to_numpy()
        return int(np.count_nonzero(~same))
    if before.dtype.kind == "f":
        # A number kept as a label of its own is the same value still.
        codes, labels = _coded(after)
        held = np.append(
            pd.to_numeric(pd.Series(labels, dtype=object), errors="coerce").to_numpy(float), np.nan
        )
        same = (before.to_numpy() == held[codes]) | (before.isna().to_numpy() & (codes < 0))
        return int(np.count_nonzero(~same))
    mine, theirs = _coded(before), _coded(after)
    place = {str(label): code for code, label in enumerate(mine[1])}
    as_mine = np.array([*(place.get(str(label), -2) for label in theirs[1]), -1])
    return int(np.count_nonzero(as_mine[theirs[0]] != mine[0]))


def _coded(column: pd.Series) -> tuple[Array, list[Any]]:
    """The code of each value, -1 where missing, and what the codes stand for."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy(), list(column.cat.categories)
    codes, labels = pd.factorize(column)
    return codes, list(labels)


def _numbered_anew(table: AnyTable, roles: Roles, rng: np.random.Generator) -> AnyTable:
    """New random household numbers: members stay together, and the original's numbers do not leave."""
    import numpy as np
    import pandas as pd

    if roles.household is None or roles.household not in table.columns:
        return table
    if isinstance(table, LongTable):
        return table.numbered_anew(roles.household, rng)
    codes, homes = pd.factorize(table[roles.household], sort=True)
    numbers = rng.permutation(len(homes)) + 1
    labels = pd.Categorical.from_codes(
        np.where(codes < 0, -1, numbers[codes] - 1 if len(homes) else codes), categories=_texts(len(homes))
    )
    return table.assign(**{roles.household: labels})


def _texts(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]
