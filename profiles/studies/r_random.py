"""R's default random numbers: Mersenne Twister, normal draws by inversion, samples by rejection.

The lectures print a seed and what R then drew, so their data can be drawn again without R. Written from the
published algorithms (Matsumoto and Nishimura 1998; the manual page `Random` of R).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

BIG = 134217728
"""2 to the power of 27: two uniform draws make one of 54 bits."""


class RRandom:
    """`set.seed(seed)` and what follows."""

    def __init__(self, seed: int) -> None:
        scrambled, keys = seed, []
        for turn in range(50 + 625):
            scrambled = (69069 * scrambled + 1) % 2**32
            if turn > 50:
                keys.append(scrambled)
        self._twister = np.random.RandomState()
        self._twister.set_state(("MT19937", np.array(keys, dtype=np.uint32), 624))

    def unif(self) -> float:
        drawn = int(self._twister.randint(0, 2**32, dtype=np.uint32)) * 2.3283064365386963e-10
        return min(max(drawn, 0.5 * 2.328306437080797e-10), 1 - 0.5 * 2.328306437080797e-10)

    def rnorm(self, n: int, mean: float = 0, deviation: float = 1) -> np.ndarray:
        u = np.array([int(BIG * self.unif()) + self.unif() for _ in range(n)])
        return mean + deviation * ndtri(u / BIG)

    def sample(self, values: np.ndarray) -> np.ndarray:
        """All values in random order."""
        left, drawn = list(values), []
        for size in range(len(left), 0, -1):
            place = self._index(size)
            drawn.append(left[place])
            left[place] = left[size - 1]
        return np.array(drawn)

    def _index(self, size: int) -> int:
        bits = (size - 1).bit_length()
        while True:
            drawn = 0
            for _ in range(bits // 16 + 1):
                drawn = 65536 * drawn + int(self.unif() * 65536)
            if (place := drawn & ((1 << bits) - 1)) < size:
                return place
