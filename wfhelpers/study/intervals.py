"""What a difference between models is worth after a few runs: quartiles, bootstrap intervals, wins and ties.

All intervals are paired percentile bootstraps at 95 %: runs are drawn with replacement, for all models together, since
the models of a run share its objects. They speak of new runs on the same task, not of new tasks.
"""

from collections.abc import Callable, Mapping, Sequence
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wfhelpers._support import InputError
from wfhelpers.core.strategies import MODELS

_RESAMPLES = 2000
_LOWER, _UPPER = 0.025, 0.975


def side(lower: Any, upper: Any, threshold: float = 0.0) -> Any:
    """Side of a threshold on which an interval, or each of many, lies: 1 above, -1 below, 0 if it contains it.

    >>> [side(0.1, 0.3), side(-0.1, 0.3), side(-0.1, 0.3, threshold=0.5)]
    [1, 0, -1]
    """
    return 1 * (lower > threshold) - 1 * (upper < threshold)


def holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's step-down correction of p-values: their adjusted values, in the same order.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)).clip(max=1)
    return adjusted[np.argsort(order, kind="stable")]


def median_interval(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Median, and its exact 95 % interval by the sign test: two of the sorted values; infinite for fewer than six.

    It asks for no distribution, and a value that is added above its lower end never moves that end down.

    >>> median_interval(np.arange(1.0, 10.0))
    (5.0, 2.0, 8.0)
    """
    ordered, n = np.sort(values), len(values)
    tails = np.cumsum([comb(n, k) for k in range(n + 1)]) / 2.0**n  # P(at most k of n coins fall one way)
    skipped = int((tails <= 0.025).sum())
    lower, upper = (ordered[skipped - 1], ordered[n - skipped]) if skipped else (-np.inf, np.inf)
    return float(np.median(ordered)), float(lower), float(upper)


def _resampled_medians(values: NDArray[np.float64], resamples: int = _RESAMPLES, seed: int = 0) -> NDArray[np.float64]:
    """Medians of ``values [runs, ...]`` over runs drawn with replacement: ``[resamples, ...]``."""
    runs = len(values)  # on which, and on the seed, the runs drawn depend; sorting is the fastest way to short medians
    drawn = np.sort(values[np.random.default_rng(seed).integers(0, runs, (resamples, runs))], axis=1)
    medians: NDArray[np.float64] = (drawn[:, (runs - 1) // 2] + drawn[:, runs // 2]) / 2
    return medians


def quartiles(table: pd.DataFrame, by: Sequence[str], value: str = "auc") -> pd.DataFrame:
    """Quartiles of one column over the runs, in the columns ``lower``, ``median`` and ``upper``; one row per group."""
    groups = table.groupby(list(by), sort=False)[value]
    return groups.quantile(np.array([0.25, 0.5, 0.75])).unstack().set_axis(["lower", "median", "upper"], axis=1)


def margin(
    results: pd.DataFrame, ours: Sequence[str], others: Sequence[str], *, resamples: int = _RESAMPLES, seed: int = 0
) -> pd.DataFrame:
    """Best median AUC among some models minus the best among others, with its interval; one row per (task, size)."""
    lines = []
    for (task, size), group in results.groupby(["task", "size"], sort=False):
        by_run = group.pivot(index="run", columns="model", values="auc")
        sides = [by_run[list(side)].to_numpy() for side in (ours, others)]
        best = [np.median(side, axis=0).max() for side in sides]
        drawn = [_resampled_medians(side, resamples, seed).max(-1) for side in sides]  # the best is chosen each time
        lower, upper = np.quantile(drawn[0] - drawn[1], [_LOWER, _UPPER])
        lines.append({"task": task, "size": size, "margin": best[0] - best[1], "lower": lower, "upper": upper})
    return pd.DataFrame(lines).set_index(["task", "size"])


def contrast(by_run: pd.DataFrame, signs: Mapping[str, float]) -> tuple[float, float, float]:
    """Signed sum of the columns' medians over runs, and its interval: value, lower, upper."""
    weights = np.array(list(signs.values()))
    return _with_interval(by_run[list(signs)].to_numpy(), lambda medians: medians @ weights)


def spread(by_run: pd.DataFrame) -> tuple[float, float, float]:
    """Highest minus lowest of the columns' medians over runs, and its interval, which hardly ever contains zero."""
    return _with_interval(by_run.to_numpy(), lambda medians: np.ptp(medians, axis=-1))


def _with_interval(values: NDArray[np.float64], statistic: Callable[..., Any]) -> tuple[float, float, float]:
    """Statistic of the medians of ``values [runs, columns]``, and its interval."""
    if len(values) < 3:
        raise InputError(f"There are {len(values)} runs, but intervals over runs need at least 3; ask for more.")
    lower, upper = np.quantile(statistic(_resampled_medians(values)), [_LOWER, _UPPER])
    return float(statistic(np.median(values, axis=0))), float(lower), float(upper)


def winners(rows: pd.DataFrame, case: Sequence[str] = ("protocol", "task", "size")) -> pd.DataFrame:
    """Best model of each case by its median AUC (the first of `MODELS` if equal), and the models that tie with it.

    A model ties if the interval of the best's margin over it contains 0. ``case`` names the columns of a case.
    """
    lines: list[dict[str, Any]] = []
    for names, group in rows.groupby(list(case), sort=False):
        aucs = group.pivot(index="run", columns="model", values="auc")
        aucs = aucs[[model for model in MODELS if model in aucs]]
        medians = aucs.median()
        best = str(medians.idxmax())
        drawn = _resampled_medians(aucs.to_numpy())
        lower = np.quantile(drawn[:, [list(aucs).index(best)]] - drawn, _LOWER, axis=0)
        tied = tuple(str(model) for model, least in zip(aucs, lower, strict=True) if least <= 0 and model != best)
        lines.append({**dict(zip(case, names, strict=True)), "best": best, "auc": medians[best], "tied": tied})
    return pd.DataFrame(lines)
