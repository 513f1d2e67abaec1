"""Figures of the chapters on the step function, Algorithm 1 and its bound; shades of one scale tell settings apart."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from wfhelpers.show.figures import COLOURS, MARKERS, SMALL, legend_below, panels, shades


def step_functions(curves: pd.DataFrame) -> Figure:
    """Fig. 2: ``step``, ``slope`` and ``slope_printed`` over ``w`` in one panel each, one line per ``M``."""
    titles = ("$B_M(w)$", "derivative $M B_M (1 - B_M)$", "as printed, $B_M (1 - B_M)$")
    picture, grid = panels(1, 3, x="weight w", y="value", titles=titles, height=2.8)
    groups = list(curves.groupby("M"))
    for axes, column in zip(grid[0], ("step", "slope", "slope_printed"), strict=True):
        for (M, curve), colour in zip(groups, shades(len(groups)), strict=True):
            axes.plot(curve["w"], curve[column], color=colour, label=f"M = {M:g}")
    grid[0, 0].legend(**SMALL)
    return picture


def hard_and_soft(curves: pd.DataFrame, spans: Mapping[str, tuple[float, float]]) -> Figure:
    """``step`` (left) and ``slope`` (right) over ``w``, one line per ``name``; each span of weights is shaded."""
    picture, ((left, right),) = panels(1, 2, x="weight w", y=("step", "slope"))
    groups = list(curves.groupby("name", sort=False))
    for (name, curve), style, colour in zip(groups, ("-", "--", ":"), shades(len(groups)), strict=False):
        left.plot(curve["w"], curve["step"], style, color=colour, label=name)
        right.semilogy(curve["w"], curve["slope"], style, color=colour)
    for name, (low, high) in spans.items():
        right.axvspan(low, high, color="0.88", zorder=0)
        right.text((low + high) / 2, 0.95, name, transform=right.get_xaxis_transform(), ha="center", fontsize="small")
    right.set_ylim(1e-6, None)
    left.legend(**SMALL, loc="lower right")
    return picture


def one_descent(course: pd.DataFrame) -> Figure:
    """One run of Algorithm 1, as `study.convergence.follow` gives it: objective, AUC, densities, flipped weights."""
    relaxed, binary = r"$B_{M_{hard}}(w)$", r"$B_\infty(w)$"
    measures = {
        "objective F (training)": {"F_relaxed": relaxed, "F_binary": binary},
        "AUC (test)": {"auc_relaxed": relaxed, "auc_binary": binary},
        "density (share of ones)": {"density_1": "layer 1", "density_2": "layer 2"},
        "flips (share of weights)": {"flip_ratio": ""},
    }
    picture, grid = panels(2, 2, x="step", y=list(measures), height=4.6, sharex=True)
    for axes, lines in zip(grid.flat, measures.values(), strict=True):
        for (column, name), colour, style in zip(lines.items(), shades(2), ("-", "--"), strict=False):
            axes.plot(course["step"], course[column], style, color=colour, label=name)
        if len(lines) > 1:
            axes.legend(**SMALL)
    return picture


def weight_pictures(states: Mapping[int, NDArray[np.float64]]) -> Figure:
    """Binary networks ``[2, I, I]``, one column per step and one row per layer; black where a weight is one."""
    titles, height = [f"step {step}" for step in states], 7.2 * 2 / len(states) + 0.5
    picture, grid = panels(2, len(states), titles=titles, height=height, sharex=True, sharey=True)
    for column, layers in zip(grid.T, states.values(), strict=True):
        for axes, layer in zip(column, layers, strict=True):
            axes.imshow(layer, cmap="Greys", vmin=0, vmax=1, interpolation="nearest")
            axes.set(xticks=[], yticks=[])
            axes.spines[["top", "right"]].set_visible(True)
    grid[0, 0].set(ylabel="layer 1: hidden j", xlabel="input k")
    grid[1, 0].set(ylabel="layer 2: output i", xlabel="hidden j")
    return picture


def starting_density(sweep: pd.DataFrame, width: int) -> Figure:
    """AUC after training and share of runs that ``moved`` over ``density``, one line per ``scale``; 1/I is marked."""
    x, y = "density p of the start (share of ones)", ("AUC (test)", "share of runs that moved")
    picture, ((above,), (below,)) = panels(2, x=x, y=y, height=4.4, sharex=True)
    _median_and_quartiles(above, sweep, "density", "auc_binary", "scale", "s = {:g}")
    for scale, line in zip(sweep["scale"].unique(), above.lines[::3], strict=True):
        moved = sweep[sweep["scale"] == scale].groupby("density")["moved"].mean()
        below.plot(moved, ls="-", marker=line.get_marker(), color=line.get_color(), ms=4)
    for axes in (above, below):
        axes.axvline(1 / width, color="0.6", lw=1, ls=":")
    above.text(1 / width, 0.52, f" 1/{width}", color="0.35", fontsize="small")
    above.set_xscale("log")
    above.legend(**SMALL, loc="center left")
    return picture


def convergence(courses: pd.DataFrame) -> Figure:
    """Fig. 3: objective and AUC over ``step``; one column per ``M_hard``, one line per ``M_soft / M_hard``."""
    courses = courses.assign(ratio=(courses["M_soft"] / courses["M_hard"]).round(6)).sort_values("ratio")
    groups, ratios = list(courses.groupby("M_hard")), courses["ratio"].unique()
    named: dict[str, Any] = {"x": "step", "y": "AUC (test)", "titles": [f"$M_{{hard}}$ = {M:g}" for M, _ in groups]}
    picture, grid = panels(2, len(groups), **named, height=4.8, sharex=True, sharey="row")
    for column, (_, rows) in zip(grid.T, groups, strict=True):
        for axes, value in zip(column, ("F_binary", "auc_binary"), strict=True):
            _median_and_quartiles(axes, rows, "step", value, "ratio", "{:g} $M_{{hard}}$", ratios)
    grid[0, 0].set_ylabel("objective F (training)")
    grid[0, 0].legend(**SMALL, title="$M_{soft}$", loc="lower left")
    return picture


def rounding(finals: pd.DataFrame) -> Figure:
    """Objective reached and errors of rounding over ``M_hard``: medians and quartiles, one line per ``setting``."""
    measures = ("objective F reached (training)", "rounding error of F", "rounding error of AUC (test)")
    picture, grid = panels(1, 3, x="$M_{hard}$", y=measures)
    ladder = sorted(finals["M_hard"].unique())
    for axes, value in zip(grid[0], ("F_relaxed", "F_error", "auc_error"), strict=True):
        _median_and_quartiles(axes, finals, "M_hard", value, "setting", "{}")
        axes.set_xscale("log")
        axes.set_xticks(ladder, labels=[f"{M:g}" for M in ladder])
        axes.minorticks_off()
    grid[0, 1].set_yscale("log")
    legend_below(picture, grid[0, 0].get_legend_handles_labels()[0], 3)
    return picture


def _median_and_quartiles(
    axes: Axes, table: pd.DataFrame, x: str, value: str, by: str, label: str, levels: Iterable[Any] | None = None
) -> None:
    """Medians over the rows of each x as a line for each level of ``by``, with quartiles as thin dashed lines."""
    levels = table[by].unique() if levels is None else list(levels)
    for level, colour, style in zip(levels, shades(len(levels)), itertools.cycle(("o-", "s-", "^-")), strict=False):
        groups = table[table[by] == level].groupby(x)[value]
        axes.plot(groups.median(), style, color=colour, ms=3.5, label=label.format(level))
        for share in (0.25, 0.75):
            axes.plot(groups.quantile(share), "--", color=colour, lw=0.8)


_MEASURED, _PRINTED, _PROVED = "black", "#D55E00", "#0072B2"
"""Colours of statements about the gap: what was measured, the paper's bound, the bound proved in this book."""


