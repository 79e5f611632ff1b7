"""Checks that every candidate can be made and that some believable criterion judges it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sdc.catalogue.external import EXTERNAL, makers
from sdc.catalogue.registry import find_measure, measures
from sdc.catalogue.validity import DEPENDENT_SAMPLES, NEVER_ALONE, Believable, believable, opens_no_gate
from sdc.profile.criteria import is_of_some_values, keys_covered, promises
from sdc.profile.options import option_faults
from sdc.profile.parts import can_have, part_faults
from sdc.profile.shape import fits
from sdc.profile.wording import SIMPLE_NAME, SIMPLE_NAME_IN_WORDS, did_you_mean, listed
from sdc.spelling import noun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.errors import Fault
    from sdc.profile.document import Place
    from sdc.profile.plan import Criterion
    from sdc.profile.reading import Reading


def candidate_faults(reading: Reading) -> Iterator[Fault]:
    """Faults of the steps of each candidate, and of what is promised about it."""
    profile = reading.profile
    if not profile.candidates and reading.sound("candidates"):
        yield reading.fault(
            ("candidates",),
            "no candidate is planned",
            "add one: a name, and below it its steps, each with '- {method: ...}'",
        )
    for name, steps in profile.candidates.items():
        if not re.match(SIMPLE_NAME, name):
            yield reading.fault(
                ("candidates", name),
                f"a candidate cannot be called {name!r}",
                f"write {SIMPLE_NAME_IN_WORDS}",
            )
        base, _, number = name.rpartition("_")
        if number.isdigit() and base in profile.candidates:
            problem = f"{name!r} would be taken for a further synthesis of candidate {base!r}"
            yield reading.fault(("candidates", name), problem, "give it a name that does not end in a number")
        for position, step in enumerate(steps):
            place: Place = ("candidates", name, position)
            if place in reading.broken or (*place, "method") in reading.broken:
                continue
            if step.method in makers():
                yield from option_faults(reading, makers()[step.method], step.options, (*place, "with"))
                if step.method == EXTERNAL.name and len(steps) > 1:
                    yield reading.fault(
                        place,
                        "a file made elsewhere is a candidate's only step",
                        "write the file's candidate and the steps' apart",
                    )
            else:
                yield reading.fault(
                    (*place, "method"),
                    f"no method is called {step.method!r}",
                    did_you_mean(step.method, makers()) or "see `sdc catalogue`",
                )


def promise_faults(reading: Reading) -> Iterator[Fault]:
    """Candidates about which no criterion of risk would promise anything."""
    if not (reading.sound("risk") and reading.sound("candidates")) or any(
        _misnamed(criterion, reading) for criterion in reading.profile.risk
    ):
        return
    for name in reading.profile.candidates:
        promised = [
            (place, criterion)
            for place, criterion in reading.criteria()
            if criterion.covers(name) and promises(criterion)
        ]
        if not promised:
            problem = (
                f"nothing would be promised about candidate {name!r}: no criterion under risk stops it when"
                " its risk is too high"
            )
            remedy = 'add one with a limit, e.g. {measure: k_anonymity, at_least: 3, because: "agency rule"}'
            yield reading.fault(("candidates", name), problem, remedy)
            continue
        if reading.sound("variables") and all(
            is_of_some_values(criterion, reading.profile.roles) for _, criterion in promised
        ):
            problem = (
                f"nothing would be promised about candidate {name!r}: its privacy budget leaves out a key or"
                " a sensitive variable"
            )
            yield reading.fault(
                ("candidates", name),
                problem,
                "name all of them, or judge another measure of risk too, e.g. k_anonymity",
            )
            continue
        bare = set(reading.profile.roles.quasi_identifiers).difference(
            *(keys_covered(criterion, reading.profile.roles) for _, criterion in promised)
        )
        if bare and reading.sound("variables"):
            problem = (
                f"no criterion under risk that can stop candidate {name!r} looks at"
                f" {listed(sorted(bare), 'and')}, declared quasi_identifier"
            )
            yield reading.fault(
                ("candidates", name),
                problem,
                "judge one that names no keys or variables, or has these among them",
            )
        believed = [
            (place, criterion)
            for place, criterion in promised
            if _may_be_believed(reading, place, criterion, name)
        ]
        if opens_no_gate({criterion.measure for _, criterion in believed}):
            place, criterion = believed[0]
            others = listed([other for other in NEVER_ALONE.instead if other in measures()])
            problem = (
                f"{criterion.measure} is the only judged criterion of risk for candidate {name!r}, and"
                f" {NEVER_ALONE.statement}"
            )
            yield reading.fault(
                place,
                f"{problem} ({NEVER_ALONE.citation})",
                f"judge another measure of risk too{f', e.g. {others}' if others else ''}",
            )


def _misnamed(criterion: Criterion, reading: Reading) -> bool:
    """A criterion whose measure, part or candidates are misspelt may be the one that promises something."""
    measure = measures().get(criterion.measure)
    if measure is None or any(name not in reading.profile.candidates for name in criterion.candidates):
        return True
    return criterion.part is not None and not can_have(
        measure, criterion.part, reading.profile.roles.released
    )


def validity_faults(reading: Reading) -> Iterator[Fault]:
    """Criteria on candidates whose steps make the measure invalid.

    They are refused where judged or preferred, and noted where only reported.
    """
    if not reading.sound("variables"):
        return
    for place, criterion in reading.criteria():
        if not _is_known(reading, place, criterion):
            continue
        answers = {
            name: _believed(reading, criterion, name) for name in reading.understood if criterion.covers(name)
        }
        fine = [name for name, answer in answers.items() if answer.valid]
        for answer in dict.fromkeys(answer for answer in answers.values() if not answer.valid):
            spoilt = [repr(name) for name, other in answers.items() if other == answer]
            where = f"{noun(len(spoilt), 'candidate')} {listed(spoilt, 'and')}"
            problem = f"{criterion.alias} cannot be believed on {where}: {answer.reason} ({answer.citation})"
            yield (
                reading.fault(place, problem, _ways_out(answer, fine))
                if criterion.is_judged
                else reading.note(place, problem)
            )


def _is_known(reading: Reading, place: Place, criterion: Criterion) -> bool:
    """Whether it is clear what is measured, with which options and on which candidates."""
    measure = measures().get(criterion.measure)
    return (
        measure is not None
        and all(reading.sound(*place, key) for key in ("with", "part", "for"))
        and fits(measure.options, criterion.options)
    )


def _believed(reading: Reading, criterion: Criterion, candidate: str) -> Believable:
    profile = reading.profile
    return believable(
        find_measure(criterion.measure),
        criterion.options,
        profile.candidates[candidate],
        profile.roles,
        criterion.part,
    )


def _may_be_believed(reading: Reading, place: Place, criterion: Criterion, candidate: str) -> bool:
    """Whether a criterion may be believed: it is not known to be invalid."""
    known = (
        reading.sound("variables")
        and candidate in reading.understood
        and _is_known(reading, place, criterion)
    )
    return not known or _believed(reading, criterion, candidate).valid


def _ways_out(answer: Believable, fine: list[str]) -> str:
    ways = [f"judge {listed(answer.alternatives)} there"] if answer.alternatives else []
    if answer.rule is DEPENDENT_SAMPLES:
        ways.append("judge the distance itself, not its p-value")
    ways.append(
        f"limit this criterion with for: [{', '.join(fine)}]"
        if fine
        else "delete its range, so that it is only reported"
    )
    return listed(ways)


def preference_faults(reading: Reading) -> Iterator[Fault]:
    """`prefer` must name a measurement that every candidate has and that may be believed on each."""
    profile = reading.profile
    if profile.prefer is None or not all(reading.sound(section) for section in ("prefer", "risk", "utility")):
        return
    wanted = profile.prefer.measure
    place, found = next(
        ((place, criterion) for place, criterion in reading.criteria() if criterion.alias == wanted),
        ((), None),
    )
    if found is None:
        renamed = [criterion.alias for criterion in profile.criteria if criterion.measure == wanted]
        remedy = (
            f"it is measured as {listed(renamed)}"
            if renamed
            else did_you_mean(wanted, [criterion.alias for criterion in profile.criteria])
        )
        yield reading.fault(
            ("prefer", "measure"),
            f"prefer names {wanted!r}, which no criterion measures",
            remedy or "add it under utility or risk",
        )
        return
    if found.measure in measures():
        yield from part_faults(reading, measures()[found.measure], profile.prefer.part, ("prefer", "part"))
    for name in profile.candidates:
        if not found.covers(name):
            yield reading.fault(
                ("prefer",),
                f"prefer names {wanted!r}, which is not measured on candidate {name!r}",
                "widen its for:, or prefer another",
            )
        elif (
            name in reading.understood
            and reading.sound("variables")
            and _is_known(reading, place, found)
            and not found.is_judged
        ):
            answer = _believed(reading, found, name)
            if not answer.valid and len(profile.candidates) > 1:
                problem = (
                    f"prefer would choose by {wanted!r}, which cannot be believed on candidate {name!r}:"
                    f" {answer.reason}"
                )
                yield reading.fault(
                    ("prefer",),
                    problem,
                    (
                        f"prefer {listed(answer.alternatives)}"
                        if answer.alternatives
                        else "prefer another measure"
                    ),
                )


def map_faults(reading: Reading) -> Iterator[Fault]:
    """`map` must name a measurement of risk and one of utility that every candidate has."""
    profile = reading.profile
    if profile.map is None or not all(reading.sound(section) for section in ("map", "risk", "utility")):
        return
    for axis, criteria in (("risk", profile.risk), ("utility", profile.utility)):
        wanted = getattr(profile.map, axis)
        found = next((criterion for criterion in criteria if criterion.alias == wanted), None)
        if found is None:
            remedy = (
                did_you_mean(wanted, [criterion.alias for criterion in criteria]) or f"add it under {axis}"
            )
            yield reading.fault(
                ("map", axis), f"map names {wanted!r}, which no criterion of {axis} measures", remedy
            )
            continue
        for name in [name for name in profile.candidates if not found.covers(name)][:1]:
            problem = f"map names {wanted!r}, which is not measured on candidate {name!r}"
            yield reading.fault(("map", axis), problem, "widen its for:, or name another")
