"""Gaps between two empirical distribution functions, as whole numbers, so that ties are exact."""

from __future__ import annotations

from sdc.kernels.compiled import READ_ONLY, kernel


@kernel("f8[::1], f8[::1]", f"{READ_ONLY}, {READ_ONLY}", f"{READ_ONLY}, f8[::1]", f"f8[::1], {READ_ONLY}")
def gaps_along(x, y):
    """The largest gap between the functions of two sorted samples, their area, and the sum of squared gaps.

    A gap is n m times the difference; the sum has one term for each record. Rounding errors of both sums are
    carried along and added at the end.
    """
    n, m = x.size, y.size
    largest, area, squares, lost_area, lost_squares = 0, 0.0, 0.0, 0.0, 0.0
    i, j, gap, before = 0, 0, 0, 0.0
    while i < n or j < m:
        point = x[i] if j == m or (i < n and x[i] <= y[j]) else y[j]
        if gap != 0:
            area, lost_area = _added(area, lost_area, float(abs(gap)) * (point - before))
        start = i + j
        while i < n and x[i] == point:
            i += 1
        while j < m and y[j] == point:
            j += 1
        gap, before = i * m - j * n, point
        largest = max(largest, abs(gap))
        squares, lost_squares = _added(
            squares, lost_squares, float(i + j - start) * (float(gap) * float(gap))
        )
    return largest, area + lost_area, squares + lost_squares


@kernel
def _added(total, lost, value):
    """A sum with one more term, and its rounding error (Neumaier, 1974, doi:10.1002/zamm.19740540106)."""
    with_it = total + value
    if abs(total) >= abs(value):
        return with_it, lost + ((total - with_it) + value)
    return with_it, lost + ((value - with_it) + total)
