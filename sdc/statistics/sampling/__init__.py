"""How is a number drawn from a distribution that is known, or from data alone?"""
