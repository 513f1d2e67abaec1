"""What a task's page shows: tables and figures from the results of its cells."""

import io
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import pandas as pd
import PIL.Image
from IPython.display import HTML, Image
from matplotlib.figure import Figure

import wfhelpers
from wfhelpers.core.jobs import EIGENVALUE_STEP, Cell, Result, dataset
from wfhelpers.core.strategies import BINARY_MODELS, MODELS, OURS, label, strategy_of
from wfhelpers.results.store import commit
from wfhelpers.show import figures
from wfhelpers.study.intervals import quartiles, winners

REAL_MODELS = tuple(model for model in MODELS if model not in BINARY_MODELS)
VERSIONS = ("numpy", "scipy", "pandas", "torch", "matplotlib")


def all_rows(results: Sequence[Result]) -> pd.DataFrame:
    """Rows of all results, in their order."""
    return pd.concat([result.rows for result in results], ignore_index=True)


def standings(rows: pd.DataFrame) -> pd.DataFrame:
    """Median AUC with its quartiles, a row a model, a column a (protocol, size): for one task.

    ``*`` marks a model that wins, ``=`` the best one and those that tie with it where there is no winner.
    """
    columns = {}
    for _, won in winners(rows).iterrows():
        group = rows[(rows["protocol"] == won["protocol"]) & (rows["size"] == won["size"])]
        middle = quartiles(group, ["model"])
        marks = dict.fromkeys((won["best"], *won["tied"]), "=") if won["tied"] else {won["best"]: "*"}
        columns[(won["protocol"], f"{won['size']} a class")] = {
            label(str(model)): f"{q['median']:.3f}{marks.get(str(model), '')} {q['lower']:.2f}–{q['upper']:.2f}"
            for model, q in middle.iterrows()
        }
    return pd.DataFrame(columns)


def standings_html(rows: pd.DataFrame) -> HTML:
    """The `standings` with the quartiles in small print below the medians, so that nine columns fit on a page."""
    two_lines = '<br><span style="font-size: 0.75em; white-space: nowrap">{}</span>'
    table = standings(rows).map(lambda text: text.split()[0] + two_lines.format(text.split()[1]))
    return HTML(table.to_html(escape=False))  # type: ignore[no-untyped-call]


def verdict(rows: pd.DataFrame) -> str:
    """Sentence on how often bin or bin→real is best, alone or tied, over the panels in the rows."""
    won = winners(rows)
    best = won["best"].isin(OURS)
    alone = best & won["tied"].map(lambda tied: set(tied) <= set(OURS))
    tied = ~best & won["tied"].map(lambda tied: bool(set(tied) & set(OURS)))
    return (
        f"bin or bin→real has the highest median AUC in {best.sum()} of {len(won)} panels, in {alone.sum()} of them "
        f"without a tie with another strategy; in {tied.sum()} more it ties with the best."
    )


def densities(rows: pd.DataFrame) -> pd.DataFrame:
    """Median share of nonzero weights in the first and the second layer, at the largest size: a row a model."""
    largest = rows[rows["size"] == rows["size"].max()]
    medians = largest.groupby(["protocol", "task", "model"], sort=False)[["density_1", "density_2"]].median()
    text = medians.apply(lambda row: f"{row['density_1']:.2f}, {row['density_2']:.2f}", axis=1)
    made: pd.DataFrame = text.unstack("model")[list(dict.fromkeys(rows["model"]))].rename(columns=label).T
    return made


def runtime_auc(rows: pd.DataFrame) -> Figure:
    """Run time against AUC as in Fig. 4 and App. C, for one task: a row a protocol, a column a size.

    Points are medians over runs, bars quartiles; run times include the model that another is derived from.
    """
    protocols, sizes = list(dict.fromkeys(rows["protocol"])), sorted(rows["size"].unique())
    made = figures.figure(
        len(protocols), len(sizes), height=2.0 * len(protocols) + 0.8, sharex=True, sharey="row", squeeze=False
    )
    for axes, (protocol, size) in zip(made.axes, ((p, s) for p in protocols for s in sizes), strict=True):
        panel = rows[(rows["protocol"] == protocol) & (rows["size"] == size)]
        for model, runs in panel.groupby("model", sort=False):
            _point(axes, str(model), runs)
        axes.set_title(f"{protocol}, {size} a class", fontsize="small")
        axes.set_xscale("log")
    for axes in made.axes[:: len(sizes)]:
        axes.set_ylabel("AUC (test)")
    for axes in made.axes[-len(sizes) :]:
        axes.set_xlabel("seconds a run")
    _legend(made)
    return made


