"""What no public page may say about the original."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.roles import VariableType
from sdc.report.edition import THRESHOLD
from sdc.report.identifiers import said_identifiers
from sdc.report.lookup import Names, Numbers
from sdc.report.words import normal, words

if TYPE_CHECKING:
    from sdc.data.release_pair import ReleasePair
    from sdc.profile import Profile
    from sdc.profile.plan import VariablePlan

DEPTH = 5
MOST_LEVELS = 20_000
Count = Callable[[tuple[tuple[str, str], ...]], int]


@dataclass(frozen=True)
class Forbidden:
    """Facts of an original that must not be said.

    `extremes` are the outermost numbers of each numeric variable; `texts` maps a text in normal form to what
    it is (a value of a direct identifier, a category too few records have, an outermost date); `levels` maps
    the values of each categorical key in normal form to themselves, and `count` says how many original
    records have some of them together. `records` are all of them. `units` are the first words of the units of
    variables: a number before one of them is an amount. `names` are those of all variables.
    """

    extremes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    numeric_keys: frozenset[str] = frozenset()
    count: Count = field(default=lambda _: 0, repr=False)
    threshold: int = THRESHOLD
    records: int = 0
    units: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        pair: ReleasePair,
        *,
        threshold: int = THRESHOLD,
        declared: Mapping[str, VariablePlan] | None = None,
    ) -> Forbidden:
        """The forbidden facts of a pair.

        `declared` are its variables as the profile has them, with their units and the words for their codes.

        It has no direct identifiers; `naming` adds those on a page. The words for a code count as the code.
        """
        plans = declared or {}
        labels = {name: plan.values for name, plan in plans.items()}
        columns = [variable for variable in pair.roles if variable.name in pair.original.columns]
        numeric = [
            variable.name
            for variable in columns
            if pair.original.is_numeric(variable.name) and variable.name != pair.roles.household
        ]
        texts = {}
        for variable in columns:
            if variable.type is VariableType.DATE:
                texts.update(
                    {
                        normal(text): f"an extreme of {variable.name}"
                        for text in _outermost_dates(pair, variable.name, threshold)
                    }
                )
            elif variable.name not in numeric and variable.name != pair.roles.household:
                rare, said = _rare(pair, variable.name, threshold), labels.get(variable.name, {})
                texts.update(
                    {
                        normal(text): f"a rare value of {variable.name}"
                        for code in rare
                        for text in (code, said.get(code, code))
                    }
                )
        keys = [
            name
            for name in (*pair.roles.quasi_identifiers, *pair.roles.sensitive)
            if name in pair.original.columns
        ]
        return cls(
            extremes={name: _outermost(pair, name, threshold) for name in numeric},
            texts={text: what for text, what in texts.items() if text},
            levels={
                name: held
                for name in keys
                if name not in numeric and (held := _levels(pair, name, labels.get(name, {})))
            },
            numeric_keys=frozenset(name for name in keys if name in numeric),
            count=_counter(pair),
            threshold=threshold,
            records=pair.original.rows,
            names=frozenset(variable.name.casefold() for variable in pair.roles),
            units=frozenset(first for plan in plans.values() for first in words(plan.unit)[:1]),
        )

    @cached_property
    def variables(self) -> Names:
        """The variables with numbers or categories of keys, to be found by their names."""
        return Names((*self.extremes, *self.levels, *sorted(self.numeric_keys)))

    @cached_property
    def outermost(self) -> Numbers:
        """The outermost numbers of all variables, to be found by what is written."""
        return Numbers(self.extremes)

    @cached_property
    def named_first(self) -> tuple[str, ...]:
        """How a text ends before the second variable of a pair that it names."""
        return tuple(f"{name} and".casefold() for name in (*self.extremes, *self.levels))

    @cached_property
    def owners(self) -> Mapping[str, tuple[str, ...]]:
        """The keys that have a category, by the category in normal form."""
        held: dict[str, list[str]] = {}
        for name, levels in self.levels.items():
            for level in levels:
                held.setdefault(level, []).append(name)
        return {level: tuple(names) for level, names in held.items()}

    def naming(
        self,
        page: str,
        identifiers: Mapping[str, Iterable[object]],
        known: Callable[[], frozenset[str]] = frozenset,
    ) -> Forbidden:
        """With the values of direct identifiers this page says; `known` gives words that are no secret."""
        return replace(self, texts={**said_identifiers(page, identifiers, known), **self.texts})


def known_words(profile: Profile, pair: ReleasePair | None) -> frozenset[str]:
    """Texts that a page may contain, even if somebody has that name.

    These are words of the profile, and categories that the candidate releases, whole and word by word.
    """
    held = set(words(json.dumps(profile.model_dump(mode="json"), ensure_ascii=False)))
    table = pair.candidate if pair is not None else None
    for name in table.columns if table is not None else ():
        if table is not None and not table.is_numeric(name):
            query = (
                f"SELECT DISTINCT CAST({sql.name(name)} AS VARCHAR) FROM {sql.name(table.name)} LIMIT"
                f" {MOST_LEVELS}"
            )
            levels = [str(row[0]) for row in table.fetch(query) if row[0] is not None]
            held.update(text for level in levels for text in (normal(level), *words(level)))
    return frozenset(held)


def _outermost(pair: ReleasePair, column: str, threshold: int) -> tuple[float, ...]:
    """The outermost values on both sides; a value that enough records share (the threshold) is allowed."""
    table, held = pair.original, sql.name(column)
    grouped = (
        f'SELECT CAST({held} AS DOUBLE) AS "x", count(*) AS "n" FROM {sql.name(table.name)} WHERE {held} IS'
        " NOT NULL GROUP BY 1"
    )
    ends = [f'(SELECT * FROM ({grouped}) ORDER BY "x" {order} LIMIT {DEPTH})' for order in ("ASC", "DESC")]
    return tuple(
        sorted({float(value) for value, count in table.fetch(" UNION ALL ".join(ends)) if count < threshold})
    )


def _outermost_dates(pair: ReleasePair, column: str, threshold: int) -> list[str]:
    table, held = pair.original, sql.name(column)
    grouped = (
        f'SELECT CAST({held} AS VARCHAR) AS "x", count(*) AS "n" FROM {sql.name(table.name)} WHERE {held} IS'
        " NOT NULL GROUP BY 1"
    )
    ends = [f'(SELECT * FROM ({grouped}) ORDER BY "x" {order} LIMIT {DEPTH})' for order in ("ASC", "DESC")]
    return [str(value)[:10] for value, count in table.fetch(" UNION ALL ".join(ends)) if count < threshold]


def _rare(pair: ReleasePair, column: str, threshold: int) -> list[str]:
    """Categories fewer original records have than the threshold, and no candidate record.

    Nobody will see them in the release.
    """
    held, seen = sql.name(column), ""
    if column in pair.candidate.columns:
        # Each value once: a value for every record would fill the memory of a long file.
        released = f'SELECT DISTINCT CAST({held} AS VARCHAR) AS "x" FROM {sql.name(pair.candidate.name)}'
        seen = f'ANTI JOIN ({released}) USING ("x")'
    original = f"FROM {sql.name(pair.original.name)} WHERE {held} IS NOT NULL"
    grouped = (
        f'SELECT CAST({held} AS VARCHAR) AS "x" {original} GROUP BY 1 HAVING count(*) < {int(threshold)}'
    )
    return [str(row[0]) for row in pair.original.fetch(f'SELECT "x" FROM ({grouped}) {seen}')]


def _levels(pair: ReleasePair, column: str, labels: Mapping[str, str]) -> dict[str, str]:
    """The values of a column by how they, and the words for them, are compared."""
    query = (
        f"SELECT DISTINCT CAST({sql.name(column)} AS VARCHAR) FROM {sql.name(pair.original.name)} LIMIT"
        f" {MOST_LEVELS + 1}"
    )
    rows = [str(row[0]) for row in pair.original.fetch(query) if row[0] is not None]
    said = {normal(labels[code]): code for code in rows if code in labels} | {
        normal(code): code for code in rows
    }
    return {text: code for text, code in said.items() if text} if len(rows) <= MOST_LEVELS else {}


def _counter(pair: ReleasePair) -> Count:
    @cache
    def count(values: tuple[tuple[str, str], ...]) -> int:
        table = pair.original
        tests = [
            (
                f"CAST({sql.name(column)} AS DOUBLE) = CAST(? AS DOUBLE)"
                if table.is_numeric(column)
                else f"CAST({sql.name(column)} AS VARCHAR) = ?"
            )
            for column, _ in values
        ]
        return int(
            table.fetch(
                f"SELECT count(*) FROM {sql.name(table.name)} WHERE {' AND '.join(tests)}",
                [value for _, value in values],
            )[0][0]
        )

    return count


@cache
def house_words() -> frozenset[str]:
    """Words the report itself uses: those of its templates and of the catalogue.

    A name that is also one of them looks like ordinary text.
    """
    from sdc.catalogue.registry import measures, methods
    from sdc.report.render import environment

    loader = environment().loader
    assert loader is not None
    texts = [loader.get_source(environment(), name)[0] for name in loader.list_templates()]
    texts += [
        f"{entry.name} {entry.summary} {entry.definition}"
        for entry in [*measures().values(), *methods().values()]
    ]
    return frozenset(word for text in texts for word in words(text))
