"""How does a candidate leave the building: whole, verified, or not at all?

plan = BundlePlan(profile, run.id, table, parquet, sha256, rows, steps, report, released)
check_outbox(outbox, plan.bundle)                      # early: before hours of work
publish(plan, outbox, announce=lambda intent: ledger.append(run.id, run.profile, Event.PUBLISHING, intent))
"""

from sdc.publish.bundle_plan import BundlePlan
from sdc.publish.outbox import Published, check_outbox, publish

__all__ = ["BundlePlan", "Published", "check_outbox", "publish"]
