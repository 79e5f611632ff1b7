"""Drawings of original and candidate: aggregated, safe for their edition, in marks of their own."""
