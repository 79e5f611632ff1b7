"""The reference says what the model says: every key, its default, and an example that holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from sdc.profile.load import examine
from sdc.profile.plan import (
    Approval,
    Criterion,
    Limits,
    Map,
    MicrodataSource,
    Preference,
    Profile,
    Publish,
    StepPlan,
    VariablePlan,
)

REFERENCE = Path(__file__).parents[2] / "docs" / "profile.md"
SECTIONS: dict[str, type[BaseModel]] = {
    "Profile": Profile,
    "source": MicrodataSource,
    "variables": VariablePlan,
    "candidates": StepPlan,
    "risk and utility": Criterion,
    "prefer": Preference,
    "map": Map,
    "approval": Approval,
    "publish": Publish,
    "limits": Limits,
}


@pytest.fixture(scope="module")
def sections() -> dict[str, str]:
    parts = re.split(r"^## (.+)$", REFERENCE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def shown(default: object) -> str:
    if default is None:
        return "none"
    if isinstance(default, BaseModel):
        return "its defaults"
    if isinstance(default, tuple):
        return "[" + ", ".join(shown(value) for value in default) + "]"
    return str(default) if default != "" else '""'


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_is_in_the_reference_with_its_default_and_no_other(sections, section):
    table = sections[section].split("| key |")[1].split("\n\n")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \|.*?\| ([^|]+) \|[^|]+\|$", table, flags=re.MULTILINE))
    fields = SECTIONS[section].model_fields
    assert {*rows} == {field.alias or name for name, field in fields.items()}
    for name, field in fields.items():
        default = "required" if field.is_required() else shown(field.get_default(call_default_factory=True))
        assert rows[field.alias or name].strip("`") == default, name


def test_the_keys_of_a_population_are_those_of_a_source(sections):
    (row,) = re.findall(r"^\| `population` \| ([^|]+) as above", sections["source"], flags=re.MULTILINE)
    assert {*row.split(", ")} == {*MicrodataSource.__bases__[0].model_fields}


def test_roles_are_all_explained(sections):
    from sdc.data.roles import Role

    assert {*re.findall(r"^\| `(\w+)` \|[^|]+\|$", sections["variables"], flags=re.MULTILINE)} == {*Role}


def test_the_first_example_is_a_profile_without_a_fault(write):
    (example, *_) = re.findall(r"```yaml\n(.+?)```", REFERENCE.read_text(encoding="utf-8"), flags=re.DOTALL)
    profile, notes = examine(write(example))
    assert profile.name == "households_public_use"
    assert notes == []
