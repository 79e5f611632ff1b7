"""Each fault a release officer can make between keys that are right by themselves."""

from __future__ import annotations

import pytest

from sdc.profile.load import load_profile

# What is written in place of what, the fault it makes, and nothing else.
FAULTS = [
    # variables
    ("region: quasi_identifier", "region: quasi_identifier\n  w: weight", "file.yaml:12: 'weight' is a second weight, 'w' is one already; keep the role for one of them"),
    ("region: quasi_identifier", "region: quasi_identifier\n  Age: other", "file.yaml:9: 'age' and 'Age' differ only in capital letters; rename one of the columns"),
    ("health: sensitive", "health: {at_most: 3}", "file.yaml:10: 'health' is categorical and has at_most, a limit for numbers; write type: numeric if"),
    ("health: sensitive", "health: {type: date, at_least: 3}", "file.yaml:10: 'health' is date and has at_least"),
    ("health: sensitive", "health: {type: ordinal}", "file.yaml:10: 'health' is ordinal and has no order; add order: with its values from lowest to highest"),
    ("health: sensitive", "health: {order: [a, b]}", "file.yaml:10: 'health' is categorical and has an order; write type: ordinal, or delete order"),
    ("health: sensitive", "health: {type: numeric, allowed: [1, two]}", "file.yaml:10: the 2nd value of allowed is no number, and the variable is numeric"),
    ("health: sensitive", "health: {type: ordinal, order: [a, b,\n    a]}", "file.yaml:11: the 3rd value of order is there before; keep one"),
    ("health: sensitive", "health: {type: ordinal, order: [a, b], allowed: [a, b,\n    c]}", "file.yaml:11: the 3rd value of allowed is not in order; keep only order"),
    ("health: sensitive", "health: {type: ordinal, allowed: [a], order: [a,\n    b]}", "file.yaml:11: the 2nd value of order is not in allowed; keep only order"),
    ("health: sensitive", "health: {allowed: [a, b], missing_codes: [b]}", "file.yaml:10: the 2nd value of allowed is a missing code too"),
    ("health: sensitive", "health: {type: numeric, at_least: 2, at_most: 1}", "file.yaml:10: at_least of 'health' is above its at_most: no value could pass"),
    ("weight: weight", "weight: {role: weight, type: categorical}", "file.yaml:11: 'weight' is the weight and categorical; write type: numeric"),
    ("home: household\n  region: quasi_identifier", "region: {role: quasi_identifier, per: household}", "file.yaml:6: 'region' is the same within a household, and no variable has the role household"),
    # source
    ("survey.csv}", "survey.csv, record_key: [persn]}", "file.yaml:3: record_key names 'persn', which is no variable of the profile; did you mean 'person'?"),
    ("survey.csv}", "survey.csv, separator: '||'}", "file.yaml:3: separator must be a single character"),
    ("survey.csv}", "survey.csv, decimal: ','}", "file.yaml:3: separator and decimal are the same character"),
    ("survey.csv}", "survey.csv, encoding: utf-88}", "file.yaml:3: no encoding is called 'utf-88'; did you mean 'utf-8'?"),
    ("survey.csv}", "survey.csv, missing_codes: ['', 9, 9]}", "file.yaml:3: the 3rd missing code is there before; keep one"),
    ("survey.csv}", "a.duckdb, table: t, query: SELECT 1}", "file.yaml:3: both table and query are given; keep the one that is to be read"),
    ("survey.csv}", "x, population: {path: y, quote: ''}}", "file.yaml:3: quote must be a single character"),
    # candidates
    ("  plain:", "  Plain One:", "file.yaml:13: a candidate cannot be called 'Plain One'; write small letters, digits and _"),
    ("risk:", "  plain_2: []\nrisk:", "file.yaml:15: 'plain_2' would be taken for a further synthesis of candidate 'plain'"),
    ("method: coarsen", "method: corsen", "file.yaml:14: no method is called 'corsen'; did you mean 'coarsen'?"),
    ("method: coarsen", "method: coarsen, with: {k: 3}", "file.yaml:14: coarsen has no option 'k'; it has no options"),
    ("method: coarsen", "method: blur, with: {variables: [incom]}", "file.yaml:14: no variable is called 'incom'; did you mean 'income'?"),
    ("method: coarsen", "method: blur, with: {variables: [income, person]}", "file.yaml:14: 'person' is a direct identifier: it stays behind at ingest"),
    ("method: coarsen", "method: band, with: {aeg: {width: 3}}", "file.yaml:14: no variable is called 'aeg'; did you mean 'age'?"),
    ("method: coarsen", "method: band, with: {person: {width: 3}}", "file.yaml:14: 'person' is a direct identifier"),
    ("method: coarsen", "method: band, with: {age: {widht: 3, width: 1}}", "file.yaml:14: unknown key 'widht' in age; did you mean 'width'?"),
    ("method: coarsen", "method: band, with: {age: {width: wide}}", "file.yaml:14: width must be a number, not the text 'wide'"),
    ("method: coarsen", "method: band", "file.yaml:14: band is told of no variable; write with: {variable: ...}"),
    # criteria
    ("measure: crowd", "measure: crwd", "file.yaml:16: no measure is called 'crwd'; did you mean 'crowd'?"),
    ("because: rule 1}", "because: rule 1}\n  - {measure: shape}", "file.yaml:17: shape is a measure of utility; move it under utility:"),
    ("because: rule 1}", "because: rule 1}\n  - {measure: crowd}", "file.yaml:17: 'crowd' is the name of a criterion already, on line 16; name this one with as:, or judge another part of that one"),
    ("because: rule 1", "because: rule 1, as: shape", "file.yaml:16: as cannot be 'shape': that is another measure; choose a name of its own"),
    ("because: rule 1", "because: rule 1, as: The crowd", "file.yaml:16: as cannot be 'The crowd'; write small letters"),
    (", because: rule 1", "", "file.yaml:16: crowd is judged in an open release and does not say by which rule; add because:"),
    ("because: rule 1", "because: ' '", "file.yaml:16: crowd is judged in an open release and does not say by which rule; add because:"),
    ("at_least: 3", "at_least: 3, at_most: 2", "file.yaml:16: at_least is above at_most: crowd could never hold"),
    ("at_least: 3", "at_least: 3, at_most: .inf", "file.yaml:16: at_most must be a finite number, not the number inf; delete it where there is no limit"),
    ("at_least: 3", "at_least: 3, at_most: .nan", "file.yaml:16: at_most must be a finite number, not the number nan; delete it where there is no limit"),
    ("because: rule 1", "because: rule 1, for: [plan]", "file.yaml:16: for: names 'plan', which is no candidate; did you mean 'plain'?"),
    ("because: rule 1", "because: rule 1, with: {kk: 2}", "file.yaml:16: crowd has no option 'kk'; did you mean 'k'?"),
    ("because: rule 1", "with: {k: 3, because: rule 1}", "file.yaml:16: crowd has no option 'because'; because stands beside with:, not in it"),
    ("because: rule 1", "because: rule 1, with: {k: many}", "file.yaml:16: k must be a whole number, not the text 'many'"),
    ("because: rule 1", "because: rule 1, with: {keys: region}", "file.yaml:16: keys must be a list, not the text 'region'; write [region]"),
    ("because: rule 1", "because: rule 1, with: {keys: [region, person]}", "file.yaml:16: 'person' is a direct identifier: it stays behind"),
    ("because: rule 1}", "because: rule 1}\n  - {measure: shape_, otherwise: refer}", "file.yaml:17: shape_ has otherwise: and no range, so nothing is judged"),
    ("because: rule 1}", "because: rule 1}\n  - {measure: left_out, at_most: 0.1, because: x}", "file.yaml:17: left_out needs records held out, and the profile has none; add holdout_share: 0.1 under source"),
    ("because: rule 1}", "because: rule 1}\n  - {measure: registered, at_most: 0.1, because: x}", "file.yaml:17: registered needs a population file, and the profile has none; add population: {path: ...} under source"),
    ("because: rule 1}", "because: rule 1}\n  - {measure: attacked, at_most: -1, because: x}", "file.yaml:17: this can never hold: attacked lies at or above 0 and at or below 1; correct the limit"),
    ("risk:", "prefer: {measure: shape}\nrisk:", "file.yaml:15: prefer names 'shape', which no criterion measures"),
    ("because: rule 1}", "because: rule 1}\nutility: [{measure: shape, as: form}]\nprefer: {measure: shape}", "file.yaml:18: prefer names 'shape', which no criterion measures; it is measured as form"),
    ("because: rule 1}", "because: rule 1}\nutility: [{measure: shape, as: form}]\nmap: {risk: form, utility: shape}", "file.yaml:18: map names 'form', which no criterion of risk measures"),
    ("because: rule 1}", "because: rule 1}\nutility: [{measure: shape, as: form}]\nmap: {risk: k_anonymity, utility: forn}", "file.yaml:18: map names 'forn', which no criterion of utility measures; did you mean 'form'?"),
    # the rest
    ("risk:", "approval: {fasttrack: {drift: 0.1, geography: [regoin]}}\nrisk:", "file.yaml:15: geography names 'regoin', which is no variable of the profile; did you mean 'region'?"),
    ("risk:", "approval: {fasttrack: {geography: [region]}}\nrisk:", "file.yaml:15: drift of fasttrack is missing; add drift:"),
    ("risk:", "approval: {fasttrack: {drift: 2}}\nrisk:", "file.yaml:15: drift must be less than 1"),
    ("risk:", "publish: {formats: []}\nrisk:", "file.yaml:15: formats is empty: nothing would be written; list csv or others"),
    ("risk:", "publish: {formats: [csv, csv]}\nrisk:", "file.yaml:15: the 2nd format is there before; keep one"),
    ("risk:", "approval: {roles: []}\nrisk:", "file.yaml:15: approval is asked for and nobody may give it; list the roles, e.g. [reviewer]"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "fault"), FAULTS)
