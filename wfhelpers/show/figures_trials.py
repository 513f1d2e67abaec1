"""The trials of the protocol tuned as a picture."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from wfhelpers.core.protocols import STEPS
from wfhelpers.core.strategies import label
from wfhelpers.show.figures import legend_below, panels, shades
from wfhelpers.study.tuning import FIELDS, best

_STAR: dict[str, Any] = {"marker": "*", "ms": 9, "color": "#d55e00", "ls": ""}


def trials(table: pd.DataFrame) -> Figure:
    """Validation AUC of the first round over the rate: one row per field, one column per number of updates."""
    first = table[(table["runs"] == 1) & table["field"].isin(FIELDS)]
    picture, grid = panels(
        len(FIELDS), len(STEPS), x="learning rate", height=1.45 * len(FIELDS) + 0.6, sharex=True, sharey=True
    )
    winners = best(table)
    for row, field in zip(grid, FIELDS, strict=True):
        own = first[first["field"] == field].sort_values(["scale", "mean"], ascending=False, kind="stable")
        own = own.assign(start=own["scale"].map(str) + own["mean"].map(str))
        starts = own["start"].unique()
        for axes, steps in zip(row, STEPS, strict=True):
            shown = own[own["steps"] == steps].groupby(["start", "rate"])["validation_auc"].max().unstack("rate")
            for start, colour in zip(starts, shades(len(starts)), strict=True):
                axes.plot(shown.columns, shown.loc[start], ".-", ms=3, lw=1, color=colour)
            winner = winners.loc[field]
            if winner["steps"] == steps:
                axes.plot(winner["rate"], winner["validation_auc"], **_STAR)
            axes.set_xscale("log")
        row[0].set_ylabel(label(field.replace("_", "-")))
    for axes, steps in zip(grid[0], STEPS, strict=True):
        axes.set_title(f"{steps:,} updates", fontsize="medium")
    dark, *_, light = shades(len(starts))
    ends = ((dark, "start of the largest scale"), (light, "of the smallest"))
    handles = [Line2D([], [], color=colour, marker=".", label=name) for colour, name in ends]
    legend_below(picture, [*handles, Line2D([], [], label="winner of the second round", **_STAR)])
    return picture
