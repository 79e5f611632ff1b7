"""Draws one variable from a model of it, given others."""
