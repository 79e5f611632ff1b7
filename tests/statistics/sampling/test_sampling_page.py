"""Does the page on sampling show every sampler?"""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

import pytest

from sdc.statistics import sampling

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("sampler", [found.name for found in pkgutil.iter_modules(sampling.__path__)])
def test_every_sampler_is_on_the_page_with_a_picture(sampler):
    (row, *_) = [
        line
        for line in (DOCS / "sampling.md").read_text(encoding="utf-8").splitlines()
        if line.startswith(f"| `{sampler}` |")
    ]
    assert f"](images/sampling-{sampler}.svg)" in row


def test_every_picture_of_the_page_exists_and_none_is_left_over():
    shown = set(re.findall(r"images/(sampling-\w+\.svg)", (DOCS / "sampling.md").read_text(encoding="utf-8")))
    assert shown == {path.name for path in (DOCS / "images").glob("sampling-*.svg")}
