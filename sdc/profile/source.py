"""Checks that the files can be read in the way the profile says."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from sdc.catalogue.addresses import ADDRESS, ADDRESS_REMEDY, PASSWORD
from sdc.catalogue.external import external_of
from sdc.catalogue.readers import known_schemes, scheme_of
from sdc.profile.variables import repeats
from sdc.profile.wording import did_you_mean, ordinal
from sdc.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.errors import Fault
    from sdc.profile.document import Place
    from sdc.profile.plan import Source
    from sdc.profile.reading import Reading


def source_faults(reading: Reading) -> Iterator[Fault]:
    """Faults in how the files are to be read."""
    source = reading.profile.source
    yield from _reading_faults(reading, source, ("source",))
    if source.households is not None:
        yield from _reading_faults(reading, source.households, ("source", "households"))
    if source.population is not None:
        yield from _reading_faults(reading, source.population, ("source", "population"))
    for name, steps in reading.profile.candidates.items():
        if source.holdout_share and name in reading.understood and external_of(steps):
            problem = (
                f"candidate {name!r} was made elsewhere, and the holdout is drawn here: its records may be in"
                " that file"
            )
            yield reading.fault(
                ("source", "holdout_share"),
                problem,
                "delete holdout_share, or judge the file in a profile of its own",
            )
    for position, name in enumerate(source.record_key):
        if name not in reading.profile.variables and reading.names_are_known:
            remedy = did_you_mean(name, reading.profile.variables)
            yield reading.fault(
                ("source", "record_key", position),
                f"record_key names {name!r}, which is no variable of the profile",
                remedy,
            )


def _address_faults(reading: Reading, source: Source, place: Place) -> Iterator[Fault]:
    """Faults in the address of a database. It is never repeated: it may hold a password."""
    address = str(source.path)
    if PASSWORD.search(address):
        yield reading.fault(
            (*place, "path"),
            "this holds a password, or what looks like one",
            "delete it there and wherever the profile was kept, and change it; it comes from the environment"
            " or a password file",
        )
    elif scheme_of(source.path) is None and re.match(r"[A-Za-z][A-Za-z0-9+]+:/|jdbc:", address):
        yield reading.fault(
            (*place, "path"),
            "no reader knows this kind of address",
            f"write a file, or one of {', '.join(f'{each}:' for each in sorted(known_schemes()))}",
        )
    elif scheme_of(source.path) and not ADDRESS.fullmatch(address):
        yield reading.fault((*place, "path"), "this is no address of a database", ADDRESS_REMEDY)
    elif scheme_of(source.path) and not (source.table or source.query):
        yield reading.fault(
            (*place, "path"), "a database has many tables", "say which in table, or give a query"
        )


def _reading_faults(reading: Reading, source: Source, place: Place) -> Iterator[Fault]:
    yield from _address_faults(reading, source, place)
    if source.table and source.query:
        yield reading.fault(
            (*place, "query"), "both table and query are given", "keep the one that is to be read"
        )
    for key in ("separator", "quote", "decimal"):
        if len(getattr(source, key)) != 1:
            yield reading.fault((*place, key), f"{key} must be a single character", 'a tab is written "\\t"')
    if source.separator == source.decimal:
        yield reading.fault(
            (*place, "separator"),
            "separator and decimal are the same character",
            "say which one the file has",
        )
    try:
        codecs.lookup(source.encoding)
    except LookupError:
        hint = nearest(source.encoding, ["utf-8", "latin-1", "windows-1252", "utf-16"])
        yield reading.fault(
            (*place, "encoding"),
            f"no encoding is called {source.encoding!r}",
            f"did you mean {hint!r}?" if hint else "",
        )
    for position in repeats(source.missing_codes):
        yield reading.fault(
            (*place, "missing_codes", position),
            f"{ordinal(position)} missing code is there before",
            "keep one",
        )
