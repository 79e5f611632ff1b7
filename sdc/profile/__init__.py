"""The profile: one release's plan."""

from sdc.profile.plan import (
    Access,
    Approval,
    Criterion,
    Otherwise,
    Profile,
    Publish,
    Source,
    StepPlan,
    VariablePlan,
)

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
