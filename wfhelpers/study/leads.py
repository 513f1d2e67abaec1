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


def unordered(title: str) -> str:
    """Name of a task that does not say which group is the positive one.

    >>> unordered("{4,5} vs 1") == unordered("1 vs {4,5}")
    True
    """
    return " vs ".join(sorted(title.split(" vs ")))


def lead(ours: Sequence[str], others: Sequence[str]) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """AUC of the best of some models minus that of the best of others, run by run.

    The best has the highest median over the runs of the other parity: who judges a run did not choose by it. The
    column ``criterion`` has the paper's way, the highest median over all runs minus the other side's.
    """

    def values(rows: pd.DataFrame) -> pd.DataFrame:
        cases, aucs = _by_model(rows, "auc")
        sides = [aucs[:, [MODELS.index(model) for model in side]] for side in (ours, others)]
        table = _one_row_per_run(cases, _of_best(sides[0]) - _of_best(sides[1]))
        medians = [np.median(side, axis=-1).max(axis=1) for side in sides]
        return table.assign(criterion=np.repeat(medians[0] - medians[1], aucs.shape[-1]))

    return values


def _of_best(side: NDArray[np.float64]) -> NDArray[np.float64]:
    """AUC ``[cases, runs]`` of the best of some models ``[cases, models, runs]``, chosen on other runs."""
    parity, found = np.arange(side.shape[-1]) % 2, np.empty((len(side), side.shape[-1]))
    for own in set(parity):
        others = parity != own if (parity != own).any() else parity == own
        best = np.median(side[..., others], axis=-1).argmax(axis=1)
        found[:, parity == own] = side[np.arange(len(side)), best][:, parity == own]
    return found


def factor_of_run_time(rows: pd.DataFrame) -> pd.DataFrame:
    """Natural logarithm of the larger of the factors between the run times of bin and real, and of bin and lottery."""
    cases, seconds = _by_model(rows, "seconds_total")
    logs = np.log(seconds)
    apart = [np.abs(logs[:, MODELS.index("bin")] - logs[:, MODELS.index(model)]) for model in ("real", "lottery")]
    return _one_row_per_run(cases, np.maximum(*apart))


def gain_on_hard_tasks(rows: pd.DataFrame) -> pd.DataFrame:
    """AUC that fine-tuning adds to bin on hard tasks: in the half of a data set's cases whose best model is lowest."""
    cases, aucs = _by_model(rows, "auc")
    best = pd.Series(np.median(aucs, axis=-1).max(axis=1))
    middle = best.groupby([cases["protocol"], cases["dataset"]]).transform("median")
    hard = (best <= middle).to_numpy()
    gain = aucs[:, MODELS.index("bin-real")] - aucs[:, MODELS.index("bin")]
    return _one_row_per_run(cases[hard].reset_index(drop=True), gain[hard])


def less_overfitting(rows: pd.DataFrame) -> pd.DataFrame:
    """How much less AUC bin loses from training to test objects than real does."""
    cases, on_test = _by_model(rows, "auc")
    _, on_training = _by_model(rows, "train_auc")
    losses = on_training - on_test
    return _one_row_per_run(cases, losses[:, MODELS.index("real")] - losses[:, MODELS.index("bin")])


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
