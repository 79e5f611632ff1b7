"""Where does chance come from? From named streams: no consumer moves another."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def stream(seed: int, *names: str) -> np.random.Generator:
    """The generator that belongs to these names under this seed, the same wherever and whenever it is asked for."""
    import numpy as np

    digest = hashlib.sha256("\x1f".join([str(seed), *names]).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))
