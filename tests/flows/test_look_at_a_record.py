"""A cleared person looks at one record: it is the right one, the look is on record, and nothing else changes."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from signing_keys import PASSPHRASE, key_for

from flows.orchestration.run_release import run_release
from sdc.audit.record import show, verify
from sdc.audit.remarks import LOOK, remarks
from sdc.run import digest
from sdc.run.home import Home
from sdc.web.access import Sessions
from sdc.web.app import make_app
from sdc.web.decide import Decisions
from sdc.web.guard import Guard

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("server")]

PORT = 8322
KEYS = ["region", "age", "sex"]
PEOPLE = pd.DataFrame(
    [
        ("north", 31, "f", 100),
        ("north", 32, "f", 200),
        ("north", 33, "f", 300),
        ("south", 31, "m", 400),
        ("south", 35, "m", 500),
        ("south", 52, "m", 600),
    ]
    * 4
    + [("south", 71, "f", 777)],
    columns=[*KEYS, "income"],
)
PROFILE = """
name: small
access: safeguarded
source: {path: people.csv}
variables:
  region: quasi_identifier
  age: {role: quasi_identifier, type: numeric}
  sex: {role: quasi_identifier, label: Sex at birth}
  income: {role: sensitive, type: numeric}
candidates:
  bands: [{method: global_recode, with: {age: {width: 10}}}, {method: rounding, with: {income: {to: 1000}}}]
  drawn: [{method: bootstrap}]
risk:
  - {measure: k_anonymity, at_least: 3, because: rule, for: [bands]}
  - {measure: replicated_uniques, at_most: 90, because: rule, for: [drawn]}
approval: {required: always, roles: [reviewer]}
publish: {formats: [csv], outbox: outbox}
"""


@pytest.fixture
def run(home: Path, tmp_path: Path) -> str:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "p.yaml").write_text(PROFILE)
    (tmp_path / "outbox").mkdir()
    held = Home.at(home)
    key_for(held, "clara", ["records"])
    key_for(held, "anna", ["reviewer"])
    return run_release(tmp_path / "p.yaml", quiet=True).run_id


@pytest.fixture
def visitor(home: Path) -> Iterator[Any]:
    with warnings.catch_warnings():
        # It asks for another package than the one Prefect brings.
        warnings.simplefilter("ignore")
        from starlette.testclient import TestClient
    access, held = Sessions("127.0.0.1", PORT), Home.at(home)
    lines: list[str] = []
    app = Guard(make_app(held, access, Decisions(held)), access, lines.append)
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False) as client:
        client.get(f"/?token={access.token}")
        client.lines = lines  # type: ignore[attr-defined]
        yield client


def asked(visitor: Any, run: str, **told: str) -> Any:
    csrf = re.search(r'name="csrf" value="([0-9a-f]+)"', visitor.get(f"/runs/{run}/records").text)
    assert csrf is not None
    form = {
        "csrf": csrf[1],
        "candidate": "bands",
        "by": "clara",
        "passphrase": PASSPHRASE,
        "reason": "a doubt",
    }
    headers = {"origin": f"http://127.0.0.1:{PORT}", "sec-fetch-site": "same-origin"}
    return visitor.post(f"/runs/{run}/records", data={**form, **told}, headers=headers)


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_record_most_at_risk_is_shown_and_the_look_is_in_the_ledger(
    visitor: Any, run: str, home: Path
) -> None:
    """The last of 25 is alone: the only woman in the south, the only one in her seventies."""
    held = Home.at(home)
    before = digest.of_file(held.directory(run).warehouse)
    answer = asked(visitor, run)
    said = words(answer.text)
    assert answer.status_code == 200
    assert "Record 25 of bands" in said
    assert "Nobody else has its keys; 2 of 4 values were changed." in said
    for row in ("age key 71 70-79 yes", "region key south south no", "sex key Sex at birth f f no"):
        assert row in said
    listed = re.search(r"has its values of: (.*?) What would help", said)
    assert listed is not None
    assert listed[1] == "age region + sex"
    # Without her age she is the only woman in the south, without her sex the only one of that age.
    assert "no two keys blanked are enough" not in said
    assert "without age and region it is one of 13 on the other keys" in said
    assert "without age and sex it is one of 13 on the other keys" in said
    assert answer.headers["cache-control"] == "no-store"
    (looked,) = remarks(show(held, run))
    assert (looked.by, looked.role, looked.decision) == ("clara", "records", LOOK)
    assert looked.reason == "record 25 of bands: a doubt"
    assert verify(held).signatures == 1
    assert digest.of_file(held.directory(run).warehouse) == before
    # The name of the run holds the time of day.
    addresses = [line.replace(run, "RUN").split()[1] for line in visitor.lines]
    assert "/runs/RUN/records" in addresses
    assert not any("clara" in line for line in visitor.lines)
    assert not any("25" in address for address in addresses)


def test_every_look_is_an_entry_and_a_number_names_the_record(visitor: Any, run: str, home: Path) -> None:
    for _ in range(2):
        said = words(asked(visitor, run, number="2").text)
        assert "12 records have its keys, this one among them; 2 of 4 values were changed." in said
        assert "age key 32 30-39 yes" in said
    assert [each.reason for each in remarks(show(Home.at(home), run))] == 2 * ["record 2 of bands: a doubt"]


REFUSED: list[tuple[dict[str, str], str]] = [
    ({"by": "anna"}, "anna has no key for the role records"),
    ({"passphrase": "another passphrase"}, "this is not the passphrase of the key of clara"),
    ({"reason": " "}, "say why you look"),
    ({"candidate": "drawn"}, "do not stand in the order of the original"),
    ({"candidate": "nobody"}, "do not stand in the order of the original"),
    ({"number": "26"}, "records are numbered from 1 to 25"),
    ({"number": "0"}, "records are numbered from 1 to 25"),
]


def test_who_may_not_look_sees_nothing(visitor: Any, run: str, home: Path) -> None:
    for told, words_of_refusal in REFUSED:
        answer = asked(visitor, run, **told)
        assert answer.status_code == 400, told
        assert words_of_refusal in words(answer.text), told
        assert "777" not in words(answer.text)
    assert remarks(show(Home.at(home), run)) == []


def test_a_database_that_was_altered_is_not_shown(visitor: Any, run: str, home: Path) -> None:
    place = Home.at(home).directory(run).warehouse
    with place.open("ab") as file:
        file.write(b"x")
    assert "are not those that its sealed record vouches for" in words(asked(visitor, run).text)
    shutil.rmtree(place.parent)
    assert visitor.get(f"/runs/{run}/records").status_code == 200
