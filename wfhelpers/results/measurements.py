"""Stored measurements: tables made of pieces, each of which is computed, stored and recorded by itself.

``results/measurements.csv`` has one row per table and piece: hashes of the code, the data and the settings that made
it, the version, the commit and the time. It is written after the table, so that a piece that was under way when a run
was killed is computed again. `wfhelpers.results.tables` says what the tables are.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from wfhelpers._support import one_core_per_block, progress, short_hash
from wfhelpers.core.jobs import code_hash, dataset
from wfhelpers.core.protocols import TRIALS
from wfhelpers.core.tasks import Task
from wfhelpers.results.store import CAUSES, StoreError, code_of, locked, provenance, results_folder, write_whole

RECORD = ("table", "piece", *CAUSES, "version", "commit", "computed", "rows")
PIECE = "piece"
"""Column of a stored table that names the piece; a table of a single piece has none."""

Pieces = Mapping[str, partial[pd.DataFrame]]
"""What computes each piece: a function with its arguments, among them a ``task`` or the name of a ``dataset``."""


@dataclass(frozen=True)
class Measurement:
    """A stored table: its name, its pieces in their order, and the command that makes it again.

    ``made_by`` names the files of the package, besides those of ``core``, whose code decides the content.
    """

    name: str
    pieces: Callable[[], Pieces]
    made_by: tuple[str, ...]
    command: str

    def causes(self, piece: partial[pd.DataFrame]) -> dict[str, str]:
        """Short hashes of the three things that a piece depends on."""
        used = piece.keywords["task"].dataset if "task" in piece.keywords else piece.keywords.get("dataset")
        data = (dataset(used) if isinstance(used, str) else used).sha256[:12] if used else ""
        code = short_hash([code_hash(), code_of(*self.made_by)])
        return {"settings": short_hash(_described(piece)), "data": data, "code": code}

    def states(self, folder: Path | None = None) -> dict[str, str]:
        """Of every piece: ``done``, ``missing``, or ``changed`` with what has changed since it was computed."""
        records, table = _records(folder), _text(_path(self.name, folder))
        pieces = self.pieces()
        counts = {next(iter(pieces)): len(table)} if PIECE not in table else table[PIECE].value_counts()
        known = records[records["table"] == self.name].set_index(PIECE)
        return {name: _state(known, name, self.causes(piece), counts.get(name, 0)) for name, piece in pieces.items()}

    def make(self, *, force: bool = False, folder: Path | None = None) -> list[str]:
        """Compute what is stale, or with ``force`` everything, and store it piece by piece; the names of the pieces."""
        pieces, states = self.pieces(), self.states(folder)
        todo = {name: piece for name, piece in pieces.items() if force or states[name] != "done"}
        with locked((folder or results_folder()), ".measurements.lock"):
            if len(todo) == 1:  # which may use all cores by itself
                for name, piece in progress(todo.items(), self.name):
                    self._store(name, piece(), pieces, folder)
                return list(todo)
            with one_core_per_block() as pool:
                waiting: dict[Future[pd.DataFrame], str] = {pool.submit(piece): name for name, piece in todo.items()}
                try:
                    for future in progress(as_completed(waiting), self.name, total=len(waiting)):
                        self._store(waiting[future], future.result(), pieces, folder)
                finally:
                    for future in waiting:
                        future.cancel()
        return list(todo)

    def _store(self, name: str, content: pd.DataFrame, pieces: Pieces, folder: Path | None) -> None:
        """Put a piece in the place of its former content, and drop pieces that are not wanted any more."""
        path, kept = _path(self.name, folder), set(pieces) - {name}
        table, records = _text(path), _records(folder)
        if len(pieces) > 1:
            others = table[table[PIECE].isin(kept)] if PIECE in table else table.iloc[:0]
            both = pd.concat([others, _as_text(content.assign(**{PIECE: name}))])
            table = both.sort_values(PIECE, key=lambda column: column.map(list(pieces).index), kind="stable")
        write_whole(path, (table if len(pieces) > 1 else content).to_csv(index=False).encode())
        record = {"table": self.name, PIECE: name, **self.causes(pieces[name]), **provenance(), "rows": len(content)}
        others = records[(records["table"] != self.name) | records[PIECE].isin(kept)]
        records = pd.concat([others, pd.DataFrame([record])]).sort_values(["table", PIECE])
        write_whole(_path("measurements", folder), records.to_csv(index=False).encode())


def stored(name: str, folder: Path | None = None) -> pd.DataFrame:
    """Content of a stored table, such as ``evidence`` or ``sensitivity``."""
    path = _path(name, folder)
    if not path.is_file():
        raise StoreError(f"{path} is missing; `wfhelpers tune` and then `wfhelpers measure` make it.")
    words = {"gap": str, "chosen": str, "other": str}
    table = pd.read_csv(path, dtype=words, keep_default_na=False, na_values=[""]).drop(columns=PIECE, errors="ignore")
    return table.fillna({name: "" for name in table.select_dtypes(["object", "str"])})


def _path(name: str, folder: Path | None) -> Path:
    trials = TRIALS.get(name.removeprefix("trials_"))
    return trials if trials and not folder else (folder or results_folder()) / f"{name}.csv"


def _text(path: Path) -> pd.DataFrame:
    """A table as it is written, or an empty one: what is not changed stays as it is, digit for digit."""
    return pd.read_csv(path, dtype=str, keep_default_na=False) if path.is_file() else pd.DataFrame()


def _as_text(table: pd.DataFrame) -> pd.DataFrame:
    return pd.read_csv(StringIO(table.to_csv(index=False)), dtype=str, keep_default_na=False)


def _records(folder: Path | None) -> pd.DataFrame:
    records = _text(_path("measurements", folder))
    return records if len(records) else pd.DataFrame(columns=list(RECORD), dtype=str)


def _state(known: pd.DataFrame, name: str, causes: Mapping[str, str], rows: int) -> str:
    if name not in known.index or not rows:
        return "missing"
    record = known.loc[name]
    changed = [cause for cause in CAUSES if record[cause] != causes[cause]]
    changed += ["rows"] if str(record["rows"]) != str(rows) else []
    return f"changed: {', '.join(changed)}" if changed else "done"


def _described(value: Any) -> Any:
    """A function's arguments as JSON knows them; data are left to their own hash, code to its own."""
    if isinstance(value, partial):
        return [_described(value.func), _described(value.args), _described(value.keywords)]
    if isinstance(value, Task):
        return [value.dataset.name, value.negative, value.positive, value.train_per_class, value.test_per_class]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _described(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _described(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_described(each) for each in value]
    return value.__qualname__ if callable(value) else value
