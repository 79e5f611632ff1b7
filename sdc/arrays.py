"""The type of arrays: of any shape and any type of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
