"""Confidential records into a run's warehouse, checked against the profile."""

from sdc.ingest.candidate_file import ingest_candidate
from sdc.ingest.intake import Ingested, ingest
from sdc.ingest.reopened import identifier_values

__all__ = ["Ingested", "identifier_values", "ingest", "ingest_candidate"]
