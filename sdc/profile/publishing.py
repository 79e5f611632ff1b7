"""Checks how a release is to leave: approval, formats, and what the run may use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sdc.catalogue.writers import find_writer
from sdc.profile.publish_plan import SYNTHESIS
from sdc.profile.variables import repeats
from sdc.profile.wording import did_you_mean, ordinal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.errors import Fault
    from sdc.profile.reading import Reading


def _format_faults(reading: Reading) -> Iterator[Fault]:
    """Formats that lack a package here, or cannot hold a variable by its name."""
    profile = reading.profile
    for position, name in enumerate(profile.publish.formats if reading.sound("publish", "formats") else ()):
        writer, place = find_writer(name), ("publish", "formats", position)
        if writer.missing_packages:
            yield reading.fault(
                place,
                f"{name} cannot be written here: {', '.join(writer.missing_packages)} is not installed",
                "pip install 'sdc-release[formats]'",
            )
        released = profile.roles.released if reading.sound("variables") else ()
        if writer.limits.columns is not None and len(released) > writer.limits.columns:
            yield reading.fault(
                place,
                f"a file of {name} has at most {writer.limits.columns:,} variables, not {len(released):,}",
                f"leave {name} out",
            )
        for variable in released:
            if rule := writer.limits.name(variable):
                yield reading.fault(
                    ("variables", variable),
                    f"{variable!r} cannot leave as {name}: {rule}",
                    f"rename the column, or leave {name} out of publish.formats",
                )


STORE = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^?#@]*)?")


def _place_faults(reading: Reading) -> Iterator[Fault]:
    """Places that are no folder and no bucket, or that would hold a secret."""
    publish = reading.profile.publish
    for position, address in enumerate(publish.to if reading.sound("publish", "to") else ()):
        place = ("publish", "to", position)
        if "://" in address and not STORE.fullmatch(address):
            yield reading.fault(
                place,
                f"{ordinal(position)} place is neither a folder nor s3://bucket/prefix",
                "credentials and the endpoint come from the environment",
            )
        elif "://" in address and publish.layout != "plain":
            yield reading.fault(
                place, f"layout {publish.layout} is for folders, not for a store", "write layout: plain"
            )
    if publish.layout != "plain" and not publish.to and reading.sound("publish"):
        yield reading.fault(
            ("publish", "layout"), "layout says how files lie in to, and to is empty", "list a folder in to"
        )
    if publish.layout == "nada" and "ddi" not in publish.metadata:
        yield reading.fault(("publish", "layout"), "layout nada needs ddi", "add ddi to metadata")


def _stack_faults(reading: Reading) -> Iterator[Fault]:
    """Stacked syntheses have a column of their own, which must be free."""
    profile = reading.profile
    if profile.publish.syntheses == "stacked" and SYNTHESIS in profile.roles.released:
        yield reading.fault(
            ("publish", "syntheses"),
            f"stacked syntheses are numbered by a column {SYNTHESIS}, and a variable has that name",
            "write syntheses: each, or rename the variable",
        )


def publishing_faults(reading: Reading) -> Iterator[Fault]:
    """Faults in approval, publish, limits and notify."""
    profile = reading.profile
    if profile.approval.required != "never" and not profile.approval.roles:
        yield reading.fault(
            ("approval", "roles"),
            "approval is asked for and nobody may give it",
            "list the roles, e.g. [reviewer]",
        )
    for position, name in enumerate(
        profile.approval.fasttrack.geography if profile.approval.fasttrack else ()
    ):
        if name not in profile.variables and reading.names_are_known:
            problem = f"geography names {name!r}, which is no variable of the profile"
            yield reading.fault(
                ("approval", "fasttrack", "geography", position),
                problem,
                did_you_mean(name, profile.variables),
            )
    if not profile.publish.formats:
        yield reading.fault(
            ("publish", "formats"),
            "formats is empty: nothing would be written",
            "list csv or others",
        )
    for position in repeats(profile.publish.metadata):
        yield reading.fault(
            ("publish", "metadata", position), f"{ordinal(position)} description is there before", "keep one"
        )
    for position in repeats(profile.publish.formats):
        yield reading.fault(
            ("publish", "formats", position), f"{ordinal(position)} format is there before", "keep one"
        )
    yield from _format_faults(reading)
    yield from _place_faults(reading)
    if reading.sound("publish") and reading.sound("variables"):
        yield from _stack_faults(reading)
    memory = profile.limits.memory
    if memory is not None and not re.fullmatch(r"\d+(\.\d+)?\s*([kKMGT]i?B|%)", memory):
        yield reading.fault(
            ("limits", "memory"), f"memory cannot be {memory!r}", "write a number and its unit, e.g. 4GB"
        )
    webhook, server = profile.notify.webhook, profile.notify.mail_server
    if webhook is not None and not re.fullmatch(r"https?://\S+", webhook):
        yield reading.fault(("notify", "webhook"), "webhook is not an address", "begin it with https://")
    if not re.fullmatch(r"[^:\s]+:\d+", server):
        yield reading.fault(
            ("notify", "mail_server"),
            "mail_server is not a host and a port",
            "write it as mail.example.org:25",
        )
