"""Ways to talk the gate out of stopping a release, each of which once worked."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import Measurement
from sdc.catalogue.protection import Step
from sdc.check import check
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.data.warehouse import Warehouse
from sdc.errors import BadProfile
from sdc.gate import build_suites, comparison_facts, judge, table_facts
from sdc.gate.decision import Decision, Verdict
from sdc.ingest import ingest
from sdc.ingest.identifier_traces import identifier_traces
from sdc.measures.assess import assess
from sdc.profile.load import examine, load_profile
from sdc.publish.candidates import make
from sdc.run.randomness import Randomness
from sdc.run.secret import NO_SECRET

PROFILE = """\
name: survey
seed: 1
source: {path: survey.csv}
variables:
  region: quasi_identifier
  age: {role: quasi_identifier, type: numeric}
  income: {role: sensitive, type: numeric}
candidates:
  plain:
    - {method: METHOD}
risk:
  - {CRITERION, because: rule 1}
"""
NOISE = "laplace_noise, with: {epsilon: 100000, income: [0, 100000]}"


def written(folder: Path, criterion: str, method: str = "local_suppression, with: {k: 3}") -> Path:
    path = folder / "profile.yaml"
    path.write_text(PROFILE.replace("METHOD", method).replace("CRITERION", criterion))
    return path


def faults(path: Path) -> str:
    with pytest.raises(BadProfile) as raised:
        load_profile(path)
    return "\n".join(str(fault) for fault in raised.value.faults)


# A criterion that cannot fail


@pytest.mark.parametrize(
    ("criterion", "where"),
    [
        (
            "measure: k_anonymity, part: share_below_k, at_most: 1",
            "share_below_k lies at or above 0 and at or below 1",
        ),
        ("measure: k_anonymity, at_least: 1", "k_anonymity lies at or above 1"),
        ("measure: unique_entries, at_most: 1", "unique_entries lies at or above 0 and at or below 1"),
        (
            "measure: class_attribution, part: gain, at_least: -1",
            "gain lies at or above -1 and at or below 1",
        ),
        (
            "measure: interval_disclosure, part: share.income, at_most: 1",
            "share.VARIABLE lies at or above 0 and at or below 1",
        ),
        (
            "measure: unique_entries, at_least: 0, at_most: 2",
            "unique_entries lies at or above 0 and at or below 1",
        ),
    ],
)
def test_a_criterion_that_every_value_meets_is_a_fault(tmp_path, criterion, where):
    assert f"this can never fail: {where}" in faults(written(tmp_path, criterion))


@pytest.mark.parametrize(
    "criterion",
    [
        "measure: k_anonymity, part: classes, at_most: 10",
        "measure: k_anonymity, part: share_below_k, at_least: 0.5",
        "measure: unique_entries, at_least: 0.5",
    ],
)
def test_a_fact_without_a_direction_or_the_wrong_side_of_a_number_promises_nothing(tmp_path, criterion):
    assert "nothing would be promised about candidate 'plain'" in faults(written(tmp_path, criterion))


@pytest.mark.parametrize(
    "criterion",
    [
        "measure: privacy_budget, with: {variables: [income]}, part: delta, at_most: 0",
        "measure: privacy_budget, with: {variables: [income]}, at_most: 100000",
        "measure: privacy_budget, with: {variables: [income]}, part: epsilon.1.laplace_noise, at_most: 1",
    ],
)
def test_a_budget_that_nobody_calls_protection_promises_nothing(tmp_path, criterion):
    assert "nothing would be promised about candidate 'plain'" in faults(written(tmp_path, criterion, NOISE))


def test_a_budget_that_protects_every_key_and_sensitive_variable_is_a_promise(tmp_path):
    path = written(
        tmp_path, "measure: privacy_budget, with: {variables: [region, age, income]}, at_most: 1", NOISE
    )
    assert load_profile(path).risk[0].at_most == 1
    some = written(tmp_path, "measure: privacy_budget, with: {variables: [region, age]}, at_most: 1", NOISE)
    assert "its privacy budget leaves out a key or a sensitive variable" in faults(some)


@pytest.mark.parametrize(
    ("criterion", "said"),
    [
        (
            "measure: k_anonymity, with: {keys: [age]}, at_least: 3",
            "looks at region, declared quasi_identifier",
        ),
        (
            "measure: interval_disclosure, with: {variables: [income]}, at_most: 0.1",
            "looks at age and region, declared quasi_identifier",
        ),
    ],
)
def test_a_criterion_about_some_keys_promises_nothing_about_the_others(tmp_path, criterion, said):
    assert f"no criterion under risk that can stop candidate 'plain' {said}" in faults(
        written(tmp_path, criterion)
    )


def test_criteria_about_some_keys_each_may_cover_all_of_them_together(tmp_path):
    both = "measure: k_anonymity, with: {keys: [age]}, at_least: 3, because: rule 2}\n  - {measure: unique_entries, with: {keys: [region]}, at_most: 0.1"
    assert len(load_profile(written(tmp_path, both)).risk) == 2


def test_a_limit_beyond_protection_is_noted_beside_one_that_protects(tmp_path):
    both = "measure: k_anonymity, at_least: 3, because: rule 2}\n  - {measure: privacy_budget, with: {variables: [income]}, at_most: 21"
    (note,) = [str(note) for note in examine(written(tmp_path, both, NOISE))[1]]
    assert "the limit of privacy_budget lies beyond what anybody calls protection" in note
    assert "at or below 20" in note


# What the gate finds when it compares values


ROWS = 400
VARIABLES = """\
  person: direct_identifier
  name: direct_identifier
  dwelling: direct_identifier
  region: quasi_identifier
  sex: quasi_identifier
  age: {role: quasi_identifier, type: numeric}
  income: {role: sensitive, type: numeric}
