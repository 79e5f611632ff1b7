"""What a command says at its end: compact tables a person can act on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from sdc.catalogue.finding import Concerns, Otherwise
from sdc.catalogue.measurement import Measurement
from sdc.catalogue.registry import find_measure
from sdc.cli.layout import console, show
from sdc.spelling import limit_in_signs, number

if TYPE_CHECKING:
    from flows.compare import Compared
    from flows.plan import Planned
    from sdc.catalogue.finding import Finding
    from sdc.catalogue.measurement import Assessment
    from sdc.catalogue.protection import Step
    from sdc.gate.pareto import MapAxis
    from tasks.outcome import Outcome

NO_VALUE = "not assessed"
DOUBTED = " (cannot be believed)"


def print_outcome(outcome: Outcome) -> None:
    """Verdict, findings of the candidate it rests on, and where to look."""
    out = console()
    sound = [
        finding
        for finding in outcome.findings
        if finding.family is Concerns.TABLE and (finding.holds or finding.otherwise is Otherwise.NOTE)
    ]
    told = [finding for finding in outcome.findings if finding not in sound]
    rows = [
        _finding(finding, outcome.readings.get((finding.candidate, finding.criterion))) for finding in told
    ]
    show(
        ("", "criterion", "candidate", "value", "demanded", "margin", "what it means"),
        rows,
        title=f"Run {outcome.run_id}",
        right=("value", "margin"),
        out=out,
    )
    if sound:
        noted = sum(not finding.holds for finding in sound)
        out.print(_checks(len(sound) - noted, noted), style="dim")
    out.print()
    out.print(f"[bold]{outcome.sentence}[/bold]", soft_wrap=True)
    if outcome.choice and outcome.chosen:
        out.print(f"  {outcome.choice}", soft_wrap=True, markup=False)
    for criterion, words in outcome.tried.items():
        out.print(f"  {criterion}: {words}", soft_wrap=True, markup=False)
    for what, place in outcome.places:
        out.print(f"  {what}: {place}", soft_wrap=True, markup=False)
    for role in outcome.roles:
        out.print(
            f'  to decide: sdc approve {outcome.run_id} --as {role} --by NAME --reason "…"',
            soft_wrap=True,
            markup=False,
        )
    if outcome.roles:
        out.print(
            "  (sdc reject to refuse; sdc serve to read and decide in a browser)",
            soft_wrap=True,
            markup=False,
        )


def _checks(held: int, noted: int) -> str:
    from sdc.spelling import counted

    also = f", {noted} {'is' if noted == 1 else 'are'} noted in the report" if noted else ""
    return f"{counted(held, 'check')} of the candidate table {'holds' if held == 1 else 'hold'}{also}"


def _finding(finding: Finding, reading: str | None) -> tuple[str, ...]:
    limits = limit_in_signs(finding.at_least, finding.at_most)
    meaning = finding.because if finding.holds else finding.reason
    return (
        _mark(finding),
        finding.criterion,
        finding.candidate,
        reading or number(finding.value),
        limits,
        number(finding.margin),
        escape(meaning),
    )


def print_comparison(compared: Compared) -> None:
    """A row for each candidate: verdict, place on the map, what does not hold; then all criteria."""
    out = console()
    _show_candidates(compared, compared.chosen, compared.front)
    out.print()
    _show_criteria(compared)
    out.print()
    passes = next(
        (each.decision.verdict.of_candidate for each in compared.judged if each.name == compared.chosen), ""
    )
    out.print(
        f"chosen: {compared.chosen}, which {passes}" if compared.chosen else "no candidate may leave",
        markup=False,
    )
    out.print(compared.because, markup=False, soft_wrap=True)


def _show_candidates(compared: Compared, chosen: str | None, front: Collection[str]) -> None:
    labels = (
        [f"{axis.label} ({axis.better.value} is better)" for axis in compared.axes] if compared.axes else []
    )
    rows = []
    for row in compared.as_json()["candidates"]:
        place = [_measured(compared, row["name"], axis) for axis in compared.axes or ()]
        name = f"[bold]{row['name']}[/bold]" if row["name"] == chosen else row["name"]
        missed = (
            f"cannot be made: {row['cannot_be_made']}"
            if row["cannot_be_made"]
            else ", ".join(row["does_not_hold"])
        )
        rows.append((name, row["verdict"], *place, "●" if row["name"] in front else "", escape(missed)))
    headings = ("candidate", "gate", *labels, "front", "does not hold")
    show(headings, rows, title=f"Candidates of {compared.profile.name}", right=labels)


def _show_criteria(compared: Compared) -> None:
    """All that was judged of the candidates, then all that was only measured, side by side."""
    from sdc.report.doubts import doubt
    from sdc.report.judged_findings import find_doubt, judged, reading_of

    names = [each.name for each in compared.judged]
    demanded: dict[str, str] = {}
    cells: dict[str, dict[str, str]] = {}
    for each in compared.judged:
        for finding in each.decision.findings:
            if finding.family.measured:
                demanded.setdefault(finding.criterion, limit_in_signs(finding.at_least, finding.at_most))
                told = reading_of(each, finding, compared.profile) if finding.value is not None else NO_VALUE
                doubted = find_doubt(compared.profile, each, judged(finding, compared.profile))
                mark = DOUBTED if doubted and finding.value is not None else ""
                cells.setdefault(finding.criterion, {})[each.name] = f"{_mark(finding)} {told}{mark}"
    for each in compared.judged:
        for assessed in each.assessments:
            if assessed.alias not in demanded:
                doubted = doubt(each, compared.profile, assessed.measure, assessed.options)
                mark = DOUBTED if doubted and assessed.value is not None else ""
                cells.setdefault(assessed.alias, {})[each.name] = f"{_value(assessed)}{mark}"
    rows = [
        (name, demanded.get(name) or "reported", *(held.get(each, "") for each in names))
        for name, held in cells.items()
    ]
    show(("criterion", "demanded", *names), rows, title="Criteria", right=names)


def _value(assessed: Assessment) -> str:
    """A measurement with its interval, or that there is none."""
    from sdc.report.wording import reading

    if not isinstance(assessed.outcome, Measurement):
        return NO_VALUE
    return reading(assessed.outcome.estimate, assessed.outcome.interval)


def _mark(finding: Finding) -> str:
    if finding.holds:
        return "[green]✓[/green]"
    return "[red]✗[/red]" if finding.otherwise is Otherwise.WITHHOLD else "[yellow]![/yellow]"


def _measured(compared: Compared, name: str, axis: MapAxis) -> str:
    """The number of a candidate on an axis of the map, with its interval where it has one."""
    from sdc.report.doubts import doubt
    from sdc.report.wording import reading

    candidate = next(each for each in compared.judged if each.name == name)
    held, value = axis.measured(candidate.assessments), axis.value(candidate.assessments)
    if held is None or value is None:
        return number(value)
    assessed = next(each for each in candidate.assessments if each.alias == axis.alias)
    doubted = doubt(candidate, compared.profile, assessed.measure, assessed.options, axis.part)
    without = axis.part is not None or held.interval is None
    return f"{number(value) if without else reading(value, held.interval)}{DOUBTED if doubted else ''}"


def print_plan(planned: Planned) -> None:
    """Every candidate tried, what is recommended and why, and how to write it down."""
    out = console()
    _show_candidates(planned.tried, planned.recommended, planned.front)
    for sentence in planned.in_words:
        out.print(sentence, markup=False, soft_wrap=True)
    if planned.recommended:
        out.print(
            f"\nTo release it, write in the profile:\n{planned.as_written}", markup=False, soft_wrap=True
        )


def print_assessments(assessments: Sequence[Assessment]) -> None:
    rows = []
    for assessment in assessments:
        parts = assessment.as_json()["parts"]
        shown = ", ".join(f"{name} {number(part)}" for name, part in list(parts.items())[:8])
        more = f" … {len(parts) - 8} more (--json)" if len(parts) > 8 else ""
        outcome = assessment.not_assessed and f"not assessed: {assessment.not_assessed}"
        measure = find_measure(assessment.measure)
        facts = (_value(assessment) if not outcome else "—", measure.unit.value, measure.better.value)
        rows.append((assessment.alias, *facts, f"{assessment.seconds:.2f}", escape(outcome or shown + more)))
    show(("measurement", "value", "unit", "better", "seconds", "parts"), rows, right=("value", "seconds"))


def print_steps(steps: Sequence[Step], places: Sequence[Path], order: str = "") -> None:
    out = console()
    for place, step in enumerate(steps, start=1):
        changed = ", ".join(f"{name} {count:,}" for name, count in step.changed.items() if count) or (
            "none" if step.aligned else "records are new"
        )
        out.print(f"{place}. {step.method}: values changed: {changed}", soft_wrap=True, markup=False)
    told = "it has" if len(places) == 1 else f"these {len(places)} syntheses have"
    out.print(f"wrote {', '.join(map(str, places))}; {told} not been judged{order}", markup=False)
