"""Models of one variable given others: a module and a function of the same name each.

A model is `(target, observed, synthetic, rng, *, options) -> values`: fitted to the target on the observed predictors, drawn for
each row of the synthetic ones. Targets are complete: a missing category is a category, and missing numbers are drawn apart.
"""
