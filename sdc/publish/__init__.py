"""Candidates as files, and bundles in the outbox: whole and verified, or not at all.

It may import `sdc.ingest`, `sdc.methods` and the rooms below them; a callback tells the ledger.

plan = BundlePlan(profile, run.id, table, parquet, sha256, rows, steps, report, released)
check_outbox(outbox, plan.bundle)                      # early: before hours of work
publish(plan, outbox, announce=lambda intent: ledger.append(run.id, run.profile, Event.PUBLISHING, intent))
"""

from sdc.publish.bundle_plan import BundlePlan
from sdc.publish.outbox import Published, check_outbox, publish

__all__ = ["BundlePlan", "Published", "check_outbox", "publish"]
