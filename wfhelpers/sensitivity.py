"""How much the outcome hangs on what the text leaves open: every gap, the other reading of it, the effect on the AUC.

Effects are differences of medians over runs that share their draws, with 95 % intervals from a paired bootstrap. They
speak of new runs on the same task, not of new tasks. Nothing is chosen by test objects.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from wfhelpers.errors import InputError
from wfhelpers.evaluation import auc
from wfhelpers.strategies import CHARITABLE, LITERAL, STRATEGIES, Settings, Training, fit
from wfhelpers.tasks import Draw, Task
from wfhelpers.threads import one_core_a_block
from wfhelpers.training import FREE, SQUARE, Parametrization, descend
from wfhelpers.tuning import GRID, HELD_OUT

LITTLE = 0.05
"""Difference of AUC that counts as little: fixed before anything was measured, for claims C11 and C14 alike."""

QUESTIONS = (("mnist", 1, 2), ("mnist", 4, 9), ("citeseer", "DB", "IR"))
"""Data set and classes of the tasks on which readings are compared: easy digits, hard digits, abstracts."""

TRAIN_PER_CLASS, TEST_PER_CLASS, RUNS, SEED = 100, 50, 10, 0


def questions(train_per_class: int = TRAIN_PER_CLASS, test_per_class: int = TEST_PER_CLASS) -> list[Task]:
    """Tasks of `QUESTIONS`."""
    return [Task(dataset, no, yes, train_per_class, test_per_class) for dataset, no, yes in QUESTIONS]


def contrast(by_run: pd.DataFrame, signs: Mapping[str, float], *, resamples: int = 2000) -> tuple[float, float, float]:
    """Signed sum of the columns' medians over runs, and its 95 % interval: value, lower, upper.

    With the signs 1 and -1 it is `wfhelpers.evaluation.margin` of two models; with four columns it is a difference of
    differences. Runs are drawn with replacement, for all columns together.
    """
    values, weights = by_run[list(signs)].to_numpy(), np.array(list(signs.values()))
    drawn = np.median(values[_resampled(len(values), resamples)], axis=1) @ weights
    lower, upper = np.quantile(drawn, [0.025, 0.975])
    return float(np.median(values, axis=0) @ weights), float(lower), float(upper)


def _resampled(runs: int, resamples: int) -> NDArray[np.int64]:
    """Runs of each resample, the same ones as in `wfhelpers.evaluation.margin`."""
    if runs < 3:
        raise InputError(f"There are {runs} runs, but intervals over runs need at least 3; ask for more.")
    return np.random.default_rng(0).integers(0, runs, (resamples, runs))


# Claim C11: weights of either sign

SIGNS: Mapping[str, Parametrization] = {"free": FREE, "nonnegative": SQUARE}
VALIDATED_RUNS = 5


def nonnegativity_cost(tasks: Sequence[Task] | None = None, *, runs: int = RUNS, seed: int = SEED) -> pd.DataFrame:
    """AUC that weights of either sign have over nonnegative ones: the price of ``w = u^2`` (claim C11).

    One row a (dataset, task, start), for each task and for the same task with its groups swapped. Both networks are
    trained for 200 steps, from the same random numbers. Starts:

    ``literal``
        N(0, 1) and the rate 0.1 for both.
    ``tuned``
        Each has the best of the same twelve trials, those of ``real`` in `wfhelpers.tuning.GRID`, by the mean
        AUC on a held-out 30 % of the training objects of the first five runs; the first one where trials tie.

    The constraint costs little on a task if ``upper`` is below `LITTLE`, and more if ``lower`` is above it; else the
    runs do not tell.

    Returns
    -------
    pd.DataFrame
        Columns ``dataset``, ``task``, ``start``, the medians ``free`` and ``nonnegative``, and ``margin`` (free minus
        nonnegative) with its 95 % interval ``lower``, ``upper``.
    """
    tasks = questions() if tasks is None else tasks
    turned = [each for task in tasks for each in (task, task.swapped())]
    with one_core_a_block() as pool:
        waiting = [pool.submit(_cost, task, start, runs, seed) for task in turned for start in ("literal", "tuned")]
        return pd.DataFrame([each.result() for each in waiting])


def _cost(task: Task, start: str, runs: int, seed: int) -> dict[str, object]:
    draw = task.draw(runs, seed)
    areas = {}
    for name, parametrization in SIGNS.items():
        training = LITERAL.real if start == "literal" else _best_trial(draw, parametrization, seed)
        areas[name] = auc(_trained(draw, training, parametrization, seed), draw).numpy()
    value, lower, upper = contrast(pd.DataFrame(areas), {"free": 1, "nonnegative": -1})
    medians = {name: float(np.median(area)) for name, area in areas.items()}
    named = {"dataset": task.dataset.name, "task": task.title, "start": start}
    return {**named, **medians, "margin": value, "lower": lower, "upper": upper}


def _best_trial(draw: Draw, parametrization: Parametrization, seed: int) -> Training:
    validation = draw[:VALIDATED_RUNS].split(HELD_OUT)
    trials = [trial for trial in GRID["real"] if isinstance(trial, Training)]
    areas = [auc(_trained(validation, trial, parametrization, seed), validation).mean() for trial in trials]
    return trials[int(torch.stack(areas).round(decimals=4).argmax())]


def _trained(draw: Draw, training: Training, parametrization: Parametrization, seed: int) -> Tensor:
    """Weights of a network that starts from the random numbers of the strategy ``real``."""
    generators = [np.random.default_rng([seed, STRATEGIES.index("real"), run]) for run in draw.run_ids]
    start = training.start.sample(generators, draw.width)
    return descend(draw, start, parametrization, LITERAL.steps, training.rate).weights


# Claim C14: the value of a shared weight

SHARED_WEIGHTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Values of u_0, fixed beforehand: N(0, 1), the text's distribution, gives a size outside of them once in a hundred
times. The sign of u_0 does not matter: it cancels over the two layers."""


