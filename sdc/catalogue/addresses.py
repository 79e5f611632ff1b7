"""Addresses of databases as a profile may write them: no password has a place in them."""

from __future__ import annotations

import re

WORD = r"[A-Za-z0-9_.\-]+"
ADDRESS = re.compile(
    rf"(?P<scheme>[a-z]+):(//?((?P<user>{WORD})@)?(?P<host>{WORD}|%2F{WORD})?(:(?P<port>\d{{1,5}}))?/(?P<name>{WORD})"
    rf"|(?P<service>{WORD})?)"
)
"""`postgres:SERVICE`, `postgres://user@host:port/database` (one stroke less is the same), or `postgres:`."""
PASSWORD = re.compile(r":/{0,2}[^/@]*:[^/]*@|pass\w*=|pwd=|secret=|token=", re.IGNORECASE)
ADDRESS_REMEDY = (
    "write postgres:SERVICE or postgres://user@host:port/database; the password comes from the environment or"
    " a password file"
)
