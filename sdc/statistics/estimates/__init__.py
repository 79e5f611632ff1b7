"""Estimates of a population with their uncertainty: indicators, rates, intervals, resampling."""
