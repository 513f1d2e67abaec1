"""One function a figure: tidy tables (or arrays) in, a matplotlib Figure out.

A strategy keeps its colour in the whole book (Okabe-Ito, told apart by colour-blind readers; green, red and yellow
are the paper's own for bin, lottery and agnostic). A square is a binary network, a circle a real one.
"""

import io
import itertools
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator, NullFormatter
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
        "28 × 28": images,
        "cropped": images[:, 2:26, 2:26],
        "mean": mean.reshape(-1, 8, 8),
        "max": maximum.reshape(-1, 8, 8),
    }
    made = figure(len(stages), len(images), height=3.2)
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
    made = figure(height=2.4)
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


def bounds_against_gaps(decaying: pd.DataFrame, constant: pd.DataFrame) -> Figure:
    """Each bound over the gap that it speaks of, one point a problem: Theorem 1 (left), the proved bound (right).

    Columns: ``c``, ``gap`` and ``printed`` of ``decaying``; ``gradients``, ``average_gap`` and ``average_bound`` of
    ``constant``. Below the diagonal, in grey, a bound is violated.
    """
    made = figure(1, 2, height=3.6)
    left, right = made.axes
    _bound_over_gap(left, {f"c = {c:g}": rows[["gap", "printed"]] for c, rows in decaying.groupby("c")})
    left.set(title="Theorem 1, rates c/t", ylabel="bound (units of f)")
    groups = constant.groupby("gradients")[["average_gap", "average_bound"]]
    _bound_over_gap(right, {f"{gradients} gradients": rows for gradients, rows in groups})
    right.set(title="proved here, constant rate")
    return made


def _bound_over_gap(axes: Axes, groups: Mapping[str, pd.DataFrame]) -> None:
    """Scatter the second column of each group over the first, and shade what lies below the diagonal."""
    for (label, rows), marker, colour in zip(groups.items(), "osv", COLOURS.values(), strict=False):
        axes.loglog(*rows.to_numpy().T, marker, color=colour, ms=3, alpha=0.6, label=label)
    gaps, bounds = pd.concat([rows.set_axis(["gap", "bound"], axis=1) for rows in groups.values()]).to_numpy().T
    ends = [min(gaps.min(), bounds.min()) / 2, max(gaps.max(), bounds.max()) * 2]
    axes.plot(ends, ends, color=MEASURED, lw=1)
    axes.fill_between(ends, [ends[0]] * 2, ends, color="0.9", zorder=0)
    axes.set(xlabel="measured F − min F (units of f)", xlim=(gaps.min() / 2, gaps.max() * 2))
    axes.set_ylim(min(bounds.min(), gaps.max()) / 4, bounds.max() * 2)
    axes.text(0.98, 0.02, "violated", ha="right", va="bottom", transform=axes.transAxes)
    axes.legend(frameon=False, fontsize="small", loc="upper left" if len(groups) < 3 else "lower left")


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
    right.set_yticks([0.5, 1, 2, 4, 8], ["0.5", "1", "2", "4", "8"])
    right.minorticks_off()
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


# Chapters 02 and 03. No strategies are compared there: shades of one scale tell the settings apart.


def shades(number: int) -> list[tuple[float, float, float, float]]:
    """Colours from dark to light that differ in brightness, for lines of one kind."""
    return [colormaps["viridis"](place) for place in np.linspace(0, 0.75, number)]


def step_functions(curves: pd.DataFrame) -> Figure:
    """Fig. 2: the step function (left) and its derivative, true (middle) and as printed (right), for several M.

    Columns: ``M``, ``w``, ``step``, ``slope``, ``slope_printed``.
    """
    made = figure(1, 3, height=2.8)
    titles = {
        "step": "$B_M(w)$",
        "slope": "derivative $M B_M (1 - B_M)$",
        "slope_printed": "as printed, $B_M (1 - B_M)$",
    }
    for axes, (column, title) in zip(made.axes, titles.items(), strict=True):
        groups = list(curves.groupby("M"))
        for (M, curve), colour in zip(groups, shades(len(groups)), strict=True):
            axes.plot(curve["w"], curve[column], color=colour, label=f"M = {M:g}")
        axes.set(title=title, xlabel="weight w")
        axes.title.set_fontsize("medium")
    made.axes[0].set_ylabel("value")
    made.axes[0].legend(frameon=False, fontsize="small")
    return made


