"""Who listens? A webhook and a mail server of the test's own, each keeping what it heard."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Heard:
    """What arrived, in order."""

    port: int = 0
    notices: list[dict[str, Any]] = field(default_factory=list)
    mails: list[str] = field(default_factory=list)


@contextmanager
def webhook() -> Iterator[Heard]:
    heard = Heard()

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.notices.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            pass

    with _serving(ThreadingHTTPServer(("127.0.0.1", 0), Listener), heard):
        yield heard


@contextmanager
def mail_server() -> Iterator[Heard]:
    """Enough of SMTP to take a mail."""
    heard = Heard()

    class Listener(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.say("220 ready")
            while line := self.rfile.readline().decode().strip().upper():
                if line == "DATA":
                    self.say("354 go on")
                    heard.mails.append(self.letter())
                self.say("221 bye" if line == "QUIT" else "250 well")
                if line == "QUIT":
                    return

        def letter(self) -> str:
            lines = []
            while (line := self.rfile.readline().decode()) != ".\r\n":
                lines.append(line)
            return "".join(lines)

        def say(self, words: str) -> None:
            self.wfile.write(f"{words}\r\n".encode())

    with _serving(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Listener), heard):
        yield heard


@contextmanager
def _serving(server: socketserver.TCPServer, heard: Heard) -> Iterator[None]:
    server.daemon_threads = True  # type: ignore[attr-defined]
    heard.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
