"""Edits of a YAML text that change nothing but the place they are of: comments, order and quotes stay.

Every edit is read back: a text whose values are not exactly the wanted ones is refused.
"""

from __future__ import annotations

import re
from copy import deepcopy
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ruamel.yaml.nodes import ScalarNode

from sdc.studio.placed_nodes import CannotEdit, PlacedText, WrittenEntry, is_block, is_list, is_mapping
from sdc.study.document import flow, plain

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

    from sdc.profile.document import Place

COMMENT_AFTER = re.compile(r"([^\"'#\n]*?)(  +)#")


def with_value(text: str, place: Place, value: Any) -> str:
    """The text with this value at the place; what is missing around it is added."""
    value = plain(value)
    if not place:
        raise CannotEdit(place, "all of it cannot be one value")
    placed = PlacedText.of(text)
    node = placed.node(place)
    if node is not None:
        return _replaced(placed, place, node, value)
    *before, last = place
    around = placed.node(tuple(before))
    if around is None or (isinstance(around, ScalarNode) and not str(around.value)):
        return with_value(text, tuple(before), [value] if isinstance(last, int) else {str(last): value})
    if is_list(around) and last == len(around.value):
        return with_item(text, tuple(before), len(around.value), value)
    if not is_mapping(around):
        raise CannotEdit(place, "what is written there has no keys")
    return _added(placed, tuple(before), around, f"{flow(str(last))}:", value)


def _replaced(placed: PlacedText, place: Place, node: Node, value: Any) -> str:
    text, entry = placed.text, placed.entry(place)
    (start, end), key = placed.span(entry), entry.key
    if is_block(node) and key is not None and placed.line_start(start) > key.end_mark.index:
        # A block stands below its key: its lines go, and the new value stands after the colon or below it.
        colon, first = placed.after_colon(key), placed.line_start(start)
        indent = placed.column(key.start_mark.index)
        inline, below = _written(value, indent)
        kept = text[colon:first].rstrip("\n")
        return text[:colon] + inline + kept + below + text[placed.line_end(end) :]
    inline, below = (
        _written(value, placed.column(key.start_mark.index))
        if key is not None and not _within_flow(placed, place)
        else (f" {flow(value)}", "")
    )
    if start == end:
        return text[:start] + inline + text[end : placed.line_end(end)] + below + text[placed.line_end(end) :]
    if below:
        line_end = placed.line_end(end)
        return text[:start].rstrip(" ") + text[end:line_end].rstrip() + below + text[line_end:]
    return text[:start] + _keeping_column(inline.strip(), text[start:end], text[end:])


def _keeping_column(new: str, old: str, rest: str) -> str:
    """A comment at the end of the line stays in its column, if it can."""
    found = COMMENT_AFTER.match(rest)
    if found is None:
        return new + rest
    spaces = max(2, len(found[2]) - len(new) + len(old))
    return f"{new}{found[1]}{' ' * spaces}#{rest[found.end() :]}"


def _within_flow(placed: PlacedText, place: Place) -> bool:
    """Does the place stand between brackets?"""
    around = [placed.node(place[:depth]) for depth in range(len(place))]
    return any(
        node is not None and not is_block(node) and not isinstance(node, ScalarNode) for node in around
    )


def _written(value: Any, indent: int) -> tuple[str, str]:
    """A value after its colon: what stands on the same line, and the lines below it."""
    if not _is_tall(value):
        return f" {flow(value)}", ""
    inset = " " * (indent + 2)
    if isinstance(value, list):
        return "", "".join(f"\n{inset}- {flow(item)}" for item in value)
    lines = ""
    for name, held in value.items():
        inline, below = _written(held, indent + 2)
        lines += f"\n{inset}{flow(str(name))}:{inline}{below}"
    return "", lines


def _is_tall(value: Any) -> bool:
    """Lists of steps and criteria stand one below the other, and so does what holds them."""
    if isinstance(value, list):
        return any(isinstance(item, dict) for item in value)
    return isinstance(value, dict) and any(map(_is_tall, value.values()))


def _added(placed: PlacedText, place: Place, around: Node, head: str, value: Any) -> str:
    """A new entry at the end of a mapping."""
    text, last = placed.text, placed.entries(around)[-1] if around.value else None
    if last is None or not is_block(around):
        if last is None:
            name = head.removesuffix(":")
            start, end = placed.span(placed.entry(place))
            return text[:start] + _keeping_column(f"{{{name}: {flow(value)}}}", text[start:end], text[end:])
        end = placed.end(last)
        return text[:end] + _keeping_column(f", {head} {flow(value)}", "", text[end:])
    first = placed.entries(around)[0]
    indent = placed.column(first.start)
    line_end = placed.line_end(placed.end(last))
    inline, below = _written(value, indent)
    return f"{text[:line_end]}\n{' ' * indent}{head}{inline}{below}{text[line_end:]}"


