"""How is one variable drawn from a model of it, given others?"""
