"""Every compiled function, and how numbers come out the same on any number of processors.

Arrays in, arrays out. Nothing here imports another room of `sdc`; `sdc.arrays` is the type of arrays. Kernels
are compiled with `@kernel` (`sdc.kernels.compiled`); `python -m sdc.kernels` compiles them ahead.
"""
