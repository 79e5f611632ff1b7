"""Uniqueness: in the sample, in the population, and by description."""
