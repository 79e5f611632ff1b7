"""sdc: statistical disclosure control as a library; the pipeline around it lives in tasks and flows.

>>> study = sdc.Study(households, keys=["region", "age", "sex"], sensitive=["health"])
>>> safe = study.protect("global_recode", age={"width": 10}).protect("local_suppression", k=3)
>>> safe.risk("k_anonymity").value("k_anonymity")
3.0
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"

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

ELSEWHERE = {
    "SdcError": "sdc.errors",
    "demo_data": "sdc.study.demonstration",
    "measures": "sdc.measures",
    "methods": "sdc.methods",
}
"""Where the names of the library are, if not in `sdc.study`; nothing is imported before it is asked for."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        message = f"module 'sdc' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    module = import_module(ELSEWHERE.get(name, "sdc.study"))
    return module if name in ("measures", "methods") else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
