"""The results store: whole or not at all, one writer, and what it says about a cell."""

import errno
import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wfhelpers.core import jobs
from wfhelpers.core.jobs import Cell, Result
from wfhelpers.results import store
from wfhelpers.results.store import Store, StoreError


@pytest.fixture
def toy(tmp_path: Path) -> str:
    path = tmp_path / "toy.npz"
    np.savez(path, X=np.random.default_rng(0).normal(size=(36, 6)), y=np.repeat(["a", "b", "c"], 12))
    return str(path)


def make(dataset: str, size: int = 3, **changes: object) -> Cell:
    cell = Cell("task", "literal", dataset, ("a",), ("b",), size, 4, 2, 0)
    return replace(cell, **changes)  # type: ignore[arg-type]


def result(cell: Cell, auc: float = 0.75) -> Result:
    """Made-up result of two models and two runs."""
    rows = pd.DataFrame(
        [
            {**cell.key, "task": cell.task.title, "size": cell.size, "model": model, "run": run, "auc": auc}
            | {"train_loss": -0.5, "density_1": 0.25, "density_2": 0.5, "seconds": 0.1, "seconds_total": 0.2}
            | {"cell": cell.name}
            for model in ("real", "bin")
            for run in range(2)
        ]
    )
    spectra = {"bands": np.arange(12, dtype=np.int16).reshape(2, 3, 2), "explained": np.array([0.5, 0.25])}
    return Result(cell.name, cell.key, cell.causes, rows[list(jobs.COLUMNS)], spectra)


def test_what_is_added_is_read_back(toy: str, tmp_path: Path) -> None:
    first, second = result(make(toy, 8)), result(make(toy, 3), 0.5)
    Store(tmp_path / "s").add([first, second])
    again = Store(tmp_path / "s")
    assert len(again.rows()) == 8
    assert list(again.rows()["size"])[:1] == [3]
    for each in (first, second):
        read = again.get(each.name)
        pd.testing.assert_frame_equal(
            read.rows, each.rows.sort_values(["model", "run"], key=_order).reset_index(drop=True)
        )
        np.testing.assert_array_equal(read.spectra["bands"], each.spectra["bands"])
        assert (read.key, read.causes) == (each.key, each.causes)


def _order(column: "pd.Series[str]") -> "pd.Series[int]":
    return column.map({"real": 0, "bin": 1, 0: 0, 1: 1})


def test_the_same_content_gives_the_same_bytes(toy: str, tmp_path: Path) -> None:
    for name, order in (("one", (3, 5)), ("two", (5, 3))):
        for size in order:
            Store(tmp_path / name).add([result(make(toy, size))])
    for path in (tmp_path / "one").glob("*.*z"):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_a_state_says_what_has_changed(toy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = make(toy)
    opened = Store(tmp_path / "s")
    assert opened.state(cell) == "missing"
    opened.add([result(cell)])
    assert opened.state(cell) == "done"
    assert opened.state(replace(cell, runs=3)) == "changed: settings"
    monkeypatch.setattr(jobs, "COMPUTED_BY", ("data",))
    assert opened.state(cell) == "changed: code"


def test_a_changed_cell_takes_the_place_of_the_former(toy: str, tmp_path: Path) -> None:
    former, changed = make(toy), make(toy, seed=1)
    opened = Store(tmp_path / "s")
    opened.add([result(former)])
    opened.add([result(changed, 1.0)])
    read = Store(tmp_path / "s")
    assert set(read.rows()["cell"]) == {changed.name}
    assert list(read.records["cell"]) == [changed.name]
    assert all(changed.name in member for member in np.load(tmp_path / "s" / "toy.npz_literal_spectra.npz"))


def test_a_crash_between_two_files_leaves_the_cell_undone(
    toy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Store(tmp_path / "s")
    opened.add([result(make(toy, 3))])
    whole = store.write_whole

    def fail(path: Path, content: bytes) -> None:
        if path.name == "cells.csv":
            raise OSError(errno.EIO, "Input/output error")
        whole(path, content)

    monkeypatch.setattr(store, "write_whole", fail)
    with pytest.raises(StoreError, match="Input/output error"):
        opened.add([result(make(toy, 5))])
    monkeypatch.undo()
    again = Store(tmp_path / "s")
    assert again.state(make(toy, 5)) == "missing"
    assert set(again.rows()["size"]) == {3}
    again.add([result(make(toy, 5), 1.0)])
    assert not again.rows().duplicated(["size", "model", "run"]).any()


def test_a_full_disk_leaves_the_former_file(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    store.write_whole(path, b"former")
    (tmp_path / ".table.csv.part").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        store.write_whole(path, b"new")
    assert path.read_bytes() == b"former"
    assert [found.name for found in tmp_path.iterdir()] == ["table.csv"]


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with Store(tmp_path).lock(), pytest.raises(StoreError, match="Another run is writing"), Store(tmp_path).lock():
        pass
    with Store(tmp_path).lock():
        pass


def test_only_missing_cells_are_computed(toy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done, missing = make(toy, 3), make(toy, 5)
    Store(tmp_path / "s").add([result(done)])
    computed: list[str] = []

    def compute(cell: Cell) -> Result:
        computed.append(cell.name)
        return result(cell)

    monkeypatch.setattr(store, "compute", compute)
    assert [each.name for each in store.complete([missing, done], tmp_path / "s")] == [missing.name, done.name]
    assert computed == [missing.name]
    assert gzip.decompress((tmp_path / "s" / "toy.npz_literal.csv.gz").read_bytes()).count(b"\n") == 9


def test_results_are_found_from_a_folder_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "experiments.yml").touch()
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    assert store.results_folder() == tmp_path / "results"
