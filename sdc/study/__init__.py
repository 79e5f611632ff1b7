"""The library as people import it: a study of confidential records, its candidates, results and figures.

It may import every room but the tasks; it writes into folders of its own only, and starts no orchestrator but
where a release is asked for. Great Expectations is never imported here.
"""

from sdc.study.candidate import StudyCandidate
from sdc.study.comparison import CandidateComparison
from sdc.study.drawings import DrawnFigure, DrawnFigures
from sdc.study.loaded import ReleaseProfile, load
from sdc.study.results import Results
from sdc.study.study import Study
from sdc.study.study_measurement import StudyMeasurement
from sdc.study.variables import DeclaredVariables

__all__ = [
    "CandidateComparison",
    "DeclaredVariables",
    "DrawnFigure",
    "DrawnFigures",
    "ReleaseProfile",
    "Results",
    "Study",
    "StudyCandidate",
    "StudyMeasurement",
    "load",
]
