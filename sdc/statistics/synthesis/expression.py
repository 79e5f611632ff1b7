"""A formula over variables, read without running any code of its writer."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator

from sdc.arrays import Array

_ARITHMETIC: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISONS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "sqrt": np.sqrt,
    "log": np.log,
    "exp": np.exp,
    "round": np.round,
    "min": lambda *values: reduce(np.minimum, values),
    "max": lambda *values: reduce(np.maximum, values),
    "where": np.where,
}
_LOGIC = (
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.UnaryOp,
    ast.Not,
    ast.USub,
    ast.BinOp,
    ast.Compare,
    ast.In,
    ast.NotIn,
)
_GRAMMAR: tuple[type[ast.AST], ...] = (ast.Expression, *_LOGIC)
_GRAMMAR += (ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.Call, *_ARITHMETIC, *_COMPARISONS)


@dataclass(frozen=True)
class Expression:
    """Arithmetic, comparisons, `and`, `or`, `not`, `in [..]` and a few functions of variables.

    `a name` in backticks may have spaces.
    """

    tree: ast.Expression
    quoted: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Expression:
        """Reads a formula; raises ValueError where the text is none."""
        quoted = tuple(re.findall(r"`([^`]+)`", text))
        plain = text
        for place, name in enumerate(quoted):
            plain = plain.replace(f"`{name}`", f"_quoted_{place}", 1)
        try:
            tree = ast.parse(plain, mode="eval")
        except SyntaxError:
            message = f"{text!r} cannot be read as a formula"
            raise ValueError(message) from None
        for node in ast.walk(tree):
            called = isinstance(node, ast.Call) and (
                not isinstance(node.func, ast.Name) or node.func.id not in _FUNCTIONS or node.keywords
            )
            if called or not isinstance(node, _GRAMMAR):
                parts = f"+ - * / // % **, comparisons, in, and, or, not and {', '.join(_FUNCTIONS)}"
                message = f"{text!r} has something in it that formulas do not have; there are {parts}"
                raise ValueError(message)
        return cls(tree, quoted)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables in it, each once."""
        called = {node.func for node in ast.walk(self.tree) if isinstance(node, ast.Call)}
        found = [
            self._name(node)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Name) and node not in called
        ]
        return tuple(dict.fromkeys(found))

    def _name(self, node: ast.Name) -> str:
        return (
            self.quoted[int(node.id.removeprefix("_quoted_"))] if node.id.startswith("_quoted_") else node.id
        )

    def value(self, values: Mapping[str, Array]) -> Any:
        """The result of the formula for each record: numbers with NaN, or texts with None, for missing."""
        with np.errstate(all="ignore"):
            return self._value(self.tree.body, values)

    def holds(self, values: Mapping[str, Array]) -> Array:
        """Where it is true; a comparison with a missing value is not."""
        return np.asarray(self.value(values), dtype=bool)

    def missing(self, values: Mapping[str, Array]) -> Array:
        """Records in which some variable of the formula is missing."""
        gone = [_is_missing(values[name]) for name in self.names]
        return np.asarray(reduce(np.logical_or, gone)) if gone else np.zeros(1, dtype=bool)

    def _value(self, node: Any, values: Mapping[str, Array]) -> Any:  # noqa: PLR0911
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return values[self._name(node)]
            case ast.List() | ast.Tuple():
                return [self._value(part, values) for part in node.elts]
            case ast.UnaryOp():
                held = self._value(node.operand, values)
                return np.logical_not(held) if isinstance(node.op, ast.Not) else -held
            case ast.BoolOp():
                parts = [np.asarray(self._value(part, values), dtype=bool) for part in node.values]
                return reduce(np.logical_and if isinstance(node.op, ast.And) else np.logical_or, parts)
            case ast.BinOp():
                return _ARITHMETIC[type(node.op)](
                    self._value(node.left, values), self._value(node.right, values)
                )
            case ast.Call(func=ast.Name(id=function)):
                return _FUNCTIONS[function](*(self._value(part, values) for part in node.args))
            case _:
                return self._compared(node, values)

    def _compared(self, node: ast.Compare, values: Mapping[str, Array]) -> Any:
        """A chain of comparisons: a < b < c holds where a < b and b < c do."""
        sides = [self._value(side, values) for side in (node.left, *node.comparators)]
        made = [
            _compare(kind, one, other) for kind, one, other in zip(node.ops, sides, sides[1:], strict=False)
        ]
        return reduce(np.logical_and, made)


def _compare(kind: ast.cmpop, one: Any, other: Any) -> Any:
    if isinstance(kind, (ast.In, ast.NotIn)):
        found = reduce(np.logical_or, [_equal(one, each) for each in other])
        return np.logical_not(found) if isinstance(kind, ast.NotIn) else found
    if isinstance(kind, ast.Eq):
        return _equal(one, other)
    if isinstance(kind, ast.NotEq):
        return np.logical_not(_equal(one, other))
    return _COMPARISONS[type(kind)](one, other)


def _is_missing(values: Any) -> Any:
    return values == None if values.dtype == object else np.isnan(values)  # noqa: E711


def _equal(one: Any, other: Any) -> Any:
    return np.asarray(one == other, dtype=bool)


def _readable(text: str) -> str:
    Expression.of(text)
    return text


Formula = Annotated[str, AfterValidator(_readable)]
