"""Models of one variable given others: a file, and a function of the same name, each.

A model is `(target, observed, rng, *, options) -> draw`: fitted to the target on the observed predictors;
`draw` then gives a value to each record of synthetic predictors. Targets are complete: a missing category is
a category, and missing numbers are drawn apart. Each registers itself by `@model`.
"""
