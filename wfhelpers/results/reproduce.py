"""Rerun the tasks of the paper.

What is missing is computed by workers (`dask.distributed`), on this machine or, with a scheduler, on any cluster whose
workers have this package. This process alone writes: results into ``results/``, pages into ``book/tasks/``, each page
atomically as soon as it arrives. After a crash, start again: what had arrived is skipped, pages under way are made
again. A page that fails does not stop the others.
"""

import fnmatch
import json
import os
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
from wfhelpers.core.jobs import Job, group_name
from wfhelpers.results.experiments import Experiments, Page, read
from wfhelpers.results.pages import Outcome, make, make_pairs, mark
from wfhelpers.results.store import Store, medians, write_whole

TOLERANCE = 0.01  # of a median AUC that counts as equal
KEPT_TRYING = 2  # times that a batch is sent again when its kernel or worker dies
MARK = "wfhelpers"  # key of the metadata of a page that says what it was made from


@dataclass(frozen=True)
class Batch:
    """Jobs that a worker gets at once: those of a page, or the pairs of one class with the others."""

    name: str
    jobs: tuple[Job, ...]
    page: Page | None = None

    @property
    def cost(self) -> int:
        """Objects trained on: a measure of the time that the batch takes."""
        return sum(job.size * len(job.negative + job.positive) for job in self.jobs)


