"""The committed results are what the code gives: a random sample of cells is computed again."""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wfhelpers.core import jobs
from wfhelpers.core.strategies import MODELS
from wfhelpers.results import experiments, reproduce
from wfhelpers.results.store import Store, medians

ROOT = Path(__file__).parents[2]
SAMPLE = 3


def every_cell() -> dict[tuple[str, ...], jobs.Cell]:
    read = experiments.read(ROOT / "experiments.yml")
    listed = [cell for page in read.pages for cell in page.cells]
    listed += [cell for pairs in read.pairs.values() for cell in pairs]
    return {tuple(cell.key.values()): cell for cell in listed}


@pytest.fixture(scope="module")
def results() -> Store:
    return Store(ROOT / "results")


def test_every_cell_of_the_experiments_has_its_rows(results: Store) -> None:
    wanted = every_cell()
    assert {tuple(record) for record in results.records[list(results.records.columns[1:7])].to_numpy()} == set(wanted)
    rows = results.rows()
    assert len(rows) == sum(cell.kind == "task" for cell in wanted.values()) * len(MODELS) * 10
    assert not rows.duplicated(["protocol", "dataset", "task", "size", "model", "run"]).any()
    assert rows["auc"].between(0, 1).all()


def test_all_of_it_was_made_by_this_code() -> None:
    places = {"results": str(ROOT / "results"), "pages": str(ROOT / "book" / "tasks")}
    places |= {"experiments": str(ROOT / "experiments.yml"), "template": str(ROOT / "notebooks" / "task_report.ipynb")}
    run = reproduce.Run(argparse.Namespace(**places, only=None, force=False))
    assert [unit.name for unit in run.pending()] == [], "make it again: make reproduce"


def test_a_random_sample_gives_the_same_again(results: Store) -> None:
    wanted = list(every_cell().values())
    rng = np.random.default_rng()
    for place in rng.choice(len(wanted), SAMPLE, replace=False):
        cell = wanted[place]
        again = jobs.compute(cell).rows
        stored = results.rows(cell.kind)
        former = stored[
            (stored[["protocol", "dataset", "task"]] == again[["protocol", "dataset", "task"]].iloc[0]).all(axis=1)
        ]
        former = former[former["size"] == cell.size]
        pd.testing.assert_series_equal(medians(former), medians(again), atol=0.01, rtol=0, check_dtype=False)


def test_files_are_small_enough_to_commit() -> None:
    sizes = [path.stat().st_size for path in (ROOT / "results").glob("[!.]*")]
    assert sizes
    assert max(sizes) < 1.5e6
    assert sum(sizes) < 6e6
