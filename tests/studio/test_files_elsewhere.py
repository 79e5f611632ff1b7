"""Whatever a profile names, no file outside the folders is read by the workbench."""

from __future__ import annotations

import pytest

from sdc.studio.opening import open_workbench

RECODED = "{age: {width: 10}}"


@pytest.fixture
def elsewhere(folder):
    """A hierarchy of regions and a file of households outside the folder, and links to them within it."""
    place = folder.parent / "elsewhere"
    place.mkdir()
    regions = ("North", "South", "East", "West", "Centre")
    (place / "regions.csv").write_text("".join(f"{each},secret parent\n" for each in regions))
    (place / "homes.csv").write_text("household_id,secret_column\n1,2\n")
    (folder / "linked.csv").symlink_to(place / "regions.csv")
    (folder / "homes.csv").symlink_to(place / "homes.csv")
    return place


def typed(visitor, before, after):
    text = visitor.workbench.profile_text
    assert before in text.text
    visitor.post("/studio/frame/text", text=text.text.replace(before, after))


@pytest.mark.parametrize("name", ["../elsewhere/regions.csv", "linked.csv", "{elsewhere}/regions.csv"])
def test_a_hierarchy_that_lies_elsewhere_is_not_read(visitor, elsewhere, name):
    told = f'{{region: {{hierarchy: "{name.format(elsewhere=elsewhere)}", level: 1}}}}'
    typed(visitor, RECODED, told)
    assert visitor.workbench.files().lists == {}
    assert any("there is no file" in each.sentence for each in visitor.workbench.faults().faults)
    for page in ("protection?variable=region", "scripts?language=r", "criteria", "run/part/check"):
        assert "secret parent" not in visitor.get(f"/studio/{page}").text


@pytest.mark.parametrize("name", ["../elsewhere/homes.csv", "homes.csv"])
def test_not_even_the_columns_of_a_file_that_lies_elsewhere_are_read(visitor, elsewhere, name):
    typed(
        visitor,
        "path: households.csv",
        f"persons: {{path: households.csv, key: household_id}}\n"
        f"  households: {{path: {name}, key: household_id}}",
    )
    for page in ("data", "data/part/found", "variables", "protection", "run/part/check"):
        assert "secret_column" not in visitor.get(f"/studio/{page}").text


def test_a_profile_that_was_named_may_have_its_lists_elsewhere(visitor, elsewhere, folder):
    """Whoever names a profile on the command line names the files it reads."""
    told = '{region: {hierarchy: "../elsewhere/regions.csv", level: 1}}'
    path = folder / "named.yaml"
    path.write_text(visitor.workbench.profile_text.text.replace(RECODED, told))
    opened = open_workbench(path)
    try:
        assert list(opened.files().lists) == ["../elsewhere/regions.csv"]
    finally:
        opened.close()


def test_a_list_beside_the_profile_is_read(visitor, folder):
    (folder / "regions.csv").write_text("North,up\nSouth,down\nEast,up\nWest,down\n")
    typed(visitor, RECODED, "{region: {hierarchy: regions.csv, level: 1}}")
    assert list(visitor.workbench.files().lists) == ["regions.csv"]


def test_an_expression_that_is_refused_has_its_own_sentence(visitor):
    typed(visitor, "path: households.csv", "path: households.csv\n  where: \"read_text('x') = 'y'\"")
    page = visitor.get("/studio/protection").text
    assert "BadExpression" not in page
    assert "source.where" in page or "where" in page.split('id="yaml"')[0]
