"""How Prefect runs here: its server, where tasks run, how a run begins and how it is stopped."""
