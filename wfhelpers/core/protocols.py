"""The protocol tuned: every training of a strategy gets the same number of trials for its start and its rate.

A trial trains on one part of the training objects and is judged by the AUC on the rest of them; test objects have no
say. The trials of the two data sets of the paper are stored beside the data; ``python -m wfhelpers.core.protocols mnist``
makes them again.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from wfhelpers._support import InputError, progress
from wfhelpers.core import strategies
from wfhelpers.core.evaluation import auc
from wfhelpers.core.strategies import CHARITABLE, LITERAL, TRIALS, TUNED, Settings, Start, Training, chosen, fit
from wfhelpers.core.tasks import Draw, Task

RATES = (0.01, 0.03, 0.1)
REAL_STARTS = (Start(1.0), Start(0.3), Start(0.1), Start(0.03))
SPARSE_STARTS = (Start(1.0), Start(1.0, None), Start(0.3, None), Start(0.1, None))
ON_ARCHITECTURE = (Start(1.0), Start(0.3), Start(0.1), Start(0.0, 1.0))
SCALES = (1.0, 0.7, 0.5, 0.35, 0.25, 0.13, 0.06, 0.03, 1.4, 2.0, 2.8, 4.0)
GRID: dict[str, Sequence[Training | Start]] = {
    "real": [Training(start, rate) for start in REAL_STARTS for rate in RATES],
    "lottery": [Training(start, rate) for start in REAL_STARTS for rate in RATES],
    "bin": [Training(start, rate) for start in SPARSE_STARTS for rate in RATES],
    "bin_real": [Training(start, rate) for start in ON_ARCHITECTURE for rate in RATES],
    "random": [Start(scale) for scale in SCALES],
    "shared": [Start(scale) for scale in SCALES],
}
"""Trials of every training, twelve each. The text's own start, N(0, 1), comes first and wins where trials tie."""

JUDGED_BY = {
    "real": "real",
    "lottery": "lottery",
    "bin": "bin",
    "bin_real": "bin-real",
    "random": "random",
    "shared": "agnostic",
}
"""Model whose validation AUC judges the trials of a training."""

TUNING_TASKS: dict[str, list[tuple[int | str, int | str]]] = {
    "mnist": [(0, 8), (3, 5), (7, 9)],
    "citeseer": [("Agents", "ML"), ("AI", "HCI"), ("DB", "IR")],
}
"""Pairs of classes, taken in both orientations, on which the stored trials were made."""

HELD_OUT = 0.3
RUNS = 5
SEED = 20


def tune(draws: list[Draw], seed: int = SEED) -> pd.DataFrame:
    """Judge every trial by its mean validation AUC over the draws and their runs: one row a trial.

    ``bin_real`` is tried on the architectures of the best trial of ``bin``.
    """
    validation = [draw.split(HELD_OUT) for draw in draws]
    rows: list[dict[str, object]] = []
    trials: list[tuple[str, Training | Start]] = [
        (training, trial) for training, grid in GRID.items() for trial in grid
    ]
    for training, trial in progress(trials, "trials"):
        best_bin = chosen(pd.DataFrame(rows)).bin if training == "bin_real" else LITERAL.bin
        rows.append(judge(training, trial, replace(LITERAL, bin=best_bin), validation, seed))
    return pd.DataFrame(rows)


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
    return TUNED[task.dataset.name] if task.dataset.name in TUNED else chosen(tune([task.draw(runs, seed)], seed))


def stored_trials(dataset: str) -> pd.DataFrame:
    """Trials behind `strategies.TUNED` for ``mnist`` or ``citeseer``."""
    return pd.read_csv(strategies.TRIALS[dataset])


def tuning_draws(dataset: str) -> list[Draw]:
    """Draws on which the stored trials of a data set were made."""
    pairs = [pair for first, second in TUNING_TASKS[dataset] for pair in ((first, second), (second, first))]
    return [Task(dataset, negative, positive, 100, 50).draw(RUNS, SEED) for negative, positive in pairs]


def judge(
    training: str, trial: Training | Start, settings: Settings, draws: list[Draw], seed: int
) -> dict[str, object]:
    """Row of the trials table: one trial, trained and judged on draws whose test objects are validation objects."""
    settings = replace(settings, **{training: trial})  # type: ignore[arg-type]
    model = JUDGED_BY[training]
    fitted = [fit(strategies.strategy_of(model), draw, settings, seed)[model] for draw in draws]
    values = [float(auc(result.weights, draw).mean()) for result, draw in zip(fitted, draws, strict=True)]
    start = trial.start if isinstance(trial, Training) else trial
    return {
        "training": training,
        "scale": start.scale,
        "mean": start.mean,
        "rate": trial.rate if isinstance(trial, Training) else None,
        "validation_auc": round(sum(values) / len(values), 4),
    }


def main() -> None:
    """Make the stored trials of a data set again."""
    parser = argparse.ArgumentParser(prog="python -m wfhelpers.core.protocols", description=__doc__)
    parser.add_argument("dataset", choices=sorted(TUNING_TASKS), help="data set whose trials are made and stored")
    dataset = parser.parse_args().dataset
    trials = tune(tuning_draws(dataset))
    trials.to_csv(TRIALS[dataset], index=False)
    print(trials.to_string(index=False))


if __name__ == "__main__":
    main()
