"""Sends word of how a run ended by webhook or mail: names and states only.

What cannot be delivered is said, and changes nothing.
"""

from __future__ import annotations

import json
import smtplib
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass
from email.message import EmailMessage
from typing import Protocol

SECONDS = 10


class NotifyPlan(Protocol):
    """Who wants to know what, and where: the `notify` of a profile."""

    @property
    def states(self) -> tuple[str, ...]: ...

    @property
    def webhook(self) -> str | None: ...

    @property
    def mail_to(self) -> tuple[str, ...]: ...

    @property
    def mail_from(self) -> str: ...

    @property
    def mail_server(self) -> str: ...


@dataclass(frozen=True)
class Notice:
    """How a run ended: names, states and sentences, never a value."""

    run: str
    profile: str
    state: str
    sentence: str
    does_not_hold: tuple[str, ...] = ()


def notify(plan: NotifyPlan, notice: Notice) -> list[str]:
    """Deliver a notice as planned; gives back what could not be delivered, in words."""
    asked = "failed" if notice.state == "crashed" else notice.state
    if asked not in plan.states:
        return []
    undelivered = []
    if plan.webhook and (problem := _posted(plan.webhook, notice)):
        undelivered.append(f"the webhook was not reached: {problem}")
    if plan.mail_to and (problem := _mailed(plan, notice)):
        undelivered.append(f"the mail was not sent: {problem}")
    return undelivered


def _posted(address: str, notice: Notice) -> str:
    body = json.dumps(asdict(notice)).encode()
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=SECONDS):  # noqa: S310
            return ""
    except (urllib.error.URLError, OSError, ValueError) as error:
        return type(error).__name__


def _mailed(plan: NotifyPlan, notice: Notice) -> str:
    message = EmailMessage()
    message["From"], message["To"] = plan.mail_from, ", ".join(plan.mail_to)
    message["Subject"] = f"{notice.profile}: {notice.state}"
    missed = "".join(f"\n- {criterion}" for criterion in notice.does_not_hold)
    message.set_content(
        f"{notice.sentence}\n\nRun {notice.run}\n" + (f"\nDoes not hold:{missed}\n" if missed else "")
    )
    host, _, port = plan.mail_server.rpartition(":")
    try:
        with smtplib.SMTP(host, int(port), timeout=SECONDS) as server:
            server.send_message(message)
    except (OSError, smtplib.SMTPException) as error:
        return type(error).__name__
    return ""
