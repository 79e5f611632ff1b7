"""Methods that draw new records."""