"""
RELEASE = """\
name: survey
seed: 1
access: safeguarded
source: {path: survey.csv}
variables:
VARIABLES
candidates:
  made:
STEPS
risk:
  - {RISK}
"""
STEPS = """\
    - {method: global_recode, with: {age: {width: 20}}}
    - {method: local_suppression, with: {k: 3}}
    - {method: microaggregation, with: {variables: [income], k: 3}}"""


def people(rows: int = ROWS) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "person": np.arange(1, rows + 1),
            "name": [f"Aurelia Beck {number:04d}" for number in rng.permutation(rows)],
            "dwelling": [f"D{number // 2:05d}" for number in range(rows)],
            "region": rng.choice(["north", "south", "west"], rows),
            "sex": rng.choice(["1", "2"], rows),
            "age": rng.integers(18, 80, rows),
            "income": rng.lognormal(10, 0.5, rows).round(2),
        }
    )


def decided(
    folder: Path,
    data: pd.DataFrame,
    *,
    variables: str = "",
    steps: str = STEPS,
    risk: str = "",
    change: bytes = b"",
) -> Decision:
    """What the gate says of the candidate `made`; `change` is appended to the source once it was read."""
    path, source = folder / "profile.yaml", folder / "survey.csv"
    data.to_csv(source, index=False)
    text = RELEASE.replace("VARIABLES", VARIABLES + variables).replace("STEPS", steps)
    path.write_text(text.replace("RISK", risk or "measure: k_anonymity, at_least: 2"))
    profile = load_profile(path)
    with Warehouse.create(
        folder / "run", limits=profile.limits, readable=[folder / file for file in profile.files]
    ) as warehouse:
        ingested, database = ingest(profile, folder, warehouse, NO_SECRET), warehouse.database
        source.write_bytes(source.read_bytes() + change)
        made = make(profile, folder, warehouse, "made", Randomness.from_seed(1))

        def pair(table: str, *, aligned: bool, steps: tuple[Step, ...]) -> ReleasePair:
            return ReleasePair(
                database.table("original"),
                database.table(table),
                profile.roles,
                aligned=aligned,
                steps=steps,
                earlier=list,
            )

        candidate = pair("candidate_made", aligned=made.aligned, steps=made.steps)
        untouched = pair("original", aligned=True, steps=())
        traces = identifier_traces(profile, folder, ingested.sha256, folder)
        beside = comparison_facts(
            profile,
            "made",
            candidate,
            traces,
            lambda asked: assess(
                asked.measure, untouched, asked.options, alias=asked.alias, candidate="original"
            ),
        )
        facts = table_facts(profile, candidate.candidate, candidate.steps) | {
            name: fact.number for name, fact in beside.items()
        }
        words = {name: fact.words for name, fact in beside.items()}
        taken = [
            assess(asked.measure, candidate, asked.options, alias=asked.alias, candidate="made")
            for asked in profile.risk
        ]
        return judge(
            profile, "made", taken, facts, build_suites(profile, "made", candidate.steps), words
        ).decision


def found(decision: Decision) -> dict[str, str]:
    return {finding.criterion: finding.reason for finding in decision.failed}


@pytest.mark.slow
def test_a_release_that_hides_what_it_must_is_published(tmp_path):
    decision = decided(tmp_path, people())
    assert (decision.verdict, found(decision)) == (Verdict.PUBLISHED, {})
    facts = {finding.criterion: finding.value for finding in decision.findings}
    assert facts["table.original_stopped"] == 1
    assert facts["table.copied_records"] == 0


@pytest.mark.parametrize(
    "risk",
    [
        "measure: release_difference, at_most: 0.01",
        "measure: unique_entries, at_most: 0.999999",
    ],
)
@pytest.mark.slow
def test_criteria_that_the_untouched_original_meets_publish_nothing(tmp_path, risk):
    decision = decided(tmp_path, people(), risk=risk)
    assert decision.verdict is Verdict.WITHHELD
    assert found(decision) == {
        "table.original_stopped": "the untouched original would meet every criterion of risk that can stop this candidate; judge a measure or a limit that it fails"
    }


@pytest.mark.parametrize(
    "name", ["v", "w", "k", "c", "h", "n", "value", "home", "records", "holders", "common"]
)
def test_a_column_may_be_called_what_it_likes(tmp_path, name):
    """Names that queries of ours use themselves once broke check and gate."""
    data = people().assign(**{name: np.random.default_rng(2).choice(["x", "y", "z"], ROWS)})
    decision = decided(tmp_path, data, variables=f"  {name}: other\n")
    assert (decision.verdict, found(decision)) == (Verdict.PUBLISHED, {})
    (tmp_path / "outbox").mkdir()
    assert isinstance(check(tmp_path / "profile.yaml"), list)


def test_criteria_that_stop_the_original_by_some_of_its_keys_publish_nothing(tmp_path):
    """The original has 62 ages and three regions of over 100 people each.

    No limit on regions alone would stop it.
    """
    both = "measure: k_anonymity, with: {keys: [age, sex]}, at_least: 2}\n  - {measure: k_anonymity, as: regions, with: {keys: [region]}, at_least: 2"
    decision = decided(tmp_path, people(), risk=both)
    assert found(decision)["table.original_stopped"].endswith(
        "none of those that would stop it looks at region"
    )


def test_one_criterion_that_stops_the_original_is_enough(tmp_path):
    decision = decided(
        tmp_path,
        people(),
        risk="measure: release_difference, at_most: 0.01}\n  - {measure: k_anonymity, at_least: 2",
    )
    assert decision.verdict is Verdict.PUBLISHED


NOISE_OF_INCOME = (
    "    - {{method: gaussian_noise, with: {{epsilon: 0.5, delta: {delta}, income: [0, 100000]}}}}"
)


@pytest.mark.parametrize(("delta", "stopped"), [(1e-4, 1), (1 / 400, 0), (0.01, 0)])
def test_a_budget_under_which_a_whole_record_may_leave_promises_nothing(tmp_path, delta, stopped):
    """400 records: one in 400 is the delta at which one of them may be published as it is."""
    risk = "measure: privacy_budget, at_most: 1"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[__name__], "VARIABLES", VARIABLES.replace("quasi_identifier", "dropped"))
        decision = decided(tmp_path, people(), steps=NOISE_OF_INCOME.format(delta=delta), risk=risk)
    assert {finding.criterion: finding.value for finding in decision.findings}[
        "table.original_stopped"
    ] == stopped


COPIES = [
    ("name", lambda data: data["name"], "'copy' has the values of 'name'"),
    (
        "case and spaces",
        lambda data: data["name"].str.upper().str.replace(" ", "  "),
        "'copy' has the values of 'name'",
    ),
    (
        "some of them",
        lambda data: data["name"].where(data.index % 3 == 0, "no answer"),
        "'copy' has the values of 'name'",
    ),
    (
        "one to one",
        lambda data: data["dwelling"].map(lambda text: hashlib.sha256(text.encode()).hexdigest()[:8]),
        "'copy' stands for 'dwelling'",
    ),
    (
        "a running number for each",
        lambda data: pd.factorize(data["dwelling"])[0] + 7_000,
        "'copy' stands for 'dwelling'",
    ),
    (
        "running numbers",
        lambda data: data["person"].astype(str).str.zfill(6),
        "'copy' has the values of 'person'",
    ),
]


def renamed(data: pd.DataFrame) -> pd.DataFrame:
    """Names that 13 people share each, as in a small country."""
    rng = np.random.default_rng(5)
    return data.assign(
        name=[
            f"{first} {last}"
            for first, last in zip(rng.choice(FIRST, len(data)), rng.choice(LAST, len(data)), strict=True)
        ]
    )


FIRST, LAST = [f"F{number}inn" for number in range(5)], [f"H{number}aas" for number in range(6)]
SHARED_NAMES = {
    "a title before it": lambda name: "Mr " + name,
    "the surname first": lambda name: name.str.split(" ").str[::-1].str.join(", "),
    "hashed": lambda name: name.map(lambda text: hashlib.sha256(text.encode()).hexdigest()[:12]),
    "a space without width": lambda name: name.str.replace(" ", " \u200b"),
    "of some records": lambda name: ("Mr " + name).where(name.index % 3 == 0, "none"),
}


@pytest.mark.parametrize("write", SHARED_NAMES.values(), ids=SHARED_NAMES)
def test_a_name_that_many_share_is_found_however_it_is_written(tmp_path, write):
    data = renamed(people())
    assert 12 < len(data) / data["name"].nunique() < 14
    decision = decided(tmp_path, data.assign(copy=write(data["name"])), variables="  copy: other\n")
    assert "'copy' " in found(decision)["table.identifier_copies"]
    assert "'name'" in found(decision)["table.identifier_copies"]


DWELLINGS = {
    "hashed, 3 % blank": lambda data: (
        data["dwelling"]
        .map(lambda text: hashlib.sha256(text.encode()).hexdigest()[:8])
        .where(data.index % 33 != 0)
    ),
    "hashed, 3 % wrong": lambda data: (
        data["dwelling"]
        .map(lambda text: hashlib.sha256(text.encode()).hexdigest()[:8])
        .where(data.index % 33 != 0, "x")
    ),
    "with the sex": lambda data: data["dwelling"] + "/" + data["sex"],
}


@pytest.mark.parametrize("write", DWELLINGS.values(), ids=DWELLINGS)
def test_a_column_that_tells_the_dwelling_is_found(tmp_path, write):
    decision = decided(tmp_path, people().assign(copy=write), variables="  copy: other\n")
    assert "'copy' stands for 'dwelling'" in found(decision)["table.identifier_copies"]


@pytest.mark.parametrize("role", ["weight", "{role: other, type: numeric}"])
def test_a_number_that_rises_with_the_number_of_the_person_is_found(tmp_path, role):
    decision = decided(
        tmp_path, people().assign(copy=lambda data: 3 * data["person"] + 17.5), variables=f"  copy: {role}\n"
    )
    assert "'copy' stands for 'person'" in found(decision)["table.identifier_copies"]


def test_weights_of_their_own_raise_no_alarm(tmp_path):
    weights = np.random.default_rng(6).uniform(50, 90, ROWS).round(6)
    assert found(decided(tmp_path, people().assign(copy=weights), variables="  copy: weight\n")) == {}


NUMBERS = COPIES[-2:]
AS_NUMBERS = [(*case, role) for case in NUMBERS for role in ("weight", "{role: other, type: numeric}")]
CASES = [*((*case, "other") for case in COPIES), *AS_NUMBERS]


@pytest.mark.parametrize(
    ("copy", "sentence", "role"),
    [case[1:] for case in CASES],
    ids=[f"{case[0]} as {case[3]}" for case in CASES],
)
def test_a_copy_of_a_direct_identifier_under_another_name_shuts_the_gate(tmp_path, copy, sentence, role):
    decision = decided(tmp_path, people().assign(copy=copy), variables=f"  copy: {role}\n")
    assert decision.verdict is Verdict.WITHHELD
    assert sentence in found(decision)["table.identifier_copies"]


def test_a_column_that_equals_a_dropped_one_is_looked_at_by_people(tmp_path):
    data = renamed(people())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            sys.modules[__name__], "VARIABLES", VARIABLES.replace("name: direct_identifier", "name: dropped")
        )
        decision = decided(
            tmp_path, data.assign(called=data["name"].str.upper()), variables="  called: other\n"
        )
    assert decision.verdict is Verdict.REFERRED
    assert found(decision)["table.dropped_copies"].endswith(
        "record by record: 'called' has the values of 'name'"
    )


def test_values_that_are_among_the_identifiers_by_chance_raise_no_alarm(tmp_path):
    rng = np.random.default_rng(8)
    likely = people().assign(
        rooms=rng.integers(1, 9, ROWS),
        rent=rng.integers(100, 900, ROWS),
        place=rng.choice(["beck", "aurelia"], ROWS),
    )
    variables = (
        "  rooms: {role: other, type: numeric}\n  rent: {role: other, type: numeric}\n  place: other\n"
    )
    assert found(decided(tmp_path, likely, variables=variables)) == {}


def test_identifiers_that_a_file_made_elsewhere_brings_in_are_found(tmp_path):
    whole = people().assign(remark="none")
    brought = whole.drop(columns=["person", "name", "dwelling"]).assign(
        remark=whole["name"].where(whole.index % 5 == 0, "none")
    )
    brought.to_csv(tmp_path / "elsewhere.csv", index=False)
    steps = "    - {method: external_file, with: {path: elsewhere.csv, protection: perturbative}}"
    risk = "measure: replicated_uniques, at_most: 0"
    decision = decided(tmp_path, whole, variables="  remark: other\n", steps=steps, risk=risk)
    assert "'remark' has values of 'name'" in found(decision)["table.identifier_copies"]


def test_a_source_that_changed_during_the_run_shuts_the_gate(tmp_path):
    decision = decided(tmp_path, people(), change=b"\n")
    assert decision.verdict is Verdict.WITHHELD
    assert found(decision) == {"table.identifier_copies": "the source is not the file that was read"}


ELSEWHERE = "    - {method: external_file, with: {path: elsewhere.csv, protection: PROTECTION}}"
HIDING = "measure: replicated_uniques, at_most: 10"


@pytest.mark.parametrize(
    ("protection", "sentence"),
    [("synthetic", "400 records of 400, where 0 would be by chance"), ("perturbative", "all of them")],
)
def test_a_file_said_to_be_protected_that_is_the_original_is_refused(tmp_path, protection, sentence):
    data = people()
    data.sample(frac=1, random_state=1).drop(columns=["person", "name", "dwelling"]).to_csv(
        tmp_path / "elsewhere.csv", index=False
    )
    decision = decided(tmp_path, data, steps=ELSEWHERE.replace("PROTECTION", protection), risk=HIDING)
    denied = "the candidate has the original's records, which its declared protection denies"
    assert found(decision)["table.contradicted_protection"] == f"{denied}: {sentence}"
    assert {finding.criterion: finding.value for finding in decision.findings}["table.copied_records"] == 400


def test_a_method_that_hands_on_whole_records_is_not_synthetic(tmp_path):
    decision = decided(tmp_path, people(), steps="    - {method: bootstrap}", risk=HIDING)
    assert "table.contradicted_protection" in found(decision)


def test_records_of_a_few_categories_are_equal_by_chance(tmp_path):
    """Every combination of 6 is there many times: a further sample would have no other."""
    data = people().drop(columns=["age", "income"])
    data.sample(frac=1, random_state=1).drop(columns=["person", "name", "dwelling"]).to_csv(
        tmp_path / "elsewhere.csv", index=False
    )
    few = (
        "\n".join(line for line in VARIABLES.splitlines() if "age" not in line and "income" not in line)
        + "\n"
    )
    path = tmp_path / "elsewhere.csv"
    assert len(pd.read_csv(path).drop_duplicates()) == 6
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[__name__], "VARIABLES", few)
        decision = decided(
            tmp_path,
            data,
            steps=ELSEWHERE.replace("PROTECTION", "synthetic"),
            risk="measure: replicated_uniques, at_most: 10",
        )
    assert {finding.criterion: finding.value for finding in decision.findings}["table.copied_records"] == 0
    assert "table.contradicted_protection" not in found(decision)


NOTES = "  notes: other\n  seen: {role: other, type: date}\n  lat: {role: other, type: numeric}\n"


def noted(rows: int = ROWS) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    days = pd.Timestamp("1931-03-01") + pd.to_timedelta(rng.choice(30_000, rows, replace=False), unit="D")
    texts = [
        f"fell from ladder {number} on a {kind}"
        for number, kind in zip(rng.permutation(rows), rng.choice(["Monday", "Tuesday"], rows), strict=True)
    ]
    return people(rows).assign(
        notes=texts, seen=days.strftime("%Y-%m-%d"), lat=rng.uniform(46, 49, rows).round(6)
    )


@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")
@pytest.mark.parametrize("method", ["gaussian_copula", "sequential", "smote", "bootstrap"])
def test_a_synthesiser_that_hands_on_the_words_of_people_is_refused(tmp_path, method):
    decision = decided(tmp_path, noted(), variables=NOTES, steps=f"    - {{method: {method}}}", risk=HIDING)
    reason = found(decision)["table.lone_values"]
    assert reason.startswith("values that exactly one original record or household has are handed on in")
    assert "'notes': " in reason
    assert "ladder" not in reason


@pytest.mark.parametrize(
    "method", ["rank_swap, with: {variables: [income]}", "shuffle, with: {variables: [income], given: [age]}"]
)
def test_an_amount_that_is_one_persons_own_is_refused_whoever_has_it_now(tmp_path, method):
    decision = decided(
        tmp_path, people(), steps=STEPS.replace("microaggregation, with: {variables: [income], k: 3}", method)
    )
    assert found(decision)["table.lone_values"].endswith("'income': 400 of 400 values")


def test_values_left_as_they_are_are_refused_by_name_and_count(tmp_path):
    decision = decided(tmp_path, noted(), variables=NOTES)
    told = "values that exactly one original record or household has are handed on in 3 columns; round them more coarsely, group or blank them in a further step"
    assert found(decision) == {
        "table.lone_values": f"{told}: 'notes': 400 of 400 values; 'seen': 400 of 400 values; 'lat': 400 of 400 values"
    }


@pytest.mark.parametrize("scale", [1, 100])
@pytest.mark.parametrize(
    "method",
    [
        "microaggregation, with: {variables: [income], k: 3}",
        "additive_noise, with: {variables: [income]}",
        "rounding, with: {income: {to: 1000}}",
    ],
)
def test_an_amount_that_was_changed_may_leave(tmp_path, method, scale):
    """Also where amounts are whole and small: by chance some are then what another person has."""
    data = people().assign(income=lambda held: (held["income"] / scale).round(0))
    decision = decided(
        tmp_path, data, steps=STEPS.replace("microaggregation, with: {variables: [income], k: 3}", method)
    )
    assert found(decision) == {}


def test_a_common_answer_hides_no_words_of_people(tmp_path):
    """Of 400 records 180 have a remark of their own, all others said none."""
    data = people().assign(
        remark=lambda held: held["name"].str.replace("Aurelia", "spoke to").where(held.index < 180, "none")
    )
    decision = decided(
        tmp_path, data.assign(name=lambda held: held["name"].str[::-1]), variables="  remark: other\n"
    )
    assert found(decision)["table.lone_values"].endswith("'remark': 180 of 180 values")


@pytest.mark.parametrize("method", ["", "gaussian_copula", "bootstrap"])
def test_values_that_members_of_a_household_share_are_their_own(tmp_path, method):
    """200 dwellings of two: no address belongs to one record, and each belongs to one household."""
    data = people().assign(
        address=lambda held: "Elm Street " + (held["dwelling"].str[1:].astype(int) * 37 % 1009).astype(str)
    )
    assert data["address"].nunique() == 200
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            sys.modules[__name__],
            "VARIABLES",
            VARIABLES.replace("dwelling: direct_identifier", "dwelling: household"),
        )
        steps = f"    - {{method: {method}}}" if method else STEPS
        decision = decided(tmp_path, data, variables="  address: other\n", steps=steps, risk=HIDING)
    assert "'address': 400 of 400 values" in found(decision)["table.lone_values"]


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("rounding, with: {income: {to: 0.0033}}", ", changed so little that they give it away"),
        # Noise below the last decimal of the source is gone when the candidate is stored.
        ("additive_noise, with: {variables: [income], level: 1.0e-9}", ""),
    ],
)
def test_a_number_that_hardly_changed_still_gives_the_amount_away(tmp_path, method, told):
    decision = decided(
        tmp_path, people(), steps=STEPS.replace("microaggregation, with: {variables: [income], k: 3}", method)
    )
    assert found(decision)["table.lone_values"].endswith(f"'income': 400 of 400 values{told}")


ALTERED = {
    "one variable exchanged": lambda held: held.assign(
        sex=held["sex"].sample(frac=1, random_state=2).to_numpy()
    ),
    "an amount raised by one": lambda held: held.assign(income=held["income"] + 1),
    "capitals": lambda held: held.assign(region=held["region"].str.upper()),
    "a variable emptied": lambda held: held.assign(region=None),
    "two of six variables": lambda held: held.assign(
        region=held["region"].sample(frac=1, random_state=2).to_numpy(), income=held["income"] * 1.01
    ),
}


@pytest.mark.parametrize("alter", ALTERED.values(), ids=ALTERED)
def test_a_file_said_to_be_synthetic_that_is_the_original_but_for_a_few_values_is_refused(tmp_path, alter):
    rng = np.random.default_rng(9)
    data = people().assign(
        job=rng.integers(1, 200, ROWS).astype(str), town=rng.integers(1, 90, ROWS).astype(str)
    )
    alter(data.sample(frac=1, random_state=1)).drop(columns=["person", "name", "dwelling"]).to_csv(
        tmp_path / "elsewhere.csv", index=False
    )
    decision = decided(
        tmp_path,
        data,
        variables="  job: other\n  town: other\n",
        steps=ELSEWHERE.replace("PROTECTION", "synthetic"),
        risk=HIDING,
    )
    assert "records of 400" in found(decision)["table.contradicted_protection"]


def test_a_model_that_draws_people_anew_is_not_taken_for_a_copy(tmp_path):
    rng = np.random.default_rng(9)
    data = people(2000).assign(
        job=rng.integers(1, 200, 2000).astype(str), town=rng.integers(1, 90, 2000).astype(str)
    )
    decision = decided(
        tmp_path,
        data,
        variables="  job: other\n  town: other\n",
        steps="    - {method: sequential}",
        risk=HIDING,
    )
    assert "table.contradicted_protection" not in found(decision)


def test_a_file_said_to_be_perturbed_of_which_one_record_is_is_refused(tmp_path):
    data = people(2000)
    data.assign(income=data["income"].where(data.index != 7, 1.0)).drop(
        columns=["person", "name", "dwelling"]
    ).to_csv(tmp_path / "elsewhere.csv", index=False)
    decision = decided(tmp_path, data, steps=ELSEWHERE.replace("PROTECTION", "perturbative"), risk=HIDING)
    assert found(decision)["table.contradicted_protection"].endswith(": 1,999 of 2,000")


def test_ages_of_a_small_file_are_no_values_of_ones_own(tmp_path):
    """Of 30 people in 62 years of age many are alone with theirs, and a further person would be as well."""
    data = people(30).assign(income=0.0)
    assert (data["age"].map(data["age"].value_counts()) == 1).sum() > 15
    decision = decided(
        tmp_path,
        data,
        steps="    - {method: local_suppression, with: {k: 2, importance: [age, sex, region]}}",
    )
    assert "table.lone_values" not in found(decision)


# What the rest of the candidate gives back


def test_weights_that_belong_to_one_region_each_give_back_regions_that_were_perturbed(tmp_path):
    """71 weights, each of one region.

    PRAM leaves about nine in ten regions true, the weight tells nearly all.
    """
    rng = np.random.default_rng(5)
    kinds = rng.integers(0, 71, 5000)
    original = pd.DataFrame(
        {
            "region": [f"region {kind % 9}" for kind in kinds],
            "weight": 1 + kinds / 100,
            "sex": rng.choice(["f", "m"], 5000),
        }
    )
    moved = rng.random(5000) < 0.1
    candidate = original.assign(region=original["region"].where(~moved, rng.permutation(original["region"])))
    roles = Roles.of(
        [
            Variable("region", Role.QUASI_IDENTIFIER),
            Variable("weight", Role.WEIGHT, VariableType.NUMERIC),
            Variable("sex"),
        ]
    )
    found = assess(
        "reconstruction", ReleasePair.from_frames(original, candidate, roles, aligned=True)
    ).outcome
    assert isinstance(found, Measurement)
    true = (original["region"] == candidate["region"]).mean()
    assert 0.9 < true < 0.92
    assert found.parts["released.region"] == pytest.approx(true)
    assert found.parts["by_one.region"] == 1.0
    assert found.value == pytest.approx(1 - true)
