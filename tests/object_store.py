"""An S3-compatible store that lives as long as a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from moto.server import ThreadedMotoServer

SECRET = "a-secret-of-the-store"  # noqa: S105 - of a store that lives as long as a test

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}
STORE_SETTINGS = ("AWS_ENDPOINT_URL", *CREDENTIALS)


@contextmanager
def running_store() -> Iterator[str]:
    """The address of a store that answers."""
    running = ThreadedMotoServer(port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


def let_in(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Address and credentials in the environment, as an agency would give them."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
