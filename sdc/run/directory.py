"""Names every file of a run's directory: each name is spelt here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sdc.run import digest


@dataclass(frozen=True)
class RunDirectory:
    """The private directory of one run, with a property or method for each file in it.

    Sealed records name files relative to it: `name_of` gives that name, `file` the place of one.
    """

    path: Path

    @property
    def run(self) -> str:
        """The run this directory belongs to."""
        return self.path.name

    def name_of(self, file: Path) -> str:
        """The name a record has for a file of the run."""
        return file.relative_to(self.path).as_posix()

    def file(self, name: str) -> Path:
        """The file a record names."""
        return self.path / name

    @property
    def lock(self) -> Path:
        """Held by the process that works on the run."""
        return self.path / "lock"

    @property
    def profile(self) -> Path:
        """The profile of the run, byte for byte."""
        return self.path / "profile.yaml"

    @property
    def lists(self) -> Path:
        """The lists the profile names, in a folder of their own."""
        return self.path / "lists"

    def kept_list(self, name: str) -> Path:
        """The copy of the list that the profile has this name for."""
        return self.lists / f"{digest.of_bytes(name.encode())[:12]}-{Path(name).name}"

    @property
    def origin(self) -> Path:
        """Where the profile lay, where its relative paths begin, and the version from outside."""
        return self.path / "origin.json"

    @property
    def source(self) -> Path:
        """What was read: counts and fingerprints."""
        return self.path / "source.json"

    @property
    def earlier(self) -> Path:
        """The releases of the family that were known when the run measured itself against them."""
        return self.path / "earlier.json"

    @property
    def timings(self) -> Path:
        """The seconds of each stage, kept while the run lives."""
        return self.path / "timings.json"

    @property
    def warehouse(self) -> Path:
        """The run's database."""
        return self.path / "warehouse.duckdb"

    @property
    def journal(self) -> Path:
        """What DuckDB would still add to the database when it is opened; a sealed one has none."""
        return self.path / "warehouse.duckdb.wal"

    @property
    def spill(self) -> Path:
        """What does not fit into memory while the database is open, unless the profile names a place."""
        return self.path / "spill"

    def transit(self, name: str) -> Path:
        """A table on its way to another machine or from it, gone at once."""
        return self.path / f"transit-{name}.parquet"

    @property
    def candidates(self) -> Path:
        """The folder of the candidates as they may leave."""
        return self.path / "candidates"

    @property
    def candidate_list(self) -> Path:
        """What a later look at the run needs to know of its candidates."""
        return self.path / "candidates.json"

    def stored(self, candidate: str) -> Path:
        """The file a candidate leaves as."""
        return self.candidates / f"{candidate}.parquet"

    def steps(self, candidate: str) -> Path:
        """The steps of a candidate, kept from the moment it is made.

        Beside each step is what only the sealed record may hold.
        """
        return self.candidates / f"{candidate}.json"

    def persons(self, candidate: str) -> Path:
        """Of which person each record of a candidate is; never published."""
        return self.path / "persons" / f"{candidate}.parquet"

    @property
    def gate(self) -> Path:
        """The folder of what the gate was asked, and what it said."""
        return self.path / "gate"

    def suites(self, candidate: str) -> Path:
        """What the gate was asked of a candidate."""
        return self.gate / f"{candidate}.suites.json"

    def judged(self, candidate: str) -> Path:
        """The numbers the gate judged a candidate by."""
        return self.gate / f"{candidate}.judged.json"

    def results(self, candidate: str) -> Path:
        """What Great Expectations answered."""
        return self.gate / f"{candidate}.results.json"

    @property
    def report(self) -> Path:
        """The internal report."""
        return self.path / "report.html"

    @property
    def refused(self) -> Path:
        """A public page that would have disclosed something; confidential."""
        return self.path / "refused.html"

    @property
    def record(self) -> Path:
        """The sealed record."""
        return self.path / "record.json"

    @property
    def approved(self) -> Path:
        """What a referred run has once its publication is in the ledger."""
        return self.path / "approved.json"

    @property
    def memo(self) -> Path:
        """What fasttrack found, for machines."""
        return self.path / "fasttrack.json"

    @property
    def memo_text(self) -> Path:
        """What fasttrack found, for people."""
        return self.path / "fasttrack.md"
