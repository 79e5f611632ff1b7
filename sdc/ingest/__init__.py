"""Confidential records into a run's warehouse, checked against the profile."""

from sdc.ingest.candidate_file import ingest_candidate
from sdc.ingest.intake import Ingested, ingest

__all__ = ["Ingested", "ingest", "ingest_candidate"]
