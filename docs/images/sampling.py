"""Pictures of the samplers for docs/sampling.md.

Python docs/images/sampling.py writes a sampling-*.svg for each.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from sdc.statistics.sampling.bootstrap import bootstrap
from sdc.statistics.sampling.cholesky_normal import cholesky_normal
from sdc.statistics.sampling.conditioning import beta_by_conditioning
from sdc.statistics.sampling.discrete_inverse import infinite
from sdc.statistics.sampling.interpolation import boxes, linear_two
from sdc.statistics.sampling.inverse_transform import inverse_transform
from sdc.statistics.sampling.mixture import mixture
from sdc.statistics.sampling.multivariate_inverse import multivariate_inverse
from sdc.statistics.sampling.rejection import normal_by_rejection
from sdc.statistics.sampling.shares_of_a_gap import shares_of_a_gap
from sdc.statistics.sampling.smote import between, smote
from sdc.statistics.sampling.spectral_normal import spectral_normal
from sdc.statistics.sampling.transformation import chi_square

Array = np.ndarray[Any, Any]
Density = Callable[[Array], Array]

HERE = Path(__file__).parent
WIDE, HIGH, EDGE = 320, 200, 24
DRAWS = 4000
BARS = 40
DRAWN, KNOWN = "#5b8def", "#d1495b"
"""Colours of what was drawn, and of what is known: a density or the data."""


class Picture:
    """An SVG of one pair of axes: what is added is scaled to them."""

    def __init__(self, across: tuple[float, float], up: tuple[float, float]) -> None:
        self.across, self.up = across, up
        self.parts: list[str] = []

    def places(self, x: Array, y: Array) -> list[str]:
        right = EDGE + (np.asarray(x) - self.across[0]) / (self.across[1] - self.across[0]) * (
            WIDE - 2 * EDGE
        )
        down = HIGH - EDGE - (np.asarray(y) - self.up[0]) / (self.up[1] - self.up[0]) * (HIGH - 2 * EDGE)
        return [f"{a:.1f} {b:.1f}" for a, b in zip(right, down, strict=True)]

    def line(self, x: Array, y: Array, colour: str) -> None:
        self.parts.append(
            f'<path d="M{"L".join(self.places(x, y))}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        )

    def steps(self, values: Array, colour: str) -> None:
        """The empirical distribution function."""
        held = np.sort(values)
        heights = np.arange(len(held) + 1) / len(held)
        self.line(np.repeat([self.across[0], *held, self.across[1]], 2)[1:-1], np.repeat(heights, 2), colour)

    def points(self, table: Array, colour: str, size: float = 2.5) -> None:
        inside = table[
            ((table >= [self.across[0], self.up[0]]) & (table <= [self.across[1], self.up[1]])).all(axis=1)
        ]
        dots = "".join(f"M{place}h0" for place in self.places(*inside.T))
        self.parts.append(
            f'<path d="{dots}" stroke="{colour}" stroke-width="{size}" stroke-linecap="round" opacity="0.7"/>'
        )

    def bars(self, left: Array, right: Array, heights: Array) -> None:
        corners = [
            self.places(np.array([a, a, b, b]), np.array([0.0, h, h, 0.0]))
            for a, b, h in zip(left, right, heights, strict=True)
        ]
        self.parts.append(
            f'<path d="{"".join("M" + "L".join(four) + "z" for four in corners)}" fill="{DRAWN}"'
            ' opacity="0.6"/>'
        )

    def write(self, name: str) -> None:
        base = f'<path d="M{EDGE} {HIGH - EDGE}H{WIDE - EDGE}" stroke="#888"/>'
        ends = "".join(
            f'<text x="{x}" y="{HIGH - 8}" font-family="sans-serif" font-size="11" fill="#888"'
            f' text-anchor="{anchor}">{value:g}</text>'
            for x, anchor, value in ((EDGE, "start", self.across[0]), (WIDE - EDGE, "end", self.across[1]))
        )
        body = "\n".join([base, *self.parts, ends])
        path = HERE / f"sampling-{name}.svg"
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}"'
            f' height="{HIGH}">\n{body}\n</svg>\n'
        )


def histogram(name: str, drawn: Array, density: Density, low: float, high: float) -> None:
    """Draws as bars of area one, and the density they should have as a line."""
    heights, edges = np.histogram(drawn, BARS, (low, high))
    heights = heights / len(drawn) / (edges[1] - edges[0])
    along = np.linspace(low, high, 160)[1:-1]
    wanted = density(along)
    made = Picture((low, high), (0.0, 1.1 * float(max(heights.max(), wanted.max()))))
    made.bars(edges[:-1], edges[1:], heights)
    made.line(along, wanted, KNOWN)
    made.write(name)


def known_laws(rng: np.random.Generator) -> None:
    histogram(
        "inverse_transform",
        inverse_transform(lambda level: -np.log1p(-level), DRAWS, rng),
        stats.expon.pdf,
        0,
        6,
    )
    histogram("rejection", normal_by_rejection(0.0, 1.0, DRAWS, rng), stats.norm.pdf, -4, 4)
    histogram("transformation", chi_square(3, DRAWS, rng), stats.chi2(3).pdf, 0, 14)
    histogram("conditioning", beta_by_conditioning(2.0, 3.0, DRAWS, rng), stats.beta(2, 3).pdf, 0, 1)
    two = mixture([0.3, 0.7], [lambda n, r: r.normal(-2, 0.5, n), lambda n, r: r.normal(1, 1, n)], DRAWS, rng)
    histogram(
        "mixture", two, lambda x: 0.3 * stats.norm(-2, 0.5).pdf(x) + 0.7 * stats.norm(1, 1).pdf(x), -4, 4
    )
    shares = shares_of_a_gap("normal", 2.0)(DRAWS, rng)
    histogram("shares_of_a_gap", shares, stats.truncnorm(-3, 3, 0.5, 1 / 6).pdf, 0, 1)


def points_of_probability(rng: np.random.Generator) -> None:
    drawn, numbers = infinite(stats.poisson(3).pmf, DRAWS, rng), np.arange(11)
    made = Picture((-0.5, 10.5), (0.0, 0.25))
    made.bars(numbers - 0.35, numbers + 0.35, np.bincount(drawn, minlength=11)[:11] / DRAWS)
    made.points(np.column_stack([numbers, stats.poisson(3).pmf(numbers)]), KNOWN, 6)
    made.write("discrete_inverse")


def several_variables(rng: np.random.Generator) -> None:
    covariance = np.array([[1.0, 0.8], [0.8, 1.0]])
    angle = np.linspace(0, 2 * np.pi, 80)
    # Nine in ten draws lie within this ellipse.
    ellipse = (
        np.linalg.cholesky(covariance)
        @ np.array([np.cos(angle), np.sin(angle)])
        * np.sqrt(stats.chi2(2).ppf(0.9))
    )
    for name, normal in (("cholesky_normal", cholesky_normal), ("spectral_normal", spectral_normal)):
        made = Picture((-4, 4), (-4, 4))
        made.points(normal(np.zeros(2), covariance, 300, rng), DRAWN)
        made.line(*ellipse, KNOWN)
        made.write(name)
    made = Picture((0, 4), (0, 8))
    given = [lambda level: -np.log1p(-level), lambda level, before: -np.log1p(-level) * (0.2 + before)]
    made.points(multivariate_inverse(given, 400, rng), DRAWN)
    made.line(np.array([0.0, 4.0]), np.array([0.2, 4.2]), KNOWN)
    made.write("multivariate_inverse")


def data_alone(rng: np.random.Generator) -> None:
    values = rng.gamma(2.0, 1.0, 15)
    for name, drawn in (
        ("bootstrap", values[bootstrap(15, 60, rng)]),
        ("interpolation", linear_two(values, 400, rng)),
    ):
        made = Picture((0, 6), (0, 1))
        made.steps(drawn, DRAWN)
        made.steps(values, KNOWN)
        made.write(name)
    table = cholesky_normal(np.zeros(2), np.array([[1.0, 0.7], [0.7, 1.0]]), 25, rng)
    own, other, share = smote(table, 150, 3, rng)
    for name, drawn in (
        ("smote", between(table[own], table[other], share[:, None])),
        ("boxes", boxes(table, 150, rng)),
    ):
        made = Picture((-3, 3), (-3, 3))
        made.points(drawn, DRAWN)
        made.points(table, KNOWN, 5)
        made.write(name)


if __name__ == "__main__":
    for part, stream in zip(
        (known_laws, points_of_probability, several_variables, data_alone),
        np.random.default_rng(7).spawn(4),
        strict=True,
    ):
        part(stream)
