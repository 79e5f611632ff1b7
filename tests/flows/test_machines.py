"""What a run says when its cluster goes away between two questions."""

from types import SimpleNamespace
from typing import Any

import pytest

from flows.orchestration.cluster import NoCluster, _require_fit_workers
from flows.orchestration.machines import Cluster, ClusterFailed
from sdc.data.warehouse.shared import SharedFolder

ADDRESS = "tcp://scheduler:8786"


class Gone:
    """A client whose scheduler went away."""

    def nthreads(self) -> Any:
        raise OSError("comm closed")


def cluster(client: Any) -> Cluster:
    shared = SimpleNamespace(can_be_made_elsewhere=lambda _name: True, share_plan=lambda _name: None)
    context = SimpleNamespace(
        progress=SimpleNamespace(begin=lambda _part: None),
        profile=SimpleNamespace(candidates={"masked": ()}),
    )
    return Cluster(ADDRESS, client, context, shared)  # type: ignore[arg-type]


def test_a_scheduler_that_is_gone_before_a_candidate_is_made_fails_the_run_and_is_no_fault_of_it() -> None:
    with pytest.raises(ClusterFailed, match="does not answer any more; nothing was published"):
        cluster(Gone()).protect("masked")


def test_a_scheduler_that_is_gone_before_the_first_candidate_fails_the_run_with_a_sentence() -> None:
    with pytest.raises(ClusterFailed, match="does not answer any more; nothing was published"):
        _ = cluster(Gone()).at_once


def test_a_worker_too_busy_to_be_examined_is_not_said_to_have_another_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tasks.parts.SILENT_SECONDS", 0.05)
    monkeypatch.setattr("tasks.parts.LOOK_SECONDS", 0.0)
    busy = SimpleNamespace(
        scheduler_info=lambda **_named: {"workers": {"tcp://worker:1": {}}},
        run=lambda *_given, **_named: {"tcp://worker:1": OSError("Timed out trying to connect")},
    )
    with pytest.raises(NoCluster, match="worker tcp://worker:1 does not answer") as refused:
        _require_fit_workers(busy, ADDRESS, SharedFolder("/nowhere"))
    assert "another one" not in str(refused.value)
