"""Knows the line of the file where each value of a profile is written."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sdc.errors import BadProfile, Fault
from sdc.profile.syntax import composed, too_deep, written_bytes, written_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ruamel.yaml.nodes import Node

Place = tuple[str | int, ...]

TAG = "tag:yaml.org,2002:"
MOST_VALUES = 200_000


@dataclass(frozen=True)
class Document:
    """The values of a YAML file, the line each stands on, and each scalar as it was typed."""

    file: str
    values: dict[str, Any]
    lines: Mapping[Place, int]
    texts: Mapping[Place, str]
    faults: tuple[Fault, ...] = ()

    def line(self, place: Place) -> int:
        """The line of a value, or of the nearest thing around it that is written down."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def fault(self, place: Place, problem: str, remedy: str = "") -> Fault:
        return Fault(f"{self.file}:{self.line(place)}", problem, remedy)


def read_document(path: Path, raw: bytes | None = None) -> Document:
    """The file's values and lines; BadProfile where it cannot be read as one YAML mapping.

    `raw` are its bytes where they were read already.
    """
    text = written_text(path, written_bytes(path) if raw is None else raw)
    root = composed(path.name, text)
    if root is None:
        raise BadProfile(
            [
                Fault(
                    f"{path.name}:1",
                    "the file is empty",
                    "write a profile, or let `sdc draft DATA` write a first one",
                )
            ]
        )
    walk = _Walk(path.name, text)
    try:
        values = walk.value(root, ())
    except RecursionError:
        raise BadProfile([too_deep(path.name)]) from None
    if not isinstance(values, dict):
        problem = f"a profile is made of 'key: value' lines, and here stands {kind_of(values)}"
        raise BadProfile(
            [
                *walk.faults,
                Fault(
                    f"{path.name}:{walk.line(root)}",
                    problem,
                    "begin with name: and the other keys, see docs/profile.md",
                ),
            ]
        )
    return Document(path.name, values, walk.lines, walk.texts, tuple(walk.faults))


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 40 else "a long text"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"the number {value:g}" if isinstance(value, float) else f"the number {value}"
    words = {type(None): "nothing", bool: "true or false", list: "a list", tuple: "a list"}
    return words.get(type(value), "a set of 'key: value' pairs")


@dataclass
class _Walk:
    """One pass over the nodes of a document."""

    file: str
    text: str
    lines: dict[Place, int] = field(default_factory=dict)
    texts: dict[Place, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    within: list[int] = field(default_factory=list)
    seen: int = 0

    def __post_init__(self) -> None:
        self.ends = [found.start() for found in re.finditer("\n", self.text)]

    def line(self, node: Node) -> int:
        return bisect_left(self.ends, node.start_mark.index) + 1

    def complain(self, node: Node, problem: str, remedy: str = "") -> None:
        self.faults.append(Fault(f"{self.file}:{self.line(node)}", problem, remedy))

    def value(self, node: Node, place: Place) -> Any:
        self.lines.setdefault(place, self.line(node))
        self.seen += 1
        if isinstance(node.value, str):
            return self.scalar(node, place)
        with self.inside(node):
            is_list = node.tag == f"{TAG}seq" or (node.value and not isinstance(node.value[0], tuple))
            return self.sequence(node, place) if is_list else self.mapping(node, place)

    @contextmanager
    def inside(self, node: Node) -> Iterator[None]:
        if id(node) in self.within or self.seen > MOST_VALUES:
            raise BadProfile(
                [
                    *self.faults,
                    Fault(
                        f"{self.file}:{self.line(node)}",
                        "anchors (& and *) refer to themselves or multiply without end",
                    ),
                ]
            )
        self.within.append(id(node))
        yield
        self.within.pop()

    def sequence(self, node: Node, place: Place) -> list[Any]:
        return [self.value(item, (*place, position)) for position, item in enumerate(node.value)]

    def mapping(self, node: Node, place: Place) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in node.value:
            if key.tag == f"{TAG}merge":
                continue
            # A key that reads null is the option of that name; an empty key, or ~, is none.
            if not isinstance(key.value, str) or (key.tag == f"{TAG}null" and key.value != "null"):
                self.complain(key, "a key must be a single word or text")
                continue
            if key.value in made:
                self.complain(
                    key,
                    f"{key.value!r} is written twice, first on line {self.lines[*place, key.value]}",
                    "keep one of the two",
                )
                continue
            self.lines[*place, key.value] = self.line(key)
            made[key.value] = self.value(value, (*place, key.value))
        for key, value in node.value:
            if key.tag == f"{TAG}merge":
                self.merge(value, place, made)
        return made

    def merge(self, node: Node, place: Place, made: dict[str, Any]) -> None:
        """`<<: *anchor`: keys of the anchored mapping that are not written here."""
        sources = node.value if node.tag == f"{TAG}seq" else [node]
        for source in sources:
            if source.tag != f"{TAG}map":
                self.complain(source, "<<: must be followed by *name of an anchored mapping")
                continue
            rest = [
                (key, value)
                for key, value in source.value
                if not isinstance(key.value, str) or key.value not in made
            ]
            with self.inside(source):
                made.update({**self.mapping(_only(source, rest), place), **made})

    def scalar(self, node: Node, place: Place) -> Any:
        text: str = node.value
        self.texts[place] = text
        kind = str(node.tag).removeprefix(TAG)
        if kind not in READ:
            self.complain(
                node,
                f"the tag {str(node.tag).replace(TAG, '!!')!r} is not understood in a profile",
                "write the plain value",
            )
            return text
        try:
            return READ[kind](text)
        except ValueError:
            self.complain(node, f"this cannot be read as {kind}", "write the plain value")
            return text


def _only(node: Node, pairs: list[tuple[Node, Node]]) -> Node:
    from ruamel.yaml.nodes import MappingNode

    return MappingNode(node.tag, pairs, node.start_mark, node.end_mark)


def _whole(text: str) -> int:
    bare = text.replace("_", "").lower()
    return int(bare, 0) if bare.lstrip("+-")[:2] in ("0x", "0o", "0b") else int(bare)


def _number(text: str) -> float:
    bare = text.replace("_", "").lower().lstrip("+")
    return {".inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}.get(bare) or float(bare)


READ: Mapping[str, Callable[[str], Any]] = {
    "null": lambda _: None,
    "bool": lambda text: text.lower() == "true",
    "int": _whole,
    "float": _number,
    "str": str,
    "timestamp": str,
}
