"""A first profile from a data file: every guess with its reason beside it, for people to correct."""

from sdc.draft.writing import draft

__all__ = ["draft"]
