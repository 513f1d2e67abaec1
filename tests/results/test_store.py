"""The results store: stored atomically, one writer, and what it says about a job."""

import errno
import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wfhelpers.core import jobs
from wfhelpers.core.jobs import Job, Result
from wfhelpers.results import pages, store
from wfhelpers.results.store import Store, StoreError


@pytest.fixture
def toy(tmp_path: Path) -> str:
    path = tmp_path / "toy.npz"
    np.savez(path, X=np.random.default_rng(0).normal(size=(36, 6)), y=np.repeat(["a", "b", "c"], 12))
    return str(path)


def make(dataset: str, size: int = 3, **changes: object) -> Job:
    job = Job("task", "literal", dataset, ("a",), ("b",), "given", size, 4, 2, 0)
    return replace(job, **changes)  # type: ignore[arg-type]


def result(job: Job, auc: float = 0.75) -> Result:
    """Made-up result of two models and two runs."""
    rows = pd.DataFrame(
        [
            {**job.key, "task": job.task.title, "size": job.size, "model": model, "run": run, "auc": auc}
            | {
                "train_auc": 0.75,
                "train_loss": -0.5,
                "density_1": 0.25,
                "density_2": 0.5,
                "seconds": 0.1,
                "seconds_total": 0.2,
            }
            | {"orientation": job.orientation, "job": job.name}
            for model in ("real", "bin")
            for run in range(2)
        ]
    )
    spectra = {"bands": np.arange(12, dtype=np.int16).reshape(2, 3, 2), "explained": np.array([0.5, 0.25])}
    networks = np.packbits(np.arange(2 * 72).reshape(2, 72) % 3 == 0, axis=1)
    return Result(job.name, job.key, job.causes, rows[list(jobs.COLUMNS)], spectra, networks)


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
        kept = again.networks(each.name)
        assert kept.shape == (2, 2, 6, 6)
        np.testing.assert_array_equal(kept.flatten().numpy(), np.arange(2 * 72) % 3 == 0)
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
    job = make(toy)
    opened = Store(tmp_path / "s")
    assert opened.state(job) == "missing"
    opened.add([result(job)])
    assert opened.state(job) == "done"
    assert opened.state(replace(job, runs=3)) == "changed: settings"
    assert opened.state(replace(job, orientation="swapped")) == "changed: settings"
    monkeypatch.setattr(jobs, "code_hash", lambda: "other code")
    assert opened.state(job) == "changed: code"


def test_a_changed_cell_takes_the_place_of_the_former(toy: str, tmp_path: Path) -> None:
    former, changed = make(toy), make(toy, seed=1)
    opened = Store(tmp_path / "s")
    opened.add([result(former)])
    opened.add([result(changed, 1.0)])
    read = Store(tmp_path / "s")
    assert set(read.rows()["job"]) == {changed.name}
    assert list(read.records["job"]) == [changed.name]
    assert all(changed.name in member for member in np.load(tmp_path / "s" / "toy.npz_literal_spectra.npz"))


def test_a_crash_between_two_files_leaves_the_cell_undone(
    toy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Store(tmp_path / "s")
    opened.add([result(make(toy, 3))])
    whole = store.write_whole

    def fail(path: Path, content: bytes) -> None:
        if path.name == "jobs.csv":
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

    def compute(job: Job) -> Result:
        computed.append(job.name)
        return result(job)

    monkeypatch.setattr(store, "compute", compute)
    assert [each.name for each in store.complete([missing, done], tmp_path / "s")] == [missing.name, done.name]
    assert computed == [missing.name]
    assert gzip.decompress((tmp_path / "s" / "toy.npz_literal.csv.gz").read_bytes()).count(b"\n") == 9


def test_results_are_found_from_a_folder_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "experiments.yml").touch()
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    assert store.results_folder() == tmp_path / "results"


def test_a_hash_of_code_sees_what_it_does_and_every_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "__file__", str(tmp_path / "results" / "store.py"))
    module, style = tmp_path / "show" / "figures.py", tmp_path / "show" / "assets" / "style.css"
    style.parent.mkdir(parents=True)

    def found(code: str, css: str) -> str:
        module.write_text(code)
        style.write_text(css)
        store.code_of.cache_clear()
        return store.code_of("show", "show/figures.py")

    former = found("x = 1", "p {}")
    assert found('"""Words."""\n\nimport os\n\nx  =  1  # a comment\n', "p {}") == former
    assert found("x = 2", "p {}") != former
    assert found("x = 1", "p { color: red }") != former
    store.code_of.cache_clear()


def test_the_mark_of_a_page_covers_all_that_draws_it(toy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def template(source: str) -> str:
        return json.dumps({"cells": [{"cell_type": "code", "source": source}]})

    former = pages.mark(template("a"), [make(toy)])
    assert pages.mark(template("a"), [make(toy)]) == former
    for changed, now in {
        "template": pages.mark(template("b"), [make(toy)]),
        "jobs": pages.mark(template("a"), [make(toy, seed=1)]),
    }.items():
        assert [part for part in former if former[part] != now[part]] == [changed]
    drawing = {path.name for place in pages.DRAWN_BY for path in store._files(Path(store.__file__).parents[1] / place)}
    assert {"report.py", "figures.py", "intervals.py"} <= drawing
