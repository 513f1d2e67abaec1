"""Weight-free networks: the mathematics, data and figures behind the book.

A module imports only what stands to its left::

    data -> tasks -> binarize -> network -> training -> strategies -> evaluation -> intervals -> plots
"""

__version__ = "0.1.0"
