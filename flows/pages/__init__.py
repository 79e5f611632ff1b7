"""The review pages: a small web application over the ledger, for people on this machine."""
