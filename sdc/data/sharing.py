"""Makes what measures ask a pair for once, and shares it with all that ask later."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Made = TypeVar("Made")
Holder = TypeVar("Holder", bound="Sharing")
Arguments = ParamSpec("Arguments")


class Sharing:
    """Keeps what was made under a key, whichever thread asks for it first."""

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}
        self._locks: dict[Hashable, threading.RLock] = {}
        self._guard = threading.Lock()

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gives, made by the first thread that asks under this key and shared with all others."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.RLock())
        with lock:
            if key not in self._made:
                self._made[key] = make()
            made: Made = self._made[key]
            return made

    def forget(self) -> None:
        """Let go of all that was made; what is asked for again is made again."""
        with self._guard:
            self._made, self._locks = {}, {}


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
