"""Every measure of risk and utility, one a file, and what measures share.

They see the data through a `ReleasePair` only: no files, no logs, no database of their own.
"""
