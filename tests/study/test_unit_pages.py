"""Every measure and method has a page with all that is needed to use it."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from sdc.catalogue.registry import Measure, Method, measures, methods
from sdc.cli.main import cli
from sdc.cli.unit_pages import HEADINGS, write_pages
from sdc.profile.syntax import composed


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    return {
        place.relative_to(folder).as_posix(): place.read_text()
        for place in write_pages(folder, figures=False)
    }


def test_every_unit_has_a_page_with_every_heading(pages):
    expected = {f"measures/{name}.md" for name in measures()} | {f"methods/{name}.md" for name in methods()}
    assert set(pages) - {"index.md"} == expected
    for name, text in pages.items():
        if name != "index.md":
            of = Measure if name.startswith("measures") else Method
            assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) == HEADINGS[of], name
            sections = re.split(r"^## .+$", text, flags=re.MULTILINE)
            assert all(section.strip() for section in sections), name


def test_links_of_pages_lead_to_pages(pages):
    for name, text in pages.items():
        folder = name.rpartition("/")[0]
        for target in re.findall(r"\]\(([\w./]+\.md)\)", text):
            place = (
                target.removeprefix("../") if target.startswith("../") else f"{folder}/{target}".strip("/")
            )
            assert place in pages, f"{name}: {target}"


def test_a_page_says_options_with_defaults_and_bounds(pages):
    assert "k: a whole number" in pages["methods/local_suppression.md"]
    assert "(default 3)" in pages["methods/local_suppression.md"]
    assert "Usual limit: at least 3" in pages["measures/k_anonymity.md"]
    assert "counts of equal keys measure risk only while" in pages["measures/k_anonymity.md"]


def test_a_page_says_when_a_value_is_not_about_all_variables(pages):
    assert "the value is about the others" in pages["measures/il1s.md"]
    assert "the value is about the others" not in pages["measures/k_anonymity.md"]


def test_a_page_without_a_figure_says_why(pages):
    assert "There is no figure: it needs a release before this one" in pages["measures/release_difference.md"]


def test_examples_in_yaml_are_yaml_and_those_in_python_are_python(pages):
    for name, text in pages.items():
        for example in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL):
            assert composed(name, example) is not None
        for example in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            compile(example, name, "exec")


@pytest.mark.slow
def test_pages_show_units_on_the_demonstration_data(tmp_path):
    """A figure of its own, the parts of a measurement, a measure that needs a holdout, and a method."""
    units = {"k_anonymity": "measures", "il1s": "measures", "linkability": "measures", "rounding": "methods"}
    write_pages(tmp_path, only=list(units))
    for name, kind in units.items():
        text = (tmp_path / kind / f"{name}.md").read_text()
        assert f"![{name} on the demonstration data](figures/{name}.svg)" in text
        assert (tmp_path / kind / "figures" / f"{name}.svg").read_text().startswith("<svg")
    assert "holdout=0.2" in (tmp_path / "measures/linkability.md").read_text()
    assert "il1s and its parts" in (tmp_path / "measures/figures/il1s.svg").read_text()


def test_the_command_writes_them(tmp_path, monkeypatch):
    monkeypatch.setattr("sdc.cli.unit_pages.unit_figure", lambda *_: "")
    said = CliRunner().invoke(cli, ["catalogue", "--pages", str(tmp_path / "pages")])
    assert said.exit_code == 0, said.output
    assert (tmp_path / "pages" / "methods" / "pram.md").is_file()
