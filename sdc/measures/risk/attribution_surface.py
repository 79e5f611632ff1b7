"""How does the chance of a right attribution change with the number of classes of keys and target?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.classing import Binning, ClassesOf
from sdc.measures.key_matching import compared_by, found_by

Bins = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
DEFAULT = [1, 2, 3, 5, 10]


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="1: every target named right",
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    parts="p.NUMBER.NUMBER:lower:0..1 p_original.NUMBER.NUMBER",
)
def attribution_surface(
    pair: ReleasePair,
    *,
    keys: list[Column] | None = None,
    target: Column | None = None,
    bins_key: Bins = DEFAULT,
    bins_target: Bins = DEFAULT,
    binning: Binning = "equal_frequency",
    classes: ClassesOf = "pooled",
) -> Measurement | NotAssessed:
    """P_a(correct match) of class_attribution for each number of bins of the numeric keys and of the target.

    The value is that of the finest grid; parts p.KEYBINS.TARGETBINS are P_a and p_original.KEYBINS.TARGETBINS
    P_o on the same matching set. Few classes say little and give a high chance, up to 1 for a single one:
    scores of different grids, or of different binnings, are not comparable with one another. Classes are made
    on both tables pooled or, with `classes: candidate`, on the candidate alone, and then a value beyond its
    smallest and largest is in no class. Not assessed where several numbers of bins are asked for and no key
    is a number in both tables: labels have one number of classes. Without `target`, the sensitive variable
    whose finest value is largest.

    Formula: P_a(b, d) = mean over matched i of s(K_b(i), T_d(i)) / s(K_b(i)), with s candidate counts in the
    classes K_b of the keys and T_d of the target; the value is P_a at the largest b and d.

    Reference: Qu (2024), Contributions to Statistical Theory of Data Privacy, section 2.6.7.
    """
    chosen = list(keys or pair.roles.quasi_identifiers)
    if len(set(bins_key)) > 1 and not any(_is_number(pair, key) for key in chosen):
        return NotAssessed(
            "no key is a number in both tables, and labels have one number of classes: name a numeric key, or"
            " one number of bins_key"
        )
    finest = {
        name: _grid(pair, chosen, name, [max(bins_key)], [max(bins_target)], binning, classes)
        for name in ([target] if target else pair.roles.sensitive)
    }
    for found in finest.values():
        if isinstance(found, NotAssessed):
            return found
    best = f"p.{max(bins_key)}.{max(bins_target)}"
    values = {name: found[best] for name, found in finest.items() if not isinstance(found, NotAssessed)}
    worst = max(values, key=values.__getitem__)
    surface = _grid(pair, chosen, worst, sorted(set(bins_key)), sorted(set(bins_target)), binning, classes)
    return surface if isinstance(surface, NotAssessed) else Measurement(values[worst], surface)


def _is_number(pair: ReleasePair, key: str) -> bool:
    tables = (pair.original, pair.candidate)
    return key in pair.roles.numeric and all(
        key in table.columns and table.is_numeric(key) for table in tables
    )


def _grid(
    pair: ReleasePair,
    keys: list[str],
    target: str,
    key_bins: Sequence[int],
    target_bins: Sequence[int],
    binning: Binning,
    classes: ClassesOf,
) -> dict[str, float] | NotAssessed:
    parts: dict[str, float] = {}
    for key_bin in key_bins:
        compared = compared_by(pair, keys, bins=key_bin, binning=binning, classes=classes, overlap=True)
        if isinstance(compared, NotAssessed):
            return compared
        for target_bin in target_bins:
            column = compared_by(pair, [target], bins=target_bin, binning=binning, classes=classes)
            if isinstance(column, NotAssessed):
                return column
            exact, released = found_by(pair, compared, column[0])
            matched = released.matched
            if not matched.any():
                return NotAssessed("no original record has a key class that the candidate has")
            for name, found in (("p", released), ("p_original", exact)):
                parts[f"{name}.{key_bin}.{target_bin}"] = float(found.share[matched].mean())
    return parts
