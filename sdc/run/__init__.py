"""A run on this machine: home, directory, durable files, digests, random numbers, progress, notices.

It may import `sdc.errors` and nothing else of `sdc`.
"""
