"""Every protection method, one a file, the models of synthesis, and what they share.

They get a table and a random stream and give a table back: no files, no logs, no database.
"""

import sys

from sdc.catalogue.listing import ListedPackage, methods

sys.modules[__name__].__class__ = ListedPackage
listed = methods
"""What `sdc.methods()` gives: the methods by name."""
