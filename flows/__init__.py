"""The release flow and the command line around it."""
