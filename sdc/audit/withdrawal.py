"""Withdraws a release: signed by a person, in the ledger, and with a tombstone where the data were.

    withdraw(home, "households-1.0", role="reviewer", by="anna", reason=…, passphrase=…)

The entry comes first, then the tombstone, then the files go. After a crash the same command does the rest.
What was once out stays out: later releases are still measured against it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.audit.approval import SignedDecision, sign
from sdc.audit.chain import Event
from sdc.audit.delivering import run_of
from sdc.audit.ledger import Ledger
from sdc.audit.people import require_in_use, withdrawals
from sdc.audit.record import show
from sdc.audit.runs import RunRow, folded
from sdc.audit.tombstone import KEEP, REMOVE, keeps_data, tombstone_of
from sdc.errors import CannotWithdraw, SdcError
from sdc.publish import layouts
from sdc.publish.manifest import MANIFEST, TOMBSTONE
from sdc.publish.places import BundlePlace, place_of

if TYPE_CHECKING:
    from sdc.run.home import Home


@dataclass(frozen=True)
class WithdrawnRelease:
    """A release that is no longer offered.

    `places` are those where its tombstone is, with the files that went; `absent` those where it was no more.
    """

    run: str
    bundle: str
    places: dict[str, tuple[str, ...]]
    absent: tuple[str, ...]


def withdraw(
    home: Home, release: str, *, role: str, by: str, reason: str, passphrase: str, keep_data: bool = False
) -> WithdrawnRelease:
    """Put one person's signed withdrawal into the ledger, and a tombstone beside or in place of the data.

    `release` is a run, the end of its id, or the name of its bundle.
    """
    if not reason.strip():
        raise CannotWithdraw("a withdrawal needs a reason: it stands in the ledger and on the tombstone")
    view = show(home, run_of(home, release))
    if view.row.state == "withdrawn":
        return _finished(view.row)
    _require_out(view.row)
    _require_role(home, view.row, role)
    require_in_use(view.withdrawn, by)
    said = SignedDecision(
        view.row.run,
        str(view.row.facts["manifest"]),
        KEEP if keep_data else REMOVE,
        role,
        by,
        reason.strip(),
        datetime.now(UTC).isoformat(timespec="seconds"),
    )
    signed = sign(home, said, passphrase)
    with Ledger(home.ledger).writing() as writer:
        entries = writer.entries()
        require_in_use(withdrawals(entries), by)
        row = next(row for row in folded(entries) if row.run == view.row.run)
        _require_out(row)
        entry = writer.append(row.run, row.profile, Event.WITHDRAWN, {"withdrawal": asdict(signed)})
    return _cleared(next(each for each in folded((*entries, entry)) if each.run == row.run))


def _require_out(row: RunRow) -> None:
    if row.state == "withdrawn":
        raise CannotWithdraw(f"run {row.run} was withdrawn already, {_said(row)}")
    if row.state != "published":
        raise CannotWithdraw(f"run {row.run} is {row.state}; only a published release can be withdrawn")


def _require_role(home: Home, row: RunRow, role: str) -> None:
    """A role that may approve releases of this profile may withdraw them."""
    from sdc.profile.load import load_profile

    try:
        roles = load_profile(home.directory(row.run).profile).approval.roles
    except (SdcError, OSError):
        # The run is no longer kept: then any role of a key will do.
        return
    if roles and role not in roles:
        raise CannotWithdraw(
            f"the role {role} does not decide on releases of {row.profile}; these do: {', '.join(roles)}"
        )


def _said(row: RunRow) -> str:
    held = row.facts.get("withdrawal", {})
    return f"on {str(held.get('when'))[:10]} by {held.get('by')}"


def _finished(row: RunRow) -> WithdrawnRelease:
    """What an interrupted withdrawal left undone; CannotWithdraw where nothing was."""
    if not any(_undone(row, place) for place in _places(row)):
        raise CannotWithdraw(f"run {row.run} was withdrawn already, {_said(row)}")
    return _cleared(row)


def _places(row: RunRow) -> list[BundlePlace]:
    """Where the release lies: its outbox, and the places it was delivered to."""
    return [place_of(str(address)) for address in (row.facts["outbox"], *row.facts.get("to", ()))]


def _undone(row: RunRow, place: BundlePlace) -> bool:
    bundle = str(row.facts["bundle"])
    with place.guarded():
        if not place.has(bundle):
            return False
        return bool(_away(row, place)) or place.read(bundle, TOMBSTONE) != tombstone_of(row)


def _away(row: RunRow, place: BundlePlace) -> tuple[str, ...]:
    """The files that are to go: all but manifest and tombstone, unless the data stay."""
    if keeps_data(row):
        return ()
    return tuple(name for name in place.files(str(row.facts["bundle"])) if name not in (MANIFEST, TOMBSTONE))


def _cleared(row: RunRow) -> WithdrawnRelease:
    """The tombstone at every place, then the files away."""
    bundle, cleared, absent = str(row.facts["bundle"]), {}, []
    for place in _places(row):
        with place.guarded():
            if not place.has(bundle):
                absent.append(place.name)
                continue
            place.write(bundle, TOMBSTONE, tombstone_of(row))
            away = _away(row, place)
            for name in away:
                place.remove(bundle, name)
            cleared[place.name] = away
            if row.facts.get("layout") == "git" and place.name != row.facts["outbox"]:
                layouts.commit(Path(place.name), bundle, f"Withdraw {bundle}")
    return WithdrawnRelease(row.run, bundle, cleared, tuple(absent))


__all__ = ["WithdrawnRelease", "withdraw"]
