"""What a task's page shows: tables and figures from the results of its jobs."""

import io
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import pandas as pd
import PIL.Image
from IPython.display import HTML, Image
from matplotlib.figure import Figure

from wfhelpers import __version__
from wfhelpers.core.jobs import EIGENVALUE_STEP, Job, Result, dataset
from wfhelpers.core.strategies import label
from wfhelpers.results.store import commit
from wfhelpers.show.figures import png
from wfhelpers.show.figures_spectra import Spectra, spectra_and_maps
from wfhelpers.show.overview import standing_of_bin
from wfhelpers.study.intervals import quartiles, winners


def standings(rows: pd.DataFrame) -> HTML:
    """Median AUC and quartiles: one row per model, one column per (protocol, size); ``*`` is a win, ``=`` a tie."""
    columns = {}
    for _, won in winners(rows).iterrows():
        group = rows[(rows["protocol"] == won["protocol"]) & (rows["size"] == won["size"])]
        marks = dict.fromkeys((won["best"], *won["tied"]), "=") if won["tied"] else {won["best"]: "*"}
        columns[(won["protocol"], f"{won['size']} per class")] = {
            label(str(model)): f"{q['median']:.3f}{marks.get(str(model), '')}<br>"
            f'<span style="font-size: 0.75em; white-space: nowrap">{q["lower"]:.2f}–{q["upper"]:.2f}</span>'
            for model, q in quartiles(group, ["model"]).iterrows()
        }
    return HTML(pd.DataFrame(columns).to_html(escape=False))  # type: ignore[no-untyped-call]


def summary(rows: pd.DataFrame) -> str:
    """Sentence on how often bin or bin→real is best, alone or tied, over the cases in the rows."""
    counted = standing_of_bin(winners(rows))
    best, alone, among = counted.sum()
    return (
        f"bin or bin→real has the highest median AUC in {best} of {len(counted)} cases, in {alone} of them "
        f"without a tie with another strategy; in {among - best} more it ties with the best."
    )


def densities(rows: pd.DataFrame) -> pd.DataFrame:
    """Median share of nonzero weights in the first and the second layer, at the largest size: one row per model."""
    largest = rows[rows["size"] == rows["size"].max()]
    medians = largest.groupby(["protocol", "task", "model"], sort=False)[["density_1", "density_2"]].median()
    text = medians.apply(lambda row: f"{row['density_1']:.2f}, {row['density_2']:.2f}", axis=1)
    table: pd.DataFrame = text.unstack("model")[list(dict.fromkeys(rows["model"]))].rename(columns=label).T
    return table


def spectra(results: Sequence[Result]) -> Figure:
    """Fig. 5 and App. D for the results of one task that have spectra: one row per protocol."""
    rows = {}
    for result in results:
        models, bands = list(dict.fromkeys(result.rows["model"])), result.spectra["bands"] * EIGENVALUE_STEP
        rows[result.key["protocol"]] = Spectra(models, bands, result.spectra["points"], result.spectra["explained"])
    return spectra_and_maps(rows)


def small(picture: Figure) -> Image:
    """Figure as a PNG with a palette, a third as large as one without, for a book of many pages."""
    content, image = io.BytesIO(), PIL.Image.open(io.BytesIO(png(picture, dpi=100))).convert("RGB")
    # This method keeps every colour to a few steps of 255; the default one may paint rare colours in others.
    image.quantize(256, PIL.Image.Quantize.FASTOCTREE).save(content, format="png", optimize=True)
    return Image(data=content.getvalue(), format="png")  # type: ignore[no-untyped-call]


def footer(jobs: Sequence[Job], seconds: float, parameters: Mapping[str, Any]) -> str:
    """Everything that is needed to make the page again, and how long it took."""
    names = ("numpy", "scipy", "pandas", "torch", "matplotlib")
    facts = {
        "parameters": ", ".join(f"{name} = {value}" for name, value in parameters.items()),
        "wfhelpers": f"{__version__}, commit {commit()}",
        "data sha256": dataset(jobs[0].dataset).sha256,
        "versions": ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in names)]),
        "seconds": f"{seconds:.1f}",
    }
    return "\n".join(f"{name}: {fact}" for name, fact in facts.items())
