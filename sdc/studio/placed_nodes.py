"""Where each value of a YAML text begins and ends, by its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from ruamel.yaml.nodes import CollectionNode, MappingNode, SequenceNode

from sdc.errors import SdcError
from sdc.profile.syntax import composed

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

    from sdc.profile.document import Place


class CannotEdit(SdcError):
    """A place of the profile that cannot be changed by a click."""

    def __init__(self, place: Place, problem: str) -> None:
        said = ".".join(map(str, place)) or "the profile"
        super().__init__(f"{said} cannot be changed here: {problem}; change it in the text beside")


@dataclass(frozen=True)
class WrittenEntry:
    """An entry of a mapping, or an item of a list: where it begins, its value, and its key if it has one."""

    start: int
    value: Node
    key: Node | None = None


@dataclass(frozen=True)
class PlacedText:
    """A text of YAML and its nodes."""

    text: str
    root: Node

    @classmethod
    def of(cls, text: str) -> PlacedText:
        root = composed("profile", text)
        if root is None:
            raise CannotEdit((), "there is no profile yet")
        return cls(text, root)

    def node(self, place: Place) -> Node | None:
        """The node at a place; None where nothing is written there."""
        node = self.root
        for step in place:
            found = next((each for name, each in self.named(node) if name == step), None)
            if found is None:
                return None
            node = found.value
        return node

    def entry(self, place: Place) -> WrittenEntry:
        """The entry at a place that is there."""
        parent = self.node(place[:-1])
        found = next((each for name, each in self.named(parent) if name == place[-1]), None)
        if found is None:
            raise CannotEdit(place, "it is not written there")
        return found

    def named(self, node: Node | None) -> list[tuple[str | int, WrittenEntry]]:
        if is_mapping(node):
            return [
                (str(key.value), WrittenEntry(key.start_mark.index, value, key)) for key, value in node.value
            ]
        if is_list(node):
            return [
                (position, WrittenEntry(self._dash(node, item), item))
                for position, item in enumerate(node.value)
            ]
        return []

    def entries(self, node: Node) -> list[WrittenEntry]:
        return [entry for _, entry in self.named(node)]

    def _dash(self, parent: Node, item: Node) -> int:
        """Where an item begins: at its dash in a block, at itself between brackets."""
        start: int = item.start_mark.index
        return start if not is_block(parent) else self.text.rindex("-", 0, max(start, 1))

    def end(self, entry: WrittenEntry) -> int:
        """Where an entry ends, without the comments and blank lines after it."""
        return self.span(entry)[1]

    def span(self, entry: WrittenEntry) -> tuple[int, int]:
        """Where a value begins and ends; one that is not written stands right after its colon or dash."""
        node = entry.value
        start, end = int(node.start_mark.index), int(node.end_mark.index)
        if is_block(node) and node.value:
            return start, max(map(self.end, self.entries(node)))
        if not self.text[start:end].strip():
            after = self.after_colon(entry.key) if entry.key is not None else entry.start + 1
            return after, after
        return start, start + len(self.text[start:end].rstrip())

    def after_colon(self, key: Node) -> int:
        return self.text.index(":", key.end_mark.index) + 1

    def line_start(self, index: int) -> int:
        return self.text.rfind("\n", 0, index) + 1

    def line_end(self, index: int) -> int:
        found = self.text.find("\n", index)
        return len(self.text) if found < 0 else found

    def column(self, index: int) -> int:
        return index - self.line_start(index)


def is_mapping(node: Node | None) -> TypeGuard[MappingNode]:
    return isinstance(node, MappingNode)


def is_list(node: Node | None) -> TypeGuard[SequenceNode]:
    return isinstance(node, SequenceNode)


def is_block(node: Node) -> bool:
    return isinstance(node, CollectionNode) and not node.flow_style
