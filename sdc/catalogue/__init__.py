"""The catalogue.

Every measure and method by its own name, with the words it is declared in and the records it gives back.

It may import `sdc.data.roles`, `sdc.statistics`, `sdc.run` and `sdc.errors`. A measure or a method imports
what it needs from here.
"""
