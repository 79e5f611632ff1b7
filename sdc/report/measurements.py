"""What was measured, and how each number is to be read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement
from sdc.catalogue.registry import find_measure
from sdc.profile.parts import judged_number
from sdc.report import wording
from sdc.report.comparison_views import Comparison, ComparisonRow
from sdc.report.doubts import doubt
from sdc.report.options import options
from sdc.report.readings import Held, after, told
from sdc.report.views import MeasurementView, PartsTable, Shown, Told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc.catalogue.finding import Finding
    from sdc.catalogue.measurement import Assessment
    from sdc.catalogue.registry import CatalogueEntry, Measure
    from sdc.gate.judged import JudgedCandidate
    from sdc.profile import Profile
    from sdc.report.edition import Rules
    from sdc.report.facts import RunFacts

MOST_ROWS = 120


def measurements(
    facts: RunFacts, candidate: JudgedCandidate, rules: Rules, records: int | None
) -> tuple[MeasurementView, ...]:
    """Measurements of a candidate in the order of the profile."""
    order = {criterion.alias: place for place, criterion in enumerate(facts.profile.criteria)}
    held = sorted(candidate.assessments, key=lambda assessment: order.get(assessment.alias, len(order)))
    return tuple(_view(facts, candidate, assessment, rules, records) for assessment in held)


def _view(
    facts: RunFacts, candidate: JudgedCandidate, assessment: Assessment, rules: Rules, records: int | None
) -> MeasurementView:
    measure = find_measure(assessment.measure)
    judged = next(
        (found.value for found in candidate.decision.findings if found.criterion == assessment.alias), None
    )
    assessment = _judged_at(assessment, judged)
    outcome = assessment.outcome
    held = (
        outcome if isinstance(outcome, Measurement) and not (rules.public and facts.chosen is None) else None
    )
    scalars, table = (
        _parts(rules.parts(held.parts, measure.family), rules, facts.profile, records) if held else ((), None)
    )
    hidden = "not published" if isinstance(outcome, Measurement) else "not assessed for this release"
    return MeasurementView(
        name=assessment.alias,
        anchor=wording.anchor("measurement", candidate.name, assessment.alias),
        measure=assessment.measure,
        question=measure.summary,
        family=measure.family.value,
        direction=wording.DIRECTIONS[measure.better],
        range=_range(measure),
        value=_value(held, measure, rules, records) if held else None,
        interval=_interval(held, judged, measure, rules, records),
        not_assessed="" if held else hidden if rules.public else assessment.not_assessed or "",
        judged=", ".join(filter(None, (_judged(assessment, facts.profile), _synthesis(held, measure)))),
        definition=definition(measure),
        reference=measure.reference,
        parts=scalars,
        parts_table=table,
        options=options(assessment.options, measure, rules),
        seconds="" if rules.public else f"{assessment.seconds:.2f} s",
        doubt=doubt(candidate, facts.profile, assessment.measure, assessment.options)
        if isinstance(outcome, Measurement)
        else "",
        told=told(read, rules) if held and (read := Held.of(facts, candidate, assessment, rules)) else Told(),
    )


def _judged_at(assessment: Assessment, number: float | None) -> Assessment:
    """Of several syntheses what was measured on the one whose number was judged."""
    outcome = assessment.outcome
    return (
        replace(assessment, outcome=outcome.judged_at(number))
        if isinstance(outcome, Measurement)
        else assessment
    )


def _value(held: Measurement, measure: Measure, rules: Rules, records: int | None) -> Shown:
    """The estimate, as finely as its interval lets it be known."""
    shown = rules.judged(held.estimate, measure, None, records)
    return (
        shown
        if rules.public
        else replace(shown, text=wording.pieces_of(held.estimate, held.interval, None)[0])
    )


def _range(measure: Measure) -> str:
    low, high = (wording.number(bound) if abs(bound) != float("inf") else "" for bound in measure.bounds)
    return (
        f"{low} to {high}"
        if low and high
        else f"{low} or more"
        if low
        else f"{high} or less"
        if high
        else "any number"
    )


def _interval(
    held: Measurement | None, judged: float | None, measure: Measure, rules: Rules, records: int | None
) -> str:
    """The interval, and the end of it that was judged."""
    if held is None or held.interval is None:
        return ""
    say = (lambda end: rules.judged(end, measure, None, records).text) if rules.public else None
    return ", ".join(filter(None, wording.pieces_of(held.estimate, held.interval, judged, say)[1:]))


def _judged(assessment: Assessment, profile: Profile) -> str:
    limits = [
        criterion
        for criterion in profile.criteria
        if criterion.alias == assessment.alias and criterion.is_judged
    ]
    said = [
        (f"{limit.part} " if limit.part else "") + wording.limit(limit.at_least, limit.at_most)
        for limit in limits
    ]
    return wording.listed(said) if said else "reported, not judged"


def _synthesis(held: Measurement | None, measure: Measure) -> str:
    """Which of several syntheses a number is about."""
    if held is None:
        return ""
    if held.syntheses:
        return f"the worst of {len(held.syntheses)} syntheses: number {held.synthesis}"
    combined = int(held.parts.get("syntheses", 1)) if measure.combines else 1
    return f"{combined} syntheses combined" if combined > 1 else ""


def definition(entry: CatalogueEntry) -> tuple[str, ...]:
    """The paragraphs of a unit's docstring, except its references."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in entry.definition.split("\n\n")]
    return tuple(
        paragraph.replace("`", "")
        for paragraph in paragraphs
        if paragraph and not paragraph.startswith(("Reference:", "References:"))
    )


