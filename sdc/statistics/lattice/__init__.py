"""How coarse must each key be, and who must be left out, so that classes are large and diverse enough?"""
