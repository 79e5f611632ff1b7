"""Methods that change records and keep them."""
