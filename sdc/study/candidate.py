"""A candidate of a study: the steps that make it, its table, what it risks and what it is still good for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.protection import Protection
from sdc.catalogue.registry import find_method, methods
from sdc.catalogue.synthesis_models import models
from sdc.errors import BadStudy, Fault, redacted
from sdc.profile.candidates import candidate_faults
from sdc.profile.needs import extra_faults, need_faults
from sdc.profile.surroundings import size_faults
from sdc.spelling import composed
from sdc.study import document
from sdc.study.examined import Examined
from sdc.study.made_candidate import PlannedSteps
from sdc.study.workplace import Workplace

PAGES = (".html", ".htm")
PROFILES = (".yaml", ".yml")

if TYPE_CHECKING:
    from sdc.profile.plan import Profile
    from sdc.study.comparison import CandidateComparison
    from sdc.study.study import Study


class StudyCandidate(Examined):
    """A protected table in the making: it remembers its steps, and is never changed.

    >>> study = sdc.Study(households, keys=["region", "age", "sex"], sensitive=["health"], seed=1)
    >>> safe = study.protect("global_recode", age={"width": 20}).protect("local_suppression", k=3)
    >>> safe.risk("k_anonymity").value("k_anonymity") >= 3
    True
    >>> safe.name
    'global_recode_local_suppression'
    """

    def __init__(
        self,
        study: Study,
        place: Workplace,
        values: Mapping[str, Any],
        planned: PlannedSteps,
        demands: tuple[Mapping[str, Any], ...] = (),
    ) -> None:
        self.study, self._place, self._planned, self._demands = study, place, planned, demands
        steps = [dict(step) for step in planned.steps]
        self._values = {**values, "candidates": {planned.name: steps}}
        self._check()

    def _with(self, planned: PlannedSteps, demands: tuple[Mapping[str, Any], ...]) -> StudyCandidate:
        return StudyCandidate(self.study, self._place, self._values, planned, demands)

    def protect(
        self, method: str, options: Mapping[str, Any] | None = None, /, **more: Any
    ) -> StudyCandidate:
        """The candidate with one more step; this one stays as it is.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> coarse = study.protect("global_recode", age={"width": 10})
        >>> coarse.protect("local_suppression", k=3).steps, coarse.steps
        (['global_recode', 'local_suppression'], ['global_recode'])
        """
        find_method(document.one_name("protect", method))
        given = document.options_of(method, options, f"protect({method!r}, option=value)", more)
        steps = (*self._planned.steps, {"method": method, **({"with": given} if given else {})})
        named = self._planned.name != _name_of(self._planned.steps)
        return self._with(PlannedSteps(self.name if named else _name_of(steps), steps), self._demands)

    def synthesise(
        self, method: str = "sequential", options: Mapping[str, Any] | None = None, /, **more: Any
    ) -> StudyCandidate:
        """Synthetic records made from this candidate's, as `Study.synthesise`.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> study.protect("rounding", income={"to": 100}).synthesise("bootstrap").steps
        ['rounding', 'bootstrap']
        """
        if document.one_name("synthesise", method) in models() and method not in methods():
            problem = f"{method} is a model of one variable, and no method"
            raise BadStudy([Fault("synthesise", problem, f"write synthesise(model={method!r})")])
        if find_method(method).protection is not Protection.SYNTHETIC:
            problem = f"{method} does not draw records from a model"
            raise BadStudy([Fault("synthesise", problem, f"call protect({method!r}, ...)")])
        return self.protect(method, options, **more)

    def named(self, name: str) -> StudyCandidate:
        """The same steps under a name of your own. Another name draws other random numbers.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> study.protect("rank_swap", variables=["income"]).named("swapped").name
        'swapped'
        """
        return self._with(PlannedSteps(document.one_name("named", name), self._planned.steps), self._demands)

    def demand(
        self, measure: str, options: Mapping[str, Any] | None = None, /, **criterion: Any
    ) -> StudyCandidate:
        """The candidate with a criterion: `at_least`, `at_most`, `because` and other keys of a profile.

        Report and profile have it; results say whether it holds.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> safe = study.protect("local_suppression", k=3)
        >>> safe.demand("k_anonymity", at_least=3, because="agency rule 4.2").holds
        True
        """
        document.one_name("demand", measure)
        given = document.options_of(measure, options, f"demand({measure!r}, at_least=3)")
        told = {"measure": measure, **({"with": given} if given else {}), **criterion}
        return self._with(self._planned, (*self._demands, composed(document.plain(told))))

    @property
    def holds(self) -> bool | None:
        """Does everything that was demanded hold? None where nothing was.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> study.protect("rounding", income={"to": 10}).demand("k_anonymity", at_least=3).holds
        False
        """
        findings = self._judged(self._profile()).decision.findings
        return all(finding.holds for finding in findings) if findings else None

    @property
    def steps(self) -> list[str]:
        """The methods, in the order they are applied.

        >>> sdc.Study(households, keys=["age"]).protect("global_recode", age={"width": 5}).steps
        ['global_recode']
        """
        return [str(step["method"]) for step in self._planned.steps]

    @property
    def table(self) -> Any:
        """The candidate as it would leave: a frame of the kind that came in.

        Records are in random order and households have new numbers, so that neither gives anything away.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> study.protect("global_recode", age={"width": 10}).table.shape[0]
        300
        """
        return self.tables[0]

    @property
    def tables(self) -> list[Any]:
        """All syntheses, where a method makes several; else the table alone.

        Measures judge the first of them; `interval_overlap`, `propensity_mse` and models of
        `indicator_change` take all into account, as each says.

        >>> study = sdc.Study(households[["region", "sex"]], keys=["region", "sex"])
        >>> [len(table) for table in study.synthesise(m=2).tables]
        [300, 300]
        """
        import pyarrow.parquet as pq

        with redacted(f"reading candidate {self.name}"):
            return [self._place.kind.give_back(pq.read_table(file)) for file in self._made().files]

    def in_source_order(self) -> Any:
        """The candidate with its records in the order of the source, to be looked at beside it.

        That order can tell what was suppressed: it is not for anybody else.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> safe = study.protect("rounding", income={"to": 100}).in_source_order()
        >>> bool((safe["sex"] == households["sex"]).all())
        True
        """
        found = self._made()
        columns = ", ".join(self._columns())
        with redacted(f"reading candidate {self.name}"):
            table = self._place.warehouse.database.table(found.tables[0])
            return self._place.kind.give_back(table.arrow(f'SELECT {columns} FROM "{found.tables[0]}"'))

    def _columns(self) -> list[str]:
        from sdc.data import sql

        return [sql.name(name) for name in self._profile().roles.released]

    def _made(self) -> Any:
        return self._place.made(self._profile(), self._planned)

    @property
    def changes(self) -> dict[str, dict[str, int]]:
        """How many values each step changed, by variable, where records keep their place.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> study.protect("global_recode", age={"width": 10}).changes["1 global_recode"]["age"]
        300
        """
        return {
            f"{place} {step.method}": {name: count for name, count in step.changed.items() if count}
            for place, step in enumerate(self._made().candidate.steps, start=1)
        }

    def compare(self, *others: StudyCandidate, **named: StudyCandidate) -> CandidateComparison:
        """This candidate beside others, on all that was measured of any of them.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"], sensitive=["health"], seed=1)
        >>> mild, strong = study.protect("local_suppression", k=2), study.protect("local_suppression", k=3)
        >>> found = mild.assess("k_anonymity", "added_missing")
        >>> mild.compare(strong=strong).frame["k_anonymity"].tolist()
        [2.0, 3.0]
        """
        from sdc.study.comparison import compared

        return compared([self, *others], named)

    def report(self, path: str | Path) -> Path:
        """Write the report's internal page about this candidate, with all that was measured of it.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> study.protect("rounding", income={"to": 100}).report("report.html").name
        'report.html'
        """
        from sdc.report import Edition, page
        from sdc.study.writing import write_page

        place = document.writable(path, PAGES, "report")
        profile = self._profile(self._criteria())
        facts = self._facts(profile, [self._judged(profile)], self.name)
        with redacted("the report"):
            html = page(facts, Edition.INTERNAL, self._place.pair(profile, self._planned))
        write_page(place, html)
        return place

    def to_profile(
        self, path: str | Path, *, data: str | Path | None = None, access: str = "open", title: str = ""
    ) -> Path:
        """Write the study and this candidate as a profile that `sdc check` accepts and `sdc release` runs.

        `data` is where the records of a frame are written: a profile reads them from a file. Where nothing
        was demanded, the usual limit of a measure that can be believed stands in, to be replaced, and people
        decide on every release. The outbox is made beside the profile.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> safe = study.protect("local_suppression", k=3)
        >>> safe = safe.demand("k_anonymity", at_least=3, because="agency rule 4.2")
        >>> safe.to_profile("release.yaml", data="records.parquet").name
        'release.yaml'
        """
        from sdc.study.writing import write_profile

        place = document.writable(path, PROFILES, "to_profile")
        return write_profile(self, place, data=data, access=access, title=title)

    def _criteria(self) -> list[dict[str, Any]]:
        """What was demanded of this candidate, and what was measured of it beside."""
        return self._beside_demands(self._place.asked_of(self._planned))

    def _beside_demands(self, criteria: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        demanded = {each.get("as") or each["measure"] for each in self._demands}
        others = [each for each in criteria if (each.get("as") or each["measure"]) not in demanded]
        return [dict(each) for each in (*self._demands, *others)]

    def _measuring(self, asked: list[dict[str, Any]]) -> Profile:
        """What was asked for, judged by what is demanded of it; no other demand is measured."""
        judged: list[dict[str, Any]] = []
        for each in asked:
            name, given = each.get("as") or each["measure"], each.get("with") or {}
            same = [
                dict(demand)
                for demand in self._demands
                if (demand.get("as") or demand["measure"], demand["measure"]) == (name, each["measure"])
                and given in ({}, demand.get("with") or {})
            ]
            judged += same or [each]
        return super()._measuring(judged)

    def _profile(self, criteria: list[dict[str, Any]] | None = None) -> Profile:
        return super()._profile(self._beside_demands(criteria or []))

    def _check(self) -> None:
        """Every fault of steps and demands that can be known before anything is done."""
        rows = self._place.ingested.rows
        concerns = (candidate_faults, need_faults, extra_faults, partial(size_faults, rows=rows))
        document.read(self._values, *concerns)
        self._profile()

    def __repr__(self) -> str:
        steps = "\n".join(
            f"  {place}. {step['method']} {document.flow(step.get('with', {}))}".removesuffix(" {}")
            for place, step in enumerate(self._planned.steps, start=1)
        )
        demands = "".join(f"\n  demands {document.flow(dict(each))}" for each in self._demands)
        return f"Candidate {self.name!r} of {self._place.ingested.rows:,} records\n{steps}{demands}"


def _name_of(steps: tuple[Mapping[str, Any], ...]) -> str:
    """What a candidate is called while nobody names it: its methods one after the other."""
    return "_".join(str(step["method"]) for step in steps) or "candidate"
