"""The results store: a folder of small tables in which the result of a job is stored atomically.

``<dataset>_<protocol>.csv.gz``
    Rows of the tasks' jobs, one per task, size, model and run; in ``<dataset>_<protocol>_pairs.csv.gz`` of the pairs.
``<dataset>_<protocol>_spectra.npz``, ``<dataset>_<protocol>_networks.npz``
    Spectra of the largest size; binary networks of Algorithm 1, a bit per weight, one array per job.
``jobs.csv``
    One row per job: its name, what it is about, what it depends on, and when, with which version and from which commit
    it was computed. A job is done when it is listed here. This file is written last, so that a crash between two
    files leaves rows that nobody counts, and that the next run replaces.

Only one process writes at a time (`Store.lock`).
"""

import gzip
import io
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from torch import Tensor

from wfhelpers import __version__
from wfhelpers._support import InputError, canonical_code, progress, short_hash
from wfhelpers.core.jobs import COLUMNS, Job, Result, compute, unpacked
from wfhelpers.core.strategies import MODELS

KEY = ("kind", "protocol", "dataset", "negative", "positive", "size")
CAUSES = ("settings", "data", "code")
RECORD = ("job", *KEY, *CAUSES, "version", "commit", "computed")


class StoreError(InputError):
    """A results folder that cannot be used."""


class Store:
    """Results in a folder. Opening it reads what is done; nothing is written before the first `add`.

    >>> store = Store("results")
    >>> store.rows()[["task", "model"]].iloc[0].tolist()
    ['AI vs Agents', 'real']
    """

    records: pd.DataFrame
    """Content of ``jobs.csv``."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._read()

    def state(self, job: Job) -> str:
        """``done``, ``missing``, or ``changed`` with what has changed since the job was computed."""
        if job.name in set(self.records["job"]):
            return "done"
        former = self._former(job.key)
        if former.empty:
            return "missing"
        changed = [cause for cause in CAUSES if former.iloc[-1][cause] != job.causes[cause]]
        return f"changed: {', '.join(changed)}"

    def get(self, name: str) -> Result:
        """Result of a done job."""
        record = self.records[self.records["job"] == name].iloc[0]
        key = {column: str(record[column]) for column in KEY}
        rows, arrays = self._table(_stem(key)), self._arrays_of(f"{_stem(key)}_spectra").items()
        spectra = {member.removeprefix(f"{name}_"): array for member, array in arrays if member.startswith(f"{name}_")}
        networks = self._arrays_of(f"{_stem(key)}_networks").get(name)
        causes = {column: str(record[column]) for column in CAUSES}
        return Result(name, key, causes, rows[rows["job"] == name].reset_index(drop=True), spectra, networks)

    def networks(self, name: str) -> Tensor:
        """Binary networks of Algorithm 1 in a done job, ``[runs, 2, I, I]``."""
        bits = self.get(name).networks
        if bits is None:
            raise StoreError(f"The job {name} keeps no networks; those of tasks under charitable and tuned are kept.")
        return unpacked(bits, round((4 * bits.shape[1]) ** 0.5))

    def add(self, results: Sequence[Result]) -> None:
        """Put results in the place of former ones for the same keys, and write the files that changed."""
        stems = {_stem(result.key) for result in results}
        for result in results:
            self._replace(result)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for stem in sorted(stems):
                self._write(stem)
            ordered = self.records.sort_values(list(KEY), key=lambda column: column.map(_natural))
            write_whole(self.folder / "jobs.csv", ordered.to_csv(index=False).encode())
        except OSError as error:
            words = f"The results folder {self.folder} cannot be written ({error.strerror}); what was written before "
            raise StoreError(f"{words}is whole: make room, or choose another folder, and start again.") from error

    def rows(self, kind: str = "task") -> pd.DataFrame:
        """All rows of done jobs, of the tasks or of the pairs."""
        keys = self.records[self.records["kind"] == kind][list(KEY)].to_dict("records")
        tables = [self._table(stem) for stem in sorted({_stem(key) for key in keys})]
        if not tables:
            return pd.DataFrame(columns=list(COLUMNS))
        rows = pd.concat(tables, ignore_index=True)
        return rows[rows["job"].isin(self.records["job"])].reset_index(drop=True)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for one process, after checking that it can be written."""
        with locked(self.folder, ".lock"):
            self._read()  # somebody may have written until now
            yield

    def _former(self, key: Any) -> pd.DataFrame:
        same = (self.records[list(KEY)] == [key[column] for column in KEY]).all(axis=1)
        return self.records.loc[same]

    def _replace(self, result: Result) -> None:
        stem = _stem(result.key)
        former = {result.name, *self._former(result.key)["job"]}
        table = self._table(stem)
        others = table[~table["job"].isin(former)]
        self._tables[stem] = pd.concat([others, result.rows], ignore_index=True) if len(others) else result.rows
        added = {f"{result.name}_{part}": array for part, array in result.spectra.items()}
        networks = {} if result.networks is None else {result.name: result.networks}
        for file, arrays in ((f"{stem}_spectra", added), (f"{stem}_networks", networks)):
            kept = {name: each for name, each in self._arrays_of(file).items() if name.split("_")[0] not in former}
            self._arrays[file] = kept | arrays
        record = {"job": result.name, **result.key, **result.causes, **provenance()}
        records = self.records[~self.records["job"].isin(former)]
        self.records = pd.concat([records, pd.DataFrame([record])], ignore_index=True)

    def _read(self) -> None:
        path = self.folder / "jobs.csv"
        empty = pd.DataFrame(columns=list(RECORD), dtype=str)
        self.records = pd.read_csv(path, dtype=str) if path.is_file() else empty
        self._tables: dict[str, pd.DataFrame] = {}
        self._arrays: dict[str, dict[str, NDArray[Any]]] = {}

    def _table(self, stem: str) -> pd.DataFrame:
        if stem not in self._tables:
            path = self.folder / f"{stem}.csv.gz"
            text = {"negative": str, "positive": str, "job": str}
            empty = pd.DataFrame(columns=list(COLUMNS))
            self._tables[stem] = pd.read_csv(path, dtype=text) if path.is_file() else empty
        return self._tables[stem]

    def _arrays_of(self, file: str) -> dict[str, NDArray[Any]]:
        if file not in self._arrays:
            path = self.folder / f"{file}.npz"
            self._arrays[file] = dict(np.load(path, allow_pickle=False)) if path.is_file() else {}
        return self._arrays[file]

    def _write(self, stem: str) -> None:
        places = self._table(stem)["model"].map(MODELS.index)
        table = self._table(stem).assign(place=places).sort_values(["negative", "positive", "size", "place", "run"])
        text = table[list(COLUMNS)].to_csv(index=False)
        write_whole(self.folder / f"{stem}.csv.gz", gzip.compress(text.encode(), mtime=0))
        for file in (f"{stem}_spectra", f"{stem}_networks"):
            if arrays := self._arrays_of(file):
                content = io.BytesIO()
                np.savez_compressed(content, allow_pickle=False, **dict(sorted(arrays.items())))
                write_whole(self.folder / f"{file}.npz", content.getvalue())


