"""A numpy generator on the key stream of ChaCha20; its children have keys of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import numpy as np
from randomgen import ChaCha

if TYPE_CHECKING:
    from sdc.run.randomness import Randomness


class RandomStream(np.random.Generator):
    """Draws as numpy does, from a bit generator whose numbers do not give away its state."""

    def __init__(self, randomness: Randomness) -> None:
        super().__init__(ChaCha(key=np.frombuffer(randomness.key, dtype="<u8"), rounds=20))
        self._randomness, self._children = randomness, 0

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """So many streams that share nothing with this one or with each other."""
        first, self._children = self._children, self._children + n_children
        return [
            type(self)(self._randomness.below("child", str(place))) for place in range(first, self._children)
        ]

    def __reduce__(self) -> NoReturn:
        raise TypeError("a random stream is never written down: its key would be too")
