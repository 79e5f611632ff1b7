"""Hands tests out to the processes of a run: what takes long begins first, what shares something costly stays together.

Files are told by name: the process that hands out tests has seen their names alone. Marks do not reach it:
pytest-xdist writes the group of a test into an attribute that pytest does not read since 9.2.
"""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScopeScheduling

TOGETHER = (
    "tests/flows/test_schedule.py",
    "tests/flows/test_dask.py",
    "tests/attacks/test_integrity.py",
    "tests/studio/test_rooms_browser.py",
    "tests/flows/test_source_on_workers.py",
    "tests/measures/test_catalogue_laws.py",
    "tests/web/test_pages_browser.py",
    "tests/report/test_browser.py",
    "tests/docs/test_site.py",
    "tests/test_adding.py",
    "tests/ingest/readers/test_mysql.py",
    "tests/ingest/readers/test_databases.py",
    "tests/methods/test_method_laws.py",
    "tests/measures/test_risk_laws.py",
)
"""Each shares a server, a cluster, a browser or what was measured once; the longest first."""
LONG = (
    "tests/flows/test_faults.py",
    "tests/docs/test_code_blocks.py",
    "tests/flows/",
    "tests/studio/",
    "tests/docs/test_notebooks.py",
)
"""Tests of these take many seconds each and are handed out one by one, before all others."""


def place(test: str) -> tuple[int, int]:
    """Where a test stands in the order of the run; those of one place keep the order they have."""
    file = test.partition("::")[0]
    if file in TOGETHER:
        return 0, TOGETHER.index(file)
    return 1, next((number for number, name in enumerate(LONG) if file.startswith(name)), len(LONG))


class LongestFirst(LoadScopeScheduling):  # type: ignore[misc]
    """A file of those that stay together to one process; any other test to whichever is free."""

    def __init__(self, config: Any, log: Any = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file if file in TOGETHER else nodeid
