"""The commands, one file a group. Each registers itself; everything heavy is imported inside a command."""
