"""A profile as an object: checked, studied, released."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.check import check
from sdc.errors import BadStudy, Fault, UnknownName
from sdc.profile.list_files import ProfileFiles, with_lists
from sdc.profile.load import load_profile
from sdc.profile.plan import Profile
from sdc.profile.shape import as_typed
from sdc.profile.sweep import written_out
from sdc.spelling import nearest
from sdc.study.candidate import StudyCandidate
from sdc.study.made_candidate import PlannedSteps
from sdc.study.study import Study

if TYPE_CHECKING:
    from tasks.outcome import Outcome


JUDGING = ("risk", "utility", "prefer", "map", "space")
"""Keys of a profile that say how candidates are judged."""


def load(path: str | Path) -> ReleaseProfile:
    """The profile in a file; BadProfile with every fault of it.

    >>> sdc.load(demo / "published.yaml").candidates
    ['recoded']
    """
    given: Any = path
    if not isinstance(given, str | Path):
        problem = f"the path of a profile is meant, and this is of type {type(given).__name__}"
        raise BadStudy([Fault("load", problem, 'write sdc.load("release.yaml")')])
    return ReleaseProfile(Path(given))


class ReleaseProfile:
    """A profile that was read: `check` it with its data, `study` it, or `release` it.

    >>> plan = sdc.load(demo / "published.yaml")
    >>> plan.name
    'households_public_use'
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._files = ProfileFiles.read(self.path)
        self.profile: Profile = load_profile(self.path, self._files)

    @property
    def name(self) -> str:
        return self.profile.name

    @property
    def candidates(self) -> list[str]:
        """The names of its candidates.

        >>> sdc.load(demo / "candidates.yaml").candidates
        ['recoded', 'swapped', 'synthetic']
        """
        return list(self.profile.candidates)

    def check(self) -> list[str]:
        """Notes on the profile and its data; BadProfile or BadData with every fault.

        >>> [note.partition(":")[0] for note in sdc.load(demo / "published.yaml").check()][:1]
        ['households.csv']
        """
        return check(self.path)

    def study(self, *, home: str | Path | None = None) -> Study:
        """Its source and variables as a study; with `home`, random numbers are those of its releases there.

        >>> sdc.load(demo / "published.yaml").study().keys
        ['region', 'urbanisation', 'household_size', 'age', 'sex']
        """
        document = written_out(with_lists(self._files)[0]).document
        values = as_typed(Profile, document.values, (), document)
        described = {key: held for key, held in values.items() if key not in JUDGING}
        return Study._of_values(described, self.path.parent, None if home is None else Path(home))  # noqa: SLF001

    def candidate(self, name: str, *, home: str | Path | None = None) -> StudyCandidate:
        """One of its candidates, with the criteria that cover it as demands.

        >>> sdc.load(demo / "published.yaml").candidate("recoded").steps
        ['global_recode', 'local_suppression', 'microaggregation']
        """
        if name not in self.profile.candidates:
            raise UnknownName("candidate", name, nearest(name, self.candidates))
        study = self.study(home=home)
        steps = tuple(step.model_dump(mode="json", by_alias=True) for step in self.profile.candidates[name])
        demands = tuple(
            criterion.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"candidates"})
            for criterion in self.profile.criteria
            if criterion.covers(name)
        )
        return StudyCandidate(study, study._place, study._values, PlannedSteps(name, steps), demands)  # noqa: SLF001

    def release(self, *, quiet: bool = True) -> Outcome:
        """Run the release as `sdc release` does: in the ledger, judged by the gate, published if it may be.

        It starts the orchestrator, which takes seconds; its outcome has a verdict and a sentence.

        >>> sdc.load(demo / "published.yaml").release  # doctest: +ELLIPSIS
        <bound method ReleaseProfile.release of ...>
        """
        from flows.orchestration.run_release import run_release

        return run_release(self.path, quiet=quiet)

    def __repr__(self) -> str:
        return f"Profile {self.name!r} in {self.path.name}: candidates {', '.join(self.candidates)}"
