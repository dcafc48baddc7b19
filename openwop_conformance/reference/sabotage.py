"""stub"""

SABOTAGES = {}


def sabotage_called(n):
    raise KeyError(n)
