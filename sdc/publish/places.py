"""Places where bundles lie: a folder, or an S3-compatible store."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from sdc.errors import CannotDeliver
from sdc.run import durable

STORE = "s3://"
PUBLIC_FILE = 0o644
ENDPOINT = "AWS_ENDPOINT_URL"
"""The variable of the environment with the address of a store that is not Amazon's."""
REASONS = {
    "NoCredentialsError": "there are no credentials in the environment (AWS_ACCESS_KEY_ID, AWS_PROFILE)",
    "PartialCredentialsError": "the credentials in the environment are not complete",
    "ClientError": "the store refused the request",
    "PermissionError": "the store does not allow it; look at the rights of the credentials",
    "FileNotFoundError": "there is no such bucket or object",
    "EndpointConnectionError": "the store does not answer",
    "ConnectTimeoutError": "the store does not answer",
    "ConnectionClosedError": "the store broke the connection",
    "ReadTimeoutError": "the store does not answer",
    "ResponseParserError": "the store answered with something that is no answer",
}
"""What went wrong at a store, by the kind of error. Its own words may hold keys and addresses."""


class BundlePlace(Protocol):
    """Where bundles lie."""

    @property
    def name(self) -> str: ...
    def guarded(self) -> contextlib.AbstractContextManager[None]: ...
    def has(self, bundle: str) -> bool: ...
    def files(self, bundle: str) -> tuple[str, ...]: ...
    def read(self, bundle: str, name: str) -> bytes | None: ...
    def write(self, bundle: str, name: str, data: bytes) -> None: ...
    def remove(self, bundle: str, name: str) -> None: ...


def place_of(address: str) -> BundlePlace:
    return BundleStore(address) if address.startswith(STORE) else Folder(Path(address))


@dataclass(frozen=True)
class Folder:
    """A folder of bundles, as an outbox is one."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """Turns what a file system says into a sentence."""
        try:
            yield
        except OSError as error:
            raise CannotDeliver(self.name, durable.reason(error)) from None

    def has(self, bundle: str) -> bool:
        return (self.path / bundle).is_dir()

    def files(self, bundle: str) -> tuple[str, ...]:
        return tuple(sorted(place.name for place in (self.path / bundle).iterdir()))

    def read(self, bundle: str, name: str) -> bytes | None:
        place = self.path / bundle / name
        return place.read_bytes() if place.is_file() else None

    def write(self, bundle: str, name: str, data: bytes) -> None:
        durable.replace(self.path / bundle / name, data)
        (self.path / bundle / name).chmod(PUBLIC_FILE)

    def remove(self, bundle: str, name: str) -> None:
        (self.path / bundle / name).unlink(missing_ok=True)
        durable.sync(self.path / bundle)


@dataclass(frozen=True)
class BundleStore:
    """A bucket and a prefix. Endpoint and credentials come from the environment alone."""

    name: str

    @cached_property
    def _root(self) -> str:
        return self.name.removeprefix(STORE).rstrip("/")

    @cached_property
    def files_of(self) -> Any:
        """The store as fsspec has it, without any memory of what it saw before."""
        try:
            import fsspec  # type: ignore[import-untyped]

            return fsspec.filesystem(
                "s3",
                endpoint_url=os.environ.get(ENDPOINT) or None,
                use_listings_cache=False,
                skip_instance_cache=True,
            )
        except ImportError:
            remedy = "s3fs is not installed: pip install 'sdc-release[store]'"
            raise CannotDeliver(self.name, remedy) from None

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """Turns what the store says into a sentence without its own words."""
        try:
            yield
        except CannotDeliver:
            raise
        except Exception as error:  # noqa: BLE001 - a store has many kinds of errors, and all may hold secrets
            raise CannotDeliver(self.name, _reason(error)) from None

    def require_bucket(self) -> None:
        """CannotDeliver where the bucket is not there or may not be seen."""
        bucket = self._root.split("/")[0]
        with self.guarded():
            self.files_of.call_s3("head_bucket", Bucket=bucket)

    def has(self, bundle: str) -> bool:
        return bool(self.files(bundle))

    def files(self, bundle: str) -> tuple[str, ...]:
        found = self.files_of.find(f"{self._root}/{bundle}")
        return tuple(sorted(path.rsplit("/", 1)[-1] for path in found))

    def read(self, bundle: str, name: str) -> bytes | None:
        try:
            data: bytes = self.files_of.cat_file(self._at(bundle, name))
        except FileNotFoundError:
            return None
        return data

    def write(self, bundle: str, name: str, data: bytes) -> None:
        self.files_of.pipe_file(self._at(bundle, name), data)

    def remove(self, bundle: str, name: str) -> None:
        self.files_of.rm_file(self._at(bundle, name))

    def put(self, bundle: str, source: Path) -> None:
        """A file in parts, however large it is."""
        self.files_of.put_file(str(source), self._at(bundle, source.name))

    @contextlib.contextmanager
    def opened(self, bundle: str, name: str) -> Iterator[Any]:
        with self.files_of.open(self._at(bundle, name), "rb") as file:
            yield file

    def _at(self, bundle: str, name: str) -> str:
        return f"{self._root}/{bundle}/{name}"


def _reason(error: BaseException) -> str:
    """The kind of an error in words: its own, or that of the first kind it is made from."""
    seen: BaseException | None = error
    while seen is not None:
        for kind in type(seen).__mro__:
            if kind.__name__ in REASONS:
                return REASONS[kind.__name__]
        seen = seen.__cause__ or seen.__context__
    return (
        "the store does not answer" if isinstance(error, OSError) else f"{type(error).__name__} at the store"
    )
