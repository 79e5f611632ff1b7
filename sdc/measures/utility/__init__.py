"""What did the candidate lose?"""
