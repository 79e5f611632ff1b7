"""Which records are nearest to a record, exactly?"""