def hard_and_soft(curves: pd.DataFrame, spans: Mapping[str, tuple[float, float]]) -> Figure:
    """Step (left) and slope (right, logarithmic) of the hard and the soft M.

    Columns: ``name``, ``w``, ``step``, ``slope``. The right panel is shaded over each span of weights.
    """
    made = figure(1, 2)
    left, right = made.axes
    names = list(dict.fromkeys(curves["name"]))
    for name, style, colour in zip(names, ("-", "--", ":"), shades(len(names)), strict=False):
        curve = curves[curves["name"] == name]
        left.plot(curve["w"], curve["step"], style, color=colour, label=name)
        right.semilogy(curve["w"], curve["slope"], style, color=colour)
    for name, (low, high) in spans.items():
        right.axvspan(low, high, color="0.88", zorder=0)
        right.text((low + high) / 2, 0.95, name, transform=right.get_xaxis_transform(), ha="center", fontsize="small")
    right.set(xlabel="weight w", ylabel="slope", ylim=(1e-6, None))
    left.set(xlabel="weight w", ylabel="step")
    left.legend(frameon=False, fontsize="small", loc="lower right")
    return made


def one_descent(course: pd.DataFrame) -> Figure:
    """One run of Algorithm 1 over its steps: objective, AUC, density of the layers, flipped weights.

    Columns as `wfhelpers.study.convergence.follow` gives them, for a single run.
    """
    made = figure(2, 2, height=4.6, sharex=True)
    dark, light = shades(2)
    relaxed, binary = r"$B_{M_{hard}}(w)$", r"$B_\infty(w)$"
    panels: list[tuple[str, dict[str, str]]] = [
        ("objective F (training)", {"F_relaxed": relaxed, "F_binary": binary}),
        ("AUC (test)", {"auc_relaxed": relaxed, "auc_binary": binary}),
        ("density (share of ones)", {"density_1": "layer 1", "density_2": "layer 2"}),
        ("flips (share of weights)", {"flip_ratio": ""}),
    ]
    for axes, (label, lines) in zip(made.axes, panels, strict=True):
        for (column, name), colour, style in zip(lines.items(), (dark, light), ("-", "--"), strict=False):
            axes.plot(course["step"], course[column], style, color=colour, label=name)
        axes.set_ylabel(label)
        if len(lines) > 1:
            axes.legend(frameon=False, fontsize="small")
    for axes in made.axes[2:]:
        axes.set_xlabel("step")
    return made


def weight_pictures(states: Mapping[int, NDArray[np.float64]]) -> Figure:
    """Binary networks ``[2, I, I]`` at several steps: a column a step, a row a layer, black where a weight is one."""
    made = figure(2, len(states), height=7.2 * 2 / len(states) + 0.5, sharex=True, sharey=True)
    axes = np.array(made.axes).reshape(2, -1)
    for column, (step, layers) in enumerate(states.items()):
        for row, layer in enumerate(layers):
            axes[row, column].imshow(layer, cmap="Greys", vmin=0, vmax=1, interpolation="nearest")
            axes[row, column].set(xticks=[], yticks=[])
            axes[row, column].spines[["top", "right"]].set_visible(True)
        axes[0, column].set_title(f"step {step}", fontsize="medium")
    axes[0, 0].set(ylabel="layer 1: hidden j", xlabel="input k")
    axes[1, 0].set(ylabel="layer 2: output i", xlabel="hidden j")
    return made


def starting_density(sweep: pd.DataFrame, width: int) -> Figure:
    """AUC after training (above) and share of runs that moved (below) over the density of the start.

    Columns: ``scale``, ``density``, ``auc_binary``, ``moved``; a line marks the density ``1 / width``.
    """
    made = figure(2, 1, height=4.4, sharex=True)
    above, below = made.axes
    groups = list(sweep.groupby("scale"))
    for (scale, rows), colour, style in zip(groups, shades(len(groups)), ("o-", "s-", "^-"), strict=False):
        _median_and_quartiles(above, rows, "density", "auc_binary", colour, style, f"s = {scale:g}")
        below.plot(rows.groupby("density")["moved"].mean(), style, color=colour, ms=4)
    for axes in made.axes:
        axes.axvline(1 / width, color="0.6", lw=1, ls=":")
    above.text(1 / width, 0.52, f" 1/{width}", color="0.35", fontsize="small")
    above.set(ylabel="AUC (test)", xscale="log")
    below.set(xlabel="density p of the start (share of ones)", ylabel="share of runs that moved")
    above.legend(frameon=False, fontsize="small", loc="center left")
    return made


