"""Describes a release as DDI-Codebook 2.5, the form that data archives take."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from sdc.catalogue.writers import find_writer
from sdc.data.roles import Role, VariableType
from sdc.publish.dictionary import NOTICE, VariableEntry
from sdc.publish.metadata.summary import VariableSummary, summaries
from sdc.publish.release_note import ACCESS, applied

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc.publish.bundle_plan import BundlePlan
    from sdc.publish.parts import BundlePart

NAMESPACE = "ddi:codebook:2_5"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def as_xml(plan: BundlePlan, entries: tuple[VariableEntry, ...]) -> bytes:
    """The codebook: study, files and variables; statistics are those of the published table."""
    book = ET.Element("codeBook", {"xmlns": NAMESPACE, "version": "2.5", LANGUAGE: "en"})
    _citation(_in(book, "docDscr"), plan, f"Description of {plan.title}")
    _study(_in(book, "stdyDscr"), plan)
    for number, (part, file_format) in enumerate(plan.files, start=1):
        _file(_in(book, "fileDscr", ID=f"F{number}"), part, file_format)
    data = _in(book, "dataDscr")
    for part in plan.parts:
        _variables(data, plan, part, {entry.name: entry for entry in entries})
    ET.indent(book)
    head = b'<?xml version="1.0" encoding="UTF-8"?>\n'
    return head + ET.tostring(book, encoding="unicode").encode() + b"\n"


def _variables(
    data: ET.Element, plan: BundlePlan, part: BundlePart, entries: Mapping[str, VariableEntry]
) -> None:
    """The variables of one table. A variable that two tables have is described in each, by its records."""
    found = summaries(plan.table, {name: entry.categories for name, entry in entries.items()}, part)
    files = " ".join(f"F{number}" for number, (of, _) in enumerate(plan.files, start=1) if of == part)
    for number, name in enumerate(part.columns, start=len(data) + 1):
        variable = _in(data, "var", ID=f"V{number}", name=name, files=files)
        _variable(variable, plan, entries[name], found[name])


def _in(parent: ET.Element, tag: str, text: str = "", **attributes: str) -> ET.Element:
    child = ET.SubElement(parent, tag, {key: NOT_XML.sub(" ", value) for key, value in attributes.items()})
    child.text = NOT_XML.sub(" ", text) or None
    return child


def _citation(parent: ET.Element, plan: BundlePlan, title: str) -> None:
    publish, day = plan.profile.publish, plan.released.date().isoformat()
    citation = _in(parent, "citation")
    named = _in(citation, "titlStmt")
    _in(named, "titl", title)
    _in(named, "IDNo", plan.bundle)
    if publish.publisher:
        _in(_in(citation, "rspStmt"), "AuthEnty", publish.publisher)
    out = _in(citation, "distStmt")
    if publish.publisher:
        _in(out, "distrbtr", publish.publisher)
    if publish.contact:
        _in(out, "contact", publish.contact)
    _in(out, "distDate", day, date=day)
    version = _in(citation, "verStmt")
    _in(version, "version", publish.version or plan.run, date=day)
    if publish.replaces:
        _in(version, "notes", f"This version replaces {publish.replaces}.")


def _study(parent: ET.Element, plan: BundlePlan) -> None:
    profile = plan.profile
    _citation(parent, plan, plan.title)
    info = _in(parent, "stdyInfo")
    if profile.description:
        _in(info, "abstract", profile.description)
    kind = "synthetic microdata" if plan.synthetic else "microdata, protected against disclosure"
    _in(_in(info, "sumDscr"), "dataKind", kind)
    method = _in(parent, "method")
    _in(method, "notes", NOTICE) if plan.synthetic else None
    _in(method, "dataProcessing", _methods(plan), type="disclosure control")
    access = _in(parent, "dataAccs")
    use = _in(access, "useStmt")
    said = "Names and other direct identifiers are not in the files."
    _in(use, "confDec", f"{NOTICE} {said}" if plan.synthetic else said)
    _in(use, "restrctn", ACCESS[profile.access.value])
    if profile.publish.contact:
        _in(use, "contact", profile.publish.contact)
    if profile.publish.licence:
        _in(use, "conditions", profile.publish.licence)


def _methods(plan: BundlePlan) -> str:
    lines = [f"{name}: {said}" if said else name for name, said in applied(plan).items()]
    if not lines:
        return "No method was applied to the values. The order of records means nothing."
    return f"Applied in this order: {' '.join(lines)} The order of records means nothing."


def _file(parent: ET.Element, part: BundlePart, file_format: str) -> None:
    text = _in(parent, "fileTxt")
    _in(text, "fileName", part.data_file(file_format))
    _in(text, "fileCont", "; ".join(filter(None, (find_writer(file_format).words, part.in_words))))
    size = _in(text, "dimensns")
    _in(size, "caseQnty", str(part.rows))
    _in(size, "varQnty", str(len(part.columns)))
    _in(text, "fileType", find_writer(file_format).media_type)


def _variable(parent: ET.Element, plan: BundlePlan, entry: VariableEntry, summary: VariableSummary) -> None:
    numeric = plan.type_of(entry.name) is VariableType.NUMERIC
    parent.set("intrvl", "contin" if numeric else "discrete")
    if plan.variables[entry.name].role is Role.WEIGHT:
        parent.set("wgt", "wgt")
    if entry.label:
        _in(parent, "labl", entry.label)
    for kind, value in (
        ("vald", summary.valid),
        ("invd", summary.invalid),
        ("mean", summary.mean),
        ("stdev", summary.deviation),
    ):
        if value is not None:
            _in(parent, "sumStat", f"{value:.6g}" if isinstance(value, float) else str(value), type=kind)
    if entry.unit:
        _in(parent, "txt", f"Unit: {entry.unit}")
    for code in entry.categories:
        category = _in(parent, "catgry")
        _in(category, "catValu", code)
        if code in entry.values:
            _in(category, "labl", entry.values[code])
        if code in summary.counts:
            _in(category, "catStat", str(summary.counts[code]), type="freq")
    is_text = plan.is_text(entry.name)
    _in(parent, "varFormat", type="character" if is_text else "numeric", schema="other")
    if entry.done:
        _in(parent, "notes", f"Changed by {', '.join(entry.done)}. {entry.missing}")
