"""People approve another candidate than the gate chose: what they signed is what leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from signing_keys import PASSPHRASE, key_for

from flows.orchestration.run_release import run_release
from sdc.audit.record import show, verify
from sdc.errors import CannotApprove
from sdc.run.home import Home

pytestmark = pytest.mark.usefixtures("server")

OTHERS = (
    "risk:\n",
    """  coarse:
    - {method: global_recode, with: {age: {width: 40}}}
    - {method: local_suppression, with: {k: 3}}
    - {method: microaggregation, with: {variables: [income], k: 5}}
  bare:
    - {method: microaggregation, with: {variables: [income], k: 5}}
risk:
""",
)
TO_REFER = ("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because")
TWO_ROLES = ("publish: {", "approval: {required: when_referred, roles: [reviewer, approver]}\npublish: {")


def said(by: str, role: str) -> dict[str, str]:
    return {"role": role, "by": by, "reason": "coarser ages suffice", "passphrase": PASSPHRASE}


def test_what_people_approved_leaves_and_not_what_the_gate_chose(
    release_files: Callable[..., Path], home: Path
) -> None:
    from flows.publish_approved import approve_and_publish

    held = Home.at(home)
    for person, role in (("anna", "reviewer"), ("bob", "approver")):
        key_for(held, person, [role])
    outcome = run_release(release_files(OTHERS, TO_REFER, TWO_ROLES), quiet=True)
    run = outcome.run_id
    sealed = show(held, run).record
    assert sealed["chosen"] == "masked"
    assert "“masked” misses 1 criterion, 0 of risk" in sealed["choice"]
    with pytest.raises(
        CannotApprove, match="“bare” is no candidate that people may approve; these are: masked, coarse"
    ):
        approve_and_publish(held, run, **said("anna", "reviewer"), candidate="bare")
    told = approve_and_publish(held, run, **said("anna", "reviewer"), candidate="coarse")
    assert told == "approved “coarse” as reviewer; still to approve: approver"
    with pytest.raises(
        CannotApprove, match="anna has approved the candidate “coarse”, and all roles approve the same one"
    ):
        approve_and_publish(held, run, **said("bob", "approver"), candidate="masked")
    assert approve_and_publish(held, run, **said("bob", "approver")).startswith(
        "approved and published “coarse”, 240 records as small.csv and small.parquet in the bundle small-"
    )
    (bundle,) = (home.parent / "outbox").iterdir()
    assert (bundle / "small.parquet").read_bytes() == (
        held.runs / run / "candidates" / "coarse.parquet"
    ).read_bytes()
    row = show(held, run).row
    assert (row.state, row.facts["chosen"]) == ("published", "coarse")
    verify(held)


def test_the_page_of_such_a_run_says_what_left(release_files: Callable[..., Path], home: Path) -> None:
    from flows.publish_approved import approve_and_publish
    from sdc.web.ledger_state import LedgerReader
    from sdc.web.run_page import RunPage, run_page, run_view

    held = Home.at(home)
    key_for(held, "anna", ["reviewer"])
    run = run_release(release_files(OTHERS, TO_REFER), quiet=True).run_id

    def page() -> RunPage:
        book = LedgerReader(held).book()
        return run_page(held, book, run_view(held, book, run))

    before = page()
    assert [each.name for each in before.approvable] == ["masked", "coarse"]
    assert {each.name: each.verdict for each in before.candidates} == {
        "masked": "would be referred",
        "coarse": "would be referred",
        "bare": "would be withheld",
    }
    approve_and_publish(held, run, **said("anna", "reviewer"), candidate="coarse")
    after = page()
    assert {each.name: each.verdict for each in after.candidates} == {
        "masked": "would be referred",
        "coarse": "published",
        "bare": "would be withheld",
    }
    assert [(heard.by, heard.candidate, heard.fault) for heard in after.approvals.heard] == [
        ("anna", "coarse", "")
    ]
    assert after.focus.name == "coarse"
