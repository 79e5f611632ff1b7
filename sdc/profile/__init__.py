"""The profile: the plan of one release, read, checked and completed.

It may import `sdc.catalogue`, `sdc.data` and the rooms below them; it opens no data file.
"""

from sdc.catalogue.finding import Otherwise
from sdc.profile.plan import (
    Access,
    Approval,
    Criterion,
    Profile,
    Source,
    StepPlan,
    VariablePlan,
)
from sdc.profile.publish_plan import Publish

__all__ = [
    "Access",
    "Approval",
    "Criterion",
    "Otherwise",
    "Profile",
    "Publish",
    "Source",
    "StepPlan",
    "VariablePlan",
]
