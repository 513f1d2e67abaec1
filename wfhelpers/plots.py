"""One function a figure: tidy tables (or arrays) in, a matplotlib Figure out.

A strategy keeps its colour in the whole book (Okabe-Ito, told apart by colour-blind readers; green, red and yellow
are the paper's own for bin, lottery and agnostic). A square is a binary network, a circle a real one.
"""

import io
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

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


# Chapter 01. A data set has no strategy's colour: black, light blue and grey, told apart by their lines too.

DATA_LINES = (("black", "-"), ("#56B4E9", "-"), ("#777777", "--"))


def digit_preparation(images: NDArray[np.uint8], mean: NDArray[np.float32], maximum: NDArray[np.float32]) -> Figure:
    """Digits from the original to the network's input, one a column: 28x28, cropped, mean-pooled, max-pooled.

    ``images`` is ``[n, 28, 28]``; ``mean`` and ``maximum`` are ``[n, 64]``.
    """
    stages: dict[str, NDArray[Any]] = {
        "28 × 28, as given": images,
        "24 × 24, cropped": images[:, 2:26, 2:26],
        "8 × 8, mean of 3 × 3": mean.reshape(-1, 8, 8),
        "8 × 8, max of 3 × 3": maximum.reshape(-1, 8, 8),
    }
    made = figure(len(stages), len(images), height=3.3)
    grid = np.array(made.axes).reshape(len(stages), len(images))
    for row, (stage, pictures) in zip(grid, stages.items(), strict=True):
        for axes, picture in zip(row, pictures, strict=True):
            axes.imshow(picture, cmap="gray_r")
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set(visible=True, color="#BBBBBB")
        row[0].set_ylabel(stage, rotation=0, ha="right", va="center", fontsize="small")
    for axes in grid[0]:
        axes.add_patch(Rectangle((1.5, 1.5), 24, 24, fill=False, edgecolor="#56B4E9"))
    return made


def abstracts_and_features(words: NDArray[np.float64], features: NDArray[np.float32], topics: Sequence[str]) -> Figure:
    """Abstracts as words (left, a dot where a word occurs) and as features (right); rows are papers, class by class."""
    made = figure(1, 2, height=4.2, sharey=True)
    left, right = made.axes
    left.imshow(words, cmap="gray_r", aspect="auto", interpolation="nearest")
    left.set(xlabel="word (most frequent first)", title="before: words that occur")
    shade = right.imshow(features, cmap="PuOr", vmin=-0.5, vmax=0.5, aspect="auto", interpolation="nearest")
    right.set(xlabel="feature (principal component)", title="after: 64 features")
    firsts = [i for i, topic in enumerate(topics) if i == 0 or topics[i - 1] != topic]
    middles = [(begin + end - 1) / 2 for begin, end in pairwise([*firsts, len(topics)])]
    left.set_yticks(middles, [topics[i] for i in firsts])
    left.set_ylabel("paper, by class")
    for axes in (left, right):
        for first in firsts[1:]:
            axes.axhline(first - 0.5, color="#56B4E9", linewidth=0.8)
    made.colorbar(shade, ax=right, label="value (unit norm)")
    return made


def explained_variance(shares: NDArray[np.float64]) -> Figure:
    """Share of the variance that the first principal components hold together, over their number."""
    made = figure(height=2.6, width=5.4)
    axes = made.axes[0]
    together = 100 * np.cumsum(shares)
    axes.plot(np.arange(1, len(shares) + 1), together, color="black")
    axes.plot(len(shares), together[-1], "o", color="black")
    axes.set(xlabel="principal components kept", ylabel="share of variance (%)", ylim=(0, 100), xlim=(0, None))
    return made


def feature_spread(features: Mapping[str, NDArray[np.float32]]) -> Figure:
    """Distribution of single features (left) and of the sum of an object's features (right), one line a data set."""
    made = figure(1, 2)
    left, right = made.axes
    for (name, x), (colour, line) in zip(features.items(), DATA_LINES, strict=False):
        style: dict[str, Any] = {"color": colour, "linestyle": line, "label": name, "histtype": "step"}
        left.hist(x.ravel(), bins=40, density=True, log=True, **style)
        right.hist(x.sum(axis=1), bins=40, density=True, **style)
    left.set(xlabel="feature (unit norm)", ylabel="density (log scale)", title="single features")
    right.set(xlabel="sum of an object's features", ylabel="density", title="sums over an object")
    right.legend(frameon=False, fontsize="small")
    return made


