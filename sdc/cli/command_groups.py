"""Groups of commands under a heading of the help; each command registers itself in its group."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import click

COMMANDS = "sdc.cli.commands"
Kind = TypeVar("Kind", bound=click.Command)


class CommandGroup:
    """The commands under one heading, in the order they are written in their file."""

    found: ClassVar[list[CommandGroup]] = []

    def __init__(self, heading: str, *, order: int) -> None:
        self.heading, self.order = heading, order
        self.commands: list[click.Command] = []
        self.found.append(self)

    def command(self, **told: Any) -> Callable[[Callable[..., Any]], click.Command]:
        """A function as a command of this group."""
        return lambda function: self._added(click.command(**told)(function))

    def group(self, **told: Any) -> Callable[[Callable[..., Any]], click.Group]:
        """A function as a command of this group that has commands of its own."""
        return lambda function: self._added(click.group(**told)(function))

    def _added(self, command: Kind) -> Kind:
        self.commands.append(command)
        return command


def command_groups() -> list[CommandGroup]:
    """All groups, in the order of the help."""
    for module in pkgutil.iter_modules(importlib.import_module(COMMANDS).__path__, f"{COMMANDS}."):
        importlib.import_module(module.name)
    return sorted(CommandGroup.found, key=lambda group: (group.order, group.heading))
