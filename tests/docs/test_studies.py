"""Do the quick studies still give what their page says?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "profiles" / "studies"
QUICK = ("kulik_table", "kulik_pairs", "hu", "qu_classes", "qu_cap")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory):
    """The module that writes the page, with freshly drawn data."""
    sys.path.insert(0, str(STUDIES))
    import make_sources
    import page

    make_sources.write()
    yield page
    sys.path.remove(str(STUDIES))


@pytest.mark.parametrize("name", QUICK)
def test_the_page_of_a_study_is_not_stale(page, name: str) -> None:
    (study,) = (each for each in page.STUDIES if each.profile == name)
    assert page.section(study) in (ROOT / "docs" / "studies.md").read_text(), "run make studies"


def test_every_study_is_on_the_page_and_in_the_readme(page) -> None:
    text, listed = (ROOT / "docs" / "studies.md").read_text(), (STUDIES / "README.md").read_text()
    for place in STUDIES.glob("*.yaml"):
        assert f"`{place.name}`" in text
        assert f"`{place.name}`" in listed


def test_the_generator_of_r_gives_the_numbers_of_the_slide(page) -> None:
    """set.seed(105), printed on the slide: 16.3777, 0.97; 16.47706, 0.87; 3.76."""
    import make_sources

    made = make_sources.kulik()
    found = {name: made[name].cov().iloc[0, 1] for name in made if name.startswith("kulik_pairs")}
    assert found["kulik_pairs"] == pytest.approx(16.3777, abs=5e-5)
    assert found["kulik_pairs_noisy"] == pytest.approx(16.47706, abs=5e-6)
    assert found["kulik_pairs_shuffled"] == pytest.approx(3.76, abs=5e-3)
