"""What a method cannot do without is asked of the profile, before anything runs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue import registry as catalogue
from sdc.catalogue.needs import Extra
from sdc.catalogue.protection import Protection
from sdc.catalogue.registry import Method, Touches, find_method, methods
from sdc.check import startable
from sdc.data.roles import Roles, Variable
from sdc.errors import BadProfile, SdcError
from sdc.profile.load import load_profile

PROFILE = """\
name: needs
seed: 1
access: secure
source: {{path: survey.csv}}
variables:
  region: {role}
  sex: other
{more}candidates:
  made:
    - {step}
risk:
  - {{measure: attacked, at_most: 0.5}}
"""
NUMBERS = "  age: {type: numeric}\n  born: {type: date}\n  home: household\n"


def written(step: str, *, more: str = "", role: str = "other") -> str:
    return PROFILE.format(step=step, more=more, role=role)


WITHOUT = [
    ("household_consistency", {}, "households"),
    ("household_consistency", {"variables": ["region"]}, "households"),
    ("additive_noise", {}, "a numeric variable"),
    ("microaggregation", {}, "a numeric variable"),
    ("noisy_microaggregation", {}, "a numeric variable"),
    ("rank_swap", {}, "a numeric variable"),
    ("resampling", {}, "a numeric variable"),
    ("shuffle", {}, "a numeric variable"),
    ("regression_laplace", {"epsilon": 1.0}, "a numeric variable"),
    ("pram", {}, "a quasi-identifier"),
    ("k_anonymise", {}, "a quasi-identifier"),
    ("k_anonymise", {"keys": ["region"], "l": 2.0}, "a sensitive variable"),
    ("local_suppression", {}, "a quasi-identifier"),
    ("bootstrap", {"weights": "case"}, "a weight"),
    ("sequential", {"weights": "case"}, "a weight"),
]


def test_every_method_that_declares_a_need_is_tried_without_it():
    assert {name for name, entry in methods().items() if entry.needs} == {name for name, _, _ in WITHOUT}


@pytest.mark.parametrize(("method", "options", "what"), WITHOUT)
def test_what_the_method_would_refuse_is_a_fault_of_the_profile(
    faults, method: str, options: dict[str, Any], what: str
):
    table = pd.DataFrame({name: pd.Categorical(list("aabb") * 5) for name in ("region", "sex")})
    entry = find_method(method)
    with pytest.raises(SdcError):
        entry.function(
            table,
            Roles.of([Variable("region"), Variable("sex")]),
            np.random.default_rng(1),
            **entry.arguments(options),
        )
    found = faults(written(f"{{method: {method}, with: {options}}}"))
    assert any(f"file.yaml:10: {method} needs {what}, and the profile has none" in fault for fault in found)


@pytest.mark.parametrize(
    ("step", "more", "role"),
    [
        ("{method: household_consistency, with: {variables: [region]}}", "  home: household\n", "other"),
        ("{method: household_consistency}", "  home: household\n", "{per: household}"),
        ("{method: k_anonymise, with: {keys: [region]}}", "", "other"),
        ("{method: local_suppression, with: {keys: [region]}}", "", "other"),
        ("{method: local_suppression, with: {whole: false, groups: [{keys: [region]}]}}", "", "other"),
        ("{method: k_anonymise, with: {keys: [region], l: 2, sensitive: [sex]}}", "", "other"),
        ("{method: pram}", "", "quasi_identifier"),
        ("{method: pram, with: {variables: [region]}}", "", "other"),
        ("{method: bootstrap}", "", "other"),
        ("{method: additive_noise}", "  age: {type: numeric}\n", "other"),
    ],
)
def test_a_need_is_met_by_a_role_or_by_naming_variables(write, step: str, more: str, role: str):
    (candidate,) = load_profile(write(written(step, more=more, role=role))).candidates.values()
    assert candidate[0].method in step


def test_a_household_method_needs_a_variable_of_households_too(faults):
    (found,) = faults(written("{method: household_consistency}", more="  home: household\n"))
    assert found.startswith(
        "file.yaml:11: household_consistency needs a variable of households, and the profile has none; write per: household"
    )


@pytest.mark.parametrize(
    "step",
    [
        "dp_marginals, with: {epsilon: 1}",
        "saturated_table, with: {epsilon: 1}",
        "ipf_tables, with: {epsilon: 1}",
    ],
)
def test_public_bands_are_asked_of_every_number_and_date_and_of_nothing_else(faults, step: str):
    (found,) = faults(written(f"{{method: {step}}}", more=NUMBERS))
    assert (
        f"file.yaml:13: {step.split(',', maxsplit=1)[0]} must be told edges of 'age' and 'born': with epsilon the bands"
        in found
    )


@pytest.mark.parametrize(
    "step",
    [
        "{method: dp_marginals, with: {epsilon: 1, edges: {age: [0, 50, 100], born: [0, 1]}}}",
        "{method: global_recode, with: {age: {width: 10}, born: {period: year}}}\n    - {method: dp_marginals, with: {epsilon: 1}}",
        "{method: k_anonymise, with: {keys: [age, born]}}\n    - {method: dp_marginals, with: {epsilon: 1}}",
        "{method: saturated_table}",
    ],
)
def test_public_bands_are_not_asked_where_they_are_told_or_need_not_be(write, step: str):
    (candidate,) = load_profile(write(written(step, more=NUMBERS))).candidates.values()
    assert [each.method for each in candidate] == re.findall(r"method: (\w+)", step)


def test_a_step_whose_packages_are_not_installed_is_refused_before_a_run_and_its_profile_can_be_read(
    write, monkeypatch, tmp_path
):
    def lacking(table, roles, rng): ...

    extra = Extra("dp", ("numpy", "no_such_package"))
    monkeypatch.setitem(
        catalogue._methods, "lacking", Method(lacking, Protection.SYNTHETIC, False, Touches.ALL, extra=extra)
    )
    path = write(written("{method: lacking}"))
    load_profile(path)
    (tmp_path / "survey.csv").write_text("region,sex\na,b\n")
    (tmp_path / "outbox").mkdir()
    with pytest.raises(BadProfile) as raised:
        startable(path)
    (fault,) = raised.value.faults
    assert str(fault) == (
        "file.yaml:10: lacking cannot run here: it needs no_such_package, which a plain installation does not have; pip install 'sdc-release[dp]'"
    )
