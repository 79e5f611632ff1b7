"""Shows measures or methods as a table: `sdc.measures()` and `sdc.methods()`."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from html import escape
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sdc.errors import UnknownName
from sdc.spelling import nearest

if TYPE_CHECKING:
    import pandas as pd

    from sdc.catalogue.entry import CatalogueEntry

WIDTH = 80


class Listing(Mapping[str, "CatalogueEntry"]):
    """Units of the catalogue by name: a table to look at, a frame to work with, a mapping to ask.

    >>> "k_anonymity" in sdc.measures()
    True
    >>> sdc.methods()["local_suppression"].protection.value
    'non_perturbative'
    """

    def __init__(self, kind: str, entries: Mapping[str, CatalogueEntry]) -> None:
        self.kind, self._entries = kind, entries

    def __getitem__(self, name: str) -> CatalogueEntry:
        if name not in self._entries:
            raise UnknownName(self.kind, name, nearest(name, list(self._entries)))
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each unit, with the question it answers and its options.

        >>> sdc.measures().frame.loc["k_anonymity", "family"]
        'risk'
        """
        import pandas as pd

        rows = [{"name": name, **_facts(entry)} for name, entry in self.items()]
        return pd.DataFrame(rows).set_index("name")

    def help(self, name: str) -> str:
        """What a unit is, its options with their defaults, and its source.

        >>> print(sdc.methods().help("rank_swap").splitlines()[0])
        rank_swap(variables=None, p=0.15, by=[])
        """
        entry = self[name]
        return f"{_signature(entry)}\n\n{entry.summary}\n\n{entry.definition}"

    def __repr__(self) -> str:
        wide = max(map(len, self))
        lines = []
        for name, entry in self.items():
            first, *rest = textwrap.wrap(entry.summary, WIDTH - wide - 2)
            lines += [f"{name.ljust(wide)}  {first}", *(f"{'':{wide}}  {line}" for line in rest)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{escape(name)}</code></td>"
            f"<td style='text-align:left'>{escape(entry.summary)}</td></tr>"
            for name, entry in self.items()
        )
        heads = f"<tr><th>{self.kind}</th><th>question</th></tr>"
        return f"<table><thead>{heads}</thead><tbody>{rows}</tbody></table>"


def _facts(entry: CatalogueEntry) -> dict[str, Any]:
    shown = ("family", "better", "unit", "protection", "aligned")
    told = {name: getattr(entry, name) for name in shown if hasattr(entry, name)}
    plain = {name: getattr(value, "value", value) for name, value in told.items()}
    return {"question": entry.summary, **plain, "options": list(entry.options.model_fields)}


def _signature(entry: CatalogueEntry) -> str:
    given = [
        name if field.is_required() else f"{name}={_default(field.get_default(call_default_factory=True))}"
        for name, field in entry.options.model_fields.items()
    ]
    return f"{entry.name}({', '.join([*given, *(['VARIABLE=...'] if entry.takes_variables else [])])})"


def _default(value: Any) -> str:
    return repr(getattr(value, "value", value))


class ListedPackage(ModuleType):
    """A package of units that can be called: it gives the listing of its units."""

    listed: Callable[[], Listing]

    def __call__(self) -> Listing:
        return self.listed()


def measures() -> Listing:
    from sdc.catalogue import registry

    return Listing("measure", registry.measures())


def methods() -> Listing:
    from sdc.catalogue import registry

    return Listing("method", registry.methods())
