"""Figures that compare models: run time and AUC (Fig. 4), leads, other networks and classifiers, effects of choices."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from wfhelpers.core.strategies import MODELS
from wfhelpers.show import figures
from wfhelpers.show.figures import COLOURS, MARKERS, SMALL, draw_quartiles, legend_below, model_style, panels

_TIE = "#DDDDDD"
_REFERENCE: dict[str, Any] = {"color": "black", "ls": "--", "lw": 1, "label": "logistic regression"}
"""Line of a classifier that is not a network of the paper."""


def runtime_and_auc(rows: pd.DataFrame, by: str, references: Mapping[Any, float] | None = None) -> Figure:
    """Run time against AUC as in Fig. 4 and App. C: one row per value of the column ``by``, one column per size.

    Points are medians over runs, bars quartiles; a line marks the AUC that ``references`` has for (value, size).
    """
    values, sizes = list(dict.fromkeys(rows[by])), sorted(rows["size"].unique())
    named: dict[str, Any] = {"x": "seconds per run", "y": "AUC (test)", "sharex": True, "sharey": "row"}
    picture, grid = panels(len(values), len(sizes), height=1.1 + 2.1 * len(values), **named)
    for (i, j), axes in np.ndenumerate(grid):
        if references is not None:
            axes.axhline(references[values[i], sizes[j]], **_REFERENCE)
        for model, runs in rows[(rows[by] == values[i]) & (rows["size"] == sizes[j])].groupby("model", sort=False):
            draw_quartiles(axes, runs["seconds_total"], runs["auc"], model_style(str(model)))
        axes.set_title(f"{values[i]}\n{sizes[j]} per class", fontsize="small")
        axes.set_xscale("log")
    figures.legend_of_models(picture, *([] if references is None else [Line2D([], [], **_REFERENCE)]))
    return picture


def protocols_compared(results: pd.DataFrame, references: Mapping[str, float]) -> Figure:
    """AUC of each model, median and quartiles over runs: one panel per protocol, one group of points per task."""
    protocols, tasks = list(results["protocol"].unique()), list(results["task"].unique())
    named: dict[str, Any] = {"y": "AUC (test)", "titles": protocols, "sharex": True, "sharey": True}
    picture, grid = panels(len(protocols), height=1.1 + 2.1 * len(protocols), **named)
    for axes, protocol in zip(grid[:, 0], protocols, strict=True):
        for place, task in enumerate(tasks):
            axes.hlines(references[task], place - 0.42, place + 0.42, **_REFERENCE)
            of_task = results[(results["protocol"] == protocol) & (results["task"] == task)]
            for offset, model in zip(np.linspace(-0.36, 0.36, len(MODELS)), MODELS, strict=True):
                aucs = of_task.loc[of_task["model"] == model, "auc"]
                draw_quartiles(axes, place + offset, aucs, model_style(model))
    grid[-1, 0].set_xticks(range(len(tasks)), tasks)
    figures.legend_of_models(picture, Line2D([], [], **_REFERENCE))
    return picture


def contribution_of_weights(margins: pd.DataFrame) -> Figure:
    """Gap of Fig. 1: AUC that real weights add (`study.intervals.margin`) with intervals, one line per (task, size)."""
    name = "AUC of bin→real minus AUC of bin (95 % interval)"
    picture, ((axes,),) = panels(x=name, height=0.9 + 0.24 * len(margins))
    places = np.arange(len(margins))[::-1]
    middle, lower, upper = margins[["margin", "lower", "upper"]].to_numpy().T
    axes.errorbar(middle, places, xerr=[middle - lower, upper - middle], **model_style("bin-real"))
    axes.axvline(0, color="black", lw=0.8)
    axes.set_yticks(places, [f"{task}, {size} per class" for task, size in margins.index], fontsize="small")
    return picture


def leads(cases: pd.DataFrame, *, stacked: bool = False) -> Figure:
    """Lead of every case (`ledger.cases`) with its interval, in rising order: panels side by side, or ``stacked``."""
    groups = list(cases.groupby("protocol", sort=False))
    width, height = (4.6, 1.7 * len(groups)) if stacked else (7.2, 3.0)
    shape = (len(groups), 1) if stacked else (1, len(groups))
    picture, grid = panels(*shape, width=width, height=height, sharex=stacked, sharey=True)
    sides = {1: (COLOURS["bin"], "ahead"), 0: ("0.6", "tied"), -1: (COLOURS["lottery"], "behind")}
    for axes, (protocol, group) in zip(grid.flat, groups, strict=True):
        shown = group.sort_values("mean", kind="stable").reset_index(drop=True)
        axes.axhline(0, color="black", lw=0.8)
        for side, (colour, word) in sides.items():
            rows = shown[shown["side"] == side]
            reach = [rows["mean"] - rows["lower"], rows["upper"] - rows["mean"]]
            axes.errorbar(rows.index, rows["mean"], reach, fmt=".", ms=3, lw=0.6, color=colour, label=word)
        counts = ", ".join(f"{(shown['side'] == side).sum()} {word}" for side, (_, word) in sides.items())
        axes.set_title(f"{protocol}:{' ' if stacked else chr(10)}{counts}", fontsize="medium")
    grid[-1, -1].legend(**SMALL, loc="lower right", ncols=3, handlelength=0.5, columnspacing=1)
    picture.supylabel("lead in AUC (test)", fontsize="medium")
    picture.supxlabel(f"the {len(shown)} cases, ordered by lead", fontsize="medium")
    return picture


def reference_points(results: pd.DataFrame, networks: Sequence[str]) -> Figure:
    """AUC of every model (`study.peers.reference_points`), one panel per task; a line marks the median of bin.

    Algorithm 1 has its colour; other binary ``networks`` are grey squares, ordinary classifiers white circles.
    """
    tasks, models = list(results["task"].unique()), list(results["model"].unique())
    rows = -(-len(tasks) // 3)
    named: dict[str, Any] = {"x": ["AUC (test)"] * len(tasks), "titles": tasks, "sharey": True}
    picture, grid = panels(rows, min(3, len(tasks)), height=0.5 + 2.2 * rows, **named)
    network = model_style("bin") | {"color": "0.35", "mfc": "0.5"}
    classifier = network | {"marker": MARKERS["real"], "mfc": "white"}
    for axes, task in zip(grid.flat, tasks, strict=False):
        aucs = results[results["task"] == task].groupby("model")["auc"]
        for place, model in enumerate(models):
            style = model_style("bin") if model == "bin" else network if model in networks else classifier
            draw_quartiles(axes, aucs.get_group(model), place, style)
        axes.axvline(aucs.get_group("bin").median(), color=COLOURS["bin"], lw=0.8, ls=":")
        axes.set_ylim(len(models) - 0.5, -0.5)
        axes.set_yticks(range(len(models)), models, fontsize="small")
    for axes in grid.flat[len(tasks) :]:
        axes.remove()
    return picture


def standing(counts: pd.DataFrame) -> Figure:
    """In how many cases Algorithm 1 is ahead of each other model, behind it, or neither (`study.peers.standing`)."""
    picture, ((axes,),) = panels(x="cases (a task in one orientation)", height=0.9 + 0.27 * len(counts))
    left = np.zeros(len(counts))
    for outcome, colour in {"ahead": COLOURS["bin"], "unclear": _TIE, "behind": COLOURS["lottery"]}.items():
        widths = counts[outcome].to_numpy()
        bars = axes.barh(range(len(counts)), widths, left=left, color=colour, label=f"bin {outcome}")
        axes.bar_label(bars, [str(width) if width else "" for width in widths], label_type="center", fontsize="small")
        left = left + widths
    axes.set_yticks(range(len(counts)), list(counts.index), fontsize="small")
    axes.invert_yaxis()
    axes.set_xlim(0, left.max())
    axes.locator_params(axis="x", integer=True)
    legend_below(picture, axes.get_legend_handles_labels()[0])
    return picture


def start_maps(grid: pd.DataFrame) -> Figure:
    """Median AUC and share of runs that train over mean and scale of a start (`study.sensitivity.start_grid`)."""
    groups = list(grid.groupby("task", sort=False))
    named: dict[str, Any] = {"x": "mean of the start", "y": "scale of the start", "sharex": True, "sharey": True}
    named["titles"] = [f"{task}: {what}" for task, _ in groups for what in ("median AUC", "share of runs that train")]
    picture, table = panels(len(groups), 2, height=0.5 + 1.9 * len(groups), **named)
    for row, (_, group) in zip(table, groups, strict=True):
        starts = group.groupby(["scale", "mean"])
        for axes, values, low in zip(row, (starts["auc"].median(), starts["trains"].mean()), (0.5, 0.0), strict=True):
            shown = values.unstack().rename(index="{:g}".format, columns="{:g}".format)
            figures.heat_map(axes, shown, shown.map("{:.2f}".format), vmin=low, vmax=1, aspect="auto", origin="lower")
    return picture


def ranked_effects(effects: pd.DataFrame, ranked: pd.DataFrame, lead: str) -> Figure:
    """Choices by their largest effect: on the model that it changes most (left), on the lead of bin (right).

    The tables of `study.sensitivity.joined` and ``ranking``: one marker per task and reading in the colour of the model
    that is changed, hollow if the 95 % interval contains zero.
    """
    x, titles = ("change of the median AUC", "change of the lead"), ("model changed most", lead)
    shape: dict[str, Any] = {"height": 1.2 + 0.25 * len(ranked), "width_ratios": [3, 2]}
    picture, ((left, right),) = panels(1, 2, x=x, titles=titles, sharey=True, **shape)
    hollow: dict[str, Any] = {"mfc": "white", "mec": "0.6"}
    places = range(len(ranked))[::-1]
    for axes, on_lead in ((left, False), (right, True)):
        for place, row in zip(places, ranked.itertuples(), strict=True):
            chosen = (effects["choice"] == row.choice) & (effects["model"] == (lead if on_lead else row.model))
            style = model_style("bin" if on_lead else str(row.model))
            for effect, lower, upper in effects.loc[chosen, ["effect", "lower", "upper"]].to_numpy():
                axes.plot(effect, place, **(style | (hollow if lower <= 0 <= upper else {})))
        axes.axvline(0, color="black", lw=0.8)
        axes.grid(axis="y", color="0.92")
        axes.set_axisbelow(True)
    left.set_yticks(places, [f"{row.choice} ({row.gap})" for row in ranked.itertuples()], fontsize="small")
    figures.legend_of_models(picture, Line2D([], [], ls="", marker="o", label="interval contains 0", **hollow))
    return picture


def headline(leads: pd.DataFrame) -> Figure:
    """Lead of bin over real, for each two starts, coloured by its outcome (`study.sensitivity.headline_map`)."""
    groups = list(leads.groupby("task", sort=False))
    titles, y = [str(task) for task, _ in groups], "start of bin (density at s = 0.1)"
    picture, grid = panels(1, len(groups), x="start of real", y=y, titles=titles, height=4, sharey=True)
    colours = {"bin ahead": COLOURS["bin"], "tie": _TIE, "real ahead": COLOURS["real"]}
    for axes, (_, group) in zip(grid[0], groups, strict=True):
        by_start = group.set_index(["bin_start", "real_start"])
        outcomes = by_start["outcome"].map(list(colours).index).unstack(sort=False)
        texts = by_start["lead"].unstack(sort=False).map(lambda lead: f"{round(lead, 2) + 0.0:+.2f}".replace("0.", "."))
        palette = ListedColormap(list(colours.values()))
        figures.heat_map(axes, outcomes, texts, cmap=palette, vmin=-0.5, vmax=2.5, aspect="auto")
        axes.tick_params(axis="x", rotation=90)
    legend_below(picture, [Rectangle((0, 0), 1, 1, fc=colour, label=word) for word, colour in colours.items()])
    return picture
