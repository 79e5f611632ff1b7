"""A run on this machine.

Its home, its directory, durable files, digests, secrets, random numbers, progress and notices.

It may import `sdc.errors` and nothing else of `sdc`.
"""
