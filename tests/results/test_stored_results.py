"""The committed results are what the code gives: a random sample of everything stored is computed again."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from wfhelpers.core import jobs, protocols
from wfhelpers.core.evaluation import auc
from wfhelpers.core.strategies import MODELS, Start, Training, fit
from wfhelpers.results import experiments, measurements
from wfhelpers.results.reproduce import Run
from wfhelpers.results.store import Store, medians
from wfhelpers.results.tables import TABLES
from wfhelpers.study import peers
from wfhelpers.study.task_series import tuning_draws

ROOT = Path(__file__).parents[2]
SAMPLE, SEED = 3, 13  # the same sample every time


def every_job() -> dict[tuple[str, ...], jobs.Job]:
    read = experiments.read(ROOT / "experiments.yml")
    listed = [job for page in read.pages for job in page.jobs]
    listed += [job for pairs in read.pairs.values() for job in pairs]
    return {tuple(job.key.values()): job for job in listed}


@pytest.fixture(scope="module")
def results() -> Store:
    return Store(ROOT / "results")


def test_every_job_of_the_experiments_has_its_rows(results: Store) -> None:
    wanted = every_job()
    assert {tuple(record) for record in results.records[list(results.records.columns[1:7])].to_numpy()} == set(wanted)
    rows = results.rows()
    assert len(rows) == sum(job.kind == "task" for job in wanted.values()) * len(MODELS) * 30
    assert not rows.duplicated(["protocol", "dataset", "task", "size", "model", "run"]).any()
    assert rows["auc"].between(0, 1).all()
    assert rows.groupby(["protocol", "dataset", "size"])["orientation"].value_counts().nunique() == 1


def test_all_tasks_were_computed_by_this_code() -> None:
    run = Run(
        ROOT / "experiments.yml",
        results=ROOT / "results",
        pages=ROOT / "book" / "tasks",
        template=ROOT / "notebooks" / "task_report.ipynb",
    )
    assert [batch.name for batch in run.pending()] == [], "make it again: wfhelpers reproduce"


@pytest.mark.parametrize("name", TABLES)
def test_every_measurement_was_made_by_this_code(name: str) -> None:
    stale = {piece: state for piece, state in TABLES[name].states().items() if state != "done"}
    assert stale == {}, f"make it again: wfhelpers {TABLES[name].command}"


def test_a_random_sample_of_jobs_gives_the_same_again(results: Store) -> None:
    wanted = list(every_job().values())
    for place in np.random.default_rng(SEED).choice(len(wanted), SAMPLE, replace=False):
        job = wanted[place]
        again = jobs.compute(job).rows
        stored = results.rows(job.kind)
        where = ["protocol", "dataset", "task", "orientation", "size"]
        former = stored[(stored[where] == again[where].iloc[0]).all(axis=1)]
        pd.testing.assert_series_equal(medians(former), medians(again), atol=0.01, rtol=0, check_dtype=False)


@pytest.mark.parametrize("name", ["evidence", "sensitivity", "reference_points", "trials_peers"])
def test_a_random_piece_of_a_measurement_gives_the_same_again(name: str) -> None:
    """Of trials only the first is made again: the others take as long."""
    pieces = TABLES[name].pieces()
    piece = str(np.random.default_rng(SEED).choice(list(pieces)))
    compute = pieces[piece]
    if name == "trials_peers":
        grid = {peer: trials[:1] for peer, trials in peers.GRID.items()}
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(peers, "GRID", grid)
            again = compute()
    else:
        again = compute()
    stored = pd.read_csv(ROOT / "results" / f"{name}.csv", dtype={"gap": str}, keep_default_na=False, na_values=[""])
    former = stored[stored["piece"] == piece].drop(columns="piece").head(len(again)).reset_index(drop=True)
    numbers = again.select_dtypes("number").columns
    words = [column for column in again if column not in numbers]
    assert again[words].fillna("").astype(str).equals(former[words].fillna("").astype(str))
    np.testing.assert_allclose(former[numbers].to_numpy(float), again[numbers].to_numpy(float), atol=0.02)


@pytest.mark.parametrize("name", sorted(protocols.TRIALS))
def test_a_random_trial_gives_the_same_again(name: str) -> None:
    """Of those at small rates: at larger ones rounding decides some networks, and another processor finds others."""
    trials = measurements.stored(f"trials_{name}")
    some = trials[
        trials["field"].isin(["real", "lottery", "bin"]) & (trials["rate"] <= 0.03) & (trials["steps"] == 200)
    ]
    row = some.iloc[int(np.random.default_rng(SEED).integers(len(some)))]
    (trial,) = [each for each in protocols.GRID[row["field"]] if _same_trial(each, row)]
    validation = [draw.split(protocols.HELD_OUT)[: int(row["runs"])] for draw in tuning_draws(name)]
    settings = replace(protocols.LITERAL, **{row["field"]: trial})
    aucs = [auc(fit(row["field"], draw, settings, protocols.SEED)[row["field"]].weights, draw) for draw in validation]
    assert float(torch.stack(aucs).mean()) == pytest.approx(row["validation_auc"], abs=0.01)


def _same_trial(trial: Start | Training, row: "pd.Series[float]") -> bool:
    assert isinstance(trial, Training)
    pairs = ((trial.start.scale, row["scale"]), (trial.start.mean, row["mean"]), (trial.rate, row["rate"]))
    pairs += ((trial.steps, row["steps"]), (trial.batch, row["batch"]))
    return all(ours == theirs or (ours is None and pd.isna(theirs)) for ours, theirs in pairs)


def test_files_are_small_enough_to_commit() -> None:
    sizes = [path.stat().st_size for path in (ROOT / "results").glob("[!.]*")]
    assert sizes
    assert max(sizes) < 1.7e6
    assert sum(sizes) < 12e6