def convergence(courses: pd.DataFrame) -> Figure:
    """Fig. 3: a column for each ``M_hard``, a colour for each ``M_soft / M_hard``; objective above, AUC below.

    Columns: ``step``, ``run``, ``M_hard``, ``M_soft``, ``F_binary``, ``auc_binary``. Median solid, quartiles dashed.
    """
    sharpnesses = sorted(courses["M_hard"].unique())
    made = figure(2, len(sharpnesses), height=4.8, sharex=True, sharey="row")
    axes = np.array(made.axes).reshape(2, -1)
    courses = courses.assign(ratio=(courses["M_soft"] / courses["M_hard"]).round(6))
    ratios = sorted(courses["ratio"].unique())
    colours = dict(zip(ratios, shades(len(ratios)), strict=True))
    styles = dict(zip(ratios, itertools.cycle(("o-", "s-", "^-")), strict=False))
    for column, M_hard in enumerate(sharpnesses):
        for ratio, rows in courses[courses["M_hard"] == M_hard].groupby("ratio"):
            for row, value in enumerate(["F_binary", "auc_binary"]):
                label = f"{ratio:g} $M_{{hard}}$"
                _median_and_quartiles(axes[row, column], rows, "step", value, colours[ratio], styles[ratio], label)
        axes[0, column].set_title(f"$M_{{hard}}$ = {M_hard:g}", fontsize="medium")
        axes[1, column].set_xlabel("step")
    axes[0, 0].set_ylabel("objective F (training)")
    axes[1, 0].set_ylabel("AUC (test)")
    axes[0, 0].legend(frameon=False, fontsize="small", title="$M_{soft}$", loc="lower left")
    return made


