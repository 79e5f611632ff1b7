"""The workbench: a profile as an open document, and what can be seen of its data while it is written.

It may import every room but `sdc.web` and `sdc.cli`; the pages of `sdc.web.studio` show it.
"""
