"""Make a page: run the template with papermill for one task, in a kernel of its own.

`make` runs on a worker, which may be another machine: the template and the results that are known already come in as
values, and the page and all results of its cells go out as values. Nothing is left on the worker's disk.
"""

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError

from wfhelpers.core.jobs import Cell, Result, compute
from wfhelpers.results.experiments import Page
from wfhelpers.results.store import Store

PRIVATE = ("store",)
"""Parameters that name places of the machine that ran the page; the page does not show them."""


@dataclass(frozen=True)
class Outcome:
    """What a worker gives back.

    Attributes
    ----------
    failure
        One line that says what failed; empty if nothing did.
    results
        Results of the cells that were not known before, also of those done before a failure.
    page
        The executed notebook as JSON; empty after a failure.
    seconds, seconds_starting
        All time, and the part of it that went into starting the kernel and imports.
    """

    failure: str
    results: Sequence[Result]
    page: str = ""
    seconds: float = 0.0
    seconds_starting: float = 0.0


def make(template: str, page: Page, known: Sequence[Result]) -> Outcome:
    """Run the template for a page. A notebook that fails is an outcome; a kernel that dies raises."""
    begin = time.perf_counter()
    # Dask makes its workers give memory back at once. A kernel that inherited this would ask the system for every large
    # array anew, and spend a third of its time there.
    os.environ.pop("MALLOC_TRIM_THRESHOLD_", None)
    with tempfile.TemporaryDirectory(prefix="wfhelpers-") as folder:
        store, draft, made = Path(folder) / "results", Path(folder) / "draft.ipynb", Path(folder) / "page.ipynb"
        if known:
            Store(store).add(known)
        nbformat.write(_titled(nbformat.reads(template, as_version=4), page), draft)
        failure = ""
        try:
            papermill.execute_notebook(
                *(draft, made, {**page.parameters, "store": str(store)}),
                kernel_name="python3",
                progress_bar=False,
                extra_arguments=["--IPKernelApp.log_level=CRITICAL"],
            )
        except PapermillExecutionError as error:
            failure = f"{error.ename}: {error.evalue}".splitlines()[0]
        filled = Store(store)
        computed = set(filled.records["cell"]) - {result.name for result in known}
        results = [filled.get(name) for name in sorted(computed)]
        seconds = time.perf_counter() - begin
        if failure:
            return Outcome(failure, results, seconds=seconds)
        notebook = nbformat.read(made, as_version=4)
        starting = seconds - _seconds_of_work(notebook)
        return Outcome("", results, clean(notebook), seconds, starting)


def make_pairs(cells: Sequence[Cell]) -> Outcome:
    """Compute cells that have no page."""
    begin = time.perf_counter()
    results = [compute(cell) for cell in cells]
    return Outcome("", results, seconds=time.perf_counter() - begin)


def clean(notebook: NotebookNode) -> str:
    """JSON of an executed page without what changes from one machine or moment to the next."""
    notebook.metadata.pop("papermill", None)
    for cell in notebook.cells:
        for name in ("papermill", "execution"):
            cell.metadata.pop(name, None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            lines = [line for line in cell.source.splitlines() if line.split(" = ")[0] not in PRIVATE]
            cell.source = "\n".join(lines)
    return str(nbformat.writes(notebook))


def _titled(template: NotebookNode, page: Page) -> NotebookNode:
    """The template under the title of the page, in place of its own first cell."""
    where = f" The paper has it, or one of its kind, in {page.source}." if page.source else ""
    name = {"mnist": "MNIST", "citeseer": "Citeseer"}.get(page.cells[0].dataset, page.cells[0].dataset)
    made_from = "One task, made by papermill from the [template](../../notebooks/task_report)."
    template.cells[0].source = f"# {name}: {page.title}\n\n{made_from}{where}"
    for place, cell in enumerate(template.cells):
        cell.id = f"cell-{place}"  # the same every time
        if cell.cell_type == "code":  # a reader of the page wants its results; the code is one click away
            hidden = "remove-cell" if "parameters" in cell.metadata.get("tags", []) else "hide-input"
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), hidden]
    return template


def _seconds_of_work(notebook: NotebookNode) -> float:
    """Time that the cells after the imports took."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    imports = next(place for place, cell in enumerate(code) if "import " in cell.source)
    return sum(_duration(cell.metadata) for cell in code[imports + 1 :])


def _duration(metadata: Mapping[str, Any]) -> float:
    return float(metadata.get("papermill", {}).get("duration") or 0.0)
