"""The review pages: what they show, who may see it, and the application that serves them on this machine.

The top of the house beside `sdc.cli`: it may import everything below.
"""
