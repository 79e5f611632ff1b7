"""Descriptions of a bundle for archives and catalogues, made from the profile and the published table."""
