"""How much faster two workers are than one, measured in this one run.

    python benchmarks/workers.py

The same four pages are made by `wfhelpers reproduce` with one local worker and with two, from nothing, starting and
stopping the workers included. The table is saved as ``benchmarks/workers.csv``.
"""

import tempfile
import time
from pathlib import Path

import pandas as pd

from wfhelpers.results.reproduce import Run

ROOT = Path(__file__).parents[1]
EXPERIMENTS = """
defaults: {sizes: [50, 100, 150], runs: 10, protocol: charitable, orientation: both}
tasks:
  mnist:
    - {negative: 1, positive: 2}
    - {negative: 4, positive: 9}
    - {negative: 3, positive: 5}
    - {negative: 7, positive: 8}
"""


def seconds(workers: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        experiments = Path(folder) / "experiments.yml"
        experiments.write_text(EXPERIMENTS, encoding="utf-8")
        places = {name: str(Path(folder) / name) for name in ("results", "pages")}
        template = str(ROOT / "notebooks" / "task_report.ipynb")
        begin = time.perf_counter()
        code = Run(experiments, workers=workers, template=template, **places).execute()
        if code:
            raise SystemExit(code)
        return time.perf_counter() - begin


if __name__ == "__main__":
    table = pd.DataFrame([{"workers": workers, "seconds": seconds(workers)} for workers in (1, 2)])
    table["times one worker"] = table["seconds"].iloc[0] / table["seconds"]
    table.round(2).to_csv(Path(__file__).with_suffix(".csv"), index=False)
    print(table.round(2).to_string(index=False))
