"""sdc: statistical disclosure control as a library; the pipeline around it lives in tasks and flows."""

__version__ = "0.1.0"