def complete(jobs: Sequence[Job], folder: str | Path | None = None) -> list[Result]:
    """Results of the jobs, in their order: those that the store has, and the others computed and stored one by one."""
    if not folder:
        return [compute(job) for job in progress(jobs, "jobs")]
    store = Store(folder)
    with store.lock():
        for job in progress(jobs, "jobs"):
            if store.state(job) != "done":
                store.add([compute(job)])
    return [store.get(job.name) for job in jobs]


@contextmanager
def locked(folder: Path, name: str) -> Iterator[None]:
    """Hold the lock of this name in a folder; refuse if another process holds it or the folder cannot be written."""
    lock = FileLock(folder / name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        words = f"Another run is writing to {folder}; wait until it has ended, or choose another folder."
        raise StoreError(words) from error
    except OSError as error:
        words = f"The results folder {folder} cannot be written ({error.strerror}); choose another folder, or "
        raise StoreError(f"{words}change its permissions.") from error
    try:
        yield
    finally:
        lock.release()


def results_folder() -> Path:
    """Folder ``results`` of the project that the working directory belongs to."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "experiments.yml").is_file():
            return folder / "results"
    raise StoreError(f"{here} does not belong to the project: no folder above it has an experiments.yml.")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that at any moment it has its former content or the new one."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def provenance() -> dict[str, str]:
    """Version and commit of the package, and the time: what is noted beside everything that is computed now."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    return {"version": __version__, "commit": commit(), "computed": now}


@lru_cache
def code_of(*places: str) -> str:
    """Hash over files and folders of the package: canonical code of Python modules, other files as they are."""
    root = Path(__file__).parents[1]
    files = [path for place in places for path in _files(root / place)]
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in files}
    return short_hash({name: canonical_code(text) if name.endswith(".py") else text for name, text in texts.items()})


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    return sorted(path for path in place.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


@lru_cache
def commit() -> str:
    """Commit of the checkout that the package runs from, with ``-dirty`` where its core, which decides, differs."""
    try:
        changed = _git("status", "--porcelain", "--", "../core", "../_support.py")
        return _git("rev-parse", "--short=12", "HEAD") + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *words]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


def medians(rows: pd.DataFrame) -> "pd.Series[float]":
    """Median AUC over runs, one per protocol, data set, task, size and model."""
    return rows.groupby(["protocol", "dataset", "task", "size", "model"])["auc"].median()


def _stem(key: Any) -> str:
    return f"{key['dataset']}_{key['protocol']}" + ("_pairs" if key["kind"] == "pair" else "")


def _natural(value: str) -> str:
    """Order in which 50 comes before 100."""
    return value.rjust(24) if value.isdigit() else value