def rounding(finals: pd.DataFrame) -> Figure:
    """What ``M_hard`` does: objective reached (left), error of the rounding in F (middle) and in AUC (right).

    Columns: ``setting``, ``M_hard``, ``F_relaxed``, ``F_error``, ``auc_error``; median and quartiles over runs.
    """
    made = figure(1, 3, height=3.2)
    panels = {
        "F_relaxed": "objective F reached (training)",
        "F_error": "rounding error of F",
        "auc_error": "rounding error of AUC (test)",
    }
    settings, ladder = list(dict.fromkeys(finals["setting"])), sorted(finals["M_hard"].unique())
    for axes, (value, label) in zip(made.axes, panels.items(), strict=True):
        for setting, colour, style in zip(settings, shades(len(settings)), ("o-", "s-", "^-"), strict=False):
            _median_and_quartiles(
                axes, finals[finals["setting"] == setting], "M_hard", value, colour, style, str(setting)
            )
        axes.set(xlabel="$M_{hard}$", xscale="log", ylabel=label)
        axes.set_xticks(ladder, labels=[f"{M:g}" for M in ladder])
        axes.minorticks_off()
    made.axes[1].set_yscale("log")
    made.legend(*made.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return made


def _median_and_quartiles(
    axes: Axes, rows: pd.DataFrame, x: str, value: str, colour: Any, style: str, label: str
) -> None:
    """Median over the rows of each x as a line, quartiles as thin dashed lines."""
    groups = rows.groupby(x)[value]
    axes.plot(groups.median(), style, color=colour, ms=3.5, label=label)
    for share in (0.25, 0.75):
        axes.plot(groups.quantile(share), "--", color=colour, lw=0.8)


# Chapter 06. Tasks are rows or panels. Lines of different widths stay visible where strategies give the same spectrum.

SPECTRUM_LINES = {
    "real": (4.0, "-"),
    "lottery": (2.4, "-"),
    "random": (1.2, "--"),
    "bin": (1.4, "-"),
    "agnostic": (1.4, "-"),
}


def network_graph(networks: Mapping[str, NDArray[np.float64]], adjacency: NDArray[np.float64]) -> Figure:
    """Networks ``[2, I, I]`` as graphs of inputs, hidden nodes and outputs, and an adjacency matrix ``[3 I, 3 I]``.

    A dark node has an edge, a light one has none.
    """
    made = figure(1, len(networks) + 1, height=3.4)
    for axes, (name, layers) in zip(made.axes, networks.items(), strict=False):
        _draw_layers(axes, layers)
        axes.set_title(name, fontsize="medium")
    picture = made.axes[-1]
    picture.imshow(adjacency, cmap="Greys", vmin=0, vmax=1, interpolation="nearest")
    width = len(adjacency) // 3
    for border in (width, 2 * width):
        picture.axhline(border - 0.5, color=COLOURS["real"], lw=0.8)
        picture.axvline(border - 0.5, color=COLOURS["real"], lw=0.8)
    middles = [width / 2, 1.5 * width, 2.5 * width]
    picture.set_xticks(middles, ["outputs", "hidden", "inputs"], fontsize="small")
    picture.set_yticks(middles, ["outputs", "hidden", "inputs"], fontsize="small", rotation=90, va="center")
    picture.tick_params(length=0)
    picture.spines[["top", "right"]].set_visible(True)
    picture.set_title("adjacency matrix A", fontsize="medium")
    return made


def _draw_layers(axes: Axes, layers: NDArray[np.float64]) -> None:
    """Edges of both layers as lines between three columns of nodes."""
    width = layers.shape[-1]
    for column, layer in enumerate(layers):  # w[j, k] leads from node k of this column to node j of the next
        ends, begins = np.nonzero(layer)
        axes.plot([[column], [column + 1]] * np.ones(len(ends)), [begins, ends], color="black", lw=0.4, alpha=0.25)
    connected = [layers[0].any(0), layers[0].any(1) | layers[1].any(0), layers[1].any(1)]
    for column, used in enumerate(connected):
        axes.scatter(np.full(width, column), range(width), s=7, c=np.where(used, "black", "#CCCCCC"), zorder=3)
    axes.set_xticks([0, 1, 2], ["inputs", "hidden", "outputs"], fontsize="small")
    axes.set_yticks([])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def laplacian_spectra(bands: Mapping[str, Mapping[str, NDArray[np.float64]]], strategies: Sequence[str]) -> Figure:
    """Fig. 5, first two plots: eigenvalues of real (left) and binary networks (right), a row a task.

    Each band is ``[3, strategies, 3 I]``: lower quartile, median (solid), upper quartile (dashed, with shade between).
    """
    kinds = list(next(iter(bands.values())))
    made = figure(len(bands), len(kinds), height=0.5 + 2.7 * len(bands), sharex=True, sharey=True)
    grid = np.array(made.axes).reshape(len(bands), len(kinds))
    for row, (task, by_kind) in zip(grid, bands.items(), strict=True):
        for axes, (kind, band) in zip(row, by_kind.items(), strict=True):
            for strategy, (width, style) in SPECTRUM_LINES.items():
                low, median, high = band[:, strategies.index(strategy)]
                place, colour = np.arange(1, len(median) + 1), COLOURS[strategy]
                axes.fill_between(place, low, high, color=colour, alpha=0.15, lw=0)
                axes.plot(place, median, style, color=colour, lw=width, label=strategy)
                axes.plot(place, low, "--", place, high, "--", color=colour, lw=0.6)
            axes.set_title(f"{task}: {kind} networks", fontsize="medium")
        row[0].set_ylabel("eigenvalue")
    for axes in grid[-1]:
        axes.set_xlabel("eigenvalue's place, from the smallest")
    made.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
    return made


def spectral_maps(points: Mapping[str, Mapping[str, NDArray[np.float64]]], strategies: Sequence[str]) -> Figure:
    """Fig. 5, last plot: each network as a point ``[strategies, runs, 2]``, a panel a task, a marker a kind."""
    made = figure(1, len(points), height=3.8)
    filling = {"binary": 0.5, "real": 0.0}  # an open circle shows a square below it
    for axes, (task, by_kind) in zip(made.axes, points.items(), strict=True):
        for kind, places in sorted(by_kind.items()):
            for strategy, (width, _) in SPECTRUM_LINES.items():
                x, y = places[strategies.index(strategy)].T
                colour, size = COLOURS[strategy], 4 + 1.5 * width
                face = (colour, filling[kind])
                axes.plot(x, y, MARKERS[kind], mec=colour, mfc=face, ms=size)
        axes.set_title(task, fontsize="medium")
        axes.set(xlabel="first principal component", aspect="equal", adjustable="datalim")
    made.axes[0].set_ylabel("second principal component")
    handles = [Line2D([], [], color=COLOURS[strategy], lw=4, label=strategy) for strategy in strategies]
    for kind, marker in MARKERS.items():
        face = ("black", filling[kind])
        handles.append(Line2D([], [], marker=marker, ls="", mec="black", mfc=face, ms=7, label=f"{kind} network"))
    made.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize="small")
    return made


