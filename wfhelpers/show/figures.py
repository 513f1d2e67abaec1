"""Style of every figure, and what several of the modules ``figures_*`` draw in the same manner.

A strategy keeps its colour in the whole book (Okabe-Ito, told apart by colour-blind readers; green, red and yellow
are the paper's own for bin, lottery and agnostic). A square is a binary network, a circle a real one.
"""

import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from wfhelpers.core.strategies import BINARY_MODELS, strategy_of

COLOURS = {"real": "#0072B2", "lottery": "#D55E00", "bin": "#009E73", "random": "#CC79A7", "agnostic": "#E69F00"}
MARKERS = {"binary": "s", "real": "o"}
SMALL: dict[str, Any] = {"frameon": False, "fontsize": "small"}
"""Look of every legend."""


class _BookFigure(Figure):
    """Figure that a notebook shows as it is: matplotlib's own needs pyplot and its global state for that."""

    def _repr_png_(self) -> bytes:
        return png(self)


def png(picture: Figure, dpi: int = 144) -> bytes:
    """Content of the figure's PNG file."""
    content = io.BytesIO()
    picture.savefig(content, format="png", dpi=dpi)
    return content.getvalue()


def panels(
    rows: int = 1,
    columns: int = 1,
    *,
    x: str | Sequence[str] = "",
    y: str | Sequence[str] = "",
    titles: Iterable[str] = (),
    width: float = 7.2,
    height: float = 3.2,
    **options: Any,
) -> tuple[Figure, NDArray[Any]]:
    """Figure of ``rows x columns`` axes in the style of the book, and a table of these axes.

    A single label ``x`` belongs to all axes of the last row, a single ``y`` to those of the first column; several
    labels belong to the axes one by one, and so do the titles.
    """
    picture = _BookFigure(figsize=(width, height), layout="constrained")
    grid = np.asarray(picture.subplots(rows, columns, squeeze=False, **options))
    for axes in grid.flat:
        axes.spines[["top", "right"]].set_visible(False)
    for name, labels, edge in (("xlabel", x, grid[-1]), ("ylabel", y, grid[:, 0])):
        several = [(axes, labels) for axes in edge] if isinstance(labels, str) else zip(grid.flat, labels, strict=False)
        for axes, label in several:
            axes.set(**{name: label})
    for axes, title in zip(grid.flat, titles, strict=False):
        axes.set_title(title, fontsize="medium")
    return picture, grid


def shades(number: int) -> list[tuple[float, float, float, float]]:
    """Colours from dark to light that differ in brightness, for lines of one kind."""
    return [colormaps["viridis"](place) for place in np.linspace(0, 0.75, number)]


def model_style(model: str) -> dict[str, Any]:
    """Colour and marker of a model."""
    marker = MARKERS["binary" if model in BINARY_MODELS else "real"]
    return {"color": COLOURS[strategy_of(model)], "marker": marker, "mec": "black", "mew": 0.5, "ms": 6, "ls": ""}


def draw_quartiles(axes: Axes, x: Any, y: Any, style: dict[str, Any]) -> None:
    """Median over runs as a point, with bars that reach to the quartiles; a single number is its own quartile."""
    (x_low, x_middle, x_high), (y_low, y_middle, y_high) = (np.quantile(runs, [0.25, 0.5, 0.75]) for runs in (x, y))
    x_reach, y_reach = [[x_middle - x_low], [x_high - x_middle]], [[y_middle - y_low], [y_high - y_middle]]
    axes.errorbar(x_middle, y_middle, y_reach, x_reach, elinewidth=1, **style)


def legend_below(picture: Figure, handles: Sequence[Artist], columns: int = 4) -> None:
    """One legend for all panels."""
    picture.legend(handles=handles, loc="outside lower center", ncols=columns, **SMALL)


def legend_of_models(picture: Figure, *others: Artist) -> None:
    """The legend that is the same everywhere: a colour is a strategy, a marker a kind of network."""
    handles: list[Artist] = [Line2D([], [], color=colour, lw=4, label=name) for name, colour in COLOURS.items()]
    for kind, marker in MARKERS.items():
        handles.append(Line2D([], [], ls="", marker=marker, mec="black", mfc="white", label=f"{kind} network"))
    legend_below(picture, [*handles, *others])


def heat_map(axes: Axes, table: pd.DataFrame, texts: pd.DataFrame | None = None, **options: Any) -> AxesImage:
    """Table as a map of colours, labelled by its index and columns; ``texts`` are written into its cells."""
    image = axes.imshow(table.to_numpy(dtype=float), **options)
    for (i, j), value in np.ndenumerate(table.to_numpy(dtype=float)):
        if texts is not None and np.isfinite(value):
            ink = "white" if np.dot(image.to_rgba(value)[:3], (0.299, 0.587, 0.114)) < 0.55 else "black"
            axes.text(j, i, str(texts.iat[i, j]), ha="center", va="center", fontsize="x-small", color=ink)
    for axis, names in ((axes.xaxis, table.columns), (axes.yaxis, table.index)):
        axis.set_ticks(range(len(names)), [str(name) for name in names], fontsize="small")
        axis.set_ticks(np.arange(len(names) - 1) + 0.5, minor=True)
    axes.grid(which="minor", color="white", lw=0.8)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    return image
