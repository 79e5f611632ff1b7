"""`python -m sdc` is the command `sdc`."""

from sdc.cli.main import main

main()
