"""Withdraws a release: signed by a person, in the ledger, and with a tombstone where the data were.

    withdraw(home, "households-1.0", role="reviewer", by="anna", reason=…, passphrase=…)

The entry comes first, then the tombstone, then the files go. A place that cannot be reached keeps no other
from being cleared. After that, or a crash, the same command does the rest; the ledger knows what is cleared.
What was once out stays out: later releases are still measured against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sdc.audit.approval import SignedDecision, sign
from sdc.audit.chain import Event
from sdc.audit.delivering import run_of
from sdc.audit.ledger import Ledger
from sdc.audit.people import require_in_use, withdrawals
from sdc.audit.record import show
from sdc.audit.runs import RunRow, folded
from sdc.audit.tombstone import (
    ABSENT,
    CLEARED,
    KEEP,
    REMOVE,
    delivered,
    keeps_data,
    remains,
    tombstone_of,
    uncleared,
)
from sdc.errors import CannotDeliver, CannotWithdraw, SdcError
from sdc.publish import layouts
from sdc.publish.manifest import MANIFEST, TOMBSTONE
from sdc.publish.places import BundlePlace, Folder, place_of
from sdc.spelling import counted

if TYPE_CHECKING:
    from sdc.run.home import Home


@dataclass(frozen=True)
class WithdrawnRelease:
    """A release that is no longer offered.

    `places` are those where its tombstone is, with the files that went; `absent` those where it was no more.
    `remains` says where the data may still be found though their files went.
    """

    run: str
    bundle: str
    places: dict[str, tuple[str, ...]]
    absent: tuple[str, ...]
    remains: tuple[str, ...] = ()


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
        return _finished(home, view.row)
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
    return _cleared(home, next(each for each in folded((*entries, entry)) if each.run == row.run))


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


def _finished(home: Home, row: RunRow) -> WithdrawnRelease:
    """What an interrupted withdrawal left undone; CannotWithdraw where nothing was."""
    if not any(_undone(row, place) for place in _places(row)):
        raise CannotWithdraw(f"run {row.run} was withdrawn already, {_said(row)}")
    return _cleared(home, row)


def _places(row: RunRow) -> list[BundlePlace]:
    """Where the release lies: its outbox, and the places it was delivered to."""
    return [place_of(str(address)) for address in (row.facts["outbox"], *delivered(row))]


def _undone(row: RunRow, place: BundlePlace) -> bool:
    """Is there anything left to do there? So it is where nobody can look."""
    if place.name in uncleared(row):
        return True
    bundle = str(row.facts["bundle"])
    try:
        with place.guarded():
            if not place.has(bundle):
                return False
            return bool(_away(row, place)) or place.read(bundle, TOMBSTONE) != tombstone_of(row)
    except CannotDeliver:
        return True


def _away(row: RunRow, place: BundlePlace) -> tuple[str, ...]:
    """The files that are to go: all but manifest and tombstone, unless the data stay."""
    if keeps_data(row):
        return ()
    return tuple(name for name in place.files(str(row.facts["bundle"])) if name not in (MANIFEST, TOMBSTONE))


def _cleared(home: Home, row: RunRow) -> WithdrawnRelease:
    """Every place cleared that can be; CannotWithdraw names all that could not."""
    found: dict[str, tuple[str, ...] | None] = {}
    failed = []
    for place in _places(row):
        try:
            with place.guarded():
                found[place.name] = _clear(row, place)
        except CannotDeliver as problem:
            failed.append(f"{place.name}: {problem.problem}")
    _record(home, row, found)
    cleared = {name: away for name, away in found.items() if away is not None}
    if failed:
        raise CannotWithdraw(
            f"{row.facts['bundle']} is withdrawn, and the ledger has it, but"
            f" {counted(len(failed), 'place')} could not be cleared: {'; '.join(failed)}. These are cleared:"
            f" {', '.join(cleared) or 'none'}. Give the same command again when the others can be reached"
        )
    absent = tuple(name for name, away in found.items() if away is None)
    return WithdrawnRelease(row.run, str(row.facts["bundle"]), cleared, absent, remains(row))


def _clear(row: RunRow, place: BundlePlace) -> tuple[str, ...] | None:
    """The tombstone there, then the files away: those that went, or None where the bundle is not there."""
    bundle = str(row.facts["bundle"])
    if not place.has(bundle):
        return None
    place.write(bundle, TOMBSTONE, tombstone_of(row))
    away = _away(row, place)
    for name in away:
        place.remove(bundle, name)
    if row.facts.get("layout") == "git" and isinstance(place, Folder) and place.name != row.facts["outbox"]:
        layouts.commit(place.path, bundle, f"Withdraw {bundle}")
    return away


def _record(home: Home, row: RunRow, found: Mapping[str, tuple[str, ...] | None]) -> None:
    """The delivered places that are cleared now, in the ledger: it cannot look at them later."""
    seen = {name: CLEARED if found[name] is not None else ABSENT for name in delivered(row) if name in found}
    with Ledger(home.ledger).writing() as writer:
        held = next(each for each in folded(writer.entries()) if each.run == row.run).facts.get("places", {})
        # A bundle that went after it was cleared is cleared still.
        now = {**seen, **{name: state for name, state in held.items() if state == CLEARED}}
        if {**held, **now} != held:
            writer.append(row.run, row.profile, Event.CLEARED, {"places": {**held, **now}})


__all__ = ["WithdrawnRelease", "withdraw"]
