"""Draws from known distributions and from data: one sampler a file, pictured in docs/sampling.md."""
