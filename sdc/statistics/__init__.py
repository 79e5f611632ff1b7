"""Pure calculations on arrays, in folders by subject.

They may import `sdc.kernels` and `sdc.errors`: no tables, no files, no profiles.
"""
