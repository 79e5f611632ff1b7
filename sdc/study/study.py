"""A study: confidential records, what each variable is, and what can be done with them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sdc.data.warehouse import KEY_VARIABLE
from sdc.errors import BadStudy, Fault, redacted
from sdc.profile.source import source_faults
from sdc.profile.variables import variable_faults
from sdc.spelling import counted
from sdc.study import document
from sdc.study.candidate import StudyCandidate
from sdc.study.declared import Counted, Names, SaidOfVariables, declared, names_of
from sdc.study.elsewhere import planned_step
from sdc.study.examined import Examined
from sdc.study.frames import PLACE, FrameKind, addressed, as_arrow, is_path, speaking_of
from sdc.study.made_candidate import PlannedSteps
from sdc.study.text_table import TextTable
from sdc.study.variables import DeclaredVariables
from sdc.study.workplace import Workplace

if TYPE_CHECKING:
    from types import TracebackType

ACCESS = "secure"
"""Nothing of a study is released: no rule needs to be named for a limit. A profile says who may have it."""


class Study(Examined):
    """Confidential records and the roles of their variables: measure their risk, protect them, compare.

    `original` is a pandas or polars frame, an Arrow table, a DuckDB relation, the path of a file that
    `sdc draft` reads, or the address of a database with a `table` or `query`. `keys` are the
    quasi-identifiers. What is not said is guessed as `sdc draft` does, and `study.variables` shows every
    guess with its reason; `types` and `variables` say otherwise, the latter as a profile does. Once `keys` or
    `sensitive` are given, no other variable gets that role.

    Random numbers come from a secret that is drawn for this study, so that nobody can guess them. With `home`
    it is the secret of that home: a release of the profile from there has the same bytes. With `seed` and no
    home the study can be repeated by anybody who knows the number: for looking, never for a release. The
    bytes of the source count too: a frame draws other numbers than a CSV file of it.

    >>> study = sdc.Study(households, keys=["region", "age", "sex"], sensitive=["health"], weight="weight")
    >>> study.records
    300
    >>> study.keys
    ['region', 'age', 'sex']
    """

    def __init__(
        self,
        original: Any,
        *,
        keys: Names = None,
        sensitive: Names = None,
        weight: str | None = None,
        household: str | None = None,
        stratum: str | None = None,
        identifiers: Names = None,
        dropped: Names = None,
        types: Mapping[str, str] | None = None,
        variables: Mapping[str, Any] | None = None,
        missing_keys: str = "own_category",
        holdout: float = 0.0,
        population: Any = None,
        record_key: Names = None,
        name: str = "study",
        seed: int | None = None,
        home: str | Path | None = None,
        table: str | None = None,
        query: str | None = None,
    ) -> None:
        told = SaidOfVariables(
            keys, sensitive, weight, household, stratum, identifiers, dropped, types or {}, variables or {}
        )
        if not is_path(original) and (table is not None or query is not None):
            problem = "table= and query= are for a database, and the original is a frame"
            raise BadStudy([Fault("the original", problem, "leave them out")])
        rows, kind = (None, FrameKind()) if is_path(original) else as_arrow(original)
        place = Workplace.opened(kind, home=home, seed=seed, base=Path.cwd())
        path = addressed(original) if rows is None else place.keep_frame(rows, "records")
        with speaking_of(PLACE, place.directory):
            counted_file = Counted.of(path, table, query)
        found = declared(counted_file, told, kind)
        source = {**counted_file.as_source(path), **_second(place, population)}
        further = {"holdout_share": holdout, "record_key": names_of(record_key)}
        values: dict[str, Any] = {
            "name": name,
            "access": ACCESS,
            **({} if seed is None else {"seed": seed}),
            "source": {**source, **{key: held for key, held in further.items() if held}},
            "missing_keys": missing_keys,
            "variables": {each.name: dict(each.plan) for each in found},
            "candidates": {},
        }
        self._begin(place, document.plain(values), {each.name: each.why for each in found})

    @classmethod
    def _of_values(cls, values: Mapping[str, Any], base: Path, home: Path | None) -> Self:
        """The study of a profile that was read already."""
        made = cls.__new__(cls)
        place = Workplace.opened(FrameKind(), home=home, seed=values.get("seed"), base=base)
        why = dict.fromkeys(values["variables"], "as the profile says")
        made._begin(place, values, why)  # noqa: SLF001 - of this class
        return made

    def _begin(
        self,
        place: Workplace,
        values: Mapping[str, Any],
        why: Mapping[str, str],
    ) -> None:
        self._place, self._planned, self._why = place, PlannedSteps(), why
        self._values = {**values, "candidates": {}}
        profile, notes = document.read(self._values, variable_faults, source_faults)
        self._roles = profile.roles
        self._variables = profile.variables
        place.take_in(profile)
        self._notes = (*notes, *place.notes)

    @property
    def records(self) -> int:
        """How many records methods see; those held out are not among them.

        >>> sdc.Study(households, keys=["region"], identifiers=["household_id"], holdout=0.1).records
        270
        """
        return self._place.ingested.rows

    @property
    def notes(self) -> tuple[str, ...]:
        """What is strange about the records and was let pass, and whether the home is new.

        >>> sdc.Study(households, keys=["region"], home="home").notes[0].endswith("no earlier release")
        True
        """
        return self._notes

    @property
    def keys(self) -> list[str]:
        """The quasi-identifiers: what an intruder can know.

        >>> sdc.Study(households, keys=["region", "sex"]).keys
        ['region', 'sex']
        """
        return list(self._roles.quasi_identifiers)

    @property
    def variables(self) -> DeclaredVariables:
        """Every variable: its role, its type, and why it is taken for that.

        >>> shown = sdc.Study(households, keys=["region", "age"]).variables.frame
        >>> shown.loc["age", ["role", "type"]].tolist()
        ['quasi_identifier', 'numeric']
        """
        return DeclaredVariables(self._variables, self._why)

    def protect(
        self, method: str, options: Mapping[str, Any] | None = None, /, **more: Any
    ) -> StudyCandidate:
        """A candidate made by one method; `protect` on it adds the next step.

        Options are written behind the name. Where a variable has a name that Python cannot write, give a
        mapping. Nothing is changed: the study stays as it is. The table is made when it is first looked at.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> study.protect("global_recode", age={"width": 10}).protect("local_suppression", k=3).steps
        ['global_recode', 'local_suppression']
        """
        return self._unprotected().protect(method, options, **more)

    def synthesise(
        self, method: str = "sequential", options: Mapping[str, Any] | None = None, /, **more: Any
    ) -> StudyCandidate:
        """A candidate of synthetic records: `model` and `m` are options of `sequential`, the usual method.

        >>> study = sdc.Study(households[["region", "age", "sex"]], keys=["region", "age", "sex"], seed=1)
        >>> synthetic = study.synthesise(model="cart", m=3)
        >>> len(synthetic.tables)
        3
        """
        return self._unprotected().synthesise(method, options, **more)

    def made_elsewhere(
        self, table: Any, *, protection: str, aligned: bool = False, name: str = "elsewhere"
    ) -> StudyCandidate:
        """A table that was protected elsewhere, to be measured as a candidate: a frame, or a CSV or Parquet.

        `protection` is what happened to the truth of its records: `non_perturbative` (nothing false),
        `perturbative` (perhaps false) or `synthetic` (drawn from a model); it decides which measures may be
        believed. `aligned`: record i of the table is record i of the study's. It has every variable that may
        leave, and no other. A file is taken as it is now.

        >>> study = sdc.Study(households[["region", "age", "sex"]], keys=["region", "age", "sex"])
        >>> made = households[["region", "age", "sex"]].assign(age="all")
        >>> study.made_elsewhere(made, protection="non_perturbative").risk("k_anonymity").value("k_anonymity")
        10.0
        """
        with redacted("reading the table made elsewhere"):
            copy = self._place.elsewhere.keep(table, name)
        steps = (planned_step(copy, protection, aligned=aligned),)
        found = StudyCandidate(self, self._place, self._values, PlannedSteps(name, steps))
        with self._place.elsewhere.speaking_of(copy):
            found.changes  # noqa: B018 - every fault of the table is said now
        if os.environ.get(KEY_VARIABLE) is not None:
            self._place.elsewhere.forget(copy)
        return found

    def _unprotected(self) -> StudyCandidate:
        return StudyCandidate(self, self._place, self._values, PlannedSteps("candidate"))

    def close(self) -> None:
        """Forget all records now; else they go with the study. `with sdc.Study(...) as study:` closes it too.

        >>> sdc.Study(households, keys=["region"]).close()
        """
        self._place.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _table(self) -> TextTable:
        shown = self.variables.table
        title = f"Study of {counted(self.records, 'record')}, {counted(len(self._variables), 'variable')}"
        return TextTable(shown.heads, shown.rows, title, tuple(f"note: {note}" for note in self.notes))

    def __repr__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table().html()


def _second(place: Workplace, population: Any) -> dict[str, Any]:
    """The population file, where one is given."""
    if population is None:
        return {}
    if is_path(population):
        path = addressed(population)
    else:
        path = place.keep_frame(as_arrow(population)[0], "population")
    return {"population": Counted.of(path).as_source(path)}
