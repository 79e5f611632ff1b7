"""Every measure of risk and utility, one a file, and what measures share.

They see the data through a `ReleasePair` only: no files, no logs, no database of their own.
"""

import sys

from sdc.catalogue.listing import ListedPackage, measures

sys.modules[__name__].__class__ = ListedPackage
listed = measures
"""What `sdc.measures()` gives: the measures by name."""
