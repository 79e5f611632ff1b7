"""The Prefect tasks, one verb a file: load, call `sdc`, store or return.

They may import every room of `sdc` but its command and its pages; no task calls another.
"""
