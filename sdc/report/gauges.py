"""Places a judged number and its limits on a small bar."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sdc.report import wording
from sdc.report.views import Gauge

if TYPE_CHECKING:
    from sdc.catalogue.finding import Finding
    from sdc.catalogue.measurement import Interval, Measurement
    from sdc.catalogue.registry import Measure


def gauge(
    finding: Finding,
    measure: Measure,
    part: str | None,
    interval: Interval | None = None,
    taken: Measurement | None = None,
) -> Gauge | None:
    """The bar of a judged number.

    It spans the measure's bounds where they are near, else as much as value and limits need.
    """
    limits = [limit for limit in (finding.at_least, finding.at_most) if limit is not None]
    if finding.value is None or not limits:
        return None
    ends = [interval.low, interval.high] if interval else []
    estimate = taken.estimate if taken and interval else finding.value
    low, high = _domain(
        [finding.value, estimate, *limits, *ends], measure.bounds if part is None else (-math.inf, math.inf)
    )

    def place(number: float) -> float:
        return round(100 * min(max((number - low) / (high - low), 0), 1), 1)

    return Gauge(
        value=place(estimate),
        good_from=0.0 if finding.at_least is None else place(finding.at_least),
        good_to=100.0 if finding.at_most is None else place(finding.at_most),
        low=(lowest := wording.number(low, 3)),
        high=(highest := wording.number(high, 3)),
        description=(
            f"on a scale from {lowest} to {highest}, good is"
            f" {wording.limit(finding.at_least, finding.at_most)}"
        ),
        interval=(place(interval.low), place(interval.high)) if interval else None,
        judged=place(finding.value) if estimate != finding.value else None,
    )


def _domain(numbers: list[float], bounds: tuple[float, float]) -> tuple[float, float]:
    """Round ends around the numbers: the measure's own bound where it is near."""
    least, most = min(numbers), max(numbers)
    if least == most == 0:
        return max(bounds[0], -1.0) if bounds[0] < 0 else 0.0, min(bounds[1], 1.0)
    spread = max(most - least, abs(most) / 2, abs(least) / 2)
    step = 10.0 ** math.floor(math.log10(spread))
    step = step if spread >= 2 * step else step / 5
    step = max(step, 1.0) if all(number == int(number) for number in numbers) else step
    floor = bounds[0] if math.isfinite(bounds[0]) else 0.0 if least >= 0 else -math.inf
    low = floor if least - floor <= 2 * spread else math.floor((least - spread / 2) / step) * step
    high = min(bounds[1], math.ceil((most + spread / 4) / step - 1e-9) * step)
    return low, high if high > low else low + step
