"""What a user of the release has to know, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.catalogue.external import makers
from sdc.catalogue.protection import combining_rule
from sdc.catalogue.writers import find_writer
from sdc.data.spreadsheet_cells import NOTE
from sdc.publish.dictionary import NOTICE
from sdc.publish.metadata import csvw
from sdc.statistics.estimates.synthetic_inference import RULES

if TYPE_CHECKING:
    from sdc.publish.bundle_plan import BundlePlan

ACCESS = {
    "open": "Open: anyone may use it.",
    "safeguarded": "Safeguarded: for registered users under its conditions of use.",
    "secure": "Secure: for use inside a safe environment only.",
}


def as_markdown(plan: BundlePlan) -> bytes:
    profile, publish = plan.profile, plan.profile.publish
    facts = {
        "Released": plan.released.date().isoformat(),
        "Version": publish.version or "",
        "Replaces": publish.replaces or "",
        "Run": plan.run,
        "Access": ACCESS[profile.access.value],
        "Publisher": publish.publisher,
        "Contact": publish.contact,
        "Licence": publish.licence,
        **_sizes(plan),
        "Variables": str(len(plan.table.columns)),
    }
    parts = [
        f"# {plan.title}",
        f"**{NOTICE}**" if plan.synthetic else "",
        profile.description,
        "\n".join(f"- {name}: {fact}" for name, fact in facts.items() if fact),
        "## How confidentiality is protected",
        _protection(plan),
        *(["## What is new", "\n".join(f"- {line}" for line in plan.changes)] if plan.changes else []),
        *(["## Several syntheses", _several(plan)] if plan.further else []),
        "## Files",
        _files(plan),
        _link(plan),
        (
            "To check that nothing was altered on the way, compare the SHA-256 of each file (`sha256sum"
            " FILE`) with the one in `MANIFEST.json`."
        ),
    ]
    return ("\n\n".join(part for part in parts if part) + "\n").encode()


def _sizes(plan: BundlePlan) -> dict[str, str]:
    """Records of each kind; of several syntheses, those of each."""
    found: dict[str, list[str]] = {}
    for part in plan.parts:
        found.setdefault(part.name.capitalize() or "Records", []).append(f"{part.rows:,}")
    syntheses = {"Syntheses": str(len(plan.copies))} if plan.further else {}
    return {**syntheses, **{name: " + ".join(rows) for name, rows in found.items()}}


def _several(plan: BundlePlan) -> str:
    """How users combine what they find in each synthesis."""
    told = "in one file, numbered by the column `synthesis`" if plan.stacked else "in a file of its own each"
    rule = RULES[combining_rule(plan.steps)]
    return (
        f"The release has {len(plan.copies)} syntheses of the same records, {told}. Run an analysis on each."
        " The mean of the estimates is the estimate. Its variance follows from v, the mean of the variances"
        " that the analyses report, b, the variance between the estimates, n and k, the records of the"
        f" confidential and of a synthetic file, and m, the number of syntheses: {rule.formula}"
        f" ({rule.source}). Records of different syntheses do not belong together."
    )


def applied(plan: BundlePlan) -> dict[str, str]:
    """The methods in their order, each with the first sentence of its definition."""
    known = makers()
    used = dict.fromkeys(step.method for step in plan.steps)
    return {name: known[name].definition.splitlines()[0] if name in known else "" for name in used}


def _protection(plan: BundlePlan) -> str:
    used = applied(plan)
    if not used:
        return (
            "No method was applied to the values; names and other direct identifiers are not in the file. The"
            " order of records means nothing."
        )
    lines = [f"- `{name}`" + (f": {said}" if said else "") for name, said in used.items()]
    return "\n".join(
        [
            (
                "Names and other direct identifiers are not in the file. The order of records means nothing."
                " These methods were applied, in this order:"
            ),
            "",
            *lines,
            "",
            (
                "`dictionary.csv` says which variables each of them touched; `report.html` shows what was"
                " measured and judged before the release."
            ),
        ],
    )


def _descriptions(plan: BundlePlan) -> dict[str, str]:
    asked, files = plan.profile.publish.metadata, "files" if len(plan.parts) > 1 else "file"
    every = {
        "ddi": ("ddi.xml", "description for data archives (DDI-Codebook 2.5)"),
        "csvw": (csvw.name(plan), f"description of the CSV {files} (CSV on the Web)"),
        "dcat": ("dcat.jsonld", "description for catalogues (DCAT 3 and schema.org)"),
        "ro_crate": ("ro-crate-metadata.json", "the package and the run that made it (RO-Crate 1.2)"),
        "citation": ("CITATION.cff", "how to cite these data"),
    }
    has_csv = "csv" in plan.profile.publish.formats
    return dict(every[name] for name in asked if name != "csvw" or has_csv)


def _link(plan: BundlePlan) -> str:
    if not plan.is_linked:
        return ""
    key = plan.parts[0].key
    return (
        f"Persons and households are linked by `{key}`. Its numbers are new: they mean nothing outside these"
        " files."
    )


def _files(plan: BundlePlan) -> str:
    cells = NOTE if any(map(plan.is_escaped, plan.columns)) else ""
    named = {
        **{
            part.data_file(each): "; ".join(
                filter(None, (find_writer(each).words, part.in_words, cells if each == "csv" else ""))
            )
            for part, each in plan.files
        },
        "dictionary.csv": "the data dictionary; `dictionary.json` says the same",
        "datapackage.json": "description for machines (Frictionless Data Package)",
        **_descriptions(plan),
        "report.html": "what was done and measured",
        "MANIFEST.json": "size and SHA-256 of every file",
    }
    return "\n".join(f"- `{name}`: {what}" for name, what in named.items())
