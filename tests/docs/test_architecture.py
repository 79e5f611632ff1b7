"""The map of the house is true: its picture is drawn from the contract, and every package says what it is for."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = sorted(
    place.parent.relative_to(ROOT)
    for top in ("flows", "tasks", "sdc")
    for place in ROOT.glob(f"{top}/**/__init__.py")
)


MODULES = sorted(
    place.relative_to(ROOT) for top in ("flows", "tasks", "sdc") for place in ROOT.glob(f"{top}/**/*.py")
)
ASK = (Path("sdc/measures"), Path("sdc/methods"))
"""Where a module begins with the question it answers."""
MOST_LINES = 300
LONGER = {
    "sdc/measures/utility/propensity_mse.py": "one measure with its options and its docstring",
    "sdc/profile/criteria.py": "every fault of a criterion, one after the other",
}


def drawing():
    spec = importlib.util.spec_from_file_location(
        "architecture", ROOT / "docs" / "images" / "architecture.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_drawn_from_the_contract_of_today():
    drawn = drawing()
    assert drawn.PLACE.read_text() == drawn.picture(), "run: python docs/images/architecture.py"


def test_every_room_of_the_library_is_in_the_picture():
    shown = {name for layer in drawing().layers() for name in layer}
    held = {
        f"sdc/{place.stem}"
        for place in (ROOT / "sdc").glob("*")
        if place.stem not in ("__init__", "__main__", "__pycache__", "py")
    }
    assert shown - {"flows", "tasks"} == held


@pytest.mark.parametrize("package", [package for package in PACKAGES if len(package.parts) <= 2], ids=str)
def test_a_package_says_what_is_in_it_and_what_it_may_touch(package):
    said = ast.get_docstring(ast.parse((ROOT / package / "__init__.py").read_text()))
    paragraphs = said.split("\n\n")
    assert "?" not in paragraphs[0]
    if package not in (Path("sdc"), Path("flows/orchestration")):
        assert len(paragraphs) > 1


def test_no_class_name_stands_twice():
    places: dict[str, list[str]] = {}
    for module in MODULES:
        for node in ast.walk(ast.parse((ROOT / module).read_text())):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(module))
    assert len(places) > 100
    assert {name: held for name, held in places.items() if len(held) > 1} == {}


def test_a_module_of_infrastructure_begins_with_a_statement():
    begun = {
        str(module): (ast.get_docstring(ast.parse((ROOT / module).read_text())) or "?").split("\n\n")[0]
        for module in MODULES
        if not any(module.is_relative_to(place) for place in ASK)
    }
    assert len(begun) > 200
    assert [module for module, sentence in begun.items() if "?" in sentence] == []


def test_a_module_is_not_longer_than_one_thought():
    longer = {str(module) for module in MODULES if len((ROOT / module).read_text().splitlines()) > MOST_LINES}
    assert longer - {*LONGER} == set(), "split it by thought"
    assert {*LONGER} - longer == set(), "no exception is needed any more"


def test_no_file_of_tests_has_the_name_of_another():
    """Pytest imports them by name alone, so the second would not be collected."""
    names = [place.name for place in ROOT.glob("tests/**/test_*.py")]
    assert len(names) > 200
    assert [name for name in sorted({*names}) if names.count(name) > 1] == []


def test_files_and_folders_the_map_names_are_there():
    page = (ROOT / "docs" / "architecture.md").read_text()
    named = re.findall(r"`((?:sdc|flows|tasks|tests|docs|benchmarks)/[\w/.]*)`", page)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []
