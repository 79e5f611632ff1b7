"""The embedded Prefect server's process: it ends when the process that started it lets go of its input."""

from __future__ import annotations

import os
import sys
import threading
import time

FLUSH_SECONDS = 3.0
LEAVE_SECONDS = 15.0


def main(port: int) -> None:
    os.environ.update(PREFECT_UI_ENABLED="0", PREFECT__SERVER_EPHEMERAL="1", PREFECT__SERVER_FINAL="1")
    import uvicorn
    from prefect.server.api.server import create_app

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


if __name__ == "__main__":
    main(int(sys.argv[1]))
