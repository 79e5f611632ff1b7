"""Makes and stores a candidate of the profile: by its steps, or from a file made elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.candidate import Candidate, copy_name
from sdc.catalogue.external import EXTERNAL, ExternalFile, absent, external_of, misaligned
from sdc.catalogue.protection import Protection, Step
from sdc.data.long_table import AnyTable, LongTable, can_be_long
from sdc.data.warehouse import Warehouse
from sdc.errors import BadData, Fault, redacted
from sdc.ingest import ingest_candidate
from sdc.methods import columns
from sdc.methods.protect import ProtectedTable, changes, leaving, looked_at, need_no_frame, protect
from sdc.profile import Profile, StepPlan
from sdc.publish.decimals import leaving_decimals, seen_decimals
from sdc.run import digest
from sdc.run.randomness import Randomness
from sdc.statistics.coarsening.labels import read_labels

if TYPE_CHECKING:
    import pandas as pd

    from sdc.data.table import Table


def make(
    profile: Profile,
    base: Path,
    warehouse: Warehouse,
    name: str,
    randomness: Randomness,
    announce: Callable[[int, str], None] = lambda _place, _method: None,
) -> Candidate:
    """The candidate and its further syntheses in the warehouse.

    Paths of the profile begin at `base`; random numbers are those of this release.
    """
    own = randomness.of_candidate(name, profile.candidates[name])
    return make_from(profile, base, warehouse, name, own, announce)


def make_from(
    profile: Profile,
    base: Path,
    warehouse: Warehouse,
    name: str,
    randomness: Randomness,
    announce: Callable[[int, str], None] = lambda _place, _method: None,
) -> Candidate:
    """The candidate, where nothing but its own random numbers is known: on another machine."""
    plans = profile.candidates[name]
    original = warehouse.database.table("original")
    if external := external_of(plans):
        with redacted(f"reading the original for candidate {name}"):
            frame = original.frame(profile.roles.released, profile.roles)
        with redacted(f"reading the file of candidate {name}"):
            protected = _read(external, frame, profile, base, warehouse, name, randomness)
        return _stored(protected, (), profile, warehouse, original)
    with _opened(warehouse, original, plans, profile, name) as (table, left_out):
        protected = protect(
            table,
            profile.roles,
            plans,
            name=name,
            randomness=randomness,
            missing=profile.missing_keys,
            announce=announce,
            left_out=left_out,
        )
        return _stored(protected, left_out, profile, warehouse, original)


@contextmanager
def _opened(
    warehouse: Warehouse, original: Table, plans: Sequence[StepPlan], profile: Profile, name: str
) -> Iterator[tuple[AnyTable, tuple[str, ...]]]:
    """The original as the steps see it, and the variables that they do not see.

    It is not loaded where it is long and no step needs that.
    """
    roles, decimals = profile.roles, seen_decimals(profile, plans)
    left_out: tuple[str, ...] = ()
    with ExitStack() as until_stored:
        with redacted(f"reading the original for candidate {name}"):
            seen = looked_at(plans, roles)
            table: AnyTable
            if can_be_long(original) and need_no_frame(plans):
                opened = LongTable.of(original, roles.released, roles, name, warehouse.storing)
                table = until_stored.enter_context(opened)
            else:
                table = original.frame(seen, roles)
                left_out = tuple(each for each in roles.released if each not in seen)
            for each in filter(seen.__contains__, decimals):
                table = columns.changed(table, [each], partial(_rounded, decimals[each]))
        yield table, left_out


def _rounded(decimals: int, part: pd.DataFrame) -> dict[str, pd.Series]:
    return {str(name): part[name].round(decimals) for name in part}


def _stored(
    protected: ProtectedTable,
    left_out: tuple[str, ...],
    profile: Profile,
    warehouse: Warehouse,
    original: Table,
) -> Candidate:
    name, roles = protected.name, profile.roles
    with redacted(f"writing candidate {name}"):
        decimals = leaving_decimals(profile, profile.candidates[name], original)
        stored = warehouse.store_candidate(
            name, protected.table, roles, protected.order, decimals, as_held=left_out
        )
        further = tuple(
            warehouse.store_candidate(copy_name(name, copy), table, roles, order, decimals).sha256
            for copy, (table, order) in enumerate(
                zip(protected.syntheses, protected.orders, strict=True), start=2
            )
        )
        in_place = protected.aligned and len(protected.table) == original.rows
        persons = warehouse.store_persons(name, protected.order) if in_place else ""
    return Candidate(
        name,
        str(stored.path),
        stored.sha256,
        stored.rows,
        protected.steps,
        1 + len(protected.syntheses),
        persons,
        protected.sealed,
        further,
    )


def _read(
    external: ExternalFile,
    original: pd.DataFrame,
    profile: Profile,
    base: Path,
    warehouse: Warehouse,
    name: str,
    randomness: Randomness,
) -> ProtectedTable:
    path = base / external.path
    table = ingest_candidate(profile, path, warehouse, name)
    if faults := absent(path, table.columns, profile.roles.released):
        raise BadData(faults)
    frame = table.frame(profile.roles.released, profile.roles)
    _require_as_said(external, original, frame, path)
    changed = changes(original, frame) if external.aligned else {}
    record = {"sha256": digest.of_file(path), "records": len(frame)}
    options = {
        "path": external.path.name,
        "protection": external.protection.value,
        "aligned": external.aligned,
    }
    step = Step(
        EXTERNAL.name,
        options,
        external.protection,
        external.aligned,
        frozenset(profile.roles.released),
        None,
        changed,
        record,
    )
    return leaving(name, frame, (), (step,), (), profile.roles, randomness)


def _require_as_said(external: ExternalFile, original: pd.DataFrame, frame: pd.DataFrame, path: Path) -> None:
    """Raises BadData where a file is not what the profile says.

    A file declared aligned has the original's records; one declared non-perturbative holds no other value of
    the original's.
    """
    if faults := misaligned(external, path, len(frame), len(original)):
        raise BadData(faults)
    if not external.aligned or external.protection is not Protection.NON_PERTURBATIVE:
        return
    false = {name: count for name in frame.columns if (count := _false(original[name], frame[name]))}
    if false:
        remedy = "write protection: perturbative"
        problem = "said to be non_perturbative, and {:,} values are neither missing nor the original's"
        raise BadData(
            [
                Fault(f"{path}, column {name!r}", problem.format(count), remedy)
                for name, count in false.items()
            ]
        )


def _false(original: pd.Series, held: pd.Series) -> int:
    """Values of the original's own kind that are not its own, and ranges that do not hold the original's.

    Other new labels count as coarser ones.
    """
    if original.dtype.kind in "fM" and original.dtype.kind == held.dtype.kind:
        return int((held.notna() & (held.to_numpy() != original.to_numpy())).sum())
    if original.dtype.kind in "fM":
        return _outside(original, held)
    known = set(map(str, original.cat.categories))
    texts = held.astype(object).astype(str)
    return int(
        (
            held.notna()
            & texts.isin(known)
            & (texts.to_numpy() != original.astype(object).astype(str).to_numpy())
        ).sum()
    )


def _outside(original: pd.Series, held: pd.Series) -> int:
    """Labels that are ranges and do not hold the original's value.

    Labels that cannot be read as separate ranges are accepted.
    """
    import numpy as np

    shown = held.notna().to_numpy()
    texts = held.astype(object).astype(str).to_numpy()
    dates = original.dtype.kind == "M"
    partition = read_labels(sorted(set(texts[shown])), dates=dates)
    if not partition.sound or not partition.labels:
        return 0
    values = original.to_numpy()
    seconds = (
        np.where(np.isnat(values), np.nan, values.astype("datetime64[s]").astype(np.int64))
        if dates
        else values
    )
    own = np.array([*partition.labels, ""], dtype=object)[partition.places(seconds)]
    return int((shown & (texts != own)).sum())