def test_a_contradiction_is_named_with_its_line_and_what_would_be_right(faults, sound, old, new, fault):
    assert old in sound
    found = faults(sound.replace(old, new, 1))
    assert any(said.startswith(fault) for said in found), found


def test_no_variables_and_no_candidates_are_faults(faults):
    found = faults("name: a\nseed: 1\nsource: {path: x}\nvariables: {}\ncandidates: {}\n")
    assert [fault.split(";")[0] for fault in found] == [
        "file.yaml:4: no variable is declared",
        "file.yaml:5: no candidate is planned",
    ]


def test_a_release_of_direct_identifiers_only_is_a_fault(faults):
    found = faults(
        "name: a\nseed: 1\nsource: {path: x}\nvariables: {a: direct_identifier}\ncandidates: {b: []}\n"
    )
    assert found[0].startswith(
        "file.yaml:4: every variable is dropped or a direct identifier: nothing would be released"
    )


def test_what_a_measure_needs_is_asked_of_the_profile(faults, sound):
    lines = [line for line in sound.splitlines() if "region" not in line and "age" not in line]
    (found,) = faults("\n".join(lines))
    assert found.startswith(
        "file.yaml:14: crowd needs a quasi-identifier, and the profile has none; give at least one variable the role"
    )


def test_a_criterion_that_is_only_reported_needs_no_source_and_its_unmet_need_is_a_note(notes, sound):
    (note,) = notes(sound + "  - {measure: left_out}\n")
    assert note.startswith(
        "file.yaml:17: left_out will not be assessed: it needs records held out, and the profile has none"
    )


