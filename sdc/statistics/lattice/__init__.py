"""Searches for the finest levels of the keys at which classes are large and diverse enough."""
