"""Keeps the records of a study in its process: copies are the study itself, and nothing of it is pickled."""

from __future__ import annotations

from typing import NoReturn, Self, SupportsIndex

from sdc.errors import BadStudy, Fault


class KeptHere:
    """What holds records in a private place; nothing of it is changed in place, so a copy is itself."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _known: object) -> Self:
        return self

    def __reduce_ex__(self, _protocol: SupportsIndex) -> NoReturn:
        problem = "its records lie in a private place of this process, and pickle would carry them elsewhere"
        remedy = "make the study in the other process, or write it: candidate.to_profile(...)"
        raise BadStudy([Fault("the study", problem, remedy)])
