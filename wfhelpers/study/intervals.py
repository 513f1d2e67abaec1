"""What a difference between models is worth after a few runs: quartiles, bootstrap intervals, wins and ties.

All intervals are paired percentile bootstraps at 95 %: runs are drawn with replacement, for all models together, since
the models of a run share its objects. They speak of new runs on the same task, not of new tasks.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wfhelpers.core.strategies import MODELS

RESAMPLES = 2000
LOWER, UPPER = 0.025, 0.975


def resampled_medians(values: NDArray[np.float64], *, resamples: int = RESAMPLES, seed: int = 0) -> NDArray[np.float64]:
    """Medians of ``values [runs, ...]`` over runs drawn with replacement: ``[resamples, ...]``.

    The runs drawn depend on their number and on the seed alone. Sorting is the fastest way to many short medians.
    """
    runs = len(values)
    drawn = np.sort(values[np.random.default_rng(seed).integers(0, runs, (resamples, runs))], axis=1)
    medians: NDArray[np.float64] = (drawn[:, (runs - 1) // 2] + drawn[:, runs // 2]) / 2
    return medians


def quartiles(table: pd.DataFrame, by: Sequence[str], value: str = "auc") -> pd.DataFrame:
    """Quartiles of one column over the runs, in the columns ``lower``, ``median`` and ``upper``; a row a group."""
    groups = table.groupby(list(by), sort=False)[value]
    return groups.quantile(np.array([0.25, 0.5, 0.75])).unstack().set_axis(["lower", "median", "upper"], axis=1)


def margin(
    results: pd.DataFrame, ours: Sequence[str], others: Sequence[str], *, resamples: int = RESAMPLES, seed: int = 0
) -> pd.DataFrame:
    """Best median AUC among some models minus the best among others, with its interval; a row a (task, size).

    The best model of each side is chosen anew in each resample.
    """
    made = []
    for (task, size), group in results.groupby(["task", "size"], sort=False):
        by_run = group.pivot(index="run", columns="model", values="auc")
        sides = [by_run[list(side)].to_numpy() for side in (ours, others)]
        best = [np.median(side, axis=0).max() for side in sides]
        drawn = [resampled_medians(side, resamples=resamples, seed=seed).max(-1) for side in sides]
        lower, upper = np.quantile(drawn[0] - drawn[1], [LOWER, UPPER])
        made.append({"task": task, "size": size, "margin": best[0] - best[1], "lower": lower, "upper": upper})
    return pd.DataFrame(made).set_index(["task", "size"])


def winners(rows: pd.DataFrame, case: Sequence[str] = ("protocol", "task", "size")) -> pd.DataFrame:
    """Best model of each case, its median AUC, and the models that tie with it; ``case`` names the columns of a case.

    The best has the highest median AUC (the first of `MODELS` where medians are equal). Another one ties if the
    interval of the best's margin over it contains 0. Without a tie the best one wins.
    """
    made: list[dict[str, Any]] = []
    for names, group in rows.groupby(list(case), sort=False):
        aucs = group.pivot(index="run", columns="model", values="auc")
        aucs = aucs[[model for model in MODELS if model in aucs]]
        medians = aucs.median()
        best = str(medians.idxmax())
        drawn = resampled_medians(aucs.to_numpy())
        lower = np.quantile(drawn[:, [list(aucs).index(best)]] - drawn, LOWER, axis=0)
        tied = tuple(str(model) for model, least in zip(aucs, lower, strict=True) if least <= 0 and model != best)
        made.append({**dict(zip(case, names, strict=True)), "best": best, "auc": medians[best], "tied": tied})
    return pd.DataFrame(made)
