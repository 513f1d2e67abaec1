"""How good a network is: area under the ROC curve, and the tidy table that every figure and claim starts from."""

import pandas as pd
import torch
from torch import Tensor

from wfhelpers.core import network
from wfhelpers.core.strategies import BINARY_MODELS, Fitted, Settings, fit_all, strategy_of
from wfhelpers.core.tasks import Draw, Task


def auc(weights: Tensor, draw: Draw) -> Tensor:
    """Area under the ROC curve on the test objects, one value per network ``[..., runs]``, in float64.

    The share of (negative, positive) pairs that psi puts in the right order; a tie counts half.
    """
    return auc_of_scores(ordering_sums(weights, draw), draw.y_test)


def ordering_sums(weights: Tensor, draw: Draw) -> Tensor:
    """Sum inside the softplus of eq. (11) for each test object: what `auc` orders the objects by.

    It orders them as psi does but does not round large scores together. Sums closer than 1e-10 tie: their order would
    depend on the machine.
    """
    return network.presum(weights.double(), draw.x_test.double()).round(decimals=10)


def auc_of_scores(scores: Tensor, y: Tensor) -> Tensor:
    """Area under the ROC curve of ``scores [..., n]`` for labels ``y [..., n]``; every run has as many positives."""
    y = y.expand(scores.shape).bool()
    negatives = scores[~y].reshape(*scores.shape[:-1], -1).sort(-1).values
    positives = scores[y].reshape(*scores.shape[:-1], -1).contiguous()
    below = torch.searchsorted(negatives, positives, right=False)
    not_above = torch.searchsorted(negatives, positives, right=True)
    return (below + not_above).double().mean(-1) / (2 * negatives.shape[-1])


def rows(fitted: dict[str, Fitted], draw: Draw) -> pd.DataFrame:
    """Tidy table of trained models, one row per (model, run)."""
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
                    "train_auc": auc(result.weights, draw.on_training_objects()),
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
    """Train the ten models on a task: one row per (task, size, model, run)."""
    draw = task.draw(runs, seed)
    results = rows(fit_all(draw, settings, seed, timed=timed), draw)
    results.insert(0, "task", task.title)
    results.insert(1, "size", task.train_per_class)
    return results
