"""Writes a candidate as an R script with sdcMicro and synthpop, where they have an equal step.

What has none is said in a comment, and the script warns at its end: nothing is left out in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.external import makers
from sdc.data.roles import VariableType
from sdc.spelling import counted
from sdc.studio.r_steps import EQUALS, NoEqual, RStep, r_text, r_vector

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.profile.plan import Profile, StepPlan


@dataclass(frozen=True)
class RScript:
    """The text, and the steps that have no equal in it."""

    text: str
    without: tuple[str, ...]


def r_script(profile: Profile, name: str, path: Path) -> RScript:
    """A script that does to the file what the steps of a candidate do, as far as R has equals."""
    written: list[str] = []
    without: list[str] = []
    packages: list[str] = []
    for place, step in enumerate(profile.candidates[name], start=1):
        lines, lacking, used = _step(profile, step, place)
        written += ["", *lines]
        packages += used
        without += [f"{place} {step.method}"] if lacking else []
    lines = [
        f"# {profile.title or profile.name}: candidate {name} of {path.name}, for R.",
        "# Run it in the folder of the profile. Random numbers are R's own: values differ from a release's.",
        *(f"library({package})" for package in dict.fromkeys(packages)),
        *([f"set.seed({profile.seed})"] if profile.seed is not None else []),
        "",
        *_reading(profile),
        *(_object(profile) if "sdcMicro" in packages else []),
        *written,
        "",
        f'write.csv(dat, "{name}.csv", row.names = FALSE, na = "")',
        *_warning(without),
    ]
    return RScript("\n".join(lines) + "\n", tuple(without))


def _step(profile: Profile, step: StepPlan, place: int) -> tuple[list[str], bool, Sequence[str]]:
    """The lines of a step; whether some of it has no equal; and the packages it needs."""
    entry = makers().get(step.method)
    head = f"# Step {place}, {step.method}: {entry.summary if entry else ''}"
    equal: Callable[..., RStep] | None = EQUALS.get(step.method)
    if equal is None:
        return (
            [
                head,
                f"# Neither sdcMicro nor synthpop has a step equal to {step.method}; it is not done here.",
            ],
            True,
            (),
        )
    try:
        made = equal(profile, dict(step.options))
    except NoEqual as reason:
        return [head, f"# It has no equal in R as it is told here: {reason}. It is not done."], True, ()
    unequal = [f"# Not the same: {each}." for each in made.unlike]
    return [head, *unequal, *made.lines], bool(made.left_out), made.packages


def _reading(profile: Profile) -> Iterator[str]:
    source = profile.source
    ending = str(source.path).rpartition(".")[2].lower()
    if ending in ("csv", "txt", "tsv"):
        told = [r_text(str(source.path))]
        told += [f"sep = {r_text(source.separator)}"] if source.separator != "," else []
        told += [f"dec = {r_text(source.decimal)}"] if source.decimal != "." else []
        told.append(f"na.strings = {r_vector(list(source.missing_codes))}")
        yield f'dat <- read.csv({", ".join(told)}, colClasses = "character", check.names = FALSE)'
    else:
        yield f"# {source.path} is not CSV: write it as CSV first, or read it with a package that can."
        beside = r_text(str(source.path.with_suffix(".csv")))
        yield f'dat <- read.csv({beside}, colClasses = "character", check.names = FALSE)'
    if source.where or source.derived or source.households or source.holdout_share:
        yield "# Not done here: records chosen or columns derived by the source, a second file, the holdout."
    yield f"dat <- dat[{r_vector(list(profile.roles.released))}]"
    for name in profile.roles.released:
        plan = profile.variables[name]
        codes = list(plan.missing_codes)
        at = f"dat[[{r_text(name)}]]"
        if codes:
            yield f"{at}[{at} %in% {r_vector(codes)}] <- NA"
        yield f"{at} <- {_typed(at, plan.type, plan.order)}"


def _typed(at: str, kind: VariableType, order: Sequence[str]) -> str:
    if kind is VariableType.NUMERIC:
        return f"as.numeric({at})"
    if kind is VariableType.DATE:
        return f"as.Date({at})"
    levels = f", levels = {r_vector(list(order))}, ordered = TRUE" if order else ""
    return f"factor({at}{levels})"


def _object(profile: Profile) -> Iterator[str]:
    """A function that hands the file to sdcMicro for one step and takes it back."""
    roles = profile.roles
    numbers = [name for name in roles.numeric if name not in (*roles.quasi_identifiers, roles.weight)]
    told = [f"keyVars = {r_vector(list(roles.quasi_identifiers))}"]
    told += [f"numVars = {r_vector(numbers)}"] if numbers else []
    told += [f"weightVar = {r_text(roles.weight)}"] if roles.weight else []
    told += [f"hhId = {r_text(roles.household)}"] if roles.household else []
    yield ""
    yield "protect <- function(dat, step) {"
    yield f"  obj <- createSdcObj(dat, {', '.join(told)})"
    yield "  extractManipData(step(obj))"
    yield "}"


def _warning(without: Sequence[str]) -> Iterator[str]:
    if without:
        have = "has" if len(without) == 1 else "have"
        many = f"{counted(len(without), 'step')} of the candidate {have} no equal here: {', '.join(without)}."
        yield f'warning("{many} The file is not the candidate.")'