def _parts(
    parts: Mapping[str, float], rules: Rules, profile: Profile, records: int | None
) -> tuple[tuple[tuple[str, Shown], ...], PartsTable | None]:
    """Numbers of their own, and those that come for each variable as a table."""
    alone = {name: value for name, value in parts.items() if "." not in name}
    rows: dict[str, dict[str, float]] = {}
    for name in parts.keys() - alone.keys():
        head, _, rest = name.partition(".")
        rows.setdefault(rest, {})[head] = parts[name]
    scalars = tuple((wording.title(name), rules.part(name, value, records)) for name, value in alone.items())
    if not rows:
        return scalars, None
    heads = sorted({head for row in rows.values() for head in row})
    place = {name: number for number, name in enumerate(profile.variables)}
    pieces = {name: wording.pieces(name, place) for name in rows}
    names = sorted(rows, key=lambda name: (place.get(pieces[name][0], len(place)), _in_order(pieces[name])))
    cells = {
        name: tuple(
            rules.part(head, rows[name][head], records) if head in rows[name] else None for head in heads
        )
        for name in names
    }
    shown = tuple(
        (" × ".join(wording.worded(pieces[name], profile.variables)), cells[name]) for name in names
    )
    return scalars, PartsTable(
        tuple(wording.title(head) for head in heads), shown[:MOST_ROWS], max(len(shown) - MOST_ROWS, 0)
    )


def _in_order(pieces: Sequence[str]) -> list[tuple[bool, int, str]]:
    """Numbers in a name by their size, before words."""
    return [(False, int(part), "") if part.isdigit() else (True, 0, part) for part in pieces]


def comparison(facts: RunFacts, rules: Rules) -> Comparison | None:
    """Candidates side by side, where there are several and the edition shows them."""
    if rules.public or len(facts.candidates) < 2:
        return None
    rows = [
        _row(facts, criterion.alias, rules)
        for criterion in {criterion.alias: criterion for criterion in facts.profile.criteria}.values()
    ]
    return Comparison(
        tuple(candidate.name for candidate in facts.candidates), facts.chosen or "", tuple(rows)
    )


def _row(facts: RunFacts, alias: str, rules: Rules) -> ComparisonRow:
    criteria = [criterion for criterion in facts.profile.criteria if criterion.alias == alias]
    criterion = next((each for each in criteria if each.is_judged), criteria[0])
    names = (alias, f"{alias}.{criterion.part}")
    cells: list[tuple[str, bool | None, str]] = []
    for candidate in facts.candidates:
        held = next((assessment for assessment in candidate.assessments if assessment.alias == alias), None)
        finding = next((found for found in candidate.decision.findings if found.criterion in names), None)
        wrong = (
            doubt(candidate, facts.profile, held.measure, held.options, criterion.part)
            if held and held.value is not None
            else ""
        )
        cells.append((_cell(held, criterion.part, rules, finding), finding.holds if finding else None, wrong))
    direction = "" if criterion.part else wording.DIRECTIONS[find_measure(criterion.measure).better]
    name = f"{alias}, {criterion.part}" if criterion.part else alias
    unit = judged_number(find_measure(criterion.measure), criterion.part).unit
    limit = wording.limit(criterion.at_least, criterion.at_most)
    return ComparisonRow(name, after(limit, unit) if criterion.is_judged else limit, direction, tuple(cells))


def _cell(held: Assessment | None, part: str | None, rules: Rules, finding: Finding | None) -> str:
    if held is None:
        return "not asked"
    if not isinstance(held.outcome, Measurement):
        return "not assessed"
    judged = finding.value if finding else None
    if part is None:
        outcome = held.outcome.judged_at(judged)
        return wording.reading(outcome.estimate, outcome.interval, judged)
    if judged is not None:
        return rules.number(judged).text
    return rules.number(held.outcome.parts[part]).text if part in held.outcome.parts else "not assessed"
