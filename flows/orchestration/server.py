"""The embedded Prefect server's process: it ends when the process that started it lets go of its input."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

FLUSH_SECONDS = 3.0
LEAVE_SECONDS = 15.0

ONLY_WHAT_A_RUN_NEEDS = {
    "PREFECT_UI_ENABLED": "0",
    "PREFECT__SERVER_EPHEMERAL": "1",
    "PREFECT__SERVER_FINAL": "1",
    "PREFECT_API_DATABASE_MIGRATE_ON_START": "0",
    "PREFECT_API_BLOCKS_REGISTER_ON_START": "0",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "0",
    "PREFECT_SERVER_EVENTS_STREAM_OUT_ENABLED": "0",
}


def main(port: int) -> None:
    os.environ.update(ONLY_WHAT_A_RUN_NEEDS)
    # Nothing that an import makes is ever garbage; looking for some takes a quarter of the time.
    gc.disable()
    import uvicorn
    from prefect.server.api.server import create_app

    gc.freeze()
    gc.enable()
    _furnish(Path(os.environ["PREFECT_HOME"]))
    _take_turns()
    server = uvicorn.Server(
        uvicorn.Config(
            create_app,
            factory=True,
            host="127.0.0.1",
            port=port,
            log_level="error",
            lifespan="on",
            timeout_graceful_shutdown=3,
        )
    )

    def leave_with_parent() -> None:
        sys.stdin.buffer.read()
        # Records of the last tasks come in batches.
        time.sleep(FLUSH_SECONDS)
        server.should_exit = True
        time.sleep(LEAVE_SECONDS)
        os._exit(1)

    threading.Thread(target=leave_with_parent, daemon=True).start()
    server.run()


def _furnish(home: Path) -> None:
    from flows.orchestration.database import has_tables, make_tables

    if not has_tables(home):
        make_tables(home)


def _take_turns() -> None:
    """Whoever begins a transaction has the turn to write.

    Prefect's transactions begin as readers. One that writes after another did is refused, and who asked for
    it waits two seconds before asking again.
    """
    from prefect.server.database.configurations import AioSqliteConfiguration

    begin = AioSqliteConfiguration.begin_transaction

    def begin_to_write(self: Any, session: Any, with_for_update: bool = True) -> Any:
        del with_for_update
        return begin(self, session, with_for_update=True)

    AioSqliteConfiguration.begin_transaction = begin_to_write  # type: ignore[method-assign]


if __name__ == "__main__":
    main(int(sys.argv[1]))
