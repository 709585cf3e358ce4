"""How classes are told apart on every picture: by colour and by shape.

The colours are those of Okabe and Ito, which people of all kinds of colour vision can tell apart.
There are seven of them and eight shapes, so that 56 classes look different.
"""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C7A00")
SHAPES = ("circle", "square", "triangle", "diamond", "wedge", "cross", "plus", "star")
NEGATIVE, NEUTRAL, POSITIVE = "#0072B2", "#FFFFFF", "#D55E00"  # weights against and for a class
INK, GREY, PALE = "#222222", "#6B6B6B", "#D9D9D9"


def colour(k: int) -> str:
    """The colour of class k."""
    return COLOURS[k % len(COLOURS)]


def shape(k: int) -> str:
    """The shape of class k."""
    return SHAPES[k % len(SHAPES)]
