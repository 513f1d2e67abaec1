"""What the rows of all tasks say about a claim: one value per run in every case. The judge is `wfhelpers.ledger`."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wfhelpers.core.strategies import MODELS

CASE = ("protocol", "orientation", "dataset", "task", "case")  # what tells cases apart
COLUMNS = ("part", *CASE, "run", "value")
"""Columns of a table of evidence: part of a claim, the case in which it was measured, and one value per run."""

ANY = "any"
"""Protocol and orientation of what depends on neither."""


def lead(ours: Sequence[str], others: Sequence[str]) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """AUC of the best of some models minus that of the best of others, run by run; the best has the highest median."""

    def values(rows: pd.DataFrame) -> pd.DataFrame:
        cases, aucs = _by_model(rows, "auc")
        sides = [aucs[:, [MODELS.index(model) for model in side]] for side in (ours, others)]
        best = [side[np.arange(len(side)), np.median(side, axis=-1).argmax(axis=1)] for side in sides]
        return _one_row_per_run(cases, best[0] - best[1])

    return values


def factor_of_run_time(rows: pd.DataFrame) -> pd.DataFrame:
    """Natural logarithm of the larger of the factors between the run times of bin and real, and of bin and lottery."""
    cases, seconds = _by_model(rows, "seconds_total")
    logs = np.log(seconds)
    apart = [np.abs(logs[:, MODELS.index("bin")] - logs[:, MODELS.index(model)]) for model in ("real", "lottery")]
    return _one_row_per_run(cases, np.maximum(*apart))


def gain_with_difficulty(rows: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation, over all cases, of what fine-tuning adds to the AUC of bin with 1 minus bin's median."""
    correlations = []
    for (protocol, orientation), group in rows.groupby(["protocol", "orientation"], sort=False):
        _, aucs = _by_model(group, "auc")
        hard = 1 - np.median(aucs[:, MODELS.index("bin")], axis=-1)
        gains = aucs[:, MODELS.index("bin-real")] - aucs[:, MODELS.index("bin")]
        where = {"protocol": protocol, "orientation": orientation, "dataset": "", "task": "", "case": "all tasks"}
        correlations += [{**where, "run": run, "value": _spearman(hard, gain)} for run, gain in enumerate(gains.T)]
    return pd.DataFrame(correlations)


def loss_by_overfitting(rows: pd.DataFrame) -> pd.DataFrame:
    """AUC that fine-tuning loses where it lowers the objective on the training objects; zero in the other cases."""
    cases, aucs = _by_model(rows, "auc")
    _, losses = _by_model(rows, "train_loss")
    tuned, plain = MODELS.index("bin-real"), MODELS.index("bin")
    fits_better = np.median(losses[:, tuned], axis=-1) < np.median(losses[:, plain], axis=-1)
    return _one_row_per_run(cases, np.where(fits_better[:, None], aucs[:, plain] - aucs[:, tuned], 0.0))


def _by_model(rows: pd.DataFrame, column: str) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Cases, and one column of the rows as an array ``[cases, models, runs]``."""
    keys = ["protocol", "orientation", "dataset", "task", "size"]
    wide = rows.pivot(index=keys, columns=["model", "run"], values=column)
    values = wide[[(model, run) for model in MODELS for run in range(rows["run"].nunique())]].to_numpy()
    return wide.index.to_frame(index=False), values.reshape(len(wide), len(MODELS), -1)


def _one_row_per_run(cases: pd.DataFrame, values: NDArray[np.float64]) -> pd.DataFrame:
    table = cases.loc[cases.index.repeat(values.shape[1])].reset_index(drop=True)
    table["case"] = table.pop("size").map("{} per class".format)
    return table.assign(run=np.tile(np.arange(values.shape[1]), len(cases)), value=values.ravel())


def _spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    return float(np.corrcoef(pd.Series(x).rank(), pd.Series(y).rank())[0, 1])
