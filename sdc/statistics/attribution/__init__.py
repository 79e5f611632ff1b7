"""What an intruder learns about a person: attribution, diversity, closeness, reconstruction, membership."""
