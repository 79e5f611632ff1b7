"""Writes the reference of the library from its signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

OPENING = """# Names of the library

Made by `make docs` from signatures and docstrings. [The library](library.md) shows how they work
together. Examples run as tests, on 300 records of the demonstration data that they call `households`.
"""
EXAMPLE = re.compile(r"^\s*>>> ")


def library_names() -> str:
    """The page: functions first, then classes with their methods and properties."""
    import sdc

    names = [name for name in sdc.__all__ if not name.startswith("_")]
    things = {name: getattr(sdc, name) for name in names}
    first = {name: thing for name, thing in things.items() if not inspect.isclass(thing)}
    classes = {name: thing for name, thing in things.items() if inspect.isclass(thing)}
    lines = [OPENING]
    for name, thing in first.items():
        lines += _function(f"sdc.{name}", thing)
    for name, thing in classes.items():
        lines += _class(f"sdc.{name}", thing)
    return "\n".join(lines)


def _function(name: str, thing: Any) -> Iterator[str]:
    called = thing if callable(thing) else None
    yield f"## {name}\n"
    if called is not None:
        yield from _signature(name, called)
    yield from _said(thing)


def _class(name: str, thing: type) -> Iterator[str]:
    yield f"## {name}\n"
    if not issubclass(thing, BaseException):
        yield from _signature(name, thing)
    yield from _said(thing)
    for member, value in _members(thing):
        yield f"### {name.rpartition('.')[2]}.{member}\n"
        if isinstance(value, property):
            yield from _said(value)
        else:
            yield from _signature(member, value)
            yield from _said(value)


def _members(thing: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties of the class and of our classes that it extends."""
    seen = set()
    for base in thing.__mro__:
        if not base.__module__.startswith("sdc."):
            continue
        for name, value in vars(base).items():
            plain = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
            if (
                name.startswith("_")
                or name in seen
                or not (inspect.isfunction(plain) or isinstance(plain, property))
            ):
                continue
            seen.add(name)
            if inspect.getdoc(plain):
                yield name, plain


def _signature(name: str, thing: Any) -> Iterator[str]:
    written = inspect.signature(thing)
    if inspect.isclass(thing):
        written = written.replace(return_annotation=inspect.Signature.empty)
    given = [one for one in written.parameters.values() if one.name != "self"]
    said = f"{name}{written.replace(parameters=given)}".replace("'", "").replace("~", "")
    if len(said) > 90 and given:
        inner = [str(one).replace("'", "") for one in given]
        keyword = next((place for place, one in enumerate(given) if one.kind is one.KEYWORD_ONLY), None)
        if keyword is not None and not any(one.kind is one.VAR_POSITIONAL for one in given):
            inner.insert(keyword, "*")
        returned = said.rpartition(" -> ")[2] if " -> " in said else ""
        said = f"{name}(\n    " + ",\n    ".join(inner) + ("\n) -> " + returned if returned else "\n)")
    yield f"```text\n{said}\n```\n"


def _said(thing: Any) -> Iterator[str]:
    """The docstring: paragraphs as they are, examples as code."""
    for block in re.split(r"\n\s*\n", inspect.getdoc(thing) or ""):
        if EXAMPLE.match(block):
            yield f"```pycon\n{block}\n```\n"
        elif block:
            yield f"{block}\n"
