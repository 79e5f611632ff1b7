"""The name that a misspelt one may stand for."""

from __future__ import annotations

import pytest

from sdc.spelling import nearest

KNOWN = ["k_anonymity", "kl_divergence", "ks_distance", "unique_entries", "global_recode"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("k_anonimity", "k_anonymity"),
        ("globalRecode", "global_recode"),
        ("distance", "ks_distance"),
        ("kAnon", "k_anonymity"),
        ("uniq", "unique_entries"),
        ("glo", None),
        ("zebra", None),
    ],
)
def test_a_slip_is_told_from_another_name(written: str, meant: str | None) -> None:
    assert nearest(written, KNOWN) == meant
