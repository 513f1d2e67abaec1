"""Rerun the tasks of the paper: ``python -m wfhelpers.results.reproduce experiments.yml``.

What is missing is computed by workers (`dask.distributed`), on this machine or, with ``--scheduler``, on any cluster
whose workers have this package. This process alone writes: results into ``results/``, pages into ``book/tasks/``, each
page as soon as it arrives and whole or not at all. After a crash, start again: what had arrived is skipped, pages under
way are made anew. A page that fails does not stop the others.
"""

import argparse
import fnmatch
import json
import os
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from logging import ERROR
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from wfhelpers._support import InputError
from wfhelpers.core.jobs import Cell, bare_code, group_name, short_hash
from wfhelpers.results import experiments, pages
from wfhelpers.results.experiments import Page
from wfhelpers.results.pages import Outcome
from wfhelpers.results.store import Store, medians, write_whole

TOLERANCE = 0.01  # of a median AUC that counts as equal
KEPT_TRYING = 2  # times that a unit is sent again when its kernel or worker dies
MARK = "wfhelpers"  # key of the page's metadata that names its cells and its template


@dataclass(frozen=True)
class Unit:
    """What is sent to a worker at once: a page with all of its cells, or the pairs of one class with the others."""

    name: str
    cells: tuple[Cell, ...]
    page: Page | None = None

    @property
    def cost(self) -> int:
        """Objects trained on: a measure of the time that the unit takes."""
        return sum(cell.size * len(cell.negative + cell.positive) for cell in self.cells)