def distance_maps(distances: Mapping[str, Mapping[str, NDArray[np.float64]]], strategies: Sequence[str]) -> Figure:
    """Mean distance between the networks of each two strategies, a row a task, a column a way to compare."""
    columns = len(next(iter(distances.values())))
    made = figure(len(distances), columns, height=0.4 + min(3.3, 8.0 / columns) * len(distances))
    grid = np.array(made.axes).reshape(len(distances), columns)
    top = max(float(matrix.max()) for by_title in distances.values() for matrix in by_title.values())
    for row, (task, by_title) in zip(grid, distances.items(), strict=True):
        for axes, (title, matrix) in zip(row, by_title.items(), strict=True):
            shade = axes.imshow(matrix, cmap="viridis_r", vmin=0, vmax=top)
            for i, j in np.ndindex(*matrix.shape):
                ink = "white" if matrix[i, j] > 0.45 * top else "black"
                axes.text(j, i, f"{matrix[i, j]:.2f}", ha="center", va="center", fontsize="x-small", color=ink)
            axes.set_xticks(range(len(strategies)), strategies, fontsize="small", rotation=90)
            axes.set_yticks(range(len(strategies)), strategies, fontsize="small")
            axes.set_title(f"{task}\n{title}", fontsize="medium")
            axes.spines[:].set_visible(False)
        for axes in row[1:]:
            axes.set_yticklabels([])
    made.colorbar(shade, ax=made.axes, label="mean distance", shrink=0.6)
    return made


def distance_against_density(pairs: Mapping[str, pd.DataFrame], highlighted: str) -> Figure:
    """Distance of two binary networks' spectra over the ratio of their densities (left) and over chance (right).

    Columns as `wfhelpers.study.similarity.distance_and_density` gives them; a row a task. Pairs with the highlighted
    strategy are coloured. On the line, two networks lie as far apart as random ones with their densities.
    """
    made = figure(len(pairs), 2, height=0.5 + 2.7 * len(pairs), sharey="row")
    grid = np.array(made.axes).reshape(len(pairs), 2)
    for (left, right), (task, table) in zip(grid, pairs.items(), strict=True):
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
        left.set_ylabel("distance of spectra")
        for axes in (left, right):
            axes.set_title(task, fontsize="medium")
    grid[-1, 0].set_xlabel("ratio of the densities")
    grid[-1, 1].set_xlabel("distance if edges were random")
    handles, labels = grid[0, 1].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, markerscale=2)
    return made


# Chapter 05. The reference, a classifier that is no network of the paper, is a dashed black line.

REFERENCE: dict[str, Any] = {"color": "black", "ls": "--", "lw": 1}


def runtime_and_auc(results: pd.DataFrame, references: pd.Series) -> Figure:
    """Run time and AUC of each model, median and quartiles over runs: a row a task, a column a training size.

    ``results`` is the table of `wfhelpers.core.evaluation.table`; ``references`` holds an AUC for each (task, size).
    """
    tasks, sizes = results["task"].unique(), results["size"].unique()
    made = figure(len(tasks), len(sizes), height=1.1 + 1.9 * len(tasks), sharex=True, sharey=True)
    for axes, (task, size) in zip(made.axes, product(tasks, sizes), strict=True):
        axes.axhline(references[task, size], **REFERENCE)
        panel = results[(results["task"] == task) & (results["size"] == size)]
        for (strategy, kind), group in panel.groupby(["strategy", "kind"], sort=False):
            seconds, time_span = _centre_and_span(group["seconds_total"])
            auc, auc_span = _centre_and_span(group["auc"])
            axes.errorbar(seconds, auc, auc_span, time_span, **_model_style(strategy, kind))
        axes.set_xscale("log")
    grid = np.array(made.axes).reshape(len(tasks), len(sizes))
    for axes, size in zip(grid[0], sizes, strict=True):
        axes.set_title(f"{size} training objects a class", fontsize="medium")
    for axes, task in zip(grid[:, 0], tasks, strict=True):
        axes.set_ylabel(f"{task}\nAUC")
    for axes in grid[-1]:
        axes.set_xlabel("run time (s)")
    _legend_of_models(made)
    return made