def bound_on_a_line(decaying: pd.DataFrame, constant: pd.DataFrame) -> Figure:
    """Gap of Algorithm 1 on a line ``f(v) = slope v`` and its bounds over ``T``: rates c/t (left), constant (right)."""
    titles = ("learning rates c/t", "constant learning rate, tuned for T")
    picture, ((left, right),) = panels(1, 2, x="steps T", y="F − min F (units of f)", titles=titles, sharey=True)
    for axes, table, column, style, colour, label in (
        (left, decaying, "gap", "-", _MEASURED, "measured, last point"),
        (left, decaying, "printed", "--", _PRINTED, "Theorem 4.3 of the paper"),
        (left, decaying, "average_bound", ":", _PROVED, "bound proved here"),
        (right, constant, "average_gap", ".-", _MEASURED, "measured, average point"),
        (right, constant, "average_bound", ":", _PROVED, "bound proved here"),
    ):
        axes.loglog(table["T"], table[column], style, color=colour, label=label)
        axes.legend(**SMALL)
    return picture


def bounds_against_gaps(decaying: pd.DataFrame, constant: pd.DataFrame) -> Figure:
    """Each bound over the gap that it bounds: Theorem 4.3 (left), the proved bound (right); in grey it is violated."""
    x, titles = "measured F − min F (units of f)", ("Theorem 4.3, rates c/t", "proved here, constant rate")
    picture, ((left, right),) = panels(1, 2, x=x, y="bound (units of f)", titles=titles, height=3.6)
    for axes, table, by, name, columns in (
        (left, decaying, "c", "c = {:g}", ["gap", "printed"]),
        (right, constant, "gradients", "{} gradients", ["average_gap", "average_bound"]),
    ):
        groups = table.groupby(by)[columns]
        for (level, rows), marker, colour in zip(groups, "osv", COLOURS.values(), strict=False):
            axes.loglog(*rows.to_numpy().T, marker, color=colour, ms=3, alpha=0.6, label=name.format(level))
        gaps, bounds = table[columns].to_numpy().T
        ends = [min(gaps.min(), bounds.min()) / 2, max(gaps.max(), bounds.max()) * 2]
        axes.plot(ends, ends, color=_MEASURED, lw=1)
        axes.fill_between(ends, [ends[0]] * 2, ends, color="0.9", zorder=0)
        axes.set_xlim(gaps.min() / 2, gaps.max() * 2)
        axes.set_ylim(min(bounds.min(), gaps.max()) / 4, bounds.max() * 2)
        axes.text(0.98, 0.02, "violated", ha="right", va="bottom", transform=axes.transAxes)
        axes.legend(**SMALL, loc="upper left" if groups.ngroups < 3 else "lower left")
    return picture


