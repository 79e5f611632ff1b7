"""Sums over the rows of a sparse regression matrix, in row order, so that they do not depend on threads.

Row i has a value in each of the columns `columns[i, k]`; a column of -1 is left out. The value is one, or
`values[i, held[k]]` where `held[k]` is not -1. That is written in every loop: a function that is called
there counts who uses its arrays, and takes several times as long.
"""

from __future__ import annotations

import math

import numpy as np

from sdc.kernels.compiled import kernel


@kernel("i4[:, ::1], f8[:, ::1], i4[::1], f8[::1], i8", "i2[:, ::1], f8[:, ::1], i4[::1], f8[::1], i8")
def gram(columns, values, held, scale, width):
    """The lower triangle of X'X, where each row is first multiplied by its scale; an empty scale is one."""
    total = np.zeros((width, width))
    row = np.ones(columns.shape[1])
    for i in range(columns.shape[0]):
        factor = scale[i] if scale.size else 1.0
        for k in range(columns.shape[1]):
            row[k] = (values[i, held[k]] if held[k] >= 0 else 1.0) * factor
            a = columns[i, k]
            if a < 0:
                continue
            for j in range(k + 1):
                b = columns[i, j]
                if b >= 0:
                    total[a, b] += row[k] * row[j]
    return total


@kernel("i4[:, ::1], f8[:, ::1], i4[::1], f8[::1], i8", "i2[:, ::1], f8[:, ::1], i4[::1], f8[::1], i8")
def cross(columns, values, held, vector, width):
    """X'v."""
    total = np.zeros(width)
    for i in range(columns.shape[0]):
        for k in range(columns.shape[1]):
            a = columns[i, k]
            if a >= 0:
                total[a] += (values[i, held[k]] if held[k] >= 0 else 1.0) * vector[i]
    return total


@kernel("i4[:, ::1], f8[:, ::1], i4[::1], f8[::1]", "i2[:, ::1], f8[:, ::1], i4[::1], f8[::1]")
def linear_predictor(columns, values, held, coefficients):
    """The sum of value times coefficient of each row."""
    predictor = np.zeros(columns.shape[0])
    for i in range(columns.shape[0]):
        for k in range(columns.shape[1]):
            a = columns[i, k]
            if a >= 0:
                predictor[i] += (values[i, held[k]] if held[k] >= 0 else 1.0) * coefficients[a]
    return predictor


@kernel(
    "i4[:, ::1], f8[:, ::1], i4[::1], f8[::1], f8[::1], i8",
    "i2[:, ::1], f8[:, ::1], i4[::1], f8[::1], f8[::1], i8",
)
def newton_parts(columns, values, held, response, predictor, width):
    """Gradient, curvature (lower triangle) and value of the log-likelihood of a logistic regression."""
    gradient = np.zeros(width)
    curvature = np.zeros((width, width))
    likelihood = 0.0
    row = np.ones(columns.shape[1])
    for i in range(columns.shape[0]):
        eta = predictor[i]
        small = math.exp(-abs(eta))
        score = 1 / (1 + small) if eta >= 0 else small / (1 + small)
        weight = small / (1 + small) ** 2
        residual = response[i] - score
        likelihood += (eta if response[i] > 0.5 else 0.0) - max(eta, 0.0) - math.log1p(small)
        for k in range(columns.shape[1]):
            if held[k] >= 0:
                row[k] = values[i, held[k]]
            a = columns[i, k]
            if a < 0:
                continue
            gradient[a] += residual * row[k]
            weighted = weight * row[k]
            for j in range(k + 1):
                b = columns[i, j]
                if b >= 0:
                    curvature[a, b] += weighted * row[j]
    return gradient, curvature, likelihood


@kernel("i4[:, ::1], f8[::1], boolean[::1], boolean[::1]", "i2[:, ::1], f8[::1], boolean[::1], boolean[::1]")
def settle(columns, response, binary, open_rows):
    """Close the open rows with a 0/1 column that has one response only among them; give their number."""
    met = np.zeros((binary.size, 2), dtype=np.bool_)
    for i in range(columns.shape[0]):
        if open_rows[i]:
            side = 1 if response[i] > 0.5 else 0
            for k in range(columns.shape[1]):
                if columns[i, k] >= 0:
                    met[columns[i, k], side] = True
    closed = 0
    for i in range(columns.shape[0]):
        if not open_rows[i]:
            continue
        for k in range(columns.shape[1]):
            a = columns[i, k]
            if a >= 0 and binary[a] and met[a, 0] != met[a, 1]:
                open_rows[i] = False
                closed += 1
                break
    return closed