def protocols_compared(results: pd.DataFrame, references: pd.Series) -> Figure:
    """AUC of each model, median and quartiles over runs, a group a task: a panel a protocol.

    ``results`` has the columns of `wfhelpers.core.evaluation.table` and ``protocol``; ``references`` an AUC for each task.
    """
    protocols, tasks = results["protocol"].unique(), list(results["task"].unique())
    made = figure(len(protocols), 1, height=1.1 + 2.1 * len(protocols), sharex=True, sharey=True)
    for axes, protocol in zip(made.axes, protocols, strict=True):
        panel = results[results["protocol"] == protocol]
        for place, task in enumerate(tasks):
            axes.hlines(references[task], place - 0.42, place + 0.42, **REFERENCE)
            of_task = panel[panel["task"] == task]
            for offset, (strategy, kind) in zip(np.linspace(-0.36, 0.36, 10), product(COLOURS, MARKERS), strict=True):
                chosen = (of_task["strategy"] == strategy) & (of_task["kind"] == kind)
                auc, span = _centre_and_span(of_task.loc[chosen, "auc"])
                axes.errorbar(place + offset, auc, span, **_model_style(strategy, kind))
        axes.set(title=protocol, ylabel="AUC")
    made.axes[-1].set_xticks(range(len(tasks)), tasks)
    _legend_of_models(made)
    return made


def contribution_of_weights(margins: pd.DataFrame) -> Figure:
    """AUC that real weights add to an architecture, with its interval: a line a (task, size).

    ``margins`` is the table of `wfhelpers.study.intervals.margin`.
    """
    made = figure(height=0.9 + 0.24 * len(margins))
    axes = made.axes[0]
    places = np.arange(len(margins))[::-1]
    middle, lower, upper = margins[["margin", "lower", "upper"]].to_numpy().T
    axes.errorbar(middle, places, xerr=[middle - lower, upper - middle], ls="", **_model_style("bin", "real"))
    axes.axvline(0, color="black", lw=0.8)
    axes.set_yticks(places, [f"{task}, {size} a class" for task, size in margins.index], fontsize="small")
    axes.set_xlabel("AUC of bin→real minus AUC of bin (95 % interval)")
    return made


def _centre_and_span(values: pd.Series) -> tuple[float, NDArray[np.float64]]:
    """Median, and how far the quartiles lie below and above it, as matplotlib's error bars want it."""
    lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75])
    return float(median), np.array([[median - lower], [upper - median]])


def _model_style(strategy: str, kind: str) -> dict[str, Any]:
    return {"color": COLOURS[strategy], "marker": MARKERS[kind], "mec": "black", "mew": 0.5, "ms": 6, "elinewidth": 1}


def _legend_of_models(made: Figure) -> None:
    handles = [Line2D([], [], color=colour, lw=4, label=strategy) for strategy, colour in COLOURS.items()]
    for kind, marker in MARKERS.items():
        handles.append(Line2D([], [], ls="", marker=marker, mec="black", mfc="white", label=f"{kind} network"))
    handles.append(Line2D([], [], label="logistic regression", **REFERENCE))
    made.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize="small")


# Chapter 07. An effect has the colour of the model that it changes; a hollow marker may be no effect at all.


def start_maps(grid: pd.DataFrame) -> Figure:
    """Median AUC (left) and share of runs that train at all (right) over mean and scale of a start; a row a task.

    ``grid`` is the table of `wfhelpers.study.sensitivity.start_grid`.
    """
    tasks = list(dict.fromkeys(grid["task"]))
    made = figure(len(tasks), 2, height=0.5 + 1.9 * len(tasks), sharex=True, sharey=True)
    panels = {"auc": ("median", "median AUC", 0.5), "trains": ("mean", "share of runs that train", 0.0)}
    for row, task in zip(np.array(made.axes).reshape(-1, 2), tasks, strict=True):
        for axes, (column, (how, title, floor)) in zip(row, panels.items(), strict=True):
            cells = grid[grid["task"] == task].groupby(["scale", "mean"])[column].agg(how).unstack()
            _annotated(axes, cells, "viridis", floor, 1.0, "{:.2f}")
            axes.set_title(f"{task}: {title}", fontsize="medium")
        row[0].set_ylabel("scale of the start")
    for axes in made.axes[-2:]:
        axes.set_xlabel("mean of the start")
    return made


def _annotated(axes: Axes, cells: pd.DataFrame, colours: str, floor: float, top: float, form: str) -> None:
    """Heat map with the value in each cell, white where the ground is dark."""
    values = cells.to_numpy(dtype=float)
    axes.imshow(values, cmap=colours, vmin=floor, vmax=top, aspect="auto", origin="lower")
    for i, j in np.ndindex(*values.shape):
        ink = "white" if values[i, j] < floor + 0.6 * (top - floor) else "black"
        axes.text(j, i, form.format(values[i, j]), ha="center", va="center", fontsize="small", color=ink)
    axes.set_xticks(range(len(cells.columns)), [f"{value:g}" for value in cells.columns])
    axes.set_yticks(range(len(cells.index)), [f"{value:g}" for value in cells.index])
    axes.spines[:].set_visible(False)


