"""The report of a run: records to show, figures, and the pages made of them.

It may import every room from `sdc.gate` down; it measures nothing.
"""

from sdc.report.build import build
from sdc.report.edition import Edition
from sdc.report.facts import Approved, Provenance, RunFacts
from sdc.report.page import page
from sdc.report.render import render

__all__ = ["Approved", "Edition", "Provenance", "RunFacts", "build", "page", "render"]
