"""What do people see of a run? Records to look at, and the pages that show them."""

from sdc.report.build import build
from sdc.report.edition import Edition
from sdc.report.facts import Approved, Provenance, RunFacts
from sdc.report.page import page
from sdc.report.render import render

__all__ = ["Approved", "Edition", "Provenance", "RunFacts", "build", "page", "render"]