def ranked_effects(effects: pd.DataFrame, ranked: pd.DataFrame, lead: str) -> Figure:
    """Choices by their largest effect: on the model that it changes most (left), on the lead of bin (right).

    ``effects`` and ``ranked`` are the tables of `wfhelpers.study.sensitivity.table` and `wfhelpers.study.sensitivity.ranking`. One
    marker a task and reading; it is filled if its 95 % interval excludes zero.
    """
    made = figure(1, 2, height=0.9 + 0.25 * len(ranked), sharey=True, width_ratios=[3, 2])
    for axes, on_lead in zip(made.axes, (False, True), strict=True):
        for place, row in zip(range(len(ranked))[::-1], ranked.itertuples(), strict=True):
            chosen = (effects["choice"] == row.choice) & (effects["model"] == (lead if on_lead else row.model))
            style = _style_of("bin" if on_lead else str(row.model))
            for effect, lower, upper in effects.loc[chosen, ["effect", "lower", "upper"]].to_numpy():
                clear = lower > 0 or upper < 0
                axes.plot(effect, place, ls="", **(style if clear else style | {"mfc": "white", "mec": "0.6"}))
        axes.axvline(0, color="black", lw=0.8)
        axes.grid(axis="y", color="0.92")
        axes.set_axisbelow(True)
    left, right = made.axes
    names = [f"{row.choice} ({row.gap})" for row in ranked.itertuples()]
    left.set_yticks(range(len(ranked))[::-1], names, fontsize="small")
    left.set(xlabel="change of the median AUC", title="model changed most")
    right.set(xlabel="change of the lead", title=lead)
    _legend_of_effects(made, [str(model) for model in ranked["model"]])
    return made


def _style_of(model: str) -> dict[str, Any]:
    """Marker of a model by its name: a square where its network is binary."""
    binary = model.endswith("-bin") or model in ("bin", "agnostic")
    style = _model_style(model.split("-")[0], "binary" if binary else "real")
    return {name: value for name, value in style.items() if name != "elinewidth"}


def _legend_of_effects(made: Figure, models: Sequence[str]) -> None:
    handles = []
    for model in sorted(set(models)):
        handles.append(Line2D([], [], ls="", label=model.replace("-", "→"), **_style_of(model)))
    handles.append(Line2D([], [], ls="", marker="o", mec="0.6", mfc="white", label="interval contains 0"))
    made.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize="small")


OUTCOMES = {"bin ahead": COLOURS["bin"], "tie": "#DDDDDD", "real ahead": COLOURS["real"]}


def headline(leads: pd.DataFrame) -> Figure:
    """Where bin beats real: the lead of bin over the starts of both, coloured by its outcome; a panel a task.

    ``leads`` is the table of `wfhelpers.study.sensitivity.headline_map`.
    """
    tasks = list(dict.fromkeys(leads["task"]))
    made = figure(1, len(tasks), height=4.0, sharey=True)
    for axes, task in zip(made.axes, tasks, strict=True):
        cells = leads[leads["task"] == task]
        rows, columns = (list(dict.fromkeys(cells[name])) for name in ("bin_start", "real_start"))
        for cell in cells.itertuples():
            x, y = columns.index(cell.real_start), rows.index(cell.bin_start)
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fc=OUTCOMES[str(cell.outcome)], ec="white"))
            ink = "black" if cell.outcome == "tie" else "white"
            text = f"{round(cell.lead, 2) + 0.0:+.2f}".replace("0.", ".")
            axes.text(x, y, text, ha="center", va="center", fontsize="x-small", color=ink)
        axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize="small")
        axes.set_yticks(range(len(rows)), rows, fontsize="small")
        axes.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5), xlabel="start of real")
        axes.set_title(task, fontsize="medium")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
    made.axes[0].set_ylabel("start of bin (density at s = 0.1)")
    handles = [Rectangle((0, 0), 1, 1, fc=colour, label=outcome) for outcome, colour in OUTCOMES.items()]
    made.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    return made


# Reference points. Algorithm 1 has its colour; other networks are grey squares, ordinary classifiers white circles.


