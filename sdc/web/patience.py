"""Ends connections that lead to nothing: silent ones, half requests, answers nobody takes."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS = 10.0
"""How long a connection may be without a whole request under way.

It ends after twice as long at the latest.
"""
ANSWER_SECONDS = 60.0
"""How long one request may take, its answer taken included.

Decisions are worked on apart, and their page asks again.
"""
MOST_CONNECTIONS = 100
BUSY = b"Too many connections are open here; try again soon.\n"
BUSY_HEAD = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection:"
    b" close\r\n\r\n" % len(BUSY)
)


class Patient(H11Protocol):
    """uvicorn's protocol with a limit on connections and on the time they may take."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._seen: RequestResponseCycle | None = None
        self._since = self.loop.time()
        if len(self.connections) > MOST_CONNECTIONS:
            transport.write(BUSY_HEAD + BUSY)
            transport.close()
            return
        self._watch = self.loop.call_later(HEAD_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        if hasattr(self, "_watch"):
            self._watch.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        """End the connection where nothing began since the last look, or one request has taken too long."""
        if self.transport.is_closing():
            return
        now, cycle = self.loop.time(), cast("Any", self.cycle)
        waits = (cycle is None or cycle.response_complete) and not self.transport.get_write_buffer_size()
        if cycle is not self._seen:
            self._seen, self._since = cycle, now
        elif now - self._since >= (HEAD_SECONDS if waits else ANSWER_SECONDS) - 0.001:
            self.transport.abort()
            return
        self._watch = self.loop.call_later(HEAD_SECONDS, self._look)
