"""What does the command line say at the end? Compact tables a person can act on."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from sdc.catalogue.finding import demanded
from sdc.catalogue.registry import Entry, Measure, Method, find_measure, measures, methods
from sdc.cli.layout import console, show
from sdc.cli.option_lines import option_lines
from sdc.errors import UnknownName
from sdc.methods.model_choice import find_model, model_names, targets
from sdc.spelling import nearest, number

if TYPE_CHECKING:
    from flows.compare import Compared
    from flows.plan import Planned
    from sdc.catalogue.finding import Finding
    from sdc.catalogue.measurement import Assessment
    from sdc.catalogue.protection import Step
    from sdc.gate.pareto import Axis
    from tasks.outcome import Outcome


def print_outcome(outcome: Outcome) -> None:
    """Verdict, findings of the candidate it rests on, and where to look."""
    out = console()
    sound = [
        finding
        for finding in outcome.findings
        if finding.family == "table" and (finding.holds or finding.otherwise == "note")
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
    mark = (
        "[green]✓[/green]"
        if finding.holds
        else "[red]✗[/red]"
        if finding.otherwise == "withhold"
        else "[yellow]![/yellow]"
    )
    limits = demanded(finding.at_least, finding.at_most)
    meaning = finding.because if finding.holds else finding.reason
    return (
        mark,
        finding.criterion,
        finding.candidate,
        reading or number(finding.value),
        limits,
        number(finding.margin),
        escape(meaning),
    )


def print_comparison(compared: Compared) -> None:
    """A row for each candidate: verdict, place on the risk-utility map, what does not hold."""
    out = console()
    _show_candidates(compared, compared.chosen, compared.front)
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


def _measured(compared: Compared, name: str, axis: Axis) -> str:
    """The number of a candidate on an axis of the map, with its interval where it has one."""
    assessments = next(each.assessments for each in compared.judged if each.name == name)
    held, value = axis.measured(assessments), axis.value(assessments)
    if held is None or value is None or axis.part is not None or held.interval is None:
        return number(value)
    return f"{number(value)} ({number(held.interval.low)} to {number(held.interval.high)})"


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
        facts = (number(assessment.value), measure.unit.value, measure.better.value)
        rows.append((assessment.alias, *facts, f"{assessment.seconds:.2f}", escape(outcome or shown + more)))
    show(("measurement", "value", "unit", "better", "seconds", "parts"), rows, right=("value", "seconds"))


def print_steps(steps: Sequence[Step], path: Path) -> None:
    out = console()
    for place, step in enumerate(steps, start=1):
        changed = ", ".join(f"{name} {count:,}" for name, count in step.changed.items() if count) or (
            "none" if step.aligned else "records are new"
        )
        out.print(f"{place}. {step.method}: values changed: {changed}", soft_wrap=True, markup=False)
    out.print(f"wrote {path}; it has not been judged", markup=False)


MOST_SUGGESTED = 8
SHOWN = (
    *(
        "family",
        "better",
        "unit",
        "against",
        "usual",
        "bounds",
        "needs",
        "may_need",
        "valid_after",
        "alternatives",
    ),
    *("protection", "aligned", "touches", "proves_budget", "extra", "draws", "random"),
)
"""Facts of an entry in the order they are printed."""


def described(entry: Entry) -> dict[str, Any]:
    """One entry of the catalogue as JSON."""
    schema = entry.options.model_json_schema()
    facts: dict[str, Any] = {
        "name": entry.name,
        "summary": entry.summary,
        "definition": entry.definition,
        "reference": entry.reference,
        "options": schema.get("properties", {}),
        "options_by_variable": entry.takes_variables,
        "random": entry.takes_rng,
    }
    if isinstance(entry, Measure):
        low, high = (None if abs(bound) == float("inf") else bound for bound in entry.bounds)
        return facts | {
            "kind": "measure",
            "family": entry.family.value,
            "better": entry.better.value,
            "unit": entry.unit.value,
            "against": [
                f"{stick.words}: {number(stick.number) if isinstance(stick.number, float) else stick.number}"
                for stick in entry.against
            ],
            "usual": entry.usual_limit or None,
            "bounds": [low, high],
            "needs": sorted(need.value for need in entry.needs),
            "valid_after": sorted(protection.value for protection in entry.valid_after),
            "alternatives": list(entry.alternatives),
        }
    if not isinstance(entry, Method):
        return facts | {"kind": "model", "draws": targets(entry.name)}
    return facts | {
        "kind": "method",
        "protection": entry.protection.value,
        "aligned": entry.aligned,
        "touches": entry.touches.value,
        "proves_budget": entry.proves_budget,
        "needs": sorted(need.value for need in entry.needs_by_default),
        "may_need": sorted(need.value for need in entry.needs if need not in entry.needs_by_default),
        "extra": entry.extra.name if entry.extra else None,
    }


def print_catalogue(*, as_json: bool) -> None:
    entries: list[Entry] = [*measures().values(), *methods().values()]
    if as_json:
        print(json.dumps([described(entry) for entry in entries], indent=2, default=str))  # noqa: T201
        return
    out = console()
    for title, group in (
        ("Risk", [entry for entry in measures().values() if entry.family.value == "risk"]),
        ("Utility", [entry for entry in measures().values() if entry.family.value == "utility"]),
        ("Methods", list(methods().values())),
    ):
        headings = (
            "name",
            "better" if title != "Methods" else "records",
            "question",
            "needs" if title != "Methods" else "keeps rows aligned",
        )
        show(headings, map(_row, group), title=title, out=out)
        out.print()
    out.print(f"Models of sequential: {', '.join(model_names())}", markup=False)


def _row(entry: Entry) -> tuple[str, str, str, str]:
    if isinstance(entry, Measure):
        return (
            entry.name,
            entry.better.value,
            entry.summary,
            ", ".join(sorted(need.value for need in entry.needs)),
        )
    assert isinstance(entry, Method)
    return entry.name, entry.protection.value, entry.summary, "yes" if entry.aligned else "no"


def print_entry(name: str, *, as_json: bool) -> None:
    known: dict[str, Entry] = {
        **{model: find_model(model) for model in model_names()},
        **methods(),
        **measures(),
    }
    if name not in known:
        meant = name.casefold()
        speaking = [
            each for each, entry in known.items() if meant in each or meant in entry.summary.casefold()
        ]
        raise UnknownName(
            "measure, method or model", name, nearest(name, list(known)), speaking[:MOST_SUGGESTED]
        )
    facts = described(known[name])
    if as_json:
        print(json.dumps(facts, indent=2, default=str))  # noqa: T201
        return
    out = console()
    out.print(f"[bold]{name}[/bold]  {facts['summary']}\n")
    out.print(facts["definition"], markup=False, soft_wrap=True)
    out.print()
    for fact in SHOWN:
        if facts.get(fact) not in (None, [], ()):
            out.print(f"  {fact:<14} {_fact(fact, facts[fact])}", markup=False, soft_wrap=True)
    if isinstance(entry := known[name], Measure):
        out.print(
            f"  {'parts':<14} {', '.join(part.name for part in entry.parts) or 'none'}",
            markup=False,
            soft_wrap=True,
        )
    lines = option_lines(known[name])
    out.print("\n  with:" if lines else "\n  no options", markup=False)
    for line in lines:
        out.print(f"    {line}", markup=False, soft_wrap=True)


def _fact(name: str, value: Any) -> str:
    """A fact of an entry in words."""
    if name == "bounds":
        return demanded(*value) or "any number"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)


def print_markdown() -> None:
    """The catalogue as a page of the documentation."""
    lines = [
        "# Catalogue",
        "",
        (
            "Made by `make docs` from the docstrings; `sdc catalogue NAME` prints one entry with all its"
            " options."
        ),
        "",
    ]
    for title, family in (("Risk", "risk"), ("Utility", "utility")):
        lines += [
            f"## {title}",
            "",
            "| measure | question | better | unit | read against | needs | reference |",
            "|---|---|---|---|---|---|---|",
        ]
        for entry in measures().values():
            if entry.family.value == family:
                needs = ", ".join(sorted(need.value for need in entry.needs))
                facts = described(entry)
                against = "; ".join(
                    [*facts["against"], *([f"usual: {facts['usual']}"] if facts["usual"] else [])]
                )
                lines.append(
                    f"| `{entry.name}` | {entry.summary} | {facts['better']} | {facts['unit']} | {against} |"
                    f" {needs} | {entry.reference} |"
                )
        lines.append("")
    lines += ["## Methods", "", "| method | what it does | records | reference |", "|---|---|---|---|"]
    lines += [
        f"| `{entry.name}` | {entry.summary} | {entry.protection.value} | {entry.reference} |"
        for entry in methods().values()
    ]
    lines += [
        "",
        "## Models of `sequential`",
        "",
        "| model | what it draws | of | options | reference |",
        "|---|---|---|---|---|",
    ]
    for model in map(find_model, model_names()):
        options = ", ".join(f"`{option}`" for option in model.options.model_fields)
        lines.append(
            f"| `{model.name}` | {model.summary} | {targets(model.name)} | {options} | {model.reference} |"
        )
    print("\n".join(lines))  # noqa: T201


def print_validity(*, as_json: bool) -> None:
    from sdc.catalogue.validity import matrix

    rules = matrix()
    if as_json:
        print(json.dumps([vars(rule) for rule in rules], indent=2, default=str))  # noqa: T201
        return
    show(
        ("measure", "after", "believable", "why"),
        [(rule.measure, rule.method, "yes" if rule.valid else "no", escape(rule.reason)) for rule in rules],
    )
