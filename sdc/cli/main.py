"""The command `sdc`: its groups of commands put together, and its border."""

from __future__ import annotations

import sys

import click

from sdc import __version__
from sdc.cli.command_groups import command_groups


class Grouped(click.Group):
    """A group whose help lists its commands by what they are for."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        del context
        for group in command_groups():
            with formatter.section(group.heading):
                formatter.write_dl(
                    [(command.name or "", command.get_short_help_str(90)) for command in group.commands]
                )


@click.group(cls=Grouped, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="sdc")
def cli() -> None:
    """Statistical disclosure control as a release pipeline.

    Exit codes: 0 done or published, 2 bad profile or data, 3 withheld or does not hold, 4 referred, 1
    failure.
    """


for _group in command_groups():
    for _command in _group.commands:
        cli.add_command(_command)


def main() -> None:
    """The command's border: errors on purpose are one sentence, others say only their kind and place."""
    from flows.orchestration.stopping import end, leave
    from sdc.errors import SdcError, redacted
    from sdc.run import durable

    durable.keep_private()
    code = 0
    try:
        with redacted("sdc", passing=(click.ClickException, click.exceptions.Abort)):
            cli(standalone_mode=False)
    except SystemExit as said:
        if not isinstance(said.code, int):
            raise
        code = said.code
    except click.exceptions.Abort:
        click.echo("stopped", err=True)
        leave(1)
    except click.ClickException as wrong:
        wrong.show()
        sys.exit(2)
    except SdcError as error:
        click.echo(f"sdc: {error}", err=True)
        leave(error.exit_code)
    end(code)