class Run:
    """One run: what there is to do, and what came of it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.store = Store(options.results)
        self.template = _template(options.template)
        self.units = [unit for unit in _units(experiments.read(options.experiments)) if _wanted(unit, options.only)]
        if not self.units:
            raise InputError(f"--only {options.only!r} matches nothing; --dry-run without it lists all names.")
        self.summary: list[dict[str, Any]] = []
        self.outcomes: list[Outcome] = []

    def plan(self) -> pd.DataFrame:
        """State of every unit: done, or which of its cells are missing or changed and why."""
        rows = []
        for unit in self.units:
            states = pd.Series([self.store.state(cell) for cell in unit.cells]).value_counts()
            page = "no page" if unit.page is None else self._page_state(unit)
            rows.append(
                {"name": unit.name, "cells": ", ".join(f"{n} {state}" for state, n in states.items()), "page": page}
            )
        return pd.DataFrame(rows)

    def pending(self) -> list[Unit]:
        """Units that have something to do, the longest first, so that no worker idles long at the end."""
        pending = [unit for unit in self.units if self.options.force or not self._done(unit)]
        return sorted(pending, key=lambda unit: -unit.cost)

    def execute(self) -> int:
        """Do what is pending; the exit code."""
        begin = time.perf_counter()
        with self.store.lock():
            _check_folder(self.options.pages)
            pending = self.pending()
            names = {unit.name for unit in pending}
            self.summary = [_line(unit, "skipped") for unit in self.units if unit.name not in names]
            former = {kind: (self.store.records, medians(self.store.rows(kind))) for kind in ("task", "pair")}
            if pending:
                with _client(self.options.scheduler, self.options.workers) as client:
                    self._collect(client, pending)
            self._print_summary(time.perf_counter() - begin)
            unequal = self._compare(former)
        return int(unequal or any(line["state"] == "FAILED" for line in self.summary))

    def _collect(self, client: Any, pending: Sequence[Unit]) -> None:
        from distributed import as_completed

        waiting, under_way, arriving = deque(pending), dict[Any, Unit](), as_completed()
        with tqdm(total=sum(unit.cost for unit in pending), desc="reproduce", ascii=True, **_BAR) as bar:
            self._send(client, waiting, under_way, arriving)
            for future in arriving:
                unit = under_way.pop(future)
                self._send(client, waiting, under_way, arriving)  # before storing, for which its worker need not wait
                self._receive(unit, future)
                future.release()
                bar.update(unit.cost)
                bar.set_postfix_str(unit.name)
                if bar.disable:
                    to_go = len(waiting) + len(under_way)
                    print(f"{unit.name}: {self.summary[-1]['state']}, {to_go} to go", flush=True)

    def _send(self, client: Any, waiting: deque[Unit], under_way: dict[Any, Unit], arriving: Any) -> None:
        """Send as many units as the cluster has threads: none waits in a worker's queue while another worker idles."""
        threads = max(1, sum(client.nthreads().values()))
        while waiting and len(under_way) < threads:
            unit = waiting.popleft()
            options = {"retries": KEPT_TRYING, "pure": False, "key": f"{unit.name}-{os.getpid()}"}
            future = client.submit(*self._submitted(unit), **options)
            under_way[future] = unit
            arriving.add(future)

    def _submitted(self, unit: Unit) -> tuple[Any, ...]:
        if unit.page is None:
            return pages.make_pairs, unit.cells
        done = [] if self.options.force else [cell for cell in unit.cells if self.store.state(cell) == "done"]
        return pages.make, self.template, unit.page, [self.store.get(cell.name) for cell in done]

    def _receive(self, unit: Unit, future: Any) -> None:
        error = future.exception()
        outcome = Outcome(f"{type(error).__name__}: {error}".splitlines()[0], []) if error else future.result()
        expected = {cell.name for cell in unit.cells}
        results = [result for result in outcome.results if result.name in expected]
        if results:
            self.store.add(results)
        failure = outcome.failure
        if not failure and not expected <= set(self.store.records["cell"]):
            failure = "the worker has other code or other data: install the same version there"
        if unit.page and not failure:
            self._write_page(unit, outcome.page)
        self.outcomes.append(outcome)
        self.summary.append(_line(unit, "FAILED" if failure else "done", outcome.seconds, failure))

    def _write_page(self, unit: Unit, content: str) -> None:
        notebook = json.loads(content)
        notebook["metadata"][MARK] = self._mark(unit)
        text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        try:
            write_whole(self._page_path(unit), text.encode())
        except OSError as error:
            raise InputError(f"{self._page_path(unit)} cannot be written ({error.strerror}).") from error

    def _page_path(self, unit: Unit) -> Path:
        return Path(self.options.pages) / f"{unit.name}.ipynb"

    def _mark(self, unit: Unit) -> dict[str, str]:
        sources = [(cell["cell_type"], cell["source"]) for cell in json.loads(self.template)["cells"]]
        code = [
            bare_code((Path(__file__).parents[1] / name).read_text())
            for name in ("show/report.py", "study/intervals.py")
        ]
        cells = [cell.name for cell in unit.cells]
        return {"cells": short_hash(cells), "template": short_hash([sources, *code])}

    def _page_state(self, unit: Unit) -> str:
        try:
            mark = json.loads(self._page_path(unit).read_text())["metadata"].get(MARK, {})
        except (OSError, ValueError, KeyError):
            return "page missing"
        changed = [part for part, value in self._mark(unit).items() if mark.get(part) != value]
        return f"page changed: {', '.join(changed)}" if changed else "page done"

    def _done(self, unit: Unit) -> bool:
        cells = all(self.store.state(cell) == "done" for cell in unit.cells)
        return cells and (unit.page is None or self._page_state(unit) == "page done")

    def _print_summary(self, seconds: float) -> None:
        table = pd.DataFrame(self.summary)
        print(table.to_string(index=False))
        counts = table["state"].value_counts()
        print(
            ", ".join(f"{counts.get(state, 0)} {state}" for state in ("done", "skipped", "FAILED")),
            f"in {seconds:.0f} s; results in {self.options.results}, pages in {self.options.pages}.",
        )
        made = [outcome for outcome in self.outcomes if outcome.page]
        if made:
            starting = sum(outcome.seconds_starting for outcome in made)
            share = starting / sum(outcome.seconds for outcome in made)
            print(f"Starting kernels and imports: {share:.0%} of the pages' time, {starting / len(made):.1f} s a page.")

    def _compare(self, former: dict[str, Any]) -> bool:
        """Say whether recomputed medians equal the former ones; True if cells of the same name do not."""
        failed = False
        for kind, (records, before) in former.items():
            rows = self.store.rows(kind)
            again = rows["cell"].isin(self._computed())
            after = medians(rows[again])
            both = before.index.intersection(after.index)
            if both.empty:
                continue
            apart = (before[both] - after[both]).abs() > TOLERANCE + 1e-9
            print(
                f"Computed again ({kind}s): {len(both) - apart.sum()} of {len(both)} medians equal to {TOLERANCE}"
                + "".join(f"\n  not equal: {' '.join(map(str, place))}" for place in both[apart][:10])
            )
            same_cells = set(records["cell"]).issuperset(rows[again]["cell"])
            failed |= bool(apart.any()) and same_cells
        return failed

    def _computed(self) -> set[str]:
        return {result.name for outcome in self.outcomes for result in outcome.results}


