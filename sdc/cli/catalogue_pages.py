"""The catalogue as tables, as one entry in full, as JSON and as a page of the documentation."""

from __future__ import annotations

import json
from typing import Any

from rich.markup import escape

from sdc.catalogue.registry import CatalogueEntry, Measure, Method, measures, methods
from sdc.catalogue.synthesis_models import SynthesisModel, models
from sdc.cli.layout import console, show
from sdc.cli.option_lines import option_lines
from sdc.errors import UnknownName
from sdc.spelling import limit_in_signs, nearest, number

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


def described(entry: CatalogueEntry) -> dict[str, Any]:
    """One entry of the catalogue as JSON."""
    schema = entry.options.model_json_schema()
    facts: dict[str, Any] = {
        "name": entry.name,
        "summary": entry.summary,
        "definition": entry.definition,
        "formula": entry.formula,
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
    if isinstance(entry, SynthesisModel):
        return facts | {"kind": "model", "draws": entry.targets.value}
    assert isinstance(entry, Method)
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
    entries: list[CatalogueEntry] = [*measures().values(), *methods().values()]
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
    out.print(f"Models of sequential: {', '.join(models())}", markup=False)


def _row(entry: CatalogueEntry) -> tuple[str, str, str, str]:
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
    known: dict[str, CatalogueEntry] = {
        **models(),
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
    if facts["formula"]:
        out.print(f"  {'formula':<14} {facts['formula']}", markup=False, soft_wrap=True)
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
        return limit_in_signs(*value) or "any number"
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
    for model in models().values():
        options = ", ".join(f"`{option}`" for option in model.options.model_fields)
        lines.append(
            f"| `{model.name}` | {model.summary} | {model.targets.value} | {options} | {model.reference} |"
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
