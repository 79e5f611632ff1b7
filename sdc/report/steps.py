"""What was done, step by step and variable by variable."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sdc.catalogue.external import maker
from sdc.catalogue.measurement import Measurement
from sdc.catalogue.registry import Family, find_measure
from sdc.data.roles import LEFT_BEHIND
from sdc.report import wording
from sdc.report.options import counts_of_records, options, recorded
from sdc.report.views import Shown, StepView, VariableView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc.catalogue.protection import Budget, Step
    from sdc.gate.judged import JudgedCandidate
    from sdc.profile import Profile
    from sdc.profile.plan import VariablePlan
    from sdc.report.build import Drawn
    from sdc.report.edition import Rules
    from sdc.report.facts import RunFacts


def steps(candidate: JudgedCandidate, profile: Profile, rules: Rules) -> tuple[StepView, ...]:
    return tuple(_step(number, step, profile, rules) for number, step in enumerate(candidate.steps, start=1))


def _step(number: int, step: Step, profile: Profile, rules: Rules) -> StepView:
    method = maker(step)
    return StepView(
        number=number,
        method=step.method,
        question=method.summary,
        protection=wording.PROTECTIONS[step.protection],
        options=options(step.options, method, rules),
        touched=tuple(name for name in profile.variables if step.reached(name)),
        changed=tuple(
            (name, rules.count(step.changed[name])) for name in profile.variables if step.changed.get(name)
        ),
        record=recorded(step.record, method, rules),
        counted=counts_of_records(step.record, method, rules),
        budget=_budget(step.budget),
        reference=method.reference,
    )


def _budget(budget: Budget | None) -> str:
    if budget is None:
        return ""
    return f"ε = {wording.number(budget.epsilon)}" + (
        f", δ = {wording.number(budget.delta)}" if budget.delta else ""
    )


def variables(
    facts: RunFacts, candidate: JudgedCandidate | None, rules: Rules, drawn: Mapping[str, Drawn]
) -> tuple[VariableView, ...]:
    """Every variable of the profile: those that changed come first, the one that changed most at the top.

    The others follow in the order of the file.
    """
    views = [_variable(name, plan, candidate, rules) for name, plan in facts.profile.variables.items()]
    if candidate is None:
        return tuple(views)
    records = facts.rows.get("original")
    numbers = {view.name: _numbers(view.name, candidate, rules, records) for view in views}
    shown = {
        view.name: drawn[view.name].figures if view.released and view.name in drawn else () for view in views
    }
    views = [replace(view, numbers=numbers[view.name], figures=shown[view.name]) for view in views]
    return tuple(
        sorted(views, key=lambda view: (view.unchanged, -drawn[view.name].shift if shown[view.name] else 0.0))
    )


def _variable(name: str, plan: VariablePlan, candidate: JudgedCandidate | None, rules: Rules) -> VariableView:
    released = plan.role not in LEFT_BEHIND
    done = _done(name, candidate) if candidate else ()
    return VariableView(
        name=name,
        anchor=wording.anchor("variable", name),
        label=plan.label,
        role=wording.ROLES[plan.role],
        type=plan.type.value,
        unit=plan.unit,
        released=released,
        done=tuple(done) if released else ("left behind when the records were read",),
        changed=_changed(name, candidate, rules) if candidate and released else None,
        missing_added=rules.count(candidate.missing_added[name])
        if candidate and name in candidate.missing_added
        else None,
        unchanged=candidate is None
        or not released
        or not any(step.reached(name) for step in candidate.steps),
    )


def _numbers(
    name: str, candidate: JudgedCandidate, rules: Rules, records: int | None
) -> tuple[tuple[str, str, Shown], ...]:
    """What utility measures say of one variable: measurement, part and number."""
    held = [
        (assessment, assessment.outcome)
        for assessment in candidate.assessments
        if isinstance(assessment.outcome, Measurement)
    ]
    return tuple(
        (assessment.alias, wording.title(head), rules.part(head, value, records))
        for assessment, outcome in held
        if find_measure(assessment.measure).family is Family.UTILITY
        for part, value in rules.parts(outcome.parts, Family.UTILITY).items()
        for head, _, rest in [part.partition(".")]
        if rest == name
    )


def _done(name: str, candidate: JudgedCandidate) -> list[str]:
    touching = [(number, step) for number, step in enumerate(candidate.steps, start=1) if step.reached(name)]
    return [f"{step.method} (step {number})" for number, step in touching] or ["released as it is"]


def _changed(name: str, candidate: JudgedCandidate, rules: Rules) -> Shown | None:
    """Records whose value differs from the original.

    It is the measured number, else the count of the only step that changed any.
    """
    for assessment in candidate.assessments:
        if (
            assessment.measure == "records_changed"
            and isinstance(assessment.outcome, Measurement)
            and f"count.{name}" in assessment.outcome.parts
        ):
            return rules.count(int(assessment.outcome.parts[f"count.{name}"]))
    counts = [step.changed[name] for step in candidate.steps if name in step.changed]
    several = [count for count in counts if count]
    if len(several) > 1:
        return Shown(f"{rules.count(max(several)).text} in one step")
    return rules.count(max(counts)) if counts else None
