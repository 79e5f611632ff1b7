"""Says an error in a sentence for a page or a notice, without places on the disk."""

from __future__ import annotations

import re

from sdc.errors import SdcError

PLACE = re.compile(r"(?<![\w.])(?:~|\.{1,2})?/(?:[^\s:;,'\"]*/)?([^\s:;,'\"/]*)")


def told(error: SdcError) -> str:
    """The error's sentence; where it names a place, only what lies there."""
    text = str(error)
    place = getattr(error, "place", "")
    if place:
        text = text.replace(f" {place}", "").replace(place, "it")
    return without_places(text)


def without_places(text: str) -> str:
    """A text in which paths are shortened to their last name."""
    return PLACE.sub(lambda found: found[1], " ".join(text.split()))
