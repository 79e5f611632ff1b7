"""Lets in whoever has the token of the start; the browser then has a session of its own."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import threading
import time
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from sdc.errors import CannotApprove, SdcError

SESSION_SECONDS = 12 * 3600
MOST_SESSIONS = 200


class NotLoopback(SdcError):
    """An address that others on the network can reach, without permission to use it."""

    exit_code = 2

    def __init__(self, host: str) -> None:
        super().__init__(
            f"{host} can be reached from other machines: whoever has the token could read internal reports"
            " and decide with the keys of this home, and nothing on the way is encrypted; use 127.0.0.1 and"
            " a tunnel (ssh -L), or say --beyond-this-machine"
        )


class NoSingleHost(SdcError):
    """All addresses of the machine at once."""

    exit_code = 2

    def __init__(self, host: str) -> None:
        super().__init__(
            f"{host} stands for all addresses of this machine; name the one that people will use, so that no"
            " other name is answered"
        )


def check_host(host: str, *, beyond: bool) -> None:
    """Refuse an address that others can reach unless that was requested on purpose."""
    address = _address(host)
    if address is not None and address.is_unspecified:
        raise NoSingleHost(host)
    if not beyond and not (host == "localhost" or (address is not None and address.is_loopback)):
        raise NotLoopback(host)


def names(host: str, port: int) -> frozenset[str]:
    """The names that a Host header may have.

    A page of another site that points its own name at this machine sends another one.
    """
    address = _address(host)
    known = (
        {"localhost", "127.0.0.1", "[::1]"}
        if host == "localhost" or (address is not None and address.is_loopback)
        else set()
    )
    known.add(written(host))
    return frozenset({f"{name}:{port}" for name in known} | (known if port == 80 else set()))


def written(host: str) -> str:
    """A host as addresses have it."""
    address = _address(host)
    return f"[{host}]" if address is not None and address.version == 6 else host.lower()


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


class Signer:
    """The person for whom a session signs: the first who signed in it, until there is a new session."""

    def __init__(self) -> None:
        self.name: str | None = None

    def require(self, name: str) -> None:
        if self.name not in (None, name):
            raise CannotApprove(
                f"this session has signed for {self.name}; {name} needs a session of their own: open the"
                " printed address anew"
            )


@dataclass(frozen=True)
class Session:
    """How long a browser is let in, and for which person it signs."""

    until: float
    signer: Signer


class Sessions:
    """The token of this start, sessions it was exchanged for, and the token every form carries."""

    def __init__(self, host: str, port: int, token: str | None = None) -> None:
        self.token = token or secrets.token_urlsafe(32)
        self.names = names(host, port)
        self.cookie = f"sdc_review_{port}"
        self._secret = secrets.token_bytes(32)
        self._sessions: dict[str, Session] = {}
        self._guard = threading.Lock()

    def is_token(self, said: str) -> bool:
        return hmac.compare_digest(_digest(said), _digest(self.token))

    def begin(self) -> str:
        """A new session; the oldest go when there are too many."""
        session, now = secrets.token_urlsafe(32), time.monotonic()
        with self._guard:
            alive = {name: held for name, held in self._sessions.items() if held.until > now}
            self._sessions = dict(list(alive.items())[-(MOST_SESSIONS - 1) :])
            self._sessions[_digest(session).hex()] = Session(now + SESSION_SECONDS, Signer())
        return session

    def session(self, cookies: str) -> str | None:
        """The session a request belongs to, while it lasts."""
        try:
            held = SimpleCookie(cookies).get(self.cookie)
        except CookieError:
            return None
        if held is None:
            return None
        with self._guard:
            known = self._sessions.get(_digest(held.value).hex())
        return held.value if known is not None and known.until > time.monotonic() else None

    def signer(self, session: str) -> Signer:
        """The person for whom a session signs; one that has just ended signs for nobody new."""
        with self._guard:
            known = self._sessions.get(_digest(session).hex())
        return known.signer if known is not None else Signer()

    def form_token(self, session: str) -> str:
        return hmac.new(self._secret, session.encode(), hashlib.sha256).hexdigest()

    def is_form_token(self, session: str, said: str) -> bool:
        return hmac.compare_digest(said.encode(), self.form_token(session).encode())

    def is_own_form(self, origin: str, fetched_from: str) -> bool:
        """Whether a page of ours sent the form.

        Browsers give `null` as the origin of a page without referrer; then they must say that it is the same
        site.
        """
        own = origin.removeprefix("http://") in self.names and origin.startswith("http://")
        return fetched_from in ("same-origin", "") and (
            own or (origin == "null" and fetched_from == "same-origin")
        )


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