def without(text: str, place: Place) -> str:
    """The text without what stands at the place; comments on lines of their own stay."""
    placed = PlacedText.of(text)
    around = placed.node(place[:-1])
    entry = placed.entry(place)
    assert around is not None
    many = placed.entries(around)
    if len(many) == 1:
        if len(place) == 1:
            raise CannotEdit(place, "nothing would be left")
        return with_value(text, place[:-1], [] if is_list(around) else {})
    position = [each.start for each in many].index(entry.start)
    after = many[position + 1] if position + 1 < len(many) else None
    if not is_block(around):
        if after is not None:
            return text[: entry.start] + text[after.start :]
        return text[: placed.end(many[position - 1])] + text[placed.end(entry) :]
    line = placed.line_start(entry.start)
    if text[line : entry.start].strip():
        # The first key of an item stands beside its dash.
        assert after is not None
        return text[: entry.start] + text[after.start :]
    return text[:line] + text[placed.line_end(placed.end(entry)) + 1 :]


def with_item(text: str, place: Place, position: int, value: Any) -> str:
    """The text with one more item in the list at the place."""
    value, placed = plain(value), PlacedText.of(text)
    node = placed.node(place)
    if node is None or not is_list(node) or not node.value:
        if node is not None and node.value:
            raise CannotEdit(place, "it is no list")
        return with_value(text, place, [value])
    many = placed.entries(node)
    position = min(max(position, 0), len(many))
    if not is_block(node):
        if position < len(many):
            start = many[position].start
            return f"{text[:start]}{flow(value)}, {text[start:]}"
        end = placed.end(many[-1])
        return f"{text[:end]}, {flow(value)}{text[end:]}"
    indent = placed.column(many[0].start)
    at = (
        placed.line_start(many[position].start) - 1
        if position == 0
        else placed.line_end(placed.end(many[position - 1]))
    )
    return f"{text[:at]}\n{' ' * indent}- {flow(value)}{text[at:]}"


def with_moved(text: str, place: Place, from_: int, to: int) -> str:
    """The text with one item or key at another position; comments above it go with it."""
    placed = PlacedText.of(text)
    node = placed.node(place)
    many = placed.entries(node) if node is not None else []
    if node is None or not (0 <= from_ < len(many) and 0 <= to < len(many)):
        raise CannotEdit(place, "there is nothing to move from there to there")
    if is_block(node):
        ends = [placed.line_end(placed.end(entry)) for entry in many]
        begins = [_head_end(placed, place, many[0]), *ends[:-1]]
    else:
        ends = [placed.end(entry) for entry in many]
        begins = [entry.start for entry in many]
    pieces = [text[begin:end] for begin, end in zip(begins, ends, strict=True)]
    between = [text[ends[at] : begins[at + 1]] for at in range(len(many) - 1)]
    pieces.insert(to, pieces.pop(from_))
    woven = pieces[0] + "".join(gap + piece for gap, piece in zip(between, pieces[1:], strict=True))
    return text[: begins[0]] + woven + text[ends[-1] :]


def _head_end(placed: PlacedText, place: Place, first: WrittenEntry) -> int:
    """Where the first entry of a block begins, with the comments above it."""
    key = placed.entry(place).key if place else None
    return (
        placed.line_end(placed.line_start(first.start) - 1)
        if key is None
        else placed.line_end(placed.after_colon(key))
    )


def with_name(text: str, place: Place, name: str) -> str:
    """The text with another name for the key at the place."""
    placed = PlacedText.of(text)
    key = placed.entry(place).key
    if key is None:
        raise CannotEdit(place, "an item of a list has no name")
    start, end = int(key.start_mark.index), int(key.end_mark.index)
    new = flow(name)
    return text[:start] + new + text[end:]


def valued(values: Any, place: Place, value: Any) -> Any:
    """The values as an edit should leave them."""
    held = deepcopy(values)
    around = held
    for step, after in pairwise(place):
        empty: Any = [] if isinstance(after, int) else {}
        if isinstance(around, dict):
            if around.get(str(step)) is None:
                around[str(step)] = empty
            around = around[str(step)]
        else:
            if step == len(around):
                around.append(empty)
            around = around[step]
    if isinstance(around, list) and place[-1] == len(around):
        around.append(plain(value))
    else:
        around[place[-1]] = plain(value)
    return held
