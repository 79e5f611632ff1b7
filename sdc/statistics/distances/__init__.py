"""Distances between samples and distributions, ranks, and how strongly numbers depend on each other."""
