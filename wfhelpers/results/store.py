"""The results store: a folder of small tables in which a cell's result stands whole or not at all.

``<dataset>_<protocol>.csv.gz``
    Rows of the tasks' cells, one a (task, size, model, run); ``<dataset>_<protocol>_pairs.csv.gz`` those of the pairs.
``<dataset>_<protocol>_spectra.npz``
    Spectra of the largest size.
``jobs.csv``
    One row a cell: its name, what it is about, what it depends on, and when, with which version and from which commit
    it was computed. A cell counts as done when it stands here. This file is written last, so that a crash between two
    files leaves rows that nobody counts, and that the next run replaces.

Only one process writes at a time (`Store.lock`).
"""

import fcntl
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
from numpy.typing import NDArray

import wfhelpers
from wfhelpers._support import InputError, progress
from wfhelpers.core.jobs import COLUMNS, Cell, Result, compute
from wfhelpers.core.strategies import MODELS

KEY = ("kind", "protocol", "dataset", "negative", "positive", "size")
CAUSES = ("settings", "data", "code")
RECORD = ("cell", *KEY, *CAUSES, "version", "commit", "computed")


class StoreError(InputError):
    """A results folder that cannot be used."""


class Store:
    """Results in a folder. Opening it reads what is done; nothing is made before the first `add`."""

    records: pd.DataFrame
    """Content of ``jobs.csv``."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._read()

    def state(self, cell: Cell) -> str:
        """``done``, ``missing``, or ``changed`` with what has changed since the cell was computed."""
        if cell.name in set(self.records["cell"]):
            return "done"
        former = self._former(cell.key)
        if former.empty:
            return "missing"
        changed = [cause for cause in CAUSES if former.iloc[-1][cause] != cell.causes[cause]]
        return f"changed: {', '.join(changed)}"

    def get(self, name: str) -> Result:
        """Result of a done cell."""
        record = self.records[self.records["cell"] == name].iloc[0]
        key = {column: str(record[column]) for column in KEY}
        rows = self._table(_stem(key))
        spectra = {
            member.removeprefix(f"{name}_"): array
            for member, array in self._spectra_of(_stem(key)).items()
            if member.startswith(f"{name}_")
        }
        causes = {column: str(record[column]) for column in CAUSES}
        return Result(name, key, causes, rows[rows["cell"] == name].reset_index(drop=True), spectra)

    def add(self, results: Sequence[Result]) -> None:
        """Put results in the place of former ones for the same keys, and write the files that changed."""
        stems = {_stem(result.key) for result in results}
        for result in results:
            self._replace(result)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for stem in sorted(stems):
                self._write_table(stem)
                self._write_spectra(stem)
            write_whole(self.folder / "cells.csv", self._sorted_records().to_csv(index=False).encode())
        except OSError as error:
            raise StoreError(
                f"The results folder {self.folder} cannot be written ({error.strerror}); what was written before is "
                "whole: make room, or choose another folder, and start again."
            ) from error

    def rows(self, kind: str = "task") -> pd.DataFrame:
        """All rows of done cells, of the tasks or of the pairs."""
        keys = self.records[self.records["kind"] == kind][list(KEY)].to_dict("records")
        tables = [self._table(stem) for stem in sorted({_stem(key) for key in keys})]
        if not tables:
            return pd.DataFrame(columns=list(COLUMNS))
        rows = pd.concat(tables, ignore_index=True)
        return rows[rows["cell"].isin(self.records["cell"])].reset_index(drop=True)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for one process, after checking that it can be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            stream = (self.folder / ".lock").open("w")
        except OSError as error:
            raise StoreError(
                f"The results folder {self.folder} cannot be written ({error.strerror}); choose another folder, or "
                "change its permissions."
            ) from error
        with stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise StoreError(
                    f"Another run is writing to {self.folder}; wait until it has ended, or choose another folder."
                ) from error
            self._read()  # somebody may have written until now
            yield

    def _former(self, key: Any) -> pd.DataFrame:
        same = (self.records[list(KEY)] == [key[column] for column in KEY]).all(axis=1)
        return self.records.loc[same]

    def _replace(self, result: Result) -> None:
        stem = _stem(result.key)
        former = {result.name, *self._former(result.key)["cell"]}
        table = self._table(stem)
        others = table[~table["cell"].isin(former)]
        self._tables[stem] = pd.concat([others, result.rows], ignore_index=True) if len(others) else result.rows
        spectra = self._spectra_of(stem)
        kept = {member: array for member, array in spectra.items() if member.split("_")[0] not in former}
        self._spectra[stem] = kept | {f"{result.name}_{part}": array for part, array in result.spectra.items()}
        record = {"cell": result.name, **result.key, **result.causes, "version": wfhelpers.__version__}
        record |= {"commit": commit(), "computed": datetime.now(UTC).strftime("%Y-%m-%d %H:%M")}
        records = self.records[~self.records["cell"].isin(former)]
        self.records = pd.concat([records, pd.DataFrame([record])], ignore_index=True)

    def _read(self) -> None:
        path = self.folder / "cells.csv"
        empty = pd.DataFrame(columns=list(RECORD), dtype=str)
        self.records = pd.read_csv(path, dtype=str) if path.is_file() else empty
        self._tables: dict[str, pd.DataFrame] = {}
        self._spectra: dict[str, dict[str, NDArray[Any]]] = {}

    def _sorted_records(self) -> pd.DataFrame:
        ordered: pd.DataFrame = self.records.sort_values(list(KEY), key=lambda column: column.map(_natural))
        return ordered

    def _table(self, stem: str) -> pd.DataFrame:
        if stem not in self._tables:
            path = self.folder / f"{stem}.csv.gz"
            text = {"negative": str, "positive": str, "cell": str}
            empty = pd.DataFrame(columns=list(COLUMNS))
            self._tables[stem] = pd.read_csv(path, dtype=text) if path.is_file() else empty
        return self._tables[stem]

    def _spectra_of(self, stem: str) -> dict[str, NDArray[Any]]:
        if stem not in self._spectra:
            path = self.folder / f"{stem}_spectra.npz"
            self._spectra[stem] = dict(np.load(path, allow_pickle=False)) if path.is_file() else {}
        return self._spectra[stem]

    def _write_table(self, stem: str) -> None:
        order = {model: place for place, model in enumerate(MODELS)}
        table = self._table(stem)
        table = table.assign(order=table["model"].map(order)).sort_values(
            ["negative", "positive", "size", "order", "run"], kind="stable"
        )
        text = table[list(COLUMNS)].to_csv(index=False)
        write_whole(self.folder / f"{stem}.csv.gz", gzip.compress(text.encode(), mtime=0))

    def _write_spectra(self, stem: str) -> None:
        arrays = self._spectra_of(stem)
        if arrays:
            content = io.BytesIO()
            np.savez_compressed(content, allow_pickle=False, **dict(sorted(arrays.items())))
            write_whole(self.folder / f"{stem}_spectra.npz", content.getvalue())


def complete(cells: Sequence[Cell], folder: str | Path | None = None) -> list[Result]:
    """Results of the cells, in their order: those that the store has, and the others computed and stored one by one."""
    if not folder:
        return [compute(cell) for cell in progress(cells, "cells")]
    store = Store(folder)
    with store.lock():
        for cell in progress(cells, "cells"):
            if store.state(cell) != "done":
                store.add([compute(cell)])
    return [store.get(cell.name) for cell in cells]


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


@lru_cache
def commit() -> str:
    """Commit of the checkout that the package runs from, with ``-dirty`` where the package differs from it."""
    try:
        return _git("rev-parse", "--short=12", "HEAD") + ("-dirty" if _git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *words]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


def medians(rows: pd.DataFrame) -> "pd.Series[float]":
    """Median AUC over runs, one a (protocol, data set, task, size, model)."""
    return rows.groupby(["protocol", "dataset", "task", "size", "model"])["auc"].median()


def _stem(key: Any) -> str:
    return f"{key['dataset']}_{key['protocol']}" + ("_pairs" if key["kind"] == "pair" else "")


def _natural(value: str) -> str:
    """Order in which 50 comes before 100."""
    return value.rjust(24) if value.isdigit() else value
