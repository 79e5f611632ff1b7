"""The guided tour: a few sentences for each room, on the demonstration data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TourStep:
    """What the tour says in one room."""

    title: str
    sentences: tuple[str, ...]


TOUR = {
    "data": TourStep(
        "Look at what was read",
        (
            (
                "This is a fictitious survey of persons in households. The file was read and a first"
                " profile was drafted from it: that is the text on the right."
            ),
            ("Each thing found has its reason. Change the separator to see the file misread, then undo."),
        ),
    ),
    "variables": TourStep(
        "Say what others can know",
        (
            (
                "Keys are what somebody may know of a person from elsewhere: age, sex, region. On the"
                " keys chosen now most people are unique."
            ),
            (
                "Give education the role other and see how many fewer are unique. Each row says what"
                " its variable does."
            ),
        ),
    ),
    "protection": TourStep(
        "Protect",
        (
            (
                "The draft has one candidate: bands of age, then values suppressed until every class"
                " has three people, then averages of amounts."
            ),
            ("Change the width of the bands and watch risk and loss. Add a step, or a second candidate."),
        ),
    ),
    "criteria": TourStep(
        "Say what must hold",
        (
            "A criterion is a measure with a limit. The gate lets nothing out that misses one.",
            "Write the rule behind each limit: the public report shows it.",
        ),
    ),
    "search": TourStep(
        "Let it search",
        (
            (
                "Where you do not know which settings are best, let many be tried. Pick a point of"
                " the front, and it becomes a candidate."
            ),
        ),
    ),
    "scripts": TourStep(
        "Take it elsewhere",
        ("What was chosen here can be repeated in R or in Python, as far as an equal step is there.",),
    ),
    "run": TourStep(
        "Check and run",
        (
            (
                "All faults and notes are here. Let people decide never, for this once, and run the"
                " release: it takes about half a minute."
            ),
            (
                "Then open its report. The text on the right is the whole of what you did: keep it,"
                " and it can be run again."
            ),
        ),
    ),
}