def class_means(features: NDArray[np.float32], labels: NDArray[Any], classes: Sequence[Any]) -> Figure:
    """Mean of each feature over each class, minus its mean over all classes: what tells the classes apart."""
    means = np.stack([features[labels == chosen].mean(axis=0) for chosen in classes])
    contrast = means - means.mean(axis=0)
    made = figure(height=max(1.8, 0.28 * len(classes) + 0.9))
    axes = made.axes[0]
    limit = np.abs(contrast).max()
    shade = axes.imshow(contrast, cmap="PuOr", vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest")
    axes.set_yticks(range(len(classes)), [str(chosen) for chosen in classes])
    axes.set(xlabel="feature", ylabel="class")
    made.colorbar(shade, ax=axes, label="mean, compared with all")
    return made


# Chapter 04. Colours of statements: what was measured is black, the paper's bound orange-red, this book's bound blue.

MEASURED, PRINTED, PROVED = "black", "#D55E00", "#0072B2"


def bound_on_a_line(decaying: pd.DataFrame, constant: pd.DataFrame) -> Figure:
    """Gap of Algorithm 1 on a line ``f(v) = slope v`` and the bounds, over T: rates c/t (left), constant (right).

    Columns: ``T``, ``gap``, ``printed`` and ``average_bound`` of ``decaying``; ``T``, ``average_gap`` and
    ``average_bound`` of ``constant``.
    """
    made = figure(1, 2, sharey=True)
    left, right = made.axes
    left.loglog(decaying["T"], decaying["gap"], color=MEASURED, label="measured, last point")
    left.loglog(decaying["T"], decaying["printed"], "--", color=PRINTED, label="Theorem 1 of the paper")
    left.loglog(decaying["T"], decaying["average_bound"], ":", color=PROVED, label="bound proved here")
    left.set(title="learning rates c/t", xlabel="steps T", ylabel="F − min F (units of f)")
    right.loglog(constant["T"], constant["average_gap"], ".-", color=MEASURED, label="measured, average point")
    right.loglog(constant["T"], constant["average_bound"], ":", color=PROVED, label="bound proved here")
    right.set(title="constant learning rate, tuned for T", xlabel="steps T")
    for axes in made.axes:
        axes.legend(frameon=False, fontsize="small")
    return made


def bounds_against_gaps(table: pd.DataFrame) -> Figure:
    """Each bound over the gap that it speaks of, one point a problem: Theorem 1 (left), the proved bound (right).

    Columns: ``c``, ``gap``, ``printed``, ``average_gap``, ``average_bound``. Below the diagonal a bound is violated.
    """
    made = figure(1, 2, height=3.6)
    panels = [("gap", "printed", "Theorem 1 of the paper"), ("average_gap", "average_bound", "bound proved here")]
    for axes, (gap, bound, title) in zip(made.axes, panels, strict=True):
        for (c, rows), marker, colour in zip(table.groupby("c"), "osv", COLOURS.values(), strict=False):
            axes.loglog(rows[gap], rows[bound], marker, color=colour, ms=3, alpha=0.6, label=f"c = {c:g}")
        low, high = table[[gap, bound]].min().min() / 2, table[[gap, bound]].max().max() * 2
        axes.plot([low, high], [low, high], color=MEASURED, lw=1)
        axes.fill_between([low, high], [low, low], [low, high], color="0.9", zorder=0)
        axes.set(title=title, xlabel="measured F − min F (units of f)", xlim=(low, high), ylim=(low, high))
        axes.text(high / 1.5, low * 1.5, "violated", ha="right", va="bottom")
    made.axes[0].set_ylabel("bound (units of f)")
    made.axes[0].legend(frameon=False, fontsize="small")
    return made


def mirror_potential(potentials: pd.DataFrame, factors: pd.DataFrame) -> Figure:
    """Potential of the mirror map for several ratios ``M_soft / M_hard`` (left), and the bound's factor (right).

    Columns: ``ratio``, ``v``, ``potential`` (times ``M_hard M_soft``) and ``ratio``, ``factor``.
    """
    made = figure(1, 2)
    left, right = made.axes
    for (ratio, curve), style in zip(potentials.groupby("ratio"), ("-", "--", ":", "-."), strict=False):
        left.plot(curve["v"], curve["potential"], style, color=PROVED, label=f"{ratio:g}")
    left.set(xlabel="v", ylabel=r"$M_{hard} M_{soft}\,(\Phi(v) - \Phi(1/2))$")
    left.legend(frameon=False, fontsize="small", title=r"$M_{soft}/M_{hard}$")
    right.semilogy(factors["ratio"], factors["factor"], color=PROVED)
    right.set(xlabel=r"$M_{soft}/M_{hard}$", ylabel=r"bound / $(G\sqrt{d/T})$", xlim=(0, 1))
    return made


def flip_price(curves: pd.DataFrame, runs: pd.DataFrame) -> Figure:
    """Price of a flip over ``M_soft``: the formula (lines) and what simulated weights paid (points).

    Columns of both: ``w``, ``M_soft``, ``price``.
    """
    made = figure(height=3.4)
    (axes,) = made.axes
    colours = list(COLOURS.values())
    for i, (w, curve) in enumerate(curves.groupby("w")):
        axes.loglog(curve["M_soft"], curve["price"], color=colours[i], label=f"|w| = {w:g}")
        paid = runs[runs["w"] == w]
        axes.loglog(paid["M_soft"], paid["price"], MARKERS["binary"], color=colours[i], ms=4)
    axes.set(xlabel=r"$M_{soft}$", ylabel=r"$\sum_t \eta_t |g_t|$ until the weight flips")
    axes.legend(frameon=False, fontsize="small")
    return made
