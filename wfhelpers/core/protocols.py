"""Three full sets of choices for what the text leaves open: the protocols literal, charitable and tuned.

Under *tuned* every trained model gets the same number of trials for its start, rate, updates and objects per update. A
trial trains on one part of some training objects and is judged by the AUC on the rest of them; test objects have no
say. The trials on the two data sets of the paper were made on objects that no result uses, and are stored beside the
data; ``wfhelpers tune`` makes them again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from pathlib import Path

import pandas as pd

from wfhelpers._support import InputError, side_by_side
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

RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
STEPS = (200, 1000, 2000)
BATCHES = (None, 20, 1)
REAL_STARTS = tuple(Start(scale) for scale in (1.0, 0.3, 0.1, 0.03, 0.01, 0.003))
SPARSE_STARTS = (Start(1.0), *(Start(scale, None) for scale in (3.0, 1.0, 0.3, 0.1, 0.03)))
ON_ARCHITECTURE = (*(Start(scale) for scale in (1.0, 0.3, 0.1, 0.03)), Start(0.0, 1.0), Start(0.0, 0.3))
SCALES = (1.0, 0.7, 0.5, 0.35, 0.25, 0.13, 0.06, 0.03, 1.4, 2.0, 2.8, 4.0)

Trial = Training | Start
Grid = Mapping[str, Sequence[Trial]]
_STARTS = {"real": REAL_STARTS, "lottery": REAL_STARTS, "bin": SPARSE_STARTS, "bin_real": ON_ARCHITECTURE}
_DRAWN: dict[str, list[Trial]] = {name: [Start(scale) for scale in SCALES] for name in ("random", "shared")}
GRID: Grid = _DRAWN | {
    name: [Training(*trial) for trial in product(starts, RATES, STEPS, BATCHES)] for name, starts in _STARTS.items()
}
"""Trials: 594 of every training, and twelve of what is only drawn. The text's own start, N(0, 1), comes first."""

SHORT_GRID: Grid = _DRAWN | {
    name: [Training(*trial) for trial in product(starts, RATES)] for name, starts in _STARTS.items()
}
"""Trials with the updates and objects of `LITERAL`: what a data set without stored trials is tuned by."""

JUDGED_BY: Mapping[str, Mapping[str, str]] = {
    "real": {"real": "real", "real_bin": "real-bin"},
    "lottery": {"lottery": "lottery", "lottery_bin": "lottery-bin"},
    "bin": {"bin": "bin"},
    "bin_real": {"bin_real": "bin-real"},
    "random": {"random": "random"},
    "shared": {"shared": "agnostic"},
}
"""Fields of `Settings` that the trials of a training decide, each by the validation AUC of a model of its own."""

HELD_OUT = 0.3
FINALISTS = 36
"""Trials of a field that are judged by all runs; before, every trial is judged by the first run of each draw."""

RUNS = 5
SEED = 20


def protocol_settings(protocol: str, task: Task, runs: int = RUNS, seed: int = SEED) -> Settings:
    """Settings of a protocol for a task: ``literal``, ``charitable`` or ``tuned``.

    For a data set without stored trials, ``tuned`` makes some on training objects of the task itself.
    """
    if protocol == "literal":
        return LITERAL
    if protocol == "charitable":
        return CHARITABLE
    if protocol != "tuned":
        raise InputError(f"Unknown protocol {protocol!r}; expected literal, charitable or tuned.")
    return stored(task.dataset.name) or chosen(tune([task.draw(runs, seed)], seed, SHORT_GRID))


@lru_cache
def stored(dataset: str) -> Settings | None:
    """Settings that follow from the stored trials of a data set; None if there are no trials."""
    path = TRIALS.get(dataset)
    return chosen(pd.read_csv(path)) if path and path.is_file() else None


def chosen(trials: pd.DataFrame) -> Settings:
    """Settings of the protocol tuned: for every field, the finalist of the highest validation AUC (table of `tune`).

    Values that agree to three digits tie, since another machine may give other digits: then mini-batches go before all
    objects, fewer objects in the whole training before more, and the first before the others.
    """
    fields_chosen: dict[str, Trial] = {}
    for name, group in trials.groupby("field", sort=False):
        objects = group["steps"] * group["batch"].fillna(1e6)
        ranked = group.assign(lost=-group["validation_auc"].round(3), objects=objects)[group["runs"] > 1]
        best = ranked.sort_values(["lost", "objects"], kind="stable").iloc[0]
        start = Start(float(best["scale"]), None if pd.isna(best["mean"]) else float(best["mean"]))
        steps, batch = (None if pd.isna(best[column]) else int(best[column]) for column in ("steps", "batch"))
        fields_chosen[str(name)] = (
            start if pd.isna(best["rate"]) else Training(start, float(best["rate"]), steps, batch)
        )
    return replace(LITERAL, agnostic_fresh_weight=False, **fields_chosen)  # type: ignore[arg-type]


def tune(draws: Sequence[Draw], seed: int = SEED, grid: Grid = GRID) -> pd.DataFrame:
    """Judge trials by their mean validation AUC, in two rounds: one row per field of `Settings`, trial and round.

    The first round trains every trial on the first run of each draw, the second the best `FINALISTS` on all runs, of
    which there are at least two. Beside ``field``, ``runs`` and ``validation_auc`` the columns are those of `Training`;
    ``mean`` is empty for a sparse start, ``batch`` where all objects are taken, and both with ``rate`` and ``steps``
    where nothing is trained. ``bin_real`` is tried on the architectures of the best trial of ``bin``.
    """
    validation = [draw.split(HELD_OUT) for draw in draws]
    rows: list[dict[str, object]] = []
    for training, trials in grid.items():
        settings = replace(LITERAL, bin=chosen(pd.DataFrame(rows)).bin) if training == "bin_real" else LITERAL
        first = _judged(training, trials, settings, [draw[:1] for draw in validation], seed)
        finalists = {name: sorted(first[name].nlargest(FINALISTS).index) for name in JUDGED_BY[training]}
        both = sorted(set().union(*finalists.values()))
        last = _judged(training, [trials[trial] for trial in both], settings, validation, seed).set_axis(both)
        for name, kept in finalists.items():
            rows += [_row(name, trial, 1, value) for trial, value in zip(trials, first[name], strict=True)]
            rows += [_row(name, trials[trial], validation[0].runs, last[name][trial]) for trial in kept]
    return pd.DataFrame(rows)


def _judged(
    training: str, trials: Sequence[Trial], settings: Settings, draws: Sequence[Draw], seed: int
) -> pd.DataFrame:
    """Mean validation AUC of each trial, one column per field of `Settings` that it decides."""

    def values(trial: Trial) -> dict[str, float]:
        tried = replace(settings, **{training: trial})  # type: ignore[arg-type]
        models = JUDGED_BY[training]
        fitted = [fit(strategy_of(models[training]), draw, tried, seed) for draw in draws]
        scored = list(zip(fitted, draws, strict=True))
        aucs = {name: [auc(one[model].weights, draw).mean() for one, draw in scored] for name, model in models.items()}
        return {name: float(sum(each) / len(each)) for name, each in aucs.items()}

    return pd.DataFrame(side_by_side(values, trials, f"trials of {training}"))


def _row(name: str, trial: Trial, runs: int, value: float) -> dict[str, object]:
    start = trial.start if isinstance(trial, Training) else trial
    row = {"field": name, "scale": start.scale, "mean": start.mean}
    row |= {column: getattr(trial, column, None) for column in ("rate", "steps", "batch")}
    return {**row, "runs": runs, "validation_auc": round(value, 4)}
