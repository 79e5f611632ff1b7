"""Tables 2.1 to 2.5 of the thesis: the population, the original, and a candidate whose decades overlap."""

from __future__ import annotations

ORIGINAL = [
    *[["Female", 1975], ["Female", 1975], ["Female", 1966], ["Female", 1964]],
    *[
        ["Male", 1959],
        ["Male", 1959],
        ["Male", 1959],
        ["Male", 1962],
        ["Male", 1967],
        ["Male", 1975],
        ["Male", 1978],
    ],
]
CANDIDATE = [["Female", "1960-1979"]] * 4 + [["Male", "1950-1979"]] * 7
RESULT = ["-ve", "-ve", "-ve", "+ve", "+ve", "+ve", "-ve", "-ve", "-ve", "-ve", "-ve"]
"""The three women and men of other decades are not in the candidate, and neither here."""
