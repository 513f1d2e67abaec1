"""One function a figure: tidy tables (or arrays) in, a matplotlib Figure out.

A strategy keeps its colour in the whole book (Okabe-Ito, told apart by colour-blind readers; green, red and yellow
are the paper's own for bin, lottery and agnostic). A square is a binary network, a circle a real one.
"""

import io

from matplotlib.figure import Figure

COLOURS = {"real": "#0072B2", "lottery": "#D55E00", "bin": "#009E73", "random": "#CC79A7", "agnostic": "#E69F00"}
MARKERS = {"binary": "s", "real": "o"}


class BookFigure(Figure):
    """Figure that a notebook shows as it is: matplotlib's own needs pyplot and its global state for that."""

    def _repr_png_(self) -> bytes:
        content = io.BytesIO()
        self.savefig(content, format="png", dpi=144)
        return content.getvalue()


def figure(rows: int = 1, columns: int = 1, *, width: float = 7.2, height: float = 3.2, **options: object) -> Figure:
    """Figure of ``rows x columns`` axes in the style of the book."""
    made = BookFigure(figsize=(width, height), layout="constrained")
    made.subplots(rows, columns, **options)  # type: ignore[call-overload]
    for axes in made.axes:
        axes.spines[["top", "right"]].set_visible(False)
    return made
