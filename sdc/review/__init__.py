"""What do reviewers look at? All runs, one run, two runs side by side: records and pages, made from the ledger and the runs' directories."""
