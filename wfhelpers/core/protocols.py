"""Three full sets of choices for what the text leaves open: the protocols literal, charitable and tuned.

Under *tuned* every training of a strategy gets the same number of trials for its start and its rate. A trial trains on
one part of the training objects and is judged by the AUC on the rest of them; test objects have no say. The trials on
the two data sets of the paper are stored beside the data; ``wfhelpers tune`` makes them again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pandas as pd

from wfhelpers._support import InputError, progress
from wfhelpers.core.evaluation import auc
from wfhelpers.core.strategies import SPARSE, Settings, Start, Training, fit, strategy_of
from wfhelpers.core.tasks import Draw, Task

PROTOCOLS = ("literal", "charitable", "tuned")
"""Names of the three sets of choices under which every claim is judged."""

LITERAL = Settings()
"""Every start N(0, 1), as the text reads."""

CHARITABLE = Settings(bin=Training(SPARSE, 0.01), bin_real=Training(Start(scale=0.0, mean=1.0), 0.01))
"""The reading kindest to the paper: a sparse start for ``bin``, fine-tuning that begins at the weights 1 of the binary
network (Fig. 1: "fine tune real-value weights on top"), the text's start for the others.

The rate of ``bin`` is small because from a sparse start rounding errors grow at 0.1 until they flip edges: another
processor would find another network."""

TRIALS: Mapping[str, Path] = {
    name: Path(__file__).parent / "bundled" / f"trials_{name}.csv" for name in ("mnist", "citeseer")
}
"""Stored trials of the protocol tuned, one table per data set."""

RATES = (0.01, 0.03, 0.1)
REAL_STARTS = (Start(1.0), Start(0.3), Start(0.1), Start(0.03))
SPARSE_STARTS = (Start(1.0), Start(1.0, None), Start(0.3, None), Start(0.1, None))
ON_ARCHITECTURE = (Start(1.0), Start(0.3), Start(0.1), Start(0.0, 1.0))
SCALES = (1.0, 0.7, 0.5, 0.35, 0.25, 0.13, 0.06, 0.03, 1.4, 2.0, 2.8, 4.0)
GRID: Mapping[str, Sequence[Training | Start]] = {
    "real": [Training(start, rate) for start in REAL_STARTS for rate in RATES],
    "lottery": [Training(start, rate) for start in REAL_STARTS for rate in RATES],
    "bin": [Training(start, rate) for start in SPARSE_STARTS for rate in RATES],
    "bin_real": [Training(start, rate) for start in ON_ARCHITECTURE for rate in RATES],
    "random": [Start(scale) for scale in SCALES],
    "shared": [Start(scale) for scale in SCALES],
}
"""Trials of every training, twelve each. The text's own start, N(0, 1), comes first and wins where trials tie."""

JUDGED_BY = {name: name for name in ("real", "lottery", "bin", "random")} | {
    "bin_real": "bin-real",
    "shared": "agnostic",
}
"""Model whose validation AUC judges the trials of a training."""

HELD_OUT = 0.3
RUNS = 5
SEED = 20


def protocol_settings(protocol: str, task: Task, runs: int = RUNS, seed: int = SEED) -> Settings:
    """Settings of a protocol for a task: ``literal``, ``charitable`` or ``tuned``.

    For a data set without stored trials, ``tuned`` makes them on training objects of the task itself.
    """
    if protocol == "literal":
        return LITERAL
    if protocol == "charitable":
        return CHARITABLE
    if protocol != "tuned":
        raise InputError(f"Unknown protocol {protocol!r}; expected literal, charitable or tuned.")
    return stored(task.dataset.name) or chosen(tune([task.draw(runs, seed)], seed))


@lru_cache
def stored(dataset: str) -> Settings | None:
    """Settings that follow from the stored trials of a data set; None if there are no trials."""
    path = TRIALS.get(dataset)
    return chosen(pd.read_csv(path)) if path and path.is_file() else None


def chosen(trials: pd.DataFrame) -> Settings:
    """Settings of the protocol tuned: for every training, the trial of the highest validation AUC (the first at a tie).

    The table has one row per trial, with columns ``training`` (a field of `Settings`), ``scale``, ``mean`` (empty for
    the mean of a sparse start), ``rate`` (empty where nothing is trained) and ``validation_auc``.
    """
    fields_chosen: dict[str, Training | Start] = {}
    for training, group in trials.groupby("training"):
        best = group.iloc[int(group["validation_auc"].argmax())]
        start = Start(float(best["scale"]), None if pd.isna(best["mean"]) else float(best["mean"]))
        fields_chosen[str(training)] = start if pd.isna(best["rate"]) else Training(start, float(best["rate"]))
    return replace(LITERAL, agnostic_fresh_weight=False, **fields_chosen)  # type: ignore[arg-type]


def tune(draws: Sequence[Draw], seed: int = SEED, trainings: Sequence[str] = tuple(GRID)) -> pd.DataFrame:
    """Judge every trial by its mean validation AUC over the draws and their runs: one row per trial.

    ``bin_real`` is tried on the architectures of the best trial of ``bin``.
    """
    validation = [draw.split(HELD_OUT) for draw in draws]
    trials = [(training, trial) for training in trainings for trial in GRID[training]]
    rows: list[dict[str, object]] = []
    for training, trial in progress(trials, "trials"):
        best_bin = chosen(pd.DataFrame(rows)).bin if training == "bin_real" else LITERAL.bin
        rows.append(judge_trial(training, trial, replace(LITERAL, bin=best_bin), validation, seed))
    return pd.DataFrame(rows)


def judge_trial(
    training: str, trial: Training | Start, settings: Settings, draws: Sequence[Draw], seed: int
) -> dict[str, object]:
    """Row of the trials table: one trial, trained and judged on draws whose test objects are validation objects."""
    settings = replace(settings, **{training: trial})  # type: ignore[arg-type]
    model = JUDGED_BY[training]
    fitted = [fit(strategy_of(model), draw, settings, seed)[model] for draw in draws]
    values = [float(auc(result.weights, draw).mean()) for result, draw in zip(fitted, draws, strict=True)]
    start = trial.start if isinstance(trial, Training) else trial
    return {
        "training": training,
        "scale": start.scale,
        "mean": start.mean,
        "rate": trial.rate if isinstance(trial, Training) else None,
        "validation_auc": round(sum(values) / len(values), 4),
    }
