"""How coarse must the keys be, at the least loss, for everyone to be in a crowd?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import (
    Column,
    MissingValues,
    Need,
    OfRecords,
    Protected,
    Protection,
    Touches,
    method,
    unless_told,
)
from sdc.data.roles import Roles
from sdc.errors import BadOption, CannotProtect
from sdc.methods import columns
from sdc.statistics.attribution.closeness import USUAL_DISTANCE
from sdc.statistics.attribution.diversity import USUAL_C
from sdc.statistics.coarsening.recoding import CannotRecode, Domain
from sdc.statistics.counts.equivalence import numbered, packed
from sdc.statistics.lattice.diversity import Demands, Sensitive
from sdc.statistics.lattice.hierarchy import Hierarchy, Ladder, usual
from sdc.statistics.lattice.node import Problem, Rows
from sdc.statistics.lattice.search import BestChoice, search

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array


@method(
    protection=Protection.NON_PERTURBATIVE,
    touches=Touches.KEYS,
    needs={
        Need.QUASI_IDENTIFIERS: unless_told("keys"),
        Need.SENSITIVE: lambda options: (
            not options["sensitive"] and (options["l"] is not None or options["t"] is not None)
        ),
    },
    example={"keys": ["region", "sex", "education"]},
    missing=MissingValues.ADDED,
)
def k_anonymise(
    table: pd.DataFrame,
    roles: Roles,
    _rng: np.random.Generator,
    *,
    k: Annotated[int, Field(ge=2), OfRecords()] = 3,
    keys: list[Column] | None = None,
    hierarchies: dict[Column, Hierarchy] = {},  # noqa: B006
    suppression: Annotated[float, Field(ge=0, le=1)] = 0.05,
    loss: Literal["certainty_penalty", "height"] = "certainty_penalty",
    importance: dict[Column, Annotated[float, Field(gt=0)]] = {},  # noqa: B006
    l: Annotated[float, Field(ge=1)] | None = None,  # noqa: E741
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct",
    c: Annotated[float, Field(gt=0)] = USUAL_C,
    t: Annotated[float, Field(ge=0)] | None = None,
    distance: Literal["equal", "kl", "ordered"] = USUAL_DISTANCE,
    sensitive: list[Column] | None = None,
) -> Protected:
    """Every key becomes as coarse as one level of its hierarchy, so that k (and l, t) hold.

    Few records lose all their keys.

    The levels are those of least loss. The loss of a record is the mean over keys, weighted by `importance`,
    of how much of the key's domain its new value covers (certainty_penalty) or of how far up the hierarchy it
    is (height), and 1 if its keys are suppressed. At most the share `suppression` of the records may be
    suppressed. Up to eight keys no other choice of levels is better; beyond, the search is a climb.
    Hierarchies run from the values as they are, through those declared (bands, digits, groups, periods), to
    "*"; numbers and dates without one get bands of doubling width, or months, quarters and years. Missing
    keys are a category of their own up to "*"; that is the stricter rule, so that k holds under either. l and
    t must hold in every class for each sensitive variable; records without its value are left out. c and
    distance are by default those of the measures l_diversity and t_closeness, so that these agree. The result
    is verified by counting.

    Formula: min over levels L of Σ_i loss_i(L) subject to f(L) ≥ k in every class, suppressed records ≤
    suppression × n; loss_i = Σ_q w_q (covered share of the domain of q) / Σ_q w_q.

    Reference: Samarati (2001), doi:10.1109/69.971193; El Emam et al. (2009), doi:10.1197/jamia.M3144;
    certainty penalty: Xu et al. (2006), doi:10.1145/1150402.1150504.
    """
    names = columns.keys("k_anonymise", table, roles, keys)
    _among(names, hierarchies, "hierarchies")
    _among(names, importance, "importance")
    if k > len(table):
        raise CannotProtect("k_anonymise", f"k is {k}, but the table has {len(table)} records")
    base, ladders = _base(table, names, hierarchies)
    asked = Demands(l or 1.0, diversity, c, np.inf if t is None else t, distance)
    rows, row_of = _rows(table, roles, base, sensitive, asked)
    del base
    weights = np.array([importance.get(name, 1.0) for name in names])
    problem = Problem(
        ladders, rows, weights / weights.sum(), k, int(suppression * len(table)), loss == "height"
    )
    found = search(problem)
    if found is None:
        wanted = [f"k = {k}", *([f"l = {l:g}"] if l else []), *([f"t = {t:g}"] if t is not None else [])]
        raise CannotProtect(
            "k_anonymise",
            f"no levels of {', '.join(names)} reach {', '.join(wanted)} with at most {problem.limit} records"
            " suppressed",
        )
    return _released(table, names, row_of, problem, found)


def _among(names: list[str], given: dict[str, Any], option: str) -> None:
    strangers = [name for name in given if name not in names]
    if strangers:
        raise BadOption("k_anonymise", option, f"{strangers[0]} is not a key")


def _base(
    table: pd.DataFrame, names: list[str], hierarchies: dict[str, Hierarchy]
) -> tuple[Array, tuple[Ladder, ...]]:
    """The keys coded, missing last, and their levels."""
    base, ladders = np.empty((len(table), len(names)), dtype=np.uint16), []
    for place, name in enumerate(names):
        codes, values = columns.coded(table[name])
        if len(values) > np.iinfo(base.dtype).max:
            base = base.astype(np.int32)
        base[:, place] = np.where(codes < 0, len(values), codes)
        ladders.append(_ladder(table, name, values, hierarchies.get(name)))
    return base, tuple(ladders)


def _ladder(table: pd.DataFrame, name: str, values: Array, hierarchy: Hierarchy | None) -> Ladder:
    domain = Domain(values, ordered=not columns.is_category(table[name]) or bool(table[name].cat.ordered))
    try:
        return Ladder.of(domain, usual(domain) if hierarchy is None else hierarchy.recodes)
    except CannotRecode as problem:
        raise CannotProtect("k_anonymise", f"{name}: {problem}") from None


def _rows(
    table: pd.DataFrame, roles: Roles, base: Array, sensitive: list[str] | None, asked: Demands
) -> tuple[Rows, Array]:
    """Distinct rows of keys with their records and sensitive values, and the row of each record."""
    distinct, row_of = numbered(packed(list(base.T)))
    first = np.zeros(distinct.size, dtype=np.int64)
    first[row_of[::-1]] = np.arange(len(row_of))[::-1]
    beside: tuple[Sensitive, ...] = ()
    if asked.any:
        names = columns.known(
            "k_anonymise", table, roles.sensitive if sensitive is None else sensitive, "sensitive"
        )
        if not names:
            raise CannotProtect("k_anonymise", "l and t need a sensitive variable")
        if asked.distance == "ordered":
            _ordered(table, names)
        beside = tuple(Sensitive.of(row_of, columns.coded(table[name])[0], asked) for name in names)
    return Rows(base[first], np.bincount(row_of), beside), row_of.astype(np.int32)


def _ordered(table: pd.DataFrame, names: list[str]) -> None:
    for name in names:
        if columns.is_category(table[name]) and not table[name].cat.ordered:
            raise BadOption("k_anonymise", "distance", f"{name} has no order")


def _released(
    table: pd.DataFrame, names: list[str], row_of: Array, problem: Problem, found: BestChoice
) -> Protected:
    """The table at the levels found, checked once more, with what was chosen and why."""
    import pandas as pd

    kept = problem.evaluate(found.node.levels, with_rows=True).kept
    assert kept is not None
    stays = kept[row_of]
    released, labels, shown = table.copy(deep=False), {}, []
    for place, (name, level) in enumerate(zip(names, found.node.levels, strict=True)):
        ladder = problem.ladders[place]
        top = level == ladder.levels - 1
        held = np.min_scalar_type(-len(ladder.labels[level]) - 1)
        codes = np.append(ladder.places[level][:-1], 0 if top else -1).astype(held)[
            problem.rows.codes[row_of, place]
        ]
        if not top:
            codes[~stays] = -1
        shown.append(codes)
        if level == 0:
            released[name] = table[name].mask(~stays)
            continue
        released[name] = pd.Categorical.from_codes(
            codes, categories=list(ladder.labels[level]), ordered=ladder.ordered
        )
        if columns.is_category(table[name]):
            new = [ladder.labels[level][code] for code in ladder.places[level][:-1]]
            labels[name] = dict(zip(ladder.labels[0], new, strict=True))
    if np.unique(packed(shown), return_counts=True)[1].min() < problem.k:
        raise CannotProtect("k_anonymise", "the result did not stand the count of its classes")
    return Protected(released, record=_record(names, problem, found), labels=labels)


def _record(names: list[str], problem: Problem, found: BestChoice) -> dict[str, Any]:
    """The levels chosen, their loss, and what each key one level finer would have meant."""
    finer = {}
    for place, (name, level) in enumerate(zip(names, found.node.levels, strict=True)):
        if level:
            node = problem.evaluate((*found.node.levels[:place], level - 1, *found.node.levels[place + 1 :]))
            finer[name] = {"suppressed": node.suppressed, "loss": node.loss, "allowed": node.feasible}
    return {
        "levels": dict(zip(names, found.node.levels, strict=True)),
        "of_levels": dict(zip(names, (ladder.levels - 1 for ladder in problem.ladders), strict=True)),
        "loss": found.node.loss,
        "suppressed": found.node.suppressed,
        "suppression_limit": problem.limit,
        "optimal": found.optimal,
        "choices": found.choices,
        "evaluated": found.evaluated,
        "one_level_finer": finer,
    }