def test_a_safeguarded_release_needs_no_source_for_its_criteria(write, sound):
    profile = load_profile(
        write(sound.replace(", because: rule 1", "").replace("seed: 1", "seed: 1\naccess: safeguarded"))
    )
    assert [criterion.because for criterion in profile.risk] == [""]


def test_every_fault_of_a_bad_profile_is_reported_at_once(faults):
    found = faults("""\
name: A survey
seed: 1
source: {path: survey.csv, record_key: [persn]}
variables:
  person: direct_identifier
  age: {role: quasi_identifier, type: numeric, at_least: 9, at_most: 1}
  Age: other
  w: weight
  weight: weight
  health: {role: sensitive, typ: numeric}
candidates:
  plain:
    - {method: blur, with: {variables: [person], shar: 1}}
    - {method: corsen}
risk:
  - {measure: crowd, at_least: 3, for: [plan]}
  - {measure: shape}
""")
    assert [fault.split(":")[1] for fault in found] == [
        "1",
        "3",
        "6",
        "7",
        "9",
        "10",
        "13",
        "13",
        "14",
        "16",
        "16",
        "17",
    ], found


@pytest.mark.parametrize(
    "risk",
    [
        "risk: []",
        "risk: [{measure: crowd}]",
        "risk: [{measure: crowd, at_least: 3, because: x, otherwise: note}]",
        "risk: [{measure: crowd, at_least: 1, because: x}]",
        "risk: [{measure: crowd, at_most: 9, because: x}]",
        "risk: [{measure: crowd, at_least: 3, because: x, for: [other]}]",
    ],
)
def test_a_candidate_about_which_nothing_is_promised_is_refused(faults, sound, risk):
    text = sound[: sound.index("risk:")] + "  other: []\n" + risk + "\n"
    found = faults(text)
    assert found[0].startswith(
        "file.yaml:13: nothing would be promised about candidate 'plain': no criterion under risk stops it"
    )


