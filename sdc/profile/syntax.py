"""Reads a profile's file as YAML, or says in which line that fails."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from sdc.errors import BadProfile, Fault

if TYPE_CHECKING:
    from pathlib import Path

    from ruamel.yaml.nodes import Node


def written_bytes(path: Path) -> bytes:
    """The file's bytes; BadProfile where it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise BadProfile(
            [Fault(path.name, "there is no such file", f"looked for it in {path.absolute().parent}")]
        ) from None
    except IsADirectoryError:
        raise BadProfile(
            [Fault(path.name, "this is a folder", "name the profile's file in it, it ends in .yaml")]
        ) from None
    except OSError as error:
        raise BadProfile([Fault(path.name, f"the file cannot be read: {error.strerror}")]) from None


def written_text(path: Path, raw: bytes) -> str:
    """The text of a file in Unicode's form NFC, without byte-order mark, lines ended by a line feed."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BadProfile(
            [Fault(f"{path.name}:{line}", "the file is not UTF-8 text", "save it as UTF-8 in your editor")]
        ) from None
    return unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")


def composed(file: str, text: str) -> Node | None:
    """The document's root node, None when there is nothing but comments."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError
    from ruamel.yaml.reader import ReaderError

    try:
        root: Node | None = YAML(typ="safe", pure=True).compose(text)
    except RecursionError:
        raise BadProfile([too_deep(file)]) from None
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise BadProfile(
            [Fault(f"{file}:{line}", "a control character that is no part of text stands here", "delete it")]
        ) from None
    except MarkedYAMLError as error:
        raise BadProfile([_misspelt(file, text, error)]) from None
    return root


def too_deep(file: str) -> Fault:
    return Fault(
        f"{file}:1", "lists or mappings are nested too deeply", "a profile needs no more than six levels"
    )


def _misspelt(file: str, text: str, error: Any) -> Fault:
    """What the parser could not read, in words for people who write profiles."""
    found, doing = error.problem or "", error.context or ""
    stumbled = _line(text, error.problem_mark or error.context_mark)
    opened = _line(text, error.context_mark or error.problem_mark)
    line, problem, remedy = (
        stumbled,
        f"this is not valid YAML ({found})",
        "check the indentation and the quotes of this line and the one before",
    )
    if "'\\t'" in found or "\t" in found:
        problem, remedy = "a tab stands where spaces are needed", "indent with spaces"
    elif "quoted scalar" in doing:
        line, problem, remedy = opened, "a quotation mark is opened here and never closed", "close it"
    elif "flow sequence" in doing or "flow mapping" in doing:
        bracket = "[" if "sequence" in doing else "{"
        line, problem, remedy = (
            opened,
            f"a {bracket} is opened here and not closed as it should be",
            f"look for the missing bracket or comma before line {stumbled + 1}",
        )
    elif "mapping values are not allowed" in found:
        problem, remedy = (
            "a colon stands where no key can be",
            "indent the line as its neighbours, put a space after each colon, and quote text that holds ': '",
        )
    elif character := re.search(r"found character '(.)' that cannot start", found):
        problem, remedy = f"text that begins with {character[1]} needs quotes", f'write "{character[1]}..."'
    elif "undefined alias" in found:
        problem, remedy = f"{found.removeprefix('found ')}", "put text that begins with * in quotes"
    elif "another document" in found:
        problem, remedy = (
            "a second document begins here (---)",
            "a profile is one document: one file for each release",
        )
    elif closing := re.search(r"but found '([\]}])'", found):
        problem, remedy = f"a {closing[1]} stands here that nothing opens", "delete it, or open it"
    elif "expected '<document start>'" in found or "expected <block end>" in found:
        problem, remedy = (
            "the indentation of this line does not fit the lines before",
            "align it with the keys it belongs to",
        )
    return Fault(f"{file}:{line}", problem, remedy)


def _line(text: str, mark: Any) -> int:
    """A mark at the end of the text points behind the last line."""
    return (
        min(text.count("\n", 0, mark.index), max(text.rstrip().count("\n"), 0)) + 1 if mark is not None else 1
    )
