"""Writes a page for every measure and method: what it is, its options, how to read it, an example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sdc.catalogue.registry import CatalogueEntry, Measure, Method, measures, methods
from sdc.catalogue.validity import Pair, matrix
from sdc.cli.catalogue_pages import described
from sdc.cli.option_lines import option_lines
from sdc.cli.unit_figures import (
    HELD_OUT,
    OTHER_STEPS,
    STEPS,
    TOLD,
    needs_holdout,
    options_of_example,
    unit_figure,
    why_not_drawn,
)
from sdc.report.wording import DIRECTIONS, PROTECTIONS
from sdc.spelling import limit_in_signs
from sdc.study.document import flow, plain

HEADINGS = {
    Measure: (
        "Definition",
        "Formula",
        "How to read it",
        "Options",
        "When not to believe it",
        "Example",
        "Reference",
    ),
    Method: (
        "Definition",
        "Formula",
        "What it does to records",
        "Options",
        "What may be measured afterwards",
        "Example",
        "Reference",
    ),
}
"""What every page has, in this order."""
SIGNS = (
    "x is the original with n records, y the candidate with m, N = n + m; i and j are records, v a variable,"
    " c a class or cell, f_c how many records it has, p and q shares,"
    " F and G distribution functions, 1{…} is 1 where the condition holds."
)


def write_pages(folder: Path, *, figures: bool = True, only: Sequence[str] = ()) -> list[Path]:
    """A page for every unit below a folder, in `measures` and `methods`, and an index; the places written.

    With `figures` each shows itself on the demonstration data: a measurement, or a variable before and after.
    """
    units: dict[str, Mapping[str, CatalogueEntry]] = {"measures": measures(), "methods": methods()}
    written = []
    for kind, entries in units.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for name, entry in entries.items():
            if only and name not in only:
                continue
            picture = unit_figure(entry, folder / kind) if figures else ""
            place = folder / kind / f"{name}.md"
            place.write_text("\n".join(page(entry, picture)) + "\n", encoding="utf-8")
            written.append(place)
    index = folder / "index.md"
    index.write_text("\n".join(_index(units)) + "\n", encoding="utf-8")
    return [*written, index]


def page(entry: CatalogueEntry, picture: str = "") -> Iterator[str]:
    """The lines of a page; `picture` is the name of a file beside it."""
    yield f"# {entry.name}"
    yield ""
    yield f"*{entry.summary}*"
    assert isinstance(entry, (Measure, Method))
    sections = _of_measure(entry) if isinstance(entry, Measure) else _of_method(entry)
    for heading in HEADINGS[type(entry)]:
        yield from ("", f"## {heading}", "")
        yield from sections.get(heading, ())
        if heading == "Definition":
            yield from _definition(entry)
        elif heading == "Formula":
            yield from (f"> {plainly(entry.formula)}", "", SIGNS)
        elif heading == "Options":
            yield from _options(entry)
        elif heading == "Example":
            yield from _example(entry, drawn=bool(picture))
            if picture:
                yield from ("", f"![{entry.name} on the demonstration data]({picture})")
            elif why := why_not_drawn(entry):
                yield from ("", why)
        elif heading == "Reference":
            yield entry.reference


def plainly(formula: str) -> str:
    """A formula whose signs mean nothing to Markdown."""
    return formula.replace("*", "\\*").replace("<", "&lt;").replace("|", "\\|")


def _definition(entry: CatalogueEntry) -> Iterator[str]:
    paragraphs = [each for each in entry.definition.split("\n\n") if not each.startswith("Reference")]
    for place, paragraph in enumerate(paragraphs):
        if place:
            yield ""
        yield " ".join(paragraph.split())


def _of_measure(entry: Measure) -> dict[str, list[str]]:
    facts = described(entry)
    low, high = facts["bounds"]
    reading = [
        f"- Unit: {entry.unit.value}.",
        f"- Direction: {DIRECTIONS[entry.better]}.",
        f"- Range: {limit_in_signs(low, high) or 'any number'}.",
        *(f"- Read against {stick}." for stick in facts["against"]),
        *([f"- Usual limit: {facts['usual']}."] if facts["usual"] else []),
        f"- Parts: {', '.join(f'`{part.name}`' for part in entry.parts) or 'none'}.",
        f"- Needs: {', '.join(facts['needs']) or 'nothing beyond both tables'}.",
    ]
    return {"How to read it": reading, "When not to believe it": _doubts(entry)}


LEFT_OUT_VARIABLES = (
    "- Where `not_compared.VARIABLE` is among its parts, that variable is no number in the candidate, or"
    " has lost most of its values: the value is about the others, and a limit for all of them is not met."
)


@cache
def _pairs() -> tuple[Pair, ...]:
    return matrix()


def _doubts(entry: Measure) -> list[str]:
    """Methods after which the value says nothing, by the reason."""
    by_reason: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for pair in _pairs():
        if pair.measure == entry.name and not pair.valid:
            reason = pair.reason.replace(pair.method, "the method")
            by_reason.setdefault((reason, pair.alternatives), []).append(pair.method)
    lines = []
    for (reason, instead), after in by_reason.items():
        other = (
            f" Measure {', '.join(f'[`{name}`]({name}.md)' for name in instead)} instead." if instead else ""
        )
        named = ", ".join(f"[`{name}`](../methods/{name}.md)" for name in after)
        lines.append(f"- After {named}: {reason}.{other}")
    lines = lines or ["- It can be believed after every method of the catalogue."]
    return [*lines, *([LEFT_OUT_VARIABLES] if entry.compares_all({}) else [])]


def _of_method(entry: Method) -> dict[str, list[str]]:
    facts = described(entry)
    deeds = [
        f"- Values: it {PROTECTIONS[entry.protection]}.",
        f"- Records {'keep their place' if entry.aligned else 'do not keep their place'}.",
        f"- Missing values are {entry.missing.value}.",
        f"- Without options it changes: {entry.touches.value.replace('_', ' ')}.",
        f"- Randomness: {'yes' if entry.takes_rng else 'none'}.",
        f"- A proved privacy budget: {'yes' if entry.proves_budget else 'no'}.",
        f"- Needs: {', '.join(facts['needs']) or 'nothing'}.",
        *([f"- Packages: `pip install 'sdc-release[{entry.extra.name}]'`."] if entry.extra else []),
    ]
    pairs = [
        pair for pair in _pairs() if pair.method == entry.name and measures()[pair.measure].family == "risk"
    ]
    believed, other = (
        [f"[`{pair.measure}`](../measures/{pair.measure}.md)" for pair in pairs if pair.valid is valid]
        for valid in (True, False)
    )
    afterwards = [f"Risk that can be believed: {', '.join(believed) or 'none'}."]
    afterwards += ["", f"Not, or only while the keys are left alone: {', '.join(other)}."] if other else []
    return {"What it does to records": deeds, "What may be measured afterwards": afterwards}


def _options(entry: CatalogueEntry) -> Iterator[str]:
    lines = option_lines(entry)
    if not lines:
        yield "It has no options."
        return
    yield "```text"
    yield from lines
    yield "```"


def _example(entry: CatalogueEntry, *, drawn: bool) -> Iterator[str]:
    """The same in Python and in a profile."""
    options = plain(options_of_example(entry))
    yield from ("```python", *_study_of_example(entry))
    if isinstance(entry, Measure):
        chain = "".join(
            f'.protect("{method}", {", ".join(f"{key}={_python(held)}" for key, held in given.items())})'
            for method, given in OTHER_STEPS.get(entry.name, STEPS).items()
        )
        yield f"safe = study{chain}"
        asked = f"{entry.name}={_python(options)}" if options else f'"{entry.name}"'
        yield f"found = safe.{entry.family.value}({asked})"
        yield "found.plot()" if drawn else "found"
        step = {"measure": entry.name, **({"with": options} if options else {})}
        yaml = [f"{entry.family.value}:", f"  - {flow(step)}"]
    else:
        given = "".join(f", {key}={_python(held)}" for key, held in options.items())
        yield f'study.protect("{entry.name}"{given}).table'
        step = {"method": entry.name, **({"with": options} if options else {})}
        yaml = ["candidates:", "  protected:", f"    - {flow(step)}"]
    yield from ("```", "", "```yaml", *yaml, "```")


def _study_of_example(entry: CatalogueEntry) -> Iterator[str]:
    """A study of the demonstration data; of a few variables, where all would be too many for the method."""
    few = entry.example_variables if isinstance(entry, Method) else ()
    if not few:
        held_out = {"holdout": HELD_OUT} if needs_holdout(entry) else {}
        told = ", ".join(f"{key}={_python(held)}" for key, held in {**TOLD, **held_out}.items())
        yield from ("import sdc", "", f"study = sdc.Study(sdc.demo_data(), {told})")
        return
    told = ", ".join(
        f"{key}={_python([name for name in TOLD[key] if name in few])}" for key in ("keys", "sensitive")
    )
    yield from ("import pandas as pd", "", "import sdc", "")
    yield f"few = pd.read_csv(sdc.demo_data(), usecols={_python([*few])})"
    yield f"study = sdc.Study(few, {told})"


def _python(value: Any) -> str:
    """A value as Python writes it, with the quotation marks of this project."""
    text = repr(value)
    return text if '"' in text else text.replace("'", '"')


def _index(units: Mapping[str, Mapping[str, CatalogueEntry]]) -> Iterator[str]:
    yield "# Measures and methods"
    for kind, entries in units.items():
        yield from ("", f"## {kind.title()}", "", "| name | question |", "|---|---|")
        yield from (f"| [`{name}`]({kind}/{name}.md) | {entry.summary} |" for name, entry in entries.items())