def mirror_potential(potentials: pd.DataFrame, factors: pd.DataFrame) -> Figure:
    """Potential of the mirror map over ``v``, one line per ``ratio`` (left), and the factor of the bound (right)."""
    ratios, heights = r"$M_{soft}/M_{hard}$", r"$M_{hard} M_{soft}\,(\Phi(v) - \Phi(1/2))$"
    picture, ((left, right),) = panels(1, 2, x=("v", ratios), y=(heights, r"bound / $(G\sqrt{d/T})$"))
    for (ratio, curve), style in zip(potentials.groupby("ratio"), ("-", "--", ":", "-."), strict=False):
        left.plot(curve["v"], curve["potential"], style, color=_PROVED, label=f"{ratio:g}")
    left.legend(**SMALL, title=ratios)
    right.semilogy(factors["ratio"], factors["factor"], color=_PROVED)
    right.set_xlim(0, 1)
    right.set_yticks([0.5, 1, 2, 4, 8], ["0.5", "1", "2", "4", "8"])
    right.minorticks_off()
    return picture


def flip_price(curves: pd.DataFrame, runs: pd.DataFrame) -> Figure:
    """Price of a flip over ``M_soft``, one line per ``w``: the formula, and points for what simulated weights paid."""
    picture, ((axes,),) = panels(x="$M_{soft}$", y=r"$\sum_t \eta_t |g_t|$ until the weight flips", height=3.4)
    for (w, curve), colour in zip(curves.groupby("w"), COLOURS.values(), strict=False):
        axes.loglog(curve["M_soft"], curve["price"], color=colour, label=f"|w| = {w:g}")
        paid = runs[runs["w"] == w]
        axes.loglog(paid["M_soft"], paid["price"], MARKERS["binary"], color=colour, ms=4)
    axes.legend(**SMALL)
    return picture