def test_a_range_that_lets_the_bad_side_pass_is_noted(notes, sound):
    (note,) = notes(sound + "utility: [{measure: shape, at_least: 0.5, because: x}]\n")
    assert note.startswith(
        "file.yaml:17: shape is better when lower, and this range does not stop it from being bad; a limit that protects is at_most"
    )


@pytest.mark.parametrize(
    ("criterion", "note"),
    [
        (
            "{measure: replicated_uniques, at_most: 0.05, because: x}",
            "at_most of replicated_uniques is 0.05, and its unit is per cent of the original's records: that is 0.0005 of all; write 5 if 0.05 of all is meant",
        ),
        (
            "{measure: k_anonymity, at_least: 2.5, because: x}",
            "at_least of k_anonymity is 2.5, and its unit is records in the class: whole ones are counted; write 3",
        ),
        ("{measure: k_anonymity, part: share_below_k, at_most: 0.05, because: x}", ""),
        ("{measure: replicated_uniques, at_most: 5, because: x}", ""),
    ],
)
def test_a_limit_on_the_wrong_scale_of_risk_is_noted(notes, sound, criterion, note):
    found = notes(sound + f"  - {criterion}\n")
    assert [line.partition(": ")[2] for line in found] == ([note] if note else [])


@pytest.mark.parametrize(
    ("criterion", "note"),
    [
        (
            "{measure: k_marginals, at_least: 0.9, because: x}",
            "at_least of k_marginals is 0.9, and its unit is per mille: that is 0.0009 of all; write 900 or 9 if a share or per cent was meant",
        ),
        (
            "{measure: entropy_change, at_most: 10, because: x}",
            "at_most of entropy_change is 10, and its unit is share: that is 1000 per cent; write 0.1 if 10 per cent is meant",
        ),
        ("{measure: k_marginals, at_least: 900, because: x}", ""),
        ("{measure: propensity_mse, at_most: 10, because: x}", ""),
    ],
)
def test_a_limit_on_the_wrong_scale_of_utility_is_noted(notes, sound, criterion, note):
    found = notes(sound + f"utility: [{criterion}]\n")
    assert [line.partition(": ")[2] for line in found] == ([note] if note else [])