def reference_points(results: pd.DataFrame, networks: Sequence[str]) -> Figure:
    """AUC of every model, median and quartiles over runs, a panel a task; a line marks the median of bin.

    ``results`` is the table of `wfhelpers.study.peers.reference_points`; ``networks`` names the binary networks.
    """
    tasks, models = list(results["task"].unique()), list(results["model"].unique())
    rows = -(-len(tasks) // 3)
    made = figure(rows, min(3, len(tasks)), height=0.5 + 2.2 * rows, sharey=True, squeeze=False)
    for axes, task in zip(made.axes, tasks, strict=False):
        of_task = results[results["task"] == task]
        for place, model in enumerate(models):
            auc, span = _centre_and_span(of_task.loc[of_task["model"] == model, "auc"])
            axes.errorbar(auc, place, xerr=span, **_reference_style(model, model in networks))
        axes.axvline(of_task.loc[of_task["model"] == "bin", "auc"].median(), color=COLOURS["bin"], lw=0.8, ls=":")
        axes.set_title(task, fontsize="medium")
        axes.set(xlabel="AUC (test)", ylim=(len(models) - 0.5, -0.5))
        axes.set_yticks(range(len(models)), models, fontsize="small")
    for axes in made.axes[len(tasks) :]:
        axes.remove()
    return made


def standing(counts: pd.DataFrame) -> Figure:
    """In how many cases Algorithm 1 is ahead of each other model, behind it, or neither: a bar a model.

    ``counts`` is the table of `wfhelpers.study.peers.standing`.
    """
    made = figure(height=0.9 + 0.27 * len(counts))
    axes = made.axes[0]
    outcomes = {
        "ahead": ("bin ahead", COLOURS["bin"]),
        "unclear": ("unclear", "#DDDDDD"),
        "behind": ("bin behind", COLOURS["lottery"]),
    }
    left = np.zeros(len(counts))
    for outcome, (label, colour) in outcomes.items():
        widths = counts[outcome].to_numpy()
        bars = axes.barh(range(len(counts)), widths, left=left, color=colour, label=label)
        axes.bar_label(bars, [str(width) if width else "" for width in widths], label_type="center", fontsize="small")
        left = left + widths
    axes.set_yticks(range(len(counts)), list(counts.index), fontsize="small")
    axes.invert_yaxis()
    axes.set_xlabel("cases (a task in one orientation)")
    axes.set_xlim(0, left.max())
    axes.locator_params(axis="x", integer=True)
    made.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    return made


def _reference_style(model: str, binary: bool) -> dict[str, Any]:
    if model == "bin":
        return _model_style("bin", "binary")
    face = {"marker": MARKERS["binary"], "mfc": "0.5"} if binary else {"marker": MARKERS["real"], "mfc": "white"}
    return {"color": "0.35", "mec": "black", "mew": 0.5, "ms": 6, "elinewidth": 1, **face}


# The verdict


def leads(cases: pd.DataFrame, *, stacked: bool = False) -> Figure:
    """Lead in AUC in every case with its interval, in the order of the leads: a panel a protocol.

    ``cases`` is what `wfhelpers.ledger.cases` gives, for several protocols. Panels are side by side, or ``stacked``.
    """
    protocols = list(dict.fromkeys(cases["protocol"]))
    if stacked:
        made = figure(len(protocols), width=4.6, height=1.7 * len(protocols), sharex=True, sharey=True, squeeze=False)
    else:
        made = figure(1, len(protocols), height=3.0, sharey=True, squeeze=False)
    sides = {1: (COLOURS["bin"], "ahead"), 0: ("0.6", "tied"), -1: (COLOURS["lottery"], "behind")}
    for axes, protocol in zip(made.axes, protocols, strict=True):
        shown = cases[cases["protocol"] == protocol].sort_values("mean", kind="stable").reset_index(drop=True)
        axes.axhline(0, color="black", lw=0.8)
        for side, (colour, word) in sides.items():
            rows = shown[shown["side"] == side]
            reach = [rows["mean"] - rows["lower"], rows["upper"] - rows["mean"]]
            axes.errorbar(rows.index, rows["mean"], reach, fmt=".", ms=3, lw=0.6, color=colour, label=word)
        counts = ", ".join(f"{(shown['side'] == side).sum()} {word}" for side, (_, word) in sides.items())
        axes.set_title(f"{protocol}:{' ' if stacked else chr(10)}{counts}", fontsize="medium")
    made.axes[-1].legend(frameon=False, fontsize="small", loc="lower right", ncols=3, handlelength=0.5, columnspacing=1)
    made.supylabel("lead in AUC (test)", fontsize="medium")
    made.supxlabel(f"the {len(shown)} cases, ordered by lead", fontsize="medium")
    return made
