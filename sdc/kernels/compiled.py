"""The one decorator of compiled functions, and how their machine code is kept on disk.

numba's own cache is keyed by the file of a function. It keeps running old machine code when another file,
with a function that this one calls, has changed. Here the key is a digest of all sources of the package.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import logging
import os
import pickle
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

READ_ONLY = "Array(f8, 1, 'C', readonly=True)"
"""In a signature: a column of numbers that nobody may write to, as tables hand them out."""

PLACE = "SDC_KERNELS"
"""The environment variable that names a directory for machine code."""

NO_DIRECTORY = f"there is no directory that only this user can write to (name one in {PLACE})"

log = logging.getLogger("sdc.kernels")


@dataclass(frozen=True)
class Kernel:
    """A compiled function, and the types that Python calls it with; none where only kernels call it."""

    dispatcher: Any
    types: tuple[str, ...]

    @property
    def name(self) -> str:
        function = self.dispatcher.py_func
        return f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"

    def is_kept(self, types: str) -> bool:
        """Is its machine code for arguments of these types on disk?"""
        cache: MachineCode = self.dispatcher._cache  # noqa: SLF001
        return cache.holds(types, self.dispatcher.targetctx.codegen())


KERNELS: list[Kernel] = []
"""Every kernel of the modules imported so far."""


def kernel(*types: Any, nogil: bool = True) -> Any:
    """Compile a function with numba on its first call, and keep the machine code.

    `@kernel` is for functions that only kernels call. `@kernel("f8[::1], i8", ...)` names the types of
    arguments that Python calls it with: `python -m sdc.kernels` compiles for these. Others work too, and are
    compiled when they occur. A kernel lets other threads run (`nogil`), as it touches nothing but its arrays.
    """
    if len(types) == 1 and callable(types[0]):
        return _compiled(types[0], (), nogil=nogil)
    return lambda function: _compiled(function, tuple(f"({each},)" for each in types), nogil=nogil)


def _compiled(function: Callable[..., Any], types: tuple[str, ...], *, nogil: bool) -> Any:
    from numba import config, njit

    if config.DISABLE_JIT:
        return function
    dispatcher = njit(nogil=nogil)(function)
    dispatcher._cache = MachineCode(function)  # noqa: SLF001  # numba has no public way to set another cache
    KERNELS.append(Kernel(dispatcher, types))
    return dispatcher


def digest(package: Path) -> str:
    """A digest of all sources of a package and of this one, and of the versions that decide on machine code.

    Processors are told apart within a directory, by the key of each file.
    """
    from numba import config

    made = hashlib.sha256()
    versions = [sys.version, *(version(library) for library in ("numba", "llvmlite", "numpy"))]
    made.update(repr([*versions, config.OPT, config.BOUNDSCHECK]).encode())
    for folder in dict.fromkeys([HERE, package]):
        for source in sorted(folder.rglob("*.py")):
            content = source.read_bytes()
            made.update(f"{source.relative_to(folder)} {len(content)}\n".encode())
            made.update(content)
    return made.hexdigest()


@dataclass(frozen=True)
class Store:
    """Where the machine code of a package is kept; no directory where none is safe to use."""

    package: Path
    digest: str
    directory: Path | None

    @property
    def is_current(self) -> bool:
        """Are the sources still those that this process started with?"""
        return digest(self.package) == self.digest

    def drop_older(self) -> None:
        """Remove what this version of Python kept for other sources of the package."""
        if self.directory is None:
            return
        for other in self.directory.parent.glob(f"{sys.implementation.cache_tag}-*"):
            if other != self.directory:
                shutil.rmtree(other, ignore_errors=True)


@functools.cache
def store(package: Path) -> Store:
    """The store of a package, with the digest of its sources as they were when its first kernel was read."""
    found = digest(package)
    if not any(package.glob("*.py")):  # in an archive: no sources to tell versions apart
        return Store(package, found, None)
    name = f"{sys.implementation.cache_tag}-{found[:32]}"
    usable = (place[-1] for place in _places(package, name) if all(_is_private(part) for part in place))
    return Store(package, found, next(usable, None))


def _places(package: Path, name: str) -> Iterator[list[Path]]:
    """Directories that may hold machine code, best first, each after those above it that must be private."""
    own = hashlib.sha256(str(package).encode()).hexdigest()[:16]
    if os.environ.get(PLACE):
        root = Path(os.environ[PLACE]).resolve()
        yield [root, root / own, root / own / name]
        return
    if os.access(package, os.W_OK):
        # Who can write beside the sources can change the sources: only the last directory is judged.
        yield [package / "__pycache__" / name]
    home = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))  # noqa: PTH111  # never raises
    if home.is_absolute():
        root = home.resolve() / "sdc-release"
        yield [root, root / own, root / own / name]


def _is_private(directory: Path) -> bool:
    """Make a directory for oneself; whether it is one that no other user can write to.

    Machine code is loaded as it is found, so whoever can write there can run anything.
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = directory.lstat()
    except OSError:
        return False
    own = not hasattr(os, "geteuid") or (
        found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )
    return stat.S_ISDIR(found.st_mode) and own and os.access(directory, os.W_OK)


