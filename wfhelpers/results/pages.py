"""Make a page: run the template with papermill for one task, in a kernel of its own.

`make` runs on a worker, which may be another machine: the template and the results that are known already come in as
values, and the page and all results of its jobs go out as values. Nothing is left on the worker's disk.
"""

import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
import papermill
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError

from wfhelpers._support import short_hash
from wfhelpers.core.jobs import Job, Result, compute
from wfhelpers.results.experiments import Page
from wfhelpers.results.store import Store, code_of

DRAWN_BY = ("show", "study/intervals.py")
"""Code of the package that draws a page, besides its jobs and its template."""


@dataclass(frozen=True)
class Outcome:
    """What a worker gives back: results of the jobs that were not known before, also of those done before a failure.

    ``failure`` is one line that says what failed, and empty if nothing did; ``page`` is the executed notebook as JSON.
    ``seconds_starting`` is the part of the time that went into starting the kernel and imports.
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
    # array again, and spend a third of its time there.
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
        computed = set(filled.records["job"]) - {result.name for result in known}
        results = [filled.get(name) for name in sorted(computed)]
        seconds = time.perf_counter() - begin
        if failure:
            return Outcome(failure, results, seconds=seconds)
        notebook = nbformat.read(made, as_version=4)
        starting = seconds - _seconds_of_work(notebook)
        return Outcome("", results, clean(notebook), seconds, starting)


def make_pairs(jobs: Sequence[Job]) -> Outcome:
    """Compute jobs that have no page."""
    begin = time.perf_counter()
    results = [compute(job) for job in jobs]
    return Outcome("", results, seconds=time.perf_counter() - begin)


def clean(notebook: NotebookNode) -> str:
    """JSON of an executed page without what changes from one machine or moment to the next."""
    notebook.metadata.pop("papermill", None)
    for cell in notebook.cells:
        for name in ("papermill", "execution"):
            cell.metadata.pop(name, None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            # The store is a place on the machine that ran the page.
            cell.source = "\n".join(line for line in cell.source.splitlines() if not line.startswith("store = "))
    return str(nbformat.writes(notebook))


def mark(template: str, jobs: Sequence[Job]) -> dict[str, str]:
    """Hashes of what a page is made from: its jobs, its template, and all code that draws it."""
    sources = [(cell["cell_type"], cell["source"]) for cell in json.loads(template)["cells"]]
    names = [job.name for job in jobs]
    return {"jobs": short_hash(names), "template": short_hash(sources), "code": code_of(*DRAWN_BY)}


def _titled(template: NotebookNode, page: Page) -> NotebookNode:
    """The template under the title of the page, in place of its own first cell."""
    where = f" The paper has it, or one of its kind, in {page.source}." if page.source else ""
    name = {"mnist": "MNIST", "citeseer": "Citeseer"}.get(page.jobs[0].dataset, page.jobs[0].dataset)
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
    return sum(float(cell.metadata.get("papermill", {}).get("duration") or 0) for cell in code[imports + 1 :])
