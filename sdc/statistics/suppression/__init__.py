"""Finds values to suppress so that no record is in a class smaller than k."""
