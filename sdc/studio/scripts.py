"""Writes a candidate as a Python script: the study, its steps and demands, the same table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sdc.catalogue.external import EXTERNAL
from sdc.data.roles import LEFT_BEHIND, MissingRule
from sdc.errors import SdcError
from sdc.study.document import plain

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.profile.plan import Criterion, MicrodataSource, Profile, StepPlan, VariablePlan

SPOKEN = ("label", "unit", "values")
"""Words about a variable: no value depends on them."""
PLAIN_SOURCE = {"path", "record_key", "holdout_share", "population", "table", "query"}
"""Keys of a source that a study can be told; with others the profile itself is loaded."""
WIDTH = 100


class NoScript(SdcError):
    """A candidate that cannot be written as a script."""


def python_script(profile: Profile, name: str, path: Path) -> str:
    """A script that makes the table of a candidate, to be run in the folder of the profile."""
    steps = profile.candidates[name]
    if any(step.method == EXTERNAL.name for step in steps):
        raise NoScript(f"{name} is a file made elsewhere: there are no steps to write")
    title = profile.title or profile.name
    lines = [
        f'"""{_doc(title)}: candidate {name}, made as the profile {path.name} makes it.',
        "",
        "Run it in the folder of the profile. Random numbers are those of the home that SDC_HOME names; the",
        "records leave in random order. What was measured is no decision: only a release is judged.",
        '"""',
        "",
        "import os",
        "",
        "import sdc",
        "",
        *_study(profile, path),
        "candidate = (",
        "    study",
        *(f"    {line}" for line in _steps(steps, name)),
        *(f"    {line}" for line in _demands(profile, name)),
        ")",
        "print(candidate)",
        *_measured(profile, name),
        f'candidate.table.to_csv("{name}.csv", index=False)',
    ]
    return "\n".join(lines) + "\n"


def _doc(text: str) -> str:
    return text.replace("\\", "").replace('"', "'")


def _study(profile: Profile, path: Path) -> Iterator[str]:
    home = 'home=os.environ.get("SDC_HOME")'
    if not _is_plain(profile.source):
        yield "# The source is read with options of its own, so the profile itself is loaded."
        yield f"study = sdc.load({path.name!r}).study({home})"
        return
    yield "study = sdc.Study("
    yield f"    {str(profile.source.path)!r},"
    yield from _argument("variables", {key: _declared(plan) for key, plan in profile.variables.items()})
    for key, value in _further(profile).items():
        yield from _argument(key, value)
    yield f"    {home},"
    yield ")"


def _is_plain(source: MicrodataSource) -> bool:
    told = set(source.model_dump(exclude_defaults=True))
    population = source.population
    return told <= PLAIN_SOURCE and (
        population is None or set(population.model_dump(exclude_defaults=True)) == {"path"}
    )


def _declared(plan: VariablePlan) -> dict[str, Any]:
    """A variable as a study is told of it: nothing is left to be guessed."""
    if plan.role in LEFT_BEHIND:
        return {"role": plan.role.value, "type": plan.type.value}
    held = plan.model_dump(mode="json", exclude_defaults=True, exclude=set(SPOKEN))
    return {"role": plan.role.value, "type": plan.type.value, "missing_codes": [], **held}


def _further(profile: Profile) -> dict[str, Any]:
    source = profile.source
    told: dict[str, Any] = {
        "missing_keys": ""
        if profile.missing_keys is MissingRule.OWN_CATEGORY
        else profile.missing_keys.value,
        "holdout": source.holdout_share,
        "population": str(source.population.path) if source.population else "",
        "record_key": list(source.record_key),
        "table": source.table,
        "query": source.query,
        "name": profile.name,
        "seed": profile.seed,
    }
    return {key: value for key, value in told.items() if value not in ("", None, [])}


def _argument(name: str, value: Any) -> Iterator[str]:
    """An argument on a line of its own; a mapping that is long on several."""
    written = f"    {name}={python(value)},"
    if len(written) <= WIDTH or not isinstance(value, Mapping):
        yield written
        return
    yield f"    {name}={{"
    for key, held in value.items():
        yield f"        {python(key)}: {python(held)},"
    yield "    },"


def _steps(steps: tuple[StepPlan, ...], name: str) -> Iterator[str]:
    for step in steps:
        options = f", {python(plain(step.options))}" if step.options else ""
        yield (
            f".protect({step.method!r}{options})".replace("'", '"')
            if "'" not in options
            else (f'.protect("{step.method}"{options})')
        )
    yield f'.named("{name}")'


def _demands(profile: Profile, name: str) -> Iterator[str]:
    for criterion in profile.criteria:
        if criterion.is_judged and criterion.covers(name):
            told = criterion.model_dump(mode="json", by_alias=True, exclude_defaults=True)
            given = {key: held for key, held in told.items() if key not in ("measure", "with", "for", "as")}
            said = [f'"{criterion.measure}"', *([python(told["with"])] if told.get("with") else [])]
            if criterion.name:
                given["as"] = criterion.name
            yield f".demand({', '.join(said)}, **{python(given)})"


def _measured(profile: Profile, name: str) -> Iterator[str]:
    asked = [each for each in profile.measurements(name) if not each.name]
    plainly_first = sorted(asked, key=lambda each: bool(each.options))
    if asked:
        yield f"print(candidate.assess({', '.join(map(_asked, plainly_first))}))"


def _asked(criterion: Criterion) -> str:
    if not criterion.options:
        return f'"{criterion.measure}"'
    return f"{criterion.measure}={python(plain(criterion.options))}"


def python(value: Any) -> str:
    """A value as Python writes it, with the quotation marks of this project."""
    text = repr(value)
    return text if '"' in text else text.replace("'", '"')