_BAR = {
    "bar_format": "{desc} {percentage:3.0f}% |{bar}| {elapsed} gone, {remaining} left{postfix}",
    "mininterval": 1,
    "disable": None,  # where nobody watches, a line a unit is printed instead
    "dynamic_ncols": True,
}


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    options = _parser().parse_args(words)
    try:
        run = Run(options)
        if options.dry_run:
            plan = run.plan()
            print(plan.to_string(index=False))
            print(f"{len(run.pending())} of {len(plan)} units to do.")
            return 0
        return run.execute()
    except InputError as error:
        print(error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m wfhelpers.results.reproduce", description=__doc__)
    parser.add_argument("experiments", nargs="?", default="experiments.yml", help="file of experiments")
    parser.add_argument("--only", metavar="PATTERN", help="units whose name contains the pattern, such as 'mnist_1_*'")
    parser.add_argument(
        "--force", action="store_true", help="do also what is done, and compare with the former medians"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what is done, missing or changed, and why")
    parser.add_argument("--workers", type=_count, default=os.cpu_count(), help="local worker processes, one a core")
    parser.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="Dask cluster that does the work instead")
    parser.add_argument("--results", default="results", help="folder of the results store")
    parser.add_argument("--pages", default="book/tasks", help="folder of the pages")
    parser.add_argument("--template", default="notebooks/task_report.ipynb", help="notebook that makes a page")
    return parser


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def _units(read: experiments.Experiments) -> list[Unit]:
    units = [Unit(page.name, page.cells, page) for page in read.pages]
    for name, cells in read.pairs.items():
        groups: dict[str, list[Cell]] = {}
        for cell in cells:
            groups.setdefault(group_name(cell.negative), []).append(cell)
        units += [Unit(f"{name}_{negative}", tuple(group)) for negative, group in groups.items()]
    return units


def _wanted(unit: Unit, pattern: str | None) -> bool:
    return pattern is None or fnmatch.fnmatchcase(unit.name, f"*{pattern}*")


def _template(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"The template {path} cannot be read ({error.strerror}); start in the project's folder."
        ) from error


def _check_folder(folder: str) -> None:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        write_whole(Path(folder) / ".probe", b"")
        (Path(folder) / ".probe").unlink()
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be written ({error.strerror}); choose another folder.") from error


@contextmanager
def _client(scheduler: str | None, workers: int) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise InputError("dask.distributed is missing; install it with pip install -e '.[cluster]'.") from error
    if scheduler:
        try:
            client = Client(scheduler, timeout="10s")
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(f"No Dask scheduler answers at {scheduler}; start one with 'dask scheduler'.") from error
        with client:
            yield client
        return
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", silence_logs=ERROR
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _line(unit: Unit, state: str, seconds: float = 0.0, reason: str = "") -> dict[str, Any]:
    return {"name": unit.name, "cells": len(unit.cells), "state": state, "seconds": round(seconds, 1), "reason": reason}


if __name__ == "__main__":
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
