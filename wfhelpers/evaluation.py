"""How good a network is: area under the ROC curve, and the tidy table that every figure and claim starts from."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from wfhelpers import network
from wfhelpers.strategies import BINARY_MODELS, Fitted, Settings, fit_all, strategy_of
from wfhelpers.tasks import Draw, Task


def auc(weights: Tensor, draw: Draw) -> Tensor:
    """Area under the ROC curve on the test objects, one a network ``[..., runs]``, in float64.

    The share of (negative, positive) pairs that psi puts in the right order; a tie counts half. The objects are
    ordered by the sum inside the softplus, which orders them as psi does but does not round large scores together.
    Sums closer than 1e-10 tie: their order would depend on the machine.
    """
    sums = network.presum(weights.double(), draw.x_test.double()).round(decimals=10)
    return auc_of_scores(sums, draw.y_test)


def auc_of_scores(scores: Tensor, y: Tensor) -> Tensor:
    """Area under the ROC curve of ``scores [..., n]`` for labels ``y [..., n]``; every run has as many positives."""
    y = y.expand(scores.shape).bool()
    negatives = scores[~y].reshape(*scores.shape[:-1], -1).sort(-1).values
    positives = scores[y].reshape(*scores.shape[:-1], -1).contiguous()
    below = torch.searchsorted(negatives, positives, right=False)
    not_above = torch.searchsorted(negatives, positives, right=True)
    return (below + not_above).double().mean(-1) / (2 * negatives.shape[-1])


def rows(fitted: dict[str, Fitted], draw: Draw) -> pd.DataFrame:
    """Tidy table of trained models, one row a (model, run)."""
    tables = []
    for model, result in fitted.items():
        densities = network.density(result.weights)
        tables.append(
            pd.DataFrame(
                {
                    "strategy": strategy_of(model),
                    "model": model,
                    "kind": "binary" if model in BINARY_MODELS else "real",
                    "run": draw.run_ids,
                    "auc": auc(result.weights, draw),
                    "train_loss": network.loss(result.weights.double(), draw.x_train.double(), draw.y_train),
                    "density_1": densities[:, 0],
                    "density_2": densities[:, 1],
                    "seconds": result.seconds,
                    "seconds_total": result.seconds_total,
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def table(task: Task, settings: Settings, *, runs: int, seed: int, timed: bool = True) -> pd.DataFrame:
    """Train the ten models on a task: one row a (task, size, model, run)."""
    draw = task.draw(runs, seed)
    made = rows(fit_all(draw, settings, seed, timed=timed), draw)
    made.insert(0, "task", task.title)
    made.insert(1, "size", task.train_per_class)
    return made


def summary(results: pd.DataFrame, value: str = "auc") -> pd.DataFrame:
    """Median and quartiles over runs of one column, a row a (task, size, model)."""
    groups = results.groupby(["task", "size", "model"], sort=False)[value]
    return groups.quantile(np.array([0.25, 0.5, 0.75])).unstack().set_axis(["lower", "median", "upper"], axis=1)


def margin(
    results: pd.DataFrame, ours: Sequence[str], others: Sequence[str], *, resamples: int = 2000, seed: int = 0
) -> pd.DataFrame:
    """Best median AUC among some models minus the best among others, with a 95 % interval; a row a (task, size).

    The interval is a paired percentile bootstrap: runs are drawn with replacement, for all models together, and the
    best model of each side is chosen anew each time. It speaks of new runs on the same task, not of new tasks.
    """
    made = []
    for (task, size), group in results.groupby(["task", "size"], sort=False):
        by_run = group.pivot(index="run", columns="model", values="auc")
        runs = len(by_run)
        chosen = np.random.default_rng(seed).integers(0, runs, (resamples, runs))
        drawn = [np.median(by_run[list(side)].to_numpy()[chosen], axis=1).max(-1) for side in (ours, others)]
        lower, upper = np.quantile(drawn[0] - drawn[1], [0.025, 0.975])
        medians = by_run.median()
        value = medians[list(ours)].max() - medians[list(others)].max()
        made.append({"task": task, "size": size, "margin": value, "lower": lower, "upper": upper})
    return pd.DataFrame(made).set_index(["task", "size"])


def verdict(margins: pd.DataFrame, needed: float) -> str:
    """Whether a comparison holds in as many cases as a claim needs, by the intervals of `margin`.

    It holds if enough cases are clearly ahead (interval above zero). It fails if too many are clearly behind: even
    with every unclear case the rest would not be enough. Otherwise it is open. ``fails: +1 −3 of 4`` says that one case
    is clearly ahead and three are clearly behind.
    """
    ahead, behind, cases = int((margins["lower"] > 0).sum()), int((margins["upper"] < 0).sum()), len(margins)
    word = "holds" if ahead >= needed else "fails" if cases - behind < needed else "open"
    return f"{word}: +{ahead} −{behind} of {cases}"