class MachineCode:
    """What numba asks for the machine code of one kernel: a file for each types of arguments and processor.

    A file holds the SHA-256 of the rest, then the key and the code. It is written whole or not at all, so
    processes may write beside each other.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._file = Path(inspect.getfile(function)).resolve()
        self._store = store(HERE if HERE in self._file.parents else self._file.parent)

    @property
    def cache_path(self) -> str | None:
        return str(self._store.directory) if self._store.directory else None

    def load_overload(self, signature: Any, target: Any) -> Any:
        from numba.core.compiler import CompileResult

        target.refresh()
        key = self._key(signature, target.codegen())
        held = self._read(key)
        if held is not None:
            try:
                return CompileResult._rebuild(target, *held)  # noqa: SLF001
            except Exception:  # noqa: BLE001  # whatever keeps kept code from running, the sources are there
                self._path(key).unlink(missing_ok=True)
        announce(f"{self._file.stem}.{self._function.__qualname__}", self.cache_path)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        from numba.core.serialize import dumps

        if any(not lifted.can_cache for lifted in result.lifted) or result.library.has_dynamic_globals:
            return
        key = self._key(signature, result.codegen)
        if self._store.directory is not None and self._store.is_current:
            self._write(self._path(key), dumps((key, result._reduce())))  # noqa: SLF001

    def holds(self, signature: Any, codegen: Any) -> bool:
        return self._store.directory is not None and self._path(self._key(signature, codegen)).is_file()

    def enable(self) -> None:
        """Nothing to do: a kernel is always kept."""

    def disable(self) -> None:
        """Nothing to do: a kernel is always kept."""

    def flush(self) -> None:
        """Nothing to do: what is compiled anew is written over the old."""

    def _key(self, signature: Any, codegen: Any) -> str:
        from numba.core.sigutils import normalize_signature

        name = f"{self._file.stem}.{self._function.__qualname__}:{self._function.__code__.co_firstlineno}"
        return repr((self._store.digest, name, normalize_signature(signature), codegen.magic_tuple()))

    def _path(self, key: str) -> Path:
        assert self._store.directory is not None
        name = f"{self._file.stem}.{self._function.__qualname__}".replace("<", "").replace(">", "")
        return self._store.directory / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.nbc"

    def _read(self, key: str) -> Any:
        if self._store.directory is None:
            return None
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        if hashlib.sha256(content[32:]).digest() != content[:32]:
            return None
        try:
            held_key, code = pickle.loads(content[32:])  # noqa: S301  # only this user can write there
        except Exception:  # noqa: BLE001  # kept by another version of a library: compiled again
            return None
        return code if held_key == key else None

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        try:
            descriptor, temporary = tempfile.mkstemp(dir=path.parent)
        except OSError:
            return  # removed by a newer version, or read-only by now: the code stays in memory
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            Path(temporary).replace(path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)


_announced: list[str] = []


def announce(name: str, directory: str | None) -> None:
    """Say once in a process that it has to compile, as this takes a while."""
    if not _announced:
        kept = f"kept in {directory}" if directory else f"not kept: {NO_DIRECTORY}"
        log.warning("compiling kernels (up to a minute), %s first; %s", name, kept)
    _announced.append(name)


def compiled_now() -> list[str]:
    """The kernels that this process had to compile so far, one entry for each types of arguments."""
    return list(_announced)
