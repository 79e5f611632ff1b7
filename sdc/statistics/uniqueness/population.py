"""The probability that a class with one record in the sample has one in the population."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sdc.arrays import Array


def bayes(sizes: Array, classes: Array, population: int) -> float:
    """Bayes' rule with the sample's shares of class sizes as prior and P(f = 1 | F = i) hypergeometric."""
    records = int((sizes * classes).sum())
    ones = sizes * records / population * np.exp(_log_others_stay_out(sizes - 1, population, records))
    weight = classes * ones
    return float(weight[sizes == 1].sum() / weight.sum())


def bayes_as_printed(sizes: Array, classes: Array, population: int) -> float:
    """The same with P(f = i | F = i) in the denominator, as the thesis prints it.

    This is not a probability given f = 1.
    """
    weight = classes * wholly_sampled(sizes, population, int((sizes * classes).sum()))
    return float(weight[sizes == 1].sum() / weight.sum())


def wholly_sampled(sizes: Array, population: int, records: int) -> Array:
    """The chance that all people of a class are in the sample."""
    steps = np.arange(int(sizes.max()))
    with np.errstate(divide="ignore"):
        logs = np.concatenate(
            [[0.0], np.cumsum(np.log(np.maximum(records - steps, 0) / (population - steps)))]
        )
    return np.exp(logs[sizes])


def _log_others_stay_out(others: Array, population: int, records: int) -> Array:
    """The logarithm of the chance that so many given people are outside the sample, one other being in it."""
    steps = np.arange(int(others.max(initial=0)))
    with np.errstate(divide="ignore"):
        logs = np.concatenate(
            [
                [0.0],
                np.cumsum(
                    np.log(
                        np.maximum(population - records - steps, 0) / np.maximum(population - 1 - steps, 1)
                    )
                ),
            ]
        )
    chances: Array = logs[others]
    return chances


def pitman(sizes: Array, classes: Array, population: int) -> float:
    """Pitman's sampling formula fitted to the sample by maximum likelihood.

    A class of one then stays alone as the other people arrive, each joining it with chance (1 - alpha)/(theta
    + people).
    """
    from scipy.special import gammaln

    records, number = int((sizes * classes).sum()), int(classes.sum())

    def parameters(point: Array) -> tuple[float, float]:
        alpha = 1 / (1 + np.exp(-point[0]))
        return float(alpha), float(np.exp(point[1]) - alpha)

    def loss(point: Array) -> float:
        alpha, theta = parameters(point)
        grown = (number - 1) * np.log(alpha) + gammaln(theta / alpha + number) - gammaln(theta / alpha + 1)
        inner = (classes * (gammaln(sizes - alpha) - gammaln(1 - alpha))).sum()
        return -float(grown - gammaln(theta + records) + gammaln(theta + 1) + inner)

    alpha, theta = parameters(_smallest(loss, (0.0, np.log(max(number, 2)))))
    logs = (
        gammaln(theta + population - 1 + alpha)
        + gammaln(theta + records)
        - gammaln(theta + records - 1 + alpha)
        - gammaln(theta + population)
    )
    return float(np.exp(min(logs, 0.0)))


def slide_negative_binomial(sizes: Array, classes: Array, population: int) -> float:
    """Population class sizes 1 + negative binomial, sampled record by record.

    The law is fitted to the sample by maximum likelihood.
    """
    from scipy.special import gammaln

    records = int((sizes * classes).sum())
    rate = records / population

    def sampled(point: Array, size: Array) -> tuple[Array, float, float]:
        """P(f = size), and both parameters."""
        shape, chance = float(np.exp(point[0])), float(1 / (1 + np.exp(-point[1])))
        thinned = rate * chance / (1 - chance * (1 - rate))

        def mass(extra: Array) -> Array:
            held = np.maximum(extra, 0)
            logs = (
                gammaln(shape + held)
                - gammaln(shape)
                - gammaln(held + 1)
                + shape * np.log1p(-thinned)
                + held * np.log(thinned)
            )
            return np.where(extra >= 0, np.exp(logs), 0.0)

        return (1 - rate) * mass(size) + rate * mass(size - 1), shape, chance

    def loss(point: Array) -> float:
        found, none = sampled(point, sizes)[0], float(sampled(point, np.array([0]))[0][0])
        return -float((classes * (np.log(np.maximum(found, 1e-300)) - np.log1p(-none))).sum())

    best = _smallest(loss, (0.0, 0.0))
    one, shape, chance = sampled(best, np.array([1]))
    return float(min(rate * (1 - chance) ** shape / one[0], 1.0))


def _smallest(loss: Callable[[Array], float], start: tuple[float, float]) -> Array:
    """Where a smooth function of two unbounded parameters is smallest.

    Parameters stop where they no longer matter.
    """
    from scipy.optimize import minimize

    bounded = minimize(
        loss,
        np.array(start),
        method="Nelder-Mead",
        bounds=[(-30, 30), (-30, 30)],
        options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000},
    )
    point: Array = bounded.x
    return point
