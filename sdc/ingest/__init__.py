"""Reads confidential records into a run's warehouse, and checks them against the profile.

It may import `sdc.profile` and the rooms below it; measures and methods are not among them.
"""

from sdc.ingest.candidate_file import ingest_candidate
from sdc.ingest.intake import Ingested, ingest
from sdc.ingest.reopened import identifier_values

__all__ = ["Ingested", "identifier_values", "ingest", "ingest_candidate"]
