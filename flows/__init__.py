"""The release flow and the command line around it."""

import os

# Sums on several threads hang on how many there are. Linear algebra reads this when it is loaded, which the command does later.
os.environ.update({"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})
