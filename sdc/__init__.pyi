from typing import Any

from sdc.catalogue.listing import Listing
from sdc.errors import SdcError as SdcError
from sdc.study import CandidateComparison as CandidateComparison
from sdc.study import DrawnFigures as DrawnFigures
from sdc.study import ReleaseProfile as ReleaseProfile
from sdc.study import Results as Results
from sdc.study import Study as Study
from sdc.study import StudyCandidate as StudyCandidate
from sdc.study import StudyMeasurement as StudyMeasurement
from sdc.study import load as load
from sdc.study.demonstration import demo_data as demo_data

__version__: str
__all__ = [
    "CandidateComparison",
    "DrawnFigures",
    "ReleaseProfile",
    "Results",
    "SdcError",
    "Study",
    "StudyCandidate",
    "StudyMeasurement",
    "__version__",
    "demo_data",
    "load",
    "measures",
    "methods",
]
ELSEWHERE: dict[str, str]

def measures() -> Listing: ...
def methods() -> Listing: ...
def __getattr__(name: str) -> Any: ...
