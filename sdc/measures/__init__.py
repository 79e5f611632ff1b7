"""Every measure of risk and utility, one a file."""