class Run:
    """One run: what there is to do, and what came of it.

    ``only`` is a pattern that the names of batches must contain, such as ``mnist_1_*``; ``force`` does also what is
    done, and compares with the former medians. The work is done by local processes, ``workers`` of them (one per core),
    or by the Dask cluster at the address ``scheduler``.
    """

    def __init__(
        self,
        experiments: str | Path = "experiments.yml",
        *,
        results: str | Path = "results",
        pages: str | Path = "book/tasks",
        template: str | Path = "notebooks/task_report.ipynb",
        only: str | None = None,
        force: bool = False,
        workers: int | None = None,
        scheduler: str | None = None,
    ) -> None:
        self.pages, self.force, self.scheduler = Path(pages), force, scheduler
        self.workers = workers or os.cpu_count() or 1
        self.store = Store(results)
        self.template = _template(template)
        listed = _batches(read(experiments))
        self.batches = [batch for batch in listed if fnmatch.fnmatchcase(batch.name, f"*{only or ''}*")]
        if not self.batches:
            raise InputError(f"--only {only!r} matches nothing; --dry-run without it lists all names.")
        self.summary: list[dict[str, Any]] = []
        self.outcomes: list[Outcome] = []

    def plan(self) -> pd.DataFrame:
        """State of every batch: done, or which of its jobs are missing or changed and why."""
        rows = []
        for batch in self.batches:
            states = pd.Series([self.store.state(job) for job in batch.jobs]).value_counts()
            page = f"page {self._page_state(batch)}" if batch.page else "no page"
            jobs = ", ".join(f"{count} {state}" for state, count in states.items())
            rows.append({"name": batch.name, "jobs": jobs, "page": page})
        return pd.DataFrame(rows)

    def states(self) -> dict[str, list[str]]:
        """State of every job and of every page."""
        jobs = [self.store.state(job) for batch in self.batches for job in batch.jobs]
        return {"jobs": jobs, "pages": [self._page_state(batch) for batch in self.batches if batch.page]}

    def pending(self) -> list[Batch]:
        """Batches that have something to do, the longest first, so that no worker idles long at the end."""
        pending = [batch for batch in self.batches if self.force or not self._done(batch)]
        return sorted(pending, key=lambda batch: -batch.cost)

    def execute(self) -> int:
        """Do what is pending; the exit code."""
        begin = time.perf_counter()
        with self.store.lock():
            _check_folder(self.pages)
            pending = self.pending()
            names = {batch.name for batch in pending}
            self.summary = [_line(batch, "skipped") for batch in self.batches if batch.name not in names]
            former = {kind: (self.store.records, medians(self.store.rows(kind))) for kind in ("task", "pair")}
            if pending:
                with _client(self.scheduler, self.workers) as client:
                    self._collect(client, pending)
            self._print_summary(time.perf_counter() - begin)
            unequal = self._compare(former)
        return int(unequal or any(line["state"] == "FAILED" for line in self.summary))

    def _collect(self, client: Any, pending: Sequence[Batch]) -> None:
        from distributed import as_completed

        waiting, under_way, arriving = deque(pending), dict[Any, Batch](), as_completed()
        with tqdm(total=sum(batch.cost for batch in pending), desc="reproduce", ascii=True, **_BAR) as bar:
            self._send(client, waiting, under_way, arriving)
            for future in arriving:
                batch = under_way.pop(future)
                self._send(client, waiting, under_way, arriving)  # before storing, for which its worker need not wait
                self._receive(batch, future)
                future.release()
                bar.update(batch.cost)
                bar.set_postfix_str(batch.name)
                if bar.disable:
                    to_go = len(waiting) + len(under_way)
                    print(f"{batch.name}: {self.summary[-1]['state']}, {to_go} to go", flush=True)

    def _send(self, client: Any, waiting: deque[Batch], under_way: dict[Any, Batch], arriving: Any) -> None:
        """Send one batch per thread of the cluster: none waits in a worker's queue while another worker idles."""
        threads = max(1, sum(client.nthreads().values()))
        while waiting and len(under_way) < threads:
            batch = waiting.popleft()
            options = {"retries": KEPT_TRYING, "pure": False, "key": f"{batch.name}-{os.getpid()}"}
            future = client.submit(*self._submitted(batch), **options)
            under_way[future] = batch
            arriving.add(future)

    def _submitted(self, batch: Batch) -> tuple[Any, ...]:
        if batch.page is None:
            return make_pairs, batch.jobs
        done = [] if self.force else [job for job in batch.jobs if self.store.state(job) == "done"]
        return make, self.template, batch.page, [self.store.get(job.name) for job in done]

    def _receive(self, batch: Batch, future: Any) -> None:
        error = future.exception()
        outcome = Outcome(f"{type(error).__name__}: {error}".splitlines()[0], []) if error else future.result()
        expected = {job.name for job in batch.jobs}
        results = [result for result in outcome.results if result.name in expected]
        if results:
            self.store.add(results)
        failure = outcome.failure
        if not failure and not expected <= set(self.store.records["job"]):
            failure = "the worker has other code or other data: install the same version there"
        if batch.page and not failure:
            self._write_page(batch, outcome.page)
        self.outcomes.append(outcome)
        self.summary.append(_line(batch, "FAILED" if failure else "done", outcome.seconds, failure))

    def _write_page(self, batch: Batch, content: str) -> None:
        notebook = json.loads(content)
        notebook["metadata"][MARK] = mark(self.template, batch.jobs)
        text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        try:
            write_whole(self._page_path(batch), text.encode())
        except OSError as error:
            raise InputError(f"{self._page_path(batch)} cannot be written ({error.strerror}).") from error

    def _page_path(self, batch: Batch) -> Path:
        return self.pages / f"{batch.name}.ipynb"

    def _page_state(self, batch: Batch) -> str:
        try:
            former = json.loads(self._page_path(batch).read_text(encoding="utf-8"))["metadata"].get(MARK, {})
        except (OSError, ValueError, KeyError):
            return "missing"
        changed = [part for part, value in mark(self.template, batch.jobs).items() if former.get(part) != value]
        return f"changed: {', '.join(changed)}" if changed else "done"

    def _done(self, batch: Batch) -> bool:
        jobs = all(self.store.state(job) == "done" for job in batch.jobs)
        return jobs and (batch.page is None or self._page_state(batch) == "done")

    def _print_summary(self, seconds: float) -> None:
        table = pd.DataFrame(self.summary)
        print(table.to_string(index=False))
        counts = table["state"].value_counts()
        said = ", ".join(f"{counts.get(state, 0)} {state}" for state in ("done", "skipped", "FAILED"))
        print(f"{said} in {seconds:.0f} s; results in {self.store.folder}, pages in {self.pages}.")
        made = [outcome for outcome in self.outcomes if outcome.page]
        if made:
            starting = sum(outcome.seconds_starting for outcome in made)
            share = starting / sum(outcome.seconds for outcome in made)
            each = starting / len(made)
            print(f"Starting kernels and imports: {share:.0%} of the pages' time, {each:.1f} s per page.")

    def _compare(self, former: dict[str, Any]) -> bool:
        """Say whether recomputed medians equal the former ones; True if jobs of the same name do not."""
        failed = False
        for kind, (records, before) in former.items():
            rows = self.store.rows(kind)
            again = rows["job"].isin({result.name for outcome in self.outcomes for result in outcome.results})
            after = medians(rows[again])
            both = before.index.intersection(after.index)
            if both.empty:
                continue
            apart = (before[both] - after[both]).abs() > TOLERANCE + 1e-9
            print(f"Computed again ({kind}s): {len(both) - apart.sum()} of {len(both)} medians equal to {TOLERANCE}")
            for place in both[apart][:10]:
                print("  not equal:", *place)
            same_jobs = set(records["job"]).issuperset(rows[again]["job"])
            failed |= bool(apart.any()) and same_jobs
        return failed


_BAR = {
    "bar_format": "{desc} {percentage:3.0f}% |{bar}| {elapsed} gone, {remaining} left{postfix}",
    "mininterval": 1,
    "disable": None,  # where nobody watches, one line per batch is printed instead
    "dynamic_ncols": True,
}


def _batches(listed: Experiments) -> list[Batch]:
    batches = [Batch(page.name, page.jobs, page) for page in listed.pages]
    for name, jobs in listed.pairs.items():
        groups: dict[str, list[Job]] = {}
        for job in jobs:
            groups.setdefault(group_name(job.negative), []).append(job)
        batches += [Batch(f"{name}_{negative}", tuple(group)) for negative, group in groups.items()]
    return batches


def _template(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        words = f"The template {path} cannot be read ({error.strerror}); start in the project's folder."
        raise InputError(words) from error


def _check_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / ".probe", b"")
        (folder / ".probe").unlink()
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
    local = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": ERROR}
    with LocalCluster(processes=True, **local) as cluster, Client(cluster) as client:
        yield client


def _line(batch: Batch, state: str, seconds: float = 0.0, reason: str = "") -> dict[str, Any]:
    return {"name": batch.name, "jobs": len(batch.jobs), "state": state, "seconds": round(seconds, 1), "reason": reason}
