"""At which node of a tree does a record end? Compiled."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def route(tree, left_levels, open_nodes, codes, categorical):
    """The node at which each record of `codes` ends when only open nodes are split."""
    ends = np.zeros(codes.shape[1], dtype=np.int64)
    for i in range(codes.shape[1]):
        node = 0
        while open_nodes[node]:
            column, cut = tree[node, 3], tree[node, 4]
            code = codes[column, i]
            goes_left = left_levels[cut + code] if categorical[column] else code <= cut
            node = tree[node, 1] if goes_left else tree[node, 2]
        ends[i] = node
    return ends
