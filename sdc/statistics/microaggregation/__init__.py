"""Which records are most alike, in groups of at least k?"""
