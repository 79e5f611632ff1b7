"""Every compiled function, and how numbers come out the same on any number of processors.

Arrays in, arrays out. Nothing here imports another room of `sdc`.
"""
