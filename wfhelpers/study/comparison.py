"""What the chapter on the five strategies compares: protocols, orientations, signs, precisions.

Medians over runs stand for a model, as in Fig. 4.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from wfhelpers._support import one_core_a_block, progress
from wfhelpers.core import network, strategies
from wfhelpers.core.evaluation import auc, auc_of_scores, rows
from wfhelpers.core.strategies import Fitted, Settings, Training, fit, label
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import Parametrization, descend
from wfhelpers.study.baselines import logistic_auc

LOGISTIC = "logistic regression"

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(work: Callable[[Item], Result], items: Iterable[Item], label: str) -> list[Result]:
    """``work`` of every item, in order: as many at a time as torch has threads, a core each, while a bar counts."""
    todo = list(items)
    with one_core_a_block() as pool:
        return list(progress(pool.map(work, todo), label, total=len(todo)))


def described(training: Training) -> str:
    """Start and rate of a training in a few signs: ``N(0, 0.3²), rate 0.1``."""
    start = training.start
    if start.mean is None:
        drawn = f"sparse, scale {start.scale:g}"
    elif start.scale == 0:
        drawn = f"all {start.mean:g}"
    else:
        drawn = f"N({start.mean:g}, {start.scale:g}²)"
    return f"{drawn}, rate {training.rate:g}"


def median_aucs(draw: Draw, settings: Settings, seed: int, *names: str) -> pd.Series:
    """Median AUC of the models of some strategies, and of logistic regression on the same draw."""
    found = {}
    for name in names:
        for model, fitted in fit(name, draw, settings, seed).items():
            found[label(model)] = np.median(auc(fitted.weights, draw))
    return pd.Series(found | {LOGISTIC: np.median(logistic_auc(draw))})


def trained_again(
    known: pd.DataFrame, task: Task, draw: Draw, settings: Settings, seed: int, names: Sequence[str]
) -> pd.DataFrame:
    """Results of a task in which the named strategies are trained with other settings and the rest is as known."""
    kept = known[(known["task"] == task.title) & (known["size"] == task.train_per_class)]
    new = [rows(fit(name, draw, settings, seed), draw) for name in names]
    new = [made.assign(task=task.title, size=task.train_per_class) for made in new]
    return pd.concat([kept[~kept["strategy"].isin(names)], *new], ignore_index=True)


def lottery_aucs(draw: Draw, settings: Settings, seed: int) -> pd.Series:
    """Median AUC of lottery, of its cut, and of their product, which the text calls the binary network (gap 9)."""
    fitted = fit("lottery", draw, settings, seed)
    weights = {label(model): result.weights for model, result in fitted.items()}
    weights["lottery times its cut"] = fitted["lottery"].weights * fitted["lottery-bin"].weights
    return pd.Series({name: np.median(auc(each, draw)) for name, each in weights.items()})


def with_signs(task: Task, signs: NDArray[np.int64]) -> Task:
    """Return the same task with some features negated; ``signs [I]`` holds 1 and -1."""
    features = (task.dataset.features * signs).astype(np.float32)
    flipped = replace(task.dataset, features=features)
    return Task(flipped, task.negative, task.positive, task.train_per_class, task.test_per_class)


def runs_that_rounding_changes(
    draw: Draw, start: Tensor, parametrization: Parametrization, steps: int, rate: float
) -> Tensor:
    """Mark the runs whose networks differ when they are trained in single and in double precision."""
    one, two = (
        descend(draw, start.to(precision), parametrization, steps, rate).weights
        for precision in (torch.float32, torch.float64)
    )
    return (one.double() != two).flatten(1).any(1)


def tied_pairs(scores: Tensor, y: Tensor) -> Tensor:
    """Share of pairs, one object of each group, that have the same score; one a run, for ``scores [runs, n]``."""
    negatives, positives = (scores[y == group].reshape(len(scores), -1) for group in (0, 1))
    return (negatives[:, :, None] == positives[:, None, :]).double().mean((1, 2))


def effect_of_precision(fitted: Mapping[str, Fitted], draw: Draw) -> pd.DataFrame:
    """Ties and AUC of psi in single precision, and of the sum inside its softplus in double precision: medians."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for model, result in fitted.items():
        sums = network.presum(result.weights.double(), draw.x_test.double()).round(decimals=10)
        for how, scores in (("ψ, single", network.score(result.weights, draw.x_test)), ("sum, double", sums)):
            ties, areas = tied_pairs(scores, draw.y_test), auc_of_scores(scores, draw.y_test)
            found.setdefault(("ties", how), {})[label(model)] = float(np.median(ties))
            found.setdefault(("AUC", how), {})[label(model)] = float(np.median(areas))
    return pd.DataFrame(found)[["ties", "AUC"]]


def differing_strategies(one: Settings, other: Settings) -> list[str]:
    """Strategies that two settings treat differently; all of them if the settings differ in more than trainings."""
    own = {"real": ["real"], "lottery": ["lottery"], "bin": ["bin", "bin_real"]}
    own |= {"random": ["random"], "agnostic": ["shared", "agnostic_fresh_weight"]}
    fields = [field for fields in own.values() for field in fields]
    if replace(one, **{field: getattr(other, field) for field in fields}) != other:
        return list(strategies.STRATEGIES)
    return [name for name in strategies.STRATEGIES if any(getattr(one, f) != getattr(other, f) for f in own[name])]
