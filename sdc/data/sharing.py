"""Makes what measures ask a pair for once, and shares it with all that ask later."""

from __future__ import annotations

import inspect
import math
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import wraps
from itertools import accumulate
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

Made = TypeVar("Made")
Holder = TypeVar("Holder", bound="Sharing")
Arguments = ParamSpec("Arguments")


WORTH_COUNTING = 2**20
"""Bytes from which on what was made takes room."""
KEPT = 2**24
"""Bytes of small things that stay when all else is let go of."""
TEXT_BYTES = 64
"""A short text, or a number beside others."""


class Sharing:
    """Keeps what was made under a key, whichever thread asks for it first.

    With `room`, a number of bytes, what was asked for longest ago is let go when more is held; it is made
    again when asked for again.
    """

    def __init__(self, room: int | None = None) -> None:
        self.room = room
        self._made: dict[Hashable, Any] = {}
        self._bytes: dict[Hashable, float] = {}
        self._locks: dict[Hashable, threading.RLock] = {}
        self._guard = threading.Lock()

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gives, made by the first thread that asks under this key and shared with all others."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.RLock())
        with lock:
            with self._guard:
                known = key in self._made
                held = self._made.get(key)
                if key in self._bytes:
                    self._bytes[key] = self._bytes.pop(key)
            if known:
                return cast("Made", held)
            made = make()
            self._keep(key, made)
            return made

    def _keep(self, key: Hashable, made: object) -> None:
        size = 0 if self.room is None else bytes_of(made)
        with self._guard:
            self._made[key] = made
            if self.room is None or size < WORTH_COUNTING:
                return
            self._bytes[key] = size
            # The last one is in use; it stays, however large it is.
            while sum(self._bytes.values()) > self.room and len(self._bytes) > 1:
                oldest = next(iter(self._bytes))
                del self._bytes[oldest], self._made[oldest]

    def forget(self) -> None:
        """Let go of all that was made but what is small: counts stay, columns of many records do not.

        The smallest things stay, up to `KEPT` bytes together; what is asked for again is made again.
        """
        with self._guard:
            sizes = {key: bytes_of(made, math.inf) for key, made in self._made.items()}
            small = sorted(sizes, key=sizes.__getitem__)
            reached = accumulate(sizes[key] for key in small)
            kept = {key for key, together in zip(small, reached, strict=True) if together <= KEPT}
            self._made = {key: made for key, made in self._made.items() if key in kept}
            self._bytes = {key: size for key, size in self._bytes.items() if key in kept}
            self._locks = {key: lock for key, lock in self._locks.items() if key in kept}


def bytes_of(made: object, unknown: float = 0) -> float:
    """About how much memory arrays, texts, numbers and records of them take.

    What nobody can tell of counts as `unknown`.
    """
    if is_dataclass(made) and not isinstance(made, type):
        return sum(bytes_of(getattr(made, each.name), unknown) for each in fields(made))
    if isinstance(made, Mapping):
        return sum(bytes_of(each, unknown) for each in (*made.keys(), *made.values()))
    if isinstance(made, (tuple, list)):
        texts = bool(made) and isinstance(made[0], str) and isinstance(made[-1], str)
        return TEXT_BYTES * len(made) if texts else sum(bytes_of(each, unknown) for each in made)
    if made is None or isinstance(made, (str, int, float)):
        return TEXT_BYTES
    return float(getattr(made, "nbytes", unknown))


def shared(
    function: Callable[Concatenate[Holder, Arguments], Made],
) -> Callable[Concatenate[Holder, Arguments], Made]:
    """Calls a function of a pair once for each set of arguments; its own name is part of the key.

    A list counts as the tuple of its items. What is given back is shared: nobody may write to it.
    """
    signature = inspect.signature(function)
    assert not any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values())
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def once(holder: Holder, /, *given: Arguments.args, **named: Arguments.kwargs) -> Made:
        bound = signature.bind(holder, *given, **named)
        bound.apply_defaults()
        _, *arguments = bound.arguments.values()
        return holder.once((name, *map(_key, arguments)), lambda: function(holder, *given, **named))

    return once


def _key(argument: Any) -> Hashable:
    """The argument with its type: 1, 1.0 and True are three arguments."""
    if isinstance(argument, Sequence) and not isinstance(argument, str):
        return tuple(map(_key, argument))
    return (type(argument), argument)
