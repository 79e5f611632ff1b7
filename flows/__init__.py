"""The Prefect flows: release, compare, plan, publish_approved, fasttrack and schedule.

How they are run is in orchestration.

They may import tasks and every room of `sdc` but its command and its pages.
"""

import os

# Sums on several threads depend on how many there are. Linear algebra reads this when it is loaded.
os.environ.update({"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})
