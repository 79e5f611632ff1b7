"""Readers of files: one format a file."""