def shared_weight_aucs(
    tasks: Sequence[Task] | None = None, *, settings: Settings = CHARITABLE, runs: int = RUNS, seed: int = SEED
) -> pd.DataFrame:
    """AUC of one architecture with several shared weights: one row a (task, run), a column a value of u_0.

    The architecture is that of the model ``agnostic``, a random one that the search of the text chose.
    """
    tasks = questions() if tasks is None else tasks

    def of_task(task: Task) -> pd.DataFrame:
        draw = task.draw(runs, seed)
        architecture = fit("agnostic", draw, settings, seed)["agnostic"].weights
        areas = pd.DataFrame({shared: auc(shared * architecture, draw).numpy() for shared in SHARED_WEIGHTS})
        areas.index = pd.MultiIndex.from_product(
            [[task.dataset.name], [task.title], draw.run_ids], names=["dataset", "task", "run"]
        )
        return areas

    with one_core_a_block() as pool:
        return pd.concat(pool.map(of_task, tasks))


def shared_weight_spread(
    tasks: Sequence[Task] | None = None, *, settings: Settings = CHARITABLE, runs: int = RUNS, seed: int = SEED
) -> pd.DataFrame:
    """Highest minus lowest median AUC of one architecture over the shared weights of `SHARED_WEIGHTS` (claim C14).

    The interval chooses the highest and the lowest anew in each resample. A spread is positive by its nature, so that
    its interval hardly ever contains zero. The claim holds on a task if ``lower`` is above `LITTLE` and fails if
    ``upper`` is below it; else the runs do not tell.

    Returns
    -------
    pd.DataFrame
        One row a task: columns ``dataset``, ``task``, ``spread``, ``lower``, ``upper``, and the shared weights ``best``
        and ``worst``.
    """
    return spread_of(shared_weight_aucs(tasks, settings=settings, runs=runs, seed=seed))


def spread_of(areas: pd.DataFrame) -> pd.DataFrame:
    """Table of `shared_weight_spread` from that of `shared_weight_aucs`."""
    made = []
    for (dataset, task), by_run in areas.groupby(level=["dataset", "task"], sort=False):
        values = by_run.to_numpy()
        drawn = np.ptp(np.median(values[_resampled(len(values), 2000)], axis=1), axis=-1)
        lower, upper = np.quantile(drawn, [0.025, 0.975])
        medians = by_run.median()
        row = {"dataset": dataset, "task": task, "spread": medians.max() - medians.min(), "lower": lower}
        made.append({**row, "upper": upper, "best": medians.idxmax(), "worst": medians.idxmin()})
    return pd.DataFrame(made)
