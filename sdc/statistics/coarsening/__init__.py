"""Coarser values: bands, groups and hierarchies, and which values a coarse label stands for."""
