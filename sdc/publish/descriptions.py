"""Makes the files beside the data: dictionary, descriptions for machines, release note, report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.publish import datapackage, dictionary, release_note
from sdc.publish.metadata import citation, csvw, dcat, ddi, ro_crate

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.publish.bundle_plan import BundlePlan
    from sdc.publish.dictionary import VariableEntry

DDI, DCAT = "ddi.xml", "dcat.jsonld"


def descriptions(plan: BundlePlan, entries: tuple[VariableEntry, ...], folder: Path) -> dict[str, bytes]:
    """Every file beside the data, by name, for the data files that lie in the folder."""
    asked = plan.profile.publish.metadata
    made = {
        "dictionary.json": dictionary.as_json(plan, entries),
        "dictionary.csv": dictionary.as_csv(plan, entries),
        "datapackage.json": datapackage.as_json(plan, entries, folder),
        "RELEASE_NOTE.md": release_note.as_markdown(plan),
        "report.html": plan.report.encode(),
    }
    if "citation" in asked:
        made[citation.NAME] = citation.as_cff(plan)
    if "ddi" in asked:
        made[DDI] = ddi.as_xml(plan, entries)
    if "csvw" in asked and "csv" in plan.profile.publish.formats:
        made[csvw.name(plan)] = csvw.as_json(plan, entries)
    if "dcat" in asked:
        made[DCAT] = dcat.as_json(plan, entries, folder)
    if "ro_crate" in asked:
        made[ro_crate.NAME] = ro_crate.as_json(plan, folder, tuple(made))
    return made
