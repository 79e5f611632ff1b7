"""Shared, pure calculations, named by concept."""
