"""`python -m flows` is the command `sdc`."""

from flows.cli import main

main()
