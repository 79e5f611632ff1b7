"""Reads the variables of a DDI-Codebook (version 2.x): labels, categories, missing values, measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.parsers import expat

from sdc.ingest.readers.opened import ColumnMetadata, Level

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NATURES = {
    "nominal": Level.NOMINAL,
    "ordinal": Level.ORDINAL,
    "interval": Level.SCALE,
    "ratio": Level.SCALE,
}


def of_codebook(held: bytes) -> dict[str, ColumnMetadata]:
    """Every `var` of the `dataDscr`. ValueError where it is no such file, or declares entities."""
    root = _parsed(held)
    found = {}
    for var in root.iter():
        if _tag(var) == "var" and var.get("name"):
            found[str(var.get("name"))] = _variable(var)
    return found


def _parsed(held: bytes) -> Element:
    """The document. A declaration of a document type is refused: entities come with it."""
    from xml.etree.ElementTree import TreeBuilder

    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.ExternalEntityRefHandler = lambda *_: 0
    try:
        parser.Parse(held, True)
    except expat.ExpatError:
        raise ValueError("no XML") from None
    root: Element = builder.close()
    return root


def _refuse(*_: object) -> None:
    raise ValueError("entities")


def _variable(var: Element) -> ColumnMetadata:
    label, values, missing, order = _text_of(var, "labl"), {}, [], []
    for category in (each for each in var if _tag(each) == "catgry"):
        code, words = _text_of(category, "catValu"), _text_of(category, "labl")
        if not code:
            continue
        if words:
            values[code] = words
        if category.get("missing") == "Y":
            missing.append(code)
        else:
            order.append(code)
    missing += [
        str(item.get("VALUE"))
        for part in var
        if _tag(part) == "invalrng"
        for item in part
        if _tag(item) == "item" and item.get("VALUE")
    ]
    level = NATURES.get(var.get("nature", ""))
    if level is None and var.get("intrvl") == "contin":
        level = Level.SCALE
    return ColumnMetadata(
        label,
        values,
        tuple(dict.fromkeys(missing)),
        level,
        tuple(order) if level is Level.ORDINAL else (),
    )


def _text_of(parent: Element, tag: str) -> str:
    found = next((each for each in parent if _tag(each) == tag), None)
    return " ".join("".join(found.itertext()).split()) if found is not None else ""


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]
