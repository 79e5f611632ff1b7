"""Writes the reference of the command line from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator

import click

OPENING = """# The command line

Made by `make docs` from the commands themselves; `sdc COMMAND --help` prints the same.
`python -m sdc` is the same command as `sdc`.

| exit code | means |
|---|---|
| 0 | done, or published |
| 1 | failure |
| 2 | bad profile or data |
| 3 | withheld, or something does not hold |
| 4 | referred: people decide |

[Completion in the shell](installation.md#completion-in-the-shell) knows them all.
"""


def command_line() -> str:
    """The page: a section for each command, with its arguments and options."""
    from sdc.cli.main import cli

    context = click.Context(cli, info_name="sdc")
    lines = [OPENING]
    for command, inner in _commands(cli, context):
        lines += _section(command, inner, "##")
    return "\n".join(lines)


def _section(command: click.Command, context: click.Context, heading: str) -> Iterator[str]:
    yield f"{heading} {context.command_path}\n"
    yield f"{_sentence(command.help)}\n"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{context.command_path} {usage}\n```\n"
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    records = [record for option in options if (record := option.get_help_record(context)) is not None]
    if records:
        yield "| option | does |\n|---|---|"
        yield from (f"| `{_cell(names)}` | {_cell(said)} |" for names, said in records)
        yield ""
    if isinstance(command, click.Group):
        for inner, below in _commands(command, context):
            yield from _section(inner, below, f"{heading}#")


def _commands(group: click.Group, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None:
            yield command, click.Context(command, info_name=name, parent=context)


def _sentence(said: str | None) -> str:
    return " ".join((said or "").replace("\b", "").split())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
