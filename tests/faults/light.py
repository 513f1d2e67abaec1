"""A small project for tests: made-up data, two tasks, and a template that only computes."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd

from wfhelpers.results.store import Store

SETTINGS = "{steps: 3, agnostic_architectures: 1, agnostic_shared_weights: 1, lottery_rounds: 2}"
PARAMETERS = """dataset = ""
negative = None
positive = None
sizes = []
test_per_class = 4
runs = 2
seed = 0
protocol = "all"
orientation = "both"
settings = {}
store = ""
"""
WORK = """from wfhelpers.results.plan import task_jobs
from wfhelpers.results.store import complete

work = task_jobs(dataset, negative, positive, sizes=sizes, test_per_class=test_per_class, runs=runs, seed=seed,
                 protocol=protocol, orientation=orientation, settings=settings)
rows = complete(work, store)
"""


def save_data(path: Path, seed: int = 0) -> Path:
    """Three classes of twelve objects with six columns."""
    rng = np.random.default_rng(seed)
    kinds = np.repeat(np.arange(3), 12)
    features = rng.normal(size=(36, 6))
    features[np.arange(36), kinds] += 3
    np.savez(path, X=features, y=np.array(["a", "b", "c"])[kinds])
    return path


def save_template(path: Path, *extra: str) -> Path:
    """Template that computes its jobs; extra code cells come before the work."""
    sources = [PARAMETERS, *extra, WORK]
    cells = [nbformat.v4.new_markdown_cell("# A task"), *(nbformat.v4.new_code_cell(source) for source in sources)]
    cells[1].metadata.tags = ["parameters"]
    kernel = {"name": "python3", "language": "python", "display_name": "Python 3"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    return path


def project(folder: Path, *extra: str) -> list[str]:
    """Files of a project with two tasks; the words that make `wfhelpers` reproduce them."""
    data = save_data(folder / "toy.npz")
    experiments = folder / "experiments.yml"
    experiments.write_text(f"""
defaults: {{sizes: [3, 5], test_per_class: 4, runs: 2, seed: 0, protocol: literal, orientation: given,
           settings: {SETTINGS}}}
tasks:
  {data}:
    - {{negative: a, positive: b}}
    - {{negative: [a, b], positive: c}}
""")
    template = save_template(folder / "template.ipynb", *extra)
    places = ["--results", str(folder / "results"), "--pages", str(folder / "pages"), "--template", str(template)]
    return ["reproduce", str(experiments), *places]


def start(arguments: list[str]) -> "subprocess.Popen[str]":
    """`wfhelpers` in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "wfhelpers", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def pages(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "pages").glob("*"))


def rows(folder: Path) -> pd.DataFrame:
    """All rows in the store, in a fixed order, without run times."""
    table = Store(folder / "results").rows()
    ordered = table.drop(columns=["seconds", "seconds_total"]).sort_values(["task", "size", "model", "run"])
    return ordered.reset_index(drop=True)
