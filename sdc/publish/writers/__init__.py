"""Writers of data files: one format a file."""
