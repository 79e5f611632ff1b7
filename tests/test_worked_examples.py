"""Is every worked example of the source documents a test?"""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

WITHOUT_DATA = {
    "T-UT2-text": "a sentence that contradicts the output above it; nothing to recompute",
    "T-entropy-age": "of data that are not at hand; the entropies with printed frequencies are tested",
    "T-gini-eusilc": "of data that are not at hand; T-gini has its numbers",
    "T-arpr-eusilc": "of data that are not at hand; T-arpr-golden has its numbers",
}


def patterns() -> list[re.Pattern[str]]:
    """Names of examples in the tests, each as a pattern: what a test fills in may be anything."""
    texts = [path.read_text() for path in TESTS.rglob("test_*.py") if path != Path(__file__)]
    named = {found for text in texts for found in re.findall(r"""["']([A-Z]+-[^"'\s]+)["']""", text)}
    return [
        re.compile("[^ ]+".join(re.escape(part) for part in re.split(r"\{[^}]*\}", name)))
        for name in sorted(named)
    ]


def test_every_worked_example_is_named_by_a_test(worked_examples: dict[str, object]) -> None:
    known = patterns()
    assert [
        case
        for case in worked_examples
        if case not in WITHOUT_DATA and not any(one.fullmatch(case) for one in known)
    ] == []


@pytest.mark.parametrize("case", WITHOUT_DATA)
def test_an_example_left_out_has_nothing_to_compute_from(
    worked_examples: dict[str, dict[str, object]], case: str
) -> None:
    held = worked_examples[case]
    assert held["recomputed"] is None or not held["inputs"]
