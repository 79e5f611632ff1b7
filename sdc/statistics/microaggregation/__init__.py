"""Groups of at least k records that are most alike."""
