"""The command `sdc`: one file a group of commands, and the layouts of the terminal.

The top of the house: it may import everything, and nothing imports it.
"""

import os

# Sums on several threads depend on how many there are. Linear algebra reads this when it is loaded, which
# commands do later.
os.environ.update({"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})
