"""Compiles every kernel for the types it is called with: `python -m sdc.kernels`, a step of installation."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import time

import sdc.kernels
from sdc.kernels.compiled import HERE, KERNELS, NO_DIRECTORY, log, store


def import_all() -> None:
    """Import every module of kernels, so that all of them are in `KERNELS`."""
    for module in pkgutil.iter_modules(sdc.kernels.__path__):
        if module.name != "__main__":
            importlib.import_module(f"sdc.kernels.{module.name}")


def compile_all() -> None:
    """Compile what is not kept yet, with a progress line, then drop what older sources left."""
    import_all()
    work = [(kernel, types) for kernel in KERNELS for types in kernel.types if not kernel.is_kept(types)]
    started, module = time.monotonic(), ""
    for number, (kernel, types) in enumerate(work, start=1):
        if sys.stdout.isatty() or kernel.dispatcher.__module__ != module:
            _say(f"compiling kernel {number} of {len(work)}: {kernel.name}")
        module = kernel.dispatcher.__module__
        kernel.dispatcher.compile(types)
    kept = store(HERE)
    kept.drop_older()
    found = f"kept in {kept.directory}" if kept.directory else f"not kept: {NO_DIRECTORY}"
    _say(f"{len(work)} kernels compiled in {time.monotonic() - started:.0f} s; {found}\n")


def _say(text: str) -> None:
    """Write a line; on a terminal over the line before."""
    sys.stdout.write(f"\r\x1b[2K{text}" if sys.stdout.isatty() else text.rstrip("\n") + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    log.disabled = True  # the progress line says it
    compile_all()
