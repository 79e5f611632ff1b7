"""Options of every measure and method in the catalogue, whatever is given for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sdc.catalogue.registry import Family, measures, methods
from sdc.errors import BadProfile, Fault
from sdc.profile.load import load_profile

VALUES = [
    None,
    True,
    -1,
    0.5,
    "text",
    [],
    ["income"],
    [["age", 1]],
    {},
    {"age": 1},
    {"age": {"width": "x"}},
    {"a": {"b": [{}]}},
]


def with_step(sound: str, method: str, options: object) -> str:
    return sound.replace("{method: coarsen}", f"{{method: {method}, with: {json.dumps(options)}}}")


def faults_in(path: Path) -> tuple[Fault, ...]:
    try:
        load_profile(path)
    except BadProfile as bad:
        return bad.faults
    return ()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["method", "measure"])
def test_whatever_is_given_as_an_option_is_accepted_or_a_fault(write, sound, kind):
    for entry in (methods() if kind == "method" else measures()).values():
        options = [*entry.options.model_fields, *(["age"] if entry.takes_variables else []), "unheard_of"]
        given = [json.dumps({option: value}) for option in options for value in VALUES]
        steps = "".join(f"    - {{method: {entry.name}, with: {each}}}\n" for each in given)
        criteria = "".join(
            f"  - {{measure: {entry.name}, as: again_{place}, with: {each}}}\n"
            for place, each in enumerate(given)
        )
        found = faults_in(
            write(sound.replace("risk:\n", steps + "risk:\n") if kind == "method" else sound + criteria)
        )
        assert len(found) >= len(VALUES)
        assert all(fault.place.startswith("file.yaml:") for fault in found)
        assert not any(
            "Input should" in fault.problem or "Value error" in fault.problem for fault in found
        ), found


def test_an_option_that_must_be_given_is_asked_for(faults, sound):
    found = faults(with_step(sound, "blend", {}))
    assert found == ["file.yaml:14: blend must be told share; write with: {share: ...}"]


def test_of_a_choice_all_is_said_or_what_comes_nearest(faults, sound):
    (either,) = faults(with_step(sound, "blur", {"k": "much"}))
    assert either == "file.yaml:14: k must be a whole number or auto, not the text 'much'"
    (deeper,) = faults(with_step(sound, "blend", {"share": 0.5, "edges": [1, "x"]}))
    assert deeper == "file.yaml:14: the 2nd item of edges must be a number, not the text 'x'"
    (neither,) = faults(with_step(sound, "blend", {"share": 0.5, "edges": 3}))
    assert (
        neither
        == "file.yaml:14: edges must be a list or a set of 'key: value' pairs, not the number 3; write [3]"
    )


@pytest.mark.parametrize(
    "options",
    [
        {"share": 0.5, "pairs": [["age", 1], ["aeg", 2]]},
        {"share": 0.5, "edges": {"aeg": [1]}},
        {"share": 0.5, "target": "aeg"},
        {"share": 0.5, "bands": {"age": {"width": 1, "like": "aeg"}}},
    ],
)
def test_variables_are_found_wherever_an_option_names_them(faults, sound, options):
    assert faults(with_step(sound, "blend", options)) == [
        "file.yaml:14: no variable is called 'aeg'; did you mean 'age'?"
    ]


@pytest.mark.parametrize(
    "step",
    [
        "global_recode, with: {region: {width: 10}}",
        "global_recode, with: {region: {bands: [0, 18, 65]}}",
        "global_recode, with: {age: {period: year}}",
        "rounding, with: {region: {to: 10}}",
        "laplace_noise, with: {epsilon: 1, region: [0, 1]}",
        "additive_noise, with: {variables: [income, region]}",
        "noisy_microaggregation, with: {variables: [region]}",
        "rank_swap, with: {variables: [region]}",
        "shuffle, with: {variables: [income], given: [region]}",
        "microaggregation, with: {variables: [region, income], grouping: univariate}",
    ],
)
def test_a_method_for_numbers_is_not_planned_for_other_variables(faults, sound, step):
    (found,) = faults(
        sound.replace("method: coarsen", f"method: {step}").replace(
            "crowd, at_least: 3", "attacked, at_most: 0.1"
        )
    )
    name = "age" if "period" in step else "region"
    assert found.startswith(
        f"file.yaml:14: {name!r} is {'numeric' if name == 'age' else 'categorical'}, and {step.split(',')[0]} can do this only to "
    )


@pytest.mark.parametrize(
    "step",
    [
        "global_recode, with: {region: {digits: 1}, age: {width: 10}}",
        "microaggregation, with: {variables: [region, income]}",
        "rank_swap, with: {variables: [income], by: [region]}",
        "pram, with: {variables: [region]}",
    ],
)
def test_a_method_that_can_do_it_is_not_refused(write, sound, step):
    profile = load_profile(
        write(
            sound.replace("method: coarsen", f"method: {step}").replace(
                "crowd, at_least: 3", "attacked, at_most: 0.1"
            )
        )
    )
    assert step.partition(",")[0] in {each.method for steps in profile.candidates.values() for each in steps}


@pytest.mark.parametrize(
    "measure",
    [
        *[
            "voas_williamson",
            "jensen_shannon",
            "cell_ks",
            "freeman_tukey",
            "table_difference",
            "kl_divergence",
            "entropy_change",
        ],
        *[
            "class_attribution",
            "correct_attribution",
            "attribute_disclosure",
            "replicated_uniques",
            "l_diversity",
            "t_closeness",
        ],
    ],
)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"edges": {"income": [0, 5, 5, 9]}}, "income: edges must ascend, and each stand once"),
        ({"edges": {"income": [9, 0]}}, "income: edges must ascend, and each stand once"),
        ({"edges": {"income": [9]}}, "income must be at least 2 items long"),
        (
            {"edges": {"region": [0, 9]}},
            "'region' is categorical, and MEASURE can do this only to numeric variables",
        ),
        ({"edges": {"incom": [0, 9]}}, "no variable is called 'incom'; did you mean 'income'?"),
    ],
)
def test_edges_of_classes_that_cannot_be_are_faults(faults, sound, measure, options, said):
    section = "utility:\n" if measures()[measure].family is Family.UTILITY else ""
    (found,) = faults(f"{sound}{section}  - {{measure: {measure}, with: {json.dumps(options)}}}\n")
    assert said.replace("MEASURE", measure) in found


def test_a_binning_and_a_rule_for_missing_values_are_chosen_from_the_list(faults, sound):
    (binning,) = faults(sound + "utility:\n  - {measure: jensen_shannon, with: {binning: equal}}\n")
    assert "binning cannot be 'equal'; write equal_frequency or equal_length" in binning
    (missing,) = faults(sound + "utility:\n  - {measure: jensen_shannon, with: {missing: forget}}\n")
    assert "missing cannot be 'forget'; write category or drop" in missing
