"""What could an intruder learn from the candidate?"""
