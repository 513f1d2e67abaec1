"""Figures of the chapter on spectra, and Fig. 5 wherever it is shown."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import NDArray

from wfhelpers.core.strategies import BINARY_MODELS, strategy_of
from wfhelpers.show.figures import COLOURS, MARKERS, heat_map, legend_below, legend_of_models, model_style, panels

_LINES = {"real": (4.0, "-"), "lottery": (2.4, "-"), "bin": (1.4, "-"), "agnostic": (1.4, "-"), "random": (1.2, "--")}
"""Lines of different widths, the widest drawn first, stay visible where strategies give the same spectrum."""


def network_graph(networks: Mapping[str, NDArray[np.float64]], adjacency: NDArray[np.float64]) -> Figure:
    """Networks ``[2, I, I]`` as graphs, in which nodes without an edge are light, and an adjacency matrix."""
    picture, ((*graphs, matrix),) = panels(1, len(networks) + 1, titles=[*networks, "adjacency matrix A"], height=3.4)
    for axes, layers in zip(graphs, networks.values(), strict=True):
        for column, layer in enumerate(layers):  # w[j, k] leads from node k of this column to node j of the next
            ends, begins = np.nonzero(layer)
            axes.plot([[column], [column + 1]] * np.ones(len(ends)), [begins, ends], color="black", lw=0.4, alpha=0.25)
        connected = [layers[0].any(0), layers[0].any(1) | layers[1].any(0), layers[1].any(1)]
        for column, used in enumerate(connected):
            inks = np.where(used, "black", "#CCCCCC")
            axes.scatter(np.full(len(used), column), range(len(used)), s=7, c=inks, zorder=3)
        axes.set_xticks([0, 1, 2], ["inputs", "hidden", "outputs"], fontsize="small")
        axes.set_yticks([])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    matrix.imshow(adjacency, cmap="Greys", vmin=0, vmax=1, interpolation="nearest")
    width = len(adjacency) // 3
    for border in (width, 2 * width):
        matrix.axhline(border - 0.5, color=COLOURS["real"], lw=0.8)
        matrix.axvline(border - 0.5, color=COLOURS["real"], lw=0.8)
    middles = [width / 2, 1.5 * width, 2.5 * width]
    matrix.set_xticks(middles, ["outputs", "hidden", "inputs"], fontsize="small")
    matrix.set_yticks(middles, ["outputs", "hidden", "inputs"], fontsize="small", rotation=90, va="center")
    matrix.tick_params(length=0)
    matrix.spines[["top", "right"]].set_visible(True)
    return picture


class Spectra(NamedTuple):
    """What Fig. 5 shows: quartiles over runs of the sorted eigenvalues, the map, the variance that its axes explain."""

    models: Sequence[str]
    bands: NDArray[np.float64]  # [models, 3, 3 I]
    points: NDArray[np.float64]  # [models, runs, 2]
    explained: NDArray[np.float64]  # [2]


def spectra_and_maps(rows: Mapping[str, Spectra]) -> Figure:
    """Fig. 5 and App. D: medians and quartiles of the eigenvalues of real and binary networks, and the map of all."""
    picture, grid = panels(len(rows), 3, height=0.8 + 2.3 * len(rows))
    for (real, binary, plane), (title, shown) in zip(grid, rows.items(), strict=True):
        drawn = zip(shown.models, shown.bands, shown.points, strict=True)
        for model, (low, median, high), points in sorted(drawn, key=lambda each: -_LINES[strategy_of(each[0])][0]):
            # In the map, an open circle lies above the squares and hides none.
            axes, filling, level = (binary, 0.5, 2) if model in BINARY_MODELS else (real, 0.0, 3)
            style, (width, line) = model_style(model), _LINES[strategy_of(model)]
            colour, place = style["color"], np.arange(1, len(median) + 1)
            axes.fill_between(place, low, high, color=colour, alpha=0.15, lw=0)
            axes.plot(place, median, line, color=colour, lw=width)
            axes.plot(place, low, "--", place, high, "--", color=colour, lw=0.6)
            plane.plot(*points.T, style["marker"], mec=colour, mfc=(colour, filling), ms=3 + width, zorder=level)
        first, second = 100 * shown.explained
        real.set_title(f"{title}\nreal networks", fontsize="small")
        binary.set_title("binary networks", fontsize="small")
        plane.set_title(f"map, {first:.0f} % + {second:.0f} % of variance", fontsize="small")
        plane.set(xlabel="first component", ylabel="second component", aspect="equal", adjustable="datalim")
        real.set_ylabel("eigenvalue")
        for axes in (real, binary):
            axes.set(ylim=(0, 2), xlabel="rank, from the smallest")
    legend_of_models(picture)
    return picture


def distance_maps(distances: Mapping[str, Mapping[str, NDArray[np.float64]]], strategies: Sequence[str]) -> Figure:
    """Mean distance between the networks of two strategies: one row per task, one column per kind of comparison."""
    rows, columns = len(distances), len(next(iter(distances.values())))
    titles = [f"{task}\n{title}" for task, by_title in distances.items() for title in by_title]
    picture, grid = panels(rows, columns, titles=titles, height=0.4 + min(3.3, 8.0 / columns) * rows)
    top = max(float(matrix.max()) for by_title in distances.values() for matrix in by_title.values())
    for row, by_title in zip(grid, distances.values(), strict=True):
        for axes, matrix in zip(row, by_title.values(), strict=True):
            table = pd.DataFrame(matrix, list(strategies), list(strategies))
            shade = heat_map(axes, table, table.map("{:.2f}".format), cmap="viridis_r", vmin=0, vmax=top)
            axes.tick_params(axis="x", rotation=90)
        for axes in row[1:]:
            axes.set_yticklabels([])
    picture.colorbar(shade, ax=list(grid.flat), label="mean distance", shrink=0.6)
    return picture


def distance_against_density(pairs: Mapping[str, pd.DataFrame], highlighted: str) -> Figure:
    """Distance of two binary networks' spectra over the ratio of their densities (left) and over chance (right).

    One table of `study.similarity.distance_and_density` per task; pairs of the highlighted strategy are coloured. On
    the line, two networks lie as far apart as random ones with their densities.
    """
    named: dict[str, Any] = {"y": "distance of spectra", "titles": [task for task in pairs for _ in range(2)]}
    named["x"] = [""] * (2 * len(pairs) - 2) + ["ratio of the densities", "distance if edges were random"]
    picture, grid = panels(len(pairs), 2, **named, height=0.5 + 2.7 * len(pairs), sharey="row")
    for (left, right), table in zip(grid, pairs.values(), strict=True):
        special = (table["first"] == highlighted) | (table["second"] == highlighted)
        for name, rows, colour in (
            ("other pairs", table[~special], "0.6"),
            (f"pairs with {highlighted}", table[special], COLOURS[highlighted]),
        ):
            style: dict[str, Any] = {"color": colour, "ms": 2.5, "alpha": 0.5, "label": name}
            left.semilogx(rows["density_ratio"], rows["distance"], MARKERS["binary"], **style)
            right.plot(rows["random_distance"], rows["distance"], MARKERS["binary"], **style)
        right.axline((0, 0), slope=1, color="black", lw=0.8)
        few_decades = table["density_ratio"].max() < 30
        left.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few_decades else (1,)))
        left.xaxis.set_major_formatter("{x:g}")
        left.xaxis.set_minor_formatter(NullFormatter())
    legend_below(picture, grid[0, 1].get_legend_handles_labels()[0])
    return picture
