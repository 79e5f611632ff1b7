"""Serve the review pages on this machine until stopped."""

from __future__ import annotations

import signal
import socket
import sys
from typing import TYPE_CHECKING

import click
import uvicorn

from sdc.errors import SdcError
from sdc.run.durable import reason
from sdc.run.home import Home
from sdc.web.access import Sessions, check_host, written
from sdc.web.app import make_app
from sdc.web.decide import Decisions
from sdc.web.guard import Guard, log_to_stderr
from sdc.web.patience import Patient

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from sdc.studio.workbench import Workbench


class CannotListen(SdcError):
    """The server cannot listen at this address."""

    exit_code = 2

    def __init__(self, host: str, port: int, problem: str) -> None:
        super().__init__(f"cannot listen on {host}, port {port}: {problem}; --port 0 takes a free one")


def serve_pages(home: Home, host: str, port: int, *, beyond: bool = False, quiet: bool = False) -> None:
    """Listen, print the address once, and answer until stopped; decisions being worked on are finished."""
    check_host(host, beyond=beyond)
    listening = listen(host, port)
    access = Sessions(host, int(listening.getsockname()[1]))
    app = Guard(
        make_app(home, access, Decisions(home)), access, (lambda _line: None) if quiet else log_to_stderr
    )
    click.echo(
        f"review pages of {home.path}; stop with Ctrl-C\n{address(host, listening)}?token={access.token}"
    )
    if beyond:
        click.echo(
            "other machines can reach this address, and nothing on the way is encrypted: guard the token as"
            " you guard the keys",
            err=True,
        )
    uvicorn.Server(settings(app)).run(sockets=[listening])


def serve_studio(workbench: Workbench, port: int, *, quiet: bool = False) -> None:
    """The workbench and the review pages of its home, on the loopback, until stopped."""
    from sdc.web.studio.app import ENTRANCE

    host, home = "127.0.0.1", workbench.home
    # Uvicorn ends in order, and then raises the signal that it was ended by once more.
    before = signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    try:
        listening = listen(host, port)
        access = Sessions(host, int(listening.getsockname()[1]))
        app = Guard(
            make_app(home, access, Decisions(home), workbench),
            access,
            (lambda _line: None) if quiet else log_to_stderr,
            ENTRANCE,
        )
        click.echo(
            f"workbench for {workbench.path.name}; stop with Ctrl-C\n"
            f"{address(host, listening)}?token={access.token}"
        )
        uvicorn.Server(settings(app)).run(sockets=[listening])
    finally:
        workbench.close()
        signal.signal(signal.SIGTERM, before)


def settings(app: ASGIApp) -> uvicorn.Config:
    """No server name, no log of its own, and connections that lead to nothing are ended."""
    return uvicorn.Config(
        app,
        http=Patient,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_graceful_shutdown=5,
    )


def listen(host: str, port: int) -> socket.socket:
    try:
        kind, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(kind, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen()
    except (OSError, OverflowError) as error:
        raise CannotListen(
            host, port, reason(error) if isinstance(error, OSError) and error.errno else "no such address"
        ) from None
    return listening


def address(host: str, listening: socket.socket) -> str:
    return f"http://{written(host)}:{listening.getsockname()[1]}/"
