"""Every protection method, one a file."""
