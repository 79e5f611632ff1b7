"""Random noise and random changes of category, with and without a proved privacy budget."""
