"""The review pages of a home, served on the loopback as `sdc serve` serves them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from sdc.web.access import Sessions
from sdc.web.app import make_app
from sdc.web.decide import Decisions
from sdc.web.guard import Guard
from sdc.web.serve import listen, settings

if TYPE_CHECKING:
    from sdc.run.home import Home
    from sdc.studio.workbench import Workbench


@contextmanager
def served_pages(home: Home, workbench: Workbench | None = None) -> Iterator[tuple[str, str]]:
    """The address, and the token that lets in; with a workbench as `sdc studio` serves them."""
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    access = Sessions("127.0.0.1", port)
    app = make_app(home, access, Decisions(home), workbench)
    guarded = Guard(app, access, lambda _line: None, "/studio/" if workbench else "/")
    server = uvicorn.Server(settings(guarded))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}", access.token
    server.should_exit = True
    thread.join(timeout=60)
