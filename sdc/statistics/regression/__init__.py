"""Regressions: formulas, design matrices, linear, logistic and log-linear models, propensity scores."""
