"""A referred run is looked at, approved through the form in a real browser, and is then published."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from chromium import IN_A_BROWSER, Visit, opened_browser
from served_pages import served_pages
from signing_keys import PASSPHRASE, key_for

from flows.orchestration.run_release import run_release
from sdc.audit.record import show, verify
from sdc.run.home import Home

pytestmark = [*IN_A_BROWSER, pytest.mark.usefixtures("server")]
TO_REFER = ("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because")


def test_a_referred_run_is_approved_in_the_browser_and_published(
    release_files: Callable[..., Path], home: Path
):
    run = run_release(release_files(TO_REFER), quiet=True).run_id
    held = Home.at(home)
    key_for(held, "anna", ["reviewer"])
    with served_pages(held) as (address, token), opened_browser() as browser:
        visit = Visit(browser, f"{address}/?token={token}")
        page = visit.page
        page.get_by_role("link", name="1 referred").click()
        page.locator("table.runs tbody th a").click()
        page.locator("iframe").scroll_into_view_if_needed()
        charts = page.frame_locator("iframe").locator("figure svg:visible")
        charts.first.wait_for()
        assert charts.count() > 3
        page.locator("#decision").get_by_label("Your name").fill("anna")
        page.locator("#decision").get_by_label("The passphrase of your key").fill(PASSPHRASE)
        page.get_by_label("Why; it stays on record").fill("the loss is known and small")
        page.get_by_role("button", name="Approve").dblclick(no_wait_after=True)
        page.get_by_text("Published after approval").wait_for(timeout=120_000)
        said = page.locator(".notice").inner_text()
        assert said.startswith(
            "Approved and published “masked”, 240 records as small.csv and small.parquet in"
        )
        assert run in said
        assert page.locator("#decisions tbody").inner_text().split()[:3] == ["anna", "reviewer", "approved"]
        assert page.locator("#decision").count() == 0
        assert visit.said == []
        assert {asked.startswith(f"{address}/") for asked in visit.asked} == {True}
    assert show(held, run).row.state == "published"
    (bundle,) = (home.parent / "outbox").iterdir()
    assert (bundle / "small.parquet").read_bytes() == (
        held.runs / run / "candidates" / "masked.parquet"
    ).read_bytes()
    verify(held)
