"""Writes `docs/studies.md`: what the documents print beside what the profiles give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rows import KARR_MODIFIED, KARR_TABLE_2, METHODS, STUDIES, UTILITIES, Row, Study
from studies import Found, measured

PAGE = Path(__file__).parents[2] / "docs" / "studies.md"
HEAD = """# The studies of the sources

Five documents taught this program what to measure: Kulik's lectures, Hu's and Templ's slides, Qu's thesis, and the paper of Karr, Oganian, Reiter and Woo. Their studies are profiles in `profiles/studies/`; `make studies` draws the data, runs all of them and writes this page. One alone: `sdc compare profiles/studies/hu.yaml`, after `python profiles/studies/make_sources.py`.

No data of others are in this repository. What a document prints is typed; what it draws with R and a seed is drawn again; what it only describes is drawn with a seed of our own, and then sizes can be compared and digits cannot. An empty cell under *document* is a number that the document asks for and does not print.
"""


def shown(value: float | str, printed: str = "") -> str:
    """A number with four digits, or with as many as the document has where it prints a number."""
    if isinstance(value, str):
        return f"not assessed: {value}"
    digits = printed.replace(".", "")
    kept = max(4, len(digits.lstrip("0")) if digits.isdigit() else 0)
    return f"{value:.{kept}g}" if abs(value) >= 5e-5 or value == 0 else "below 0.00005"


def _value(found: Found, candidate: str, measurement: str, part: str) -> float | str:
    held = found[candidate, measurement]
    if isinstance(held, str):
        return held
    return held.parts[part] if part else held.value


def section(study: Study) -> str:
    """One study as a table."""
    (found,) = measured(study.profile).values()
    lines = [f"## {study.title}", "", f"Profile `{study.profile}.yaml`. Data: {study.data}.", ""]
    lines += ["| number | document | here | why they differ |", "|---|---|---|---|"]
    lines += [_line(row, found) for row in study.rows]
    return "\n".join(lines) + "\n"


def _line(row: Row, found: Found) -> str:
    value = shown(_value(found, row.candidate, row.measurement, row.part), row.printed)
    return f"| {row.what} | {row.printed} | {value} | {row.why} |"


def karr() -> str:
    """Table 2 in full, and the order of the methods in all eight tables."""
    found = {name.split("karr_")[1].removesuffix(".csv"): held for name, held in measured("karr").items()}
    first = found["symmetric_high_negative"]
    lines = ["## Karr, Oganian, Reiter and Woo: ten utilities of five methods", ""]
    lines += [
        (
            "Profile `karr.yaml`, whose `source.sweep` takes eight files. Data: 2,000 drawn records for each of the eight"
            " kinds (the paper has 10,000 and does not print its laws): two normal clouds on opposite sides, or exponentials"
            " of normal variables, with correlations of 0.9 and 0.3. Numbers of clusters are the paper's shares: 5, 10 and"
            " 1 percent of the records."
        ),
        "",
        (
            "Table 2, symmetric and highly negative; document, then here. Sums over records grow with n: a fifth of the"
            " document's number is to be expected."
        ),
        "",
        f"| utility | {' | '.join(METHODS.values())} |",
        f"|---|{'---|' * len(METHODS)}",
    ]
    for (label, measurement, part), printed in zip(UTILITIES, KARR_TABLE_2, strict=True):
        cells = []
        for candidate, theirs in zip(METHODS, printed, strict=True):
            ours = _value(first, candidate, measurement, part)
            cells.append(f"{theirs:g} / {'no split' if isinstance(ours, str) else shown(ours)}")
        lines.append(f"| {label} | {' | '.join(cells)} |")
    lines += ["", "Order of the methods by Modified Logistic I, best first.", ""]
    lines += ["| data | document | here |", "|---|---|---|"]
    for name, printed in KARR_MODIFIED.items():
        ours = [_value(found[name], candidate, "modified_1", "n_pmse") for candidate in METHODS]
        lines.append(f"| {name.replace('_', ' ')} | {_ordered(printed)} | {_ordered(ours)} |")
    orders = [
        _ordered([_value(held, each, "modified_1", "n_pmse") for each in METHODS]) for held in found.values()
    ]
    first_ones = sum(order.startswith("Resampling") for order in orders)
    last_ones = sum(order.endswith("Syn") for order in orders)
    lines += [
        "",
        (
            f"Resampling is best in {first_ones} of 8 kinds of data (8 in the paper) and Syn worst in {last_ones} (8 in the"
            " paper). As in the paper, Logistic I is blind to Syn, whose first and second moments are those of the original."
            " Where ours differs, the data do: z scores of strongly negative pairs add up to nothing, so that Micz03 groups"
            " records that are far apart, and swapped ranks carry records from one cloud to the other. A tree without a split"
            " is printed as 0 in the paper; here it is not assessed, because a tree that finds nothing may be blind."
        ),
    ]
    return "\n".join(lines) + "\n"


def _ordered(values: Sequence[float | str]) -> str:
    known = [
        (value, name)
        for value, name in zip(values, METHODS.values(), strict=True)
        if not isinstance(value, str)
    ]
    return ", ".join(name for _, name in sorted(known))


def page() -> str:
    return "\n".join([HEAD, *map(section, STUDIES), karr()])


if __name__ == "__main__":
    PAGE.write_text(page())
