"""Classes of rows whose keys are coarsened to some levels."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel
from sdc.kernels.hash_table import find, slots_for


@kernel("u2[:, ::1], i8[::1], u8[::1], i8[::1]")
def classes(codes: Array, counts: Array, numbers: Array, offsets: Array) -> tuple[Array, Array]:
    """The class of each row and the number of records in each class.

    The fingerprint of a row is the sum of `numbers[offsets[a] + code]` over its keys a.
    """
    rows, width = codes.shape
    size = slots_for(rows)
    table = np.empty(size, dtype=np.uint64)
    places = np.full(size, -1, dtype=np.int32)
    of_row = np.empty(rows, dtype=np.int32)
    sizes = np.zeros(rows, dtype=np.int64)
    seen = 0
    for row in range(rows):
        print_ = np.uint64(0)
        for a in range(width):
            print_ += numbers[offsets[a] + codes[row, a]]
        slot = find(table, places, print_)
        if places[slot] < 0:
            table[slot] = print_
            places[slot] = seen
            seen += 1
        of_row[row] = places[slot]
        sizes[places[slot]] += counts[row]
    return of_row, sizes[:seen].copy()
