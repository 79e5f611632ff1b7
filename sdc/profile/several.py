"""Notes where several syntheses of the same records would leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.catalogue.external import makers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.errors import Fault
    from sdc.profile.reading import Reading


def several_notes(reading: Reading) -> Iterator[Fault]:
    """A note for each step that draws several tables: what they tell together is not what one tells.

    Where the first alone leaves, the others are drawn in vain.
    """
    layout = reading.profile.publish.syntheses if reading.sound("publish") else "each"
    for name in reading.understood:
        for position, step in enumerate(reading.profile.candidates[name]):
            if "m" not in makers()[step.method].options.model_fields or step.options.get("m", 1) == 1:
                continue
            m, place = step.options["m"], ("candidates", name, position)
            if layout == "first":
                yield reading.note(
                    place,
                    f"candidate {name!r} draws {m} syntheses, and the first alone leaves",
                    "leave m out, or write syntheses: each in publish",
                )
            else:
                yield reading.note(
                    place,
                    f"{m} syntheses of candidate {name!r} leave: each is judged and the worst counts, but who"
                    " averages them learns more than any one tells, and the more the larger m is",
                    "choose the smallest m that the analyses need, or write syntheses: first in publish",
                )
