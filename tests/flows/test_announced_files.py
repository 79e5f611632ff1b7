"""What people are told before they approve is what leaves: files, bundle, outbox and records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from linked_survey import write_csv
from signing_keys import PASSPHRASE, key_for

from flows.orchestration.run_release import run_release
from sdc.audit.deciding import to_leave
from sdc.audit.record import show
from sdc.audit.what_leaves import has_left
from sdc.run.home import Home
from tests.flows.test_linked_release import REFERRED, drafted
from tests.flows.test_released_syntheses import SYNTHETIC, layout

pytestmark = pytest.mark.usefixtures("server")

TO_REFER = ("at_most: 0.5, because", "at_most: 0.0000001, otherwise: refer, because")
ONE_SYNTHESIS = [(old, new.replace(", m: 3", "")) for old, new in SYNTHETIC]
AS_EXCEL_TOO = ("formats: [csv, parquet]", "formats: [csv, parquet, xlsx]")


def left_as_announced(home: Path) -> tuple[str, ...]:
    """Approves the one run; the files that were announced, which are those of the bundle."""
    from flows.publish_approved import approve_and_publish

    held = Home.at(home)
    key_for(held, "anna", ["reviewer"])
    (run,) = (each.name for each in held.runs.iterdir())
    before = to_leave(held, run)
    said = {"role": "reviewer", "by": "anna", "reason": "fine", "passphrase": PASSPHRASE}
    told = approve_and_publish(held, run, **said)
    (bundle,) = (home.parent / "outbox").iterdir()
    assert told == f"approved and published {before}: {bundle}"
    assert has_left(show(held, run)) == before
    assert (before.outbox, before.bundle) == ("outbox", bundle.name)
    others = "dictionary", "datapackage", "csv-metadata"
    data = {
        file.name
        for file in bundle.iterdir()
        if file.suffix in (".csv", ".parquet", ".xlsx") and not file.name.startswith(others)
    }
    assert set(before.files) == data
    assert before.rows == show(held, run).record["candidates"][0]["rows"]
    return before.files


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([AS_EXCEL_TOO], ("small.csv", "small.parquet", "small.xlsx")),
        (ONE_SYNTHESIS, ("small.synthetic.csv", "small.synthetic.parquet")),
        (
            SYNTHETIC,
            tuple(
                f"small.synthetic.synthesis_{number}.{ending}"
                for number in (1, 2, 3)
                for ending in ("csv", "parquet")
            ),
        ),
        ([*SYNTHETIC, layout("stacked")], ("small.synthetic.csv", "small.synthetic.parquet")),
        ([*SYNTHETIC, layout("first")], ("small.synthetic.csv", "small.synthetic.parquet")),
    ],
    ids=["masked", "synthetic", "each", "stacked", "first"],
)
def test_the_names_announced_are_the_names_in_the_bundle(
    release_files: Callable[..., Path], home: Path, changes: list[tuple[str, str]], expected: tuple[str, ...]
) -> None:
    run_release(release_files(*changes, TO_REFER), quiet=True)
    assert left_as_announced(home) == expected


def test_linked_files_are_announced_as_persons_and_households(home: Path, tmp_path: Path) -> None:
    run_release(drafted(write_csv(tmp_path, households=80), *REFERRED), quiet=True)
    files = left_as_announced(home)
    assert {name.split(".")[1] for name in files} == {"persons", "households"}
