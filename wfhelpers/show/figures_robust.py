"""Figures for the question whether verdicts are robust to the analysis: words of four methods, ranks of ten models."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from wfhelpers.core.strategies import label
from wfhelpers.show import figures
from wfhelpers.show.figures import COLOURS, SMALL, legend_below, model_style, panels
from wfhelpers.study.robust import FAILED, METHODS, TOO_FEW, nemenyi, not_apart

_WORDS = {
    "ahead": ("+", COLOURS["bin"]),
    "equivalent": ("=", "#BBBBBB"),
    "behind": ("−", COLOURS["lottery"]),
    "undecided": ("?", "#F2F2F2"),
    TOO_FEW: ("", "white"),
    FAILED: ("×", "#F0E442"),
}
"""Sign and colour of each word: the sign tells it where the colour does not."""


def words(table: pd.DataFrame) -> Figure:
    """Word of every method (`study.robust.table`): one panel per protocol, one line per part, one column per method."""
    groups = list(table.groupby("protocol", sort=False))
    parts = list(dict.fromkeys(table["part"]))
    titles = [str(protocol) for protocol, _ in groups]
    picture, grid = panels(1, len(groups), titles=titles, width=4.6, height=1.3 + 0.2 * len(parts), sharey=True)
    known = list(_WORDS)
    palette = ListedColormap([colour for _, colour in _WORDS.values()])
    for axes, (_, group) in zip(grid[0], groups, strict=True):
        shown = group.set_index("part")[list(METHODS)].reindex(parts)
        codes = shown.map(lambda word: known.index(word) if word in _WORDS else np.nan)
        texts = shown.map(lambda word: _WORDS[word][0] if word in _WORDS else "")
        figures.heat_map(axes, codes, texts, cmap=palette, vmin=-0.5, vmax=len(known) - 0.5, aspect="auto")
        axes.tick_params(axis="x", rotation=90)
    there = [word for word in known if (table[list(METHODS)] == word).any(axis=None)]
    signs = {word: f"{_WORDS[word][0]} {word}".strip() for word in there}
    handles = [Rectangle((0, 0), 1, 1, fc=_WORDS[word][1], ec="0.6", label=signs[word]) for word in there]
    legend_below(picture, handles, 3)
    return picture


def critical_differences(average: Mapping[str, "pd.Series[float]"], blocks: int) -> Figure:
    """Average ranks of the models (`study.robust.average_ranks`), one panel per title; bars join what does not differ.

    The models' labels stand below an axis of ranks, the better half at the left and the others at the right. Bars join
    models that lie less than Nemenyi's critical difference apart, for so many ``blocks``.
    """
    critical = {title: nemenyi(len(ranks), blocks) for title, ranks in average.items()}
    depths = [_depth(ranks, critical[title]) for title, ranks in average.items()]
    height = 0.3 + 0.45 * len(depths) + 0.21 * sum(depths)
    picture, grid = panels(len(depths), 1, width=4.6, height=height, height_ratios=depths)
    for axes, (title, ranks), depth in zip(grid[:, 0], average.items(), depths, strict=True):
        _ranked(axes, ranks.sort_values(kind="stable"), critical[title], depth)
        axes.set_title(f"{title}: critical difference {critical[title]:.2f}", fontsize="medium", loc="left")
    picture.supxlabel(f"average rank over {blocks} tasks, 1 is best", fontsize="small")
    return picture


def _depth(ranks: "pd.Series[float]", critical: float) -> float:
    return 0.6 + 0.5 * len(not_apart(ranks, critical)) + (len(ranks) + 1) // 2


def _ranked(axes: Axes, ranks: "pd.Series[float]", critical: float, depth: float) -> None:
    """One diagram: markers on the axis of ranks at height 0, bars below it, and below these a line to each label."""
    number, reach = len(ranks), 3.4
    axes.set_xlim(1 - reach, number + reach)
    axes.set_ylim(-depth, 0.5)
    axes.xaxis.tick_top()
    axes.spines[:].set_visible(False)
    axes.set_yticks([])
    axes.set_xticks(range(1, number + 1))
    axes.tick_params(axis="x", labelsize="small", length=3, pad=1)
    axes.hlines(0, 1, number, color="black", lw=0.8, zorder=0)
    groups = not_apart(ranks, critical)
    for place, (first, last) in enumerate(groups, 1):
        axes.hlines(-0.5 * place, ranks[first] - 0.08, ranks[last] + 0.08, color="black", lw=2.5)
    top, half = 0.5 * len(groups) + 0.6, (number + 1) // 2
    for place, (model, rank) in enumerate(ranks.items()):
        left = place < half
        height = -top - (place if left else number - 1 - place)
        end = 0.8 if left else number + 0.2
        style = model_style(str(model))
        axes.plot([rank, rank, end], [0, height, height], color=style["color"], lw=1, zorder=0)
        axes.plot(rank, 0, **style, clip_on=False)
        text = f"{label(str(model))}  {rank:.1f}" if left else f"{rank:.1f}  {label(str(model))}"
        end, side = (end - 0.1, "right") if left else (end + 0.1, "left")
        axes.text(end, height, text, fontsize=SMALL["fontsize"], ha=side, va="center")
