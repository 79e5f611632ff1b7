"""What a run says when its cluster goes away between two questions."""

from types import SimpleNamespace

import pytest

from flows.orchestration.cluster import NoCluster, _require_fit_workers
from sdc.data.warehouse.shared import SharedFolder

ADDRESS = "tcp://scheduler:8786"


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
