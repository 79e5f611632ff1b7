"""One verb a file: load, call sdc, store or return."""
