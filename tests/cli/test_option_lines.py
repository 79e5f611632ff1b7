"""What `sdc catalogue NAME` says of options: a line each, in words."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from sdc.catalogue.registry import CatalogueEntry, find_measure, find_method, measures, methods
from sdc.cli.main import cli
from sdc.cli.option_lines import option_lines

ENTRIES: dict[str, CatalogueEntry] = {**measures(), **methods()}


def shown(name: str) -> list[str]:
    result = CliRunner().invoke(cli, ["catalogue", name])
    assert result.exit_code == 0, result.output
    return result.output.splitlines()


@pytest.mark.parametrize("name", ENTRIES)
def test_every_option_has_one_line_and_no_word_of_a_schema(name: str) -> None:
    lines = option_lines(ENTRIES[name])
    told = [line.split(":")[0] for line in lines if not line.startswith(" ")]
    assert told == [
        *ENTRIES[name].options.model_fields,
        *(["VARIABLE"] if ENTRIES[name].takes_variables else []),
    ]
    assert all(line.endswith(")") for line in lines)
    for word in ("anyOf", "$ref", "additionalProperties", "typing", "FieldInfo", "NoneType", "<class"):
        assert word not in "\n".join(lines)


def test_an_option_says_type_bounds_and_default() -> None:
    lines = option_lines(find_measure("k_anonymity"))
    assert lines == [
        "k: a whole number of at least 1 (default 3)",
        "keys: a list of variables (default none)",
        "missing: own_category or wildcard (default none)",
    ]


def test_both_bounds_open_ends_and_what_must_be_said_are_told() -> None:
    assert "bootstraps: a whole number of at least 2 and at most 100000 (default 100)" in option_lines(
        find_measure("indicator_change")
    )
    assert "share: a number of more than 0 and less than 1 (required)" in option_lines(
        find_method("subsample")
    )


def test_a_list_that_may_not_be_empty_and_choices_in_it_are_told() -> None:
    told = "indicators: a list of one or more words among mean, total, quantile, gini, at_risk_of_poverty, quintile_share and rate (default none)"
    assert told in option_lines(find_measure("indicator_change"))


def test_none_is_offered_only_where_it_is_not_what_holds_anyway() -> None:
    assert "collinear: pearson, spearman, kendall or vif or none (default pearson)" in option_lines(
        find_method("sequential")
    )


def test_what_an_option_holds_stands_indented_below_it() -> None:
    lines = option_lines(find_method("sequential"))
    place = lines.index("rules: a list of {keys below} (default [])")
    assert lines[place + 1 : place + 3] == [
        "  when: a text (required)",
        "  then: {variable: a text or a number or none} (required)",
    ]
    figures = option_lines(find_measure("published_figures"))
    assert figures[figures.index("    at_least: a number (default none)") - 1].startswith(
        "  domain: {variable: "
    )


def test_options_by_variable_are_told_with_the_keys_of_each() -> None:
    lines = option_lines(find_method("global_recode"))
    assert lines[0] == "VARIABLE: {keys below} (for each variable named)"
    assert "  width: a number of more than 0 (default none)" in lines
    assert "  period: month, quarter or year (default none)" in lines


def test_a_method_says_of_which_type_its_variables_must_be() -> None:
    assert (
        option_lines(find_method("rounding"))[0] == "VARIABLE: {keys below} (for each numeric variable named)"
    )
    assert "variables: a list of numeric, date or ordinal variables (default none)" in option_lines(
        find_method("rank_swap")
    )
    assert "variables: a list of variables (default none)" in option_lines(find_method("microaggregation")), (
        "only some groupings need numbers"
    )


def test_the_command_prints_options_under_with_and_facts_in_words() -> None:
    lines = shown("k_anonymity")
    assert lines[lines.index("  with:") + 1] == "    k: a whole number of at least 1 (default 3)"
    assert "  bounds         ≥ 1" in lines
    assert "  needs          quasi_identifiers" in lines
    assert "  random         no" in lines
    parts = next(line for line in lines if line.startswith("  parts "))
    assert parts.startswith("  parts          share_below_k, classes, records_below_2, records_below_3,")


def test_a_model_of_sequential_answers_with_its_options() -> None:
    assert {"  draws          any", "    minbucket: a whole number of at least 1 (default 10)"} <= set(
        shown("cart")
    )
    assert {"  draws          numbers", "    formula: a text (required)"} <= set(shown("passive"))


def test_json_keeps_the_schema() -> None:
    result = CliRunner().invoke(cli, ["catalogue", "k_anonymity", "--json"])
    assert json.loads(result.output)["options"]["k"] == {
        "default": 3,
        "minimum": 1,
        "title": "K",
        "type": "integer",
    }


def test_a_method_tells_what_it_always_needs_from_what_some_options_need() -> None:
    assert "  may_need       weight" in shown("sequential")
    assert not any(line.startswith("  needs ") for line in shown("sequential"))
    assert {"  needs          quasi_identifiers", "  may_need       sensitive"} <= set(shown("k_anonymise"))
