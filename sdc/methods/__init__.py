"""Every protection method, one a file, the models of synthesis, and what they share.

They get a table and a random stream and give a table back: no files, no logs, no database.
"""
