"""A regression model as a user writes it: `log(income) ~ age + region`, `health == bad ~ age * sex`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sdc.arrays import Array

TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>'[^']*'|"[^"]*"|`[^`]+`)
        |(?P<number>[+-]?\d[\d.]*(?:[eE][+-]?\d+)?)
        |(?P<name>[^\W\d][\w.]*)
        |(?P<sign>==|!=|<=|>=|[<>+*:^()~])
    )""",
    re.VERBOSE,
)
COMPARISONS: dict[str, Callable[[Array, float], Array]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
FUNCTIONS: dict[str, Callable[[Array], Array]] = {"log": np.log, "log1p": np.log1p, "sqrt": np.sqrt}


@dataclass(frozen=True)
class Factor:
    """A variable as it enters a model: itself, a function or power of it, or a comparison with a value."""

    variable: str
    function: str = ""
    power: int = 1
    comparison: str = ""
    value: str = ""

    @property
    def plain(self) -> bool:
        return not self.function and not self.comparison and self.power == 1

    def of_numbers(self, numbers: Array) -> Array:
        """The factor of a number: NaN where the number is missing or the function has no finite value."""
        if self.comparison:
            return np.where(
                np.isnan(numbers), np.nan, COMPARISONS[self.comparison](numbers, float(self.value))
            )
        with np.errstate(all="ignore"):
            made = (FUNCTIONS[self.function](numbers) if self.function else numbers) ** self.power
        return np.where(np.isfinite(made), made, np.nan)

    def __str__(self) -> str:
        inner = f"{self.function}({self.variable})" if self.function else self.variable
        return (
            inner
            + (f"^{self.power}" if self.power != 1 else "")
            + (f" {self.comparison}" if self.comparison else "")
        )


Term = tuple[Factor, ...]


@dataclass(frozen=True)
class Model:
    """A response and the terms that explain it; a term is a product of factors."""

    response: Factor
    terms: tuple[Term, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(factor.variable for term in ((self.response,), *self.terms) for factor in term)
        )


class _FormulaReader:
    """Reads a formula token by token; every fault is a ValueError that says what was expected where."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.place = text, [], 0
        at = 0
        while at < len(text.rstrip()):
            found = TOKEN.match(text, at)
            if found is None:
                message = f"{text[at:].split(maxsplit=1)[0]!r} has no meaning in a formula"
                raise ValueError(message)
            kind, held = str(found.lastgroup), str(found[str(found.lastgroup)])
            self.tokens.append(("name" if held[0] == "`" else kind, held[1:-1] if kind == "text" else held))
            at = found.end()

    def sign(self, *wanted: str) -> str:
        """The next token if it is one of these signs, else nothing."""
        if self.place < len(self.tokens) and self.tokens[self.place] in [("sign", sign) for sign in wanted]:
            self.place += 1
            return self.tokens[self.place - 1][1]
        return ""

    def need(self, sign: str) -> None:
        if not self.sign(sign):
            raise self.fault(f"{sign!r}")

    def word(self, expected: str, *kinds: str) -> str:
        if self.place < len(self.tokens) and self.tokens[self.place][0] in kinds:
            self.place += 1
            return self.tokens[self.place - 1][1]
        raise self.fault(expected)

    def fault(self, expected: str) -> ValueError:
        before = f"after {self.tokens[self.place - 1][1]!r}" if self.place else "at the beginning"
        return ValueError(f"{expected} is expected {before} of the formula {self.text!r}")

    def factor(self) -> Factor:
        opened = bool(self.sign("("))
        name, function, power = self.word("a variable", "name"), "", 1
        if self.sign("("):
            if name not in FUNCTIONS:
                message = f"{name!r} is no function of formulas; there are {', '.join(FUNCTIONS)}"
                raise ValueError(message)
            function, name = name, self.word("a variable", "name")
            self.need(")")
        if self.sign("^"):
            power = self._whole()
        comparison = self.sign(*COMPARISONS) if not function and power == 1 else ""
        value = self.word("a value", "name", "number", "text") if comparison else ""
        if opened:
            self.need(")")
        return Factor(name, function, power, comparison, value)

    def _whole(self) -> int:
        held = self.word("a whole number", "number")
        if not held.isdigit() or int(held) < 1:
            message = f"{held!r} is no power: a whole number from 1 on is expected"
            raise ValueError(message)
        return int(held)

    def terms(self) -> list[Term]:
        """Terms with `a * b` written out as a + b + a:b."""
        made: list[Term] = []
        while True:
            crossed: list[Term] = [self._product()]
            while self.sign("*"):
                crossed.append(self._product())
            made += [
                sum(chosen, ())
                for size in range(1, len(crossed) + 1)
                for chosen in combinations(crossed, size)
            ]
            if not self.sign("+"):
                return made

    def _product(self) -> Term:
        factors = [self.factor()]
        while self.sign(":"):
            factors.append(self.factor())
        return tuple(factors)


def parse(text: str) -> Model:
    """The model a formula stands for; a ValueError says what is wrong with it.

    Terms are joined by `+`; `a:b` is a product and `a * b` short for `a + b + a:b`. A factor is a variable,
    `log(x)`, `log1p(x)`, `sqrt(x)`, a power `x^2`, or a comparison such as `health == bad` or `age >= 65`.
    Values with blanks or signs stand in quotes, such variables in backquotes.
    """
    reader = _FormulaReader(text)
    response = reader.factor()
    reader.need("~")
    terms = reader.terms()
    if reader.place < len(reader.tokens):
        raise reader.fault("'+' or the end")
    if response.variable in {factor.variable for term in terms for factor in term}:
        message = f"{response.variable!r} stands on both sides of the formula"
        raise ValueError(message)
    return Model(response, tuple(dict.fromkeys(terms)))