def spectra_and_map(results: Sequence[Result]) -> Figure:
    """Spectra of real and of binary networks and their map as in Fig. 5 and App. D, for one task: a row a protocol."""
    made = figures.figure(len(results), 3, height=2.1 * len(results) + 0.8, squeeze=False)
    for place, result in enumerate(results):
        real, binary, plane = made.axes[3 * place : 3 * place + 3]
        bands = result.spectra["bands"] * EIGENVALUE_STEP
        models = list(dict.fromkeys(result.rows["model"]))
        for model, band, points in zip(models, bands, result.spectra["points"], strict=True):
            axes = binary if model in BINARY_MODELS else real
            colour = figures.COLOURS[strategy_of(model)]
            for values, line in zip(band, ("--", "-", "--"), strict=True):
                axes.plot(values, line, color=colour, lw=1.2 if line == "-" else 0.6)
            plane.plot(*points.T, _marker(model), color=colour, ms=3, alpha=0.7)
        shares = 100 * result.spectra["explained"]
        real.set_title(f"{result.key['protocol']}: real", fontsize="small")
        binary.set_title("binary", fontsize="small")
        plane.set_title(f"map, {shares[0]:.0f} % + {shares[1]:.0f} % of variance", fontsize="small")
        real.set_ylabel("eigenvalue")
        plane.set(xlabel="first component", ylabel="second component")
        for axes in (real, binary):
            axes.set(ylim=(0, 2), xlabel="rank")
    _legend(made)
    return made


def small(figure: Figure) -> Image:
    """Figure as a PNG with a palette, a third as large as one without, for a book of many pages."""
    drawn, content = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=100)
    # This method keeps every colour to a few steps of 255; the default one may paint rare colours in others.
    palette = PIL.Image.open(drawn).convert("RGB").quantize(256, PIL.Image.Quantize.FASTOCTREE)
    palette.save(content, format="png", optimize=True)
    return Image(data=content.getvalue(), format="png")  # type: ignore[no-untyped-call]


def footer(cells: Sequence[Cell], seconds: float, parameters: Mapping[str, Any]) -> str:
    """Everything that is needed to make the page again, and how long it took."""
    facts = {
        "parameters": ", ".join(f"{name} = {value}" for name, value in parameters.items()),
        "wfhelpers": f"{wfhelpers.__version__}, commit {commit()}",
        "data sha256": dataset(cells[0].dataset).sha256,
        "versions": ", ".join([f"Python {platform.python_version()}", *(f"{n} {version(n)}" for n in VERSIONS)]),
        "seconds": f"{seconds:.1f}",
    }
    return "\n".join(f"{name}: {fact}" for name, fact in facts.items())


def _point(axes: Any, model: str, runs: pd.DataFrame) -> None:
    (x_low, x, x_high), (y_low, y, y_high) = (
        runs[column].quantile([0.25, 0.5, 0.75]) for column in ("seconds_total", "auc")
    )
    bars = {"xerr": [[x - x_low], [x_high - x]], "yerr": [[y - y_low], [y_high - y]]}
    axes.errorbar(x, y, **bars, fmt=_marker(model), color=figures.COLOURS[strategy_of(model)], ms=5, lw=0.8)


def _marker(model: str) -> str:
    return figures.MARKERS["binary" if model in BINARY_MODELS else "real"]


def _legend(figure: Figure) -> None:
    handles = [figure.axes[0].plot([], [], _marker(m), color=figures.COLOURS[strategy_of(m)])[0] for m in MODELS]
    figure.legend(
        handles, [label(m) for m in MODELS], loc="outside lower center", ncols=5, frameon=False, fontsize="small"
    )
