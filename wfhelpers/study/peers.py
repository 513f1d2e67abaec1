"""Peers of Algorithm 1: four other ways to find the {0,1} weights of the paper's network psi, eq. (11).

Each of them minimizes F, eq. (12), on all training objects of a run and ends with weights ``[runs, 2, I, I]`` that are
0 or 1. Run r depends on the seed and on r alone, not on the other runs. All have the budget of Algorithm 1: ``steps``
gradients of F, or what costs as many matrix products. A `Trial` is what can be chosen for a peer. Each gets as many of
them as ``bin`` in the protocol tuned, on the same tasks, judged on validation objects only.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from scipy.special import logit
from torch import Tensor

from wfhelpers._support import InputError, one_core_per_block, progress
from wfhelpers.core import network, protocols, strategies
from wfhelpers.core.binarize import hard_step
from wfhelpers.core.evaluation import auc, rows
from wfhelpers.core.strategies import STRATEGIES, Fitted, Generators, Start
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import BINARY, Parametrization, descend
from wfhelpers.study.baselines import CLASSIFIERS, classifier_auc
from wfhelpers.study.convergence import start_by_density
from wfhelpers.study.intervals import margin, side

_STEPS = 200  # gradients of F that every training of the book may use
_SCALE = 0.1  # spread of latent weights and scores at the start: only its ratio to the rate matters, clipping apart
_GRADIENT_PRODUCTS, _LOSS_PRODUCTS = 5, 2  # matrix products in a gradient of F (2 forward, 3 backward) and in F alone
# Fall of F that a flip must bring to be kept, and difference of two promises that counts: less could be rounding.
_LEAST_GAIN, _LEAST_PROMISE = 1e-10, 1e-12


@dataclass(frozen=True)
class Trial:
    """What can be chosen for a peer: edges into each node, and the learning rate.

    Edges are expected ones at the start, for ``edge-popup`` the mean of the whole training. For ``greedy`` the rate is
    the largest number of weights that are flipped at once.
    """

    edges: float
    rate: float

    def __post_init__(self) -> None:
        for name in ("edges", "rate"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} of a trial is {getattr(self, name)}; expected a positive number.")

    def density(self, width: int) -> float:
        """Share of ones among the weights of a layer, at most one half."""
        return min(self.edges / width, 0.5)


def fit(peer: str, draw: Draw, trial: Trial, seed: int, *, steps: int = _STEPS, timed: bool = False) -> Fitted:
    """Train a peer on every run of the draw, in the precision of the draw; with ``timed`` each run by itself."""
    if peer not in _SEARCHES:
        raise InputError(f"Unknown peer {peer!r}; expected one of {', '.join(_SEARCHES)}.")
    number = len(STRATEGIES) + list(_SEARCHES).index(peer)  # nobody starts from the numbers of a strategy
    weights, seconds = [], []
    for part in map(draw.__getitem__, range(draw.runs)) if timed else [draw]:
        begin = time.perf_counter()
        weights.append(_SEARCHES[peer][0](part, trial, strategies.generators(number, part, seed), steps))
        seconds.append(time.perf_counter() - begin)
    taken = torch.tensor(seconds if timed else [torch.nan] * draw.runs, dtype=torch.float64)
    return Fitted(torch.cat(weights), taken, taken)


_Search = Callable[[Draw, Trial, Generators, int], Tensor]


def _run_by_run(search: Callable[[Draw, Trial, np.random.Generator, int], Tensor]) -> _Search:
    """Spread a search, which gives the weights ``[2, I, I]`` of the only run of a draw, over the cores."""

    def all_runs(draw: Draw, trial: Trial, generators: Generators, steps: int) -> Tensor:
        with one_core_per_block() as pool:
            runs = pool.map(lambda run: search(draw[run], trial, generators[run], steps), range(draw.runs))
            return torch.stack(list(runs)).to(draw.x_train.dtype)

    return all_runs


def _algorithm_1(draw: Draw, trial: Trial, generators: Generators, steps: int) -> Tensor:
    """Algorithm 1 with the paper's sharpnesses. Start: ``N(m, 0.1^2)`` with the trial's density."""
    start = start_by_density(trial.density(draw.width), _SCALE).sample(generators, draw.width)
    binary = BINARY(protocols.LITERAL.M_hard, protocols.LITERAL.M_soft)
    return descend(draw, start.to(draw.x_train.dtype), binary, steps, trial.rate).weights


def _straight_through(draw: Draw, trial: Trial, generators: Generators, steps: int) -> Tensor:
    """BinaryConnect (Courbariaux et al. 2015, Algorithm 1) with the step to {0,1} in the place of the sign.

    Latent weights ``w`` move by ``w <- clip(w - rate grad F(v), -1, 1)`` with ``v = B_infinity(w)``: the gradient with
    respect to the binary weights goes straight through the step. Start: ``N(m, 0.1^2)`` with the trial's density.
    """
    start = start_by_density(trial.density(draw.width), _SCALE).sample(generators, draw.width)
    return descend(draw, start.to(draw.x_train.dtype), STRAIGHT_THROUGH, steps, trial.rate).weights


def _edge_popup(draw: Draw, trial: Trial, generators: Generators, steps: int) -> Tensor:
    """Edge-popup (Ramanujan et al. 2020, Sec. 3) in a network whose weights are all one.

    Scores move by ``s <- s - rate grad F(v)`` with ``v = h(s)``, where ``h`` is one for the highest scores of each
    layer, a fixed share of them. Start: ``N(0, 0.1^2)``.
    """
    start = Start(_SCALE).sample(generators, draw.width).to(draw.x_train.dtype)
    count = max(1, round(trial.density(draw.width) * draw.width**2))
    return descend(draw, start, TOP_SCORES(count), steps, trial.rate).weights


@_run_by_run
def _bernoulli_supermask(draw: Draw, trial: Trial, generator: np.random.Generator, steps: int) -> Tensor:
    """Supermask of Zhou et al. (2019) in a network whose weights are all one.

    Every step draws a network, ``v ~ Bernoulli(sigmoid(s))``, and moves ``s <- s - rate grad F(v) sigmoid'(s)``. The
    result is the most probable network: the edges with ``sigmoid(s) >= 1/2``. All ``s`` start at the trial's density.
    """
    x, y, width = draw.x_train[0], draw.y_train[0], draw.width
    scores = torch.full((2, width, width), float(logit(trial.density(width))), dtype=x.dtype)
    for _ in range(steps):
        probabilities = torch.sigmoid(scores)
        v = (torch.from_numpy(generator.random(scores.shape)) < probabilities).to(x.dtype)
        scores -= trial.rate * network.loss_gradient(v, x, y) * probabilities * (1 - probabilities)
    return hard_step(scores)


@_run_by_run
def _greedy_flips(draw: Draw, trial: Trial, generator: np.random.Generator, steps: int) -> Tensor:
    """Greedy bit-flipping: flip weights as long as F falls, starting from random edges of the trial's density.

    The gradient promises a change of ``g (1 - 2 v)`` for the flip of a weight. Up to ``rate`` weights, those of the
    best promise, are flipped at once; if F does not fall, half as many are tried; if not even a single flip helps, the
    next one in line is. F in double precision never rises, and where no single flip lowers it the search ends, at the
    latest after as many matrix products as ``steps`` gradients cost.
    """
    x, y = draw.x_train[0].double(), draw.y_train[0]
    v = torch.from_numpy(generator.random((2, draw.width, draw.width)) < trial.density(draw.width)).double()
    in_line = generator.permutation(v.numel())
    order, lowest, place, most = _promising(v, x, y, in_line), network.loss(v, x, y), 0, int(trial.rate)
    size, budget = most, _GRADIENT_PRODUCTS * (steps - 1) - _LOSS_PRODUCTS
    while place < len(order) and budget >= _LOSS_PRODUCTS + _GRADIENT_PRODUCTS:
        flipped = v.flatten().clone()
        flipped[order[place : place + size]] = 1 - flipped[order[place : place + size]]
        loss = network.loss(flipped.view_as(v), x, y)
        budget -= _LOSS_PRODUCTS
        if loss < lowest - _LEAST_GAIN:
            v, lowest = flipped.view_as(v), loss
            order, place, size = _promising(v, x, y, in_line), 0, min(2 * size, most)
            budget -= _GRADIENT_PRODUCTS
        elif size > 1:
            size //= 2
        else:
            place += 1
    return v


def _promising(v: Tensor, x: Tensor, y: Tensor, in_line: NDArray[np.int64]) -> Tensor:
    """Weights in the order of what their flip promises for F, the best first; ``in_line`` decides where they tie."""
    promise = (network.loss_gradient(v, x, y) * (1 - 2 * v)).flatten().numpy()
    rounded = np.rint(promise / _LEAST_PROMISE).astype(np.int64)
    return torch.from_numpy(np.argsort(rounded * len(in_line) + in_line))  # no two keys are equal


# BinaryConnect clips at the end of a step; at the beginning of the next one it comes to the same.
STRAIGHT_THROUGH = Parametrization(lambda w: hard_step(w.clamp_(-1, 1)), slope=torch.ones_like, extract=hard_step)
"""Weights ``v = B_infinity(w)`` of latent weights in [-1, 1], with a slope of one."""


def TOP_SCORES(count: int) -> Parametrization:  # noqa: N802
    """Weights one for the ``count`` highest scores of each layer (and for those that tie with the last of them)."""

    def top(scores: Tensor) -> Tensor:
        flat = scores.flatten(-2)
        least = flat.kthvalue(flat.shape[-1] - count + 1, dim=-1).values
        return (scores >= least[..., None, None]).to(scores.dtype)

    return Parametrization(forward=top, slope=torch.ones_like, extract=top)


_SEARCHES: dict[str, tuple[_Search, Sequence[float]]] = {
    "bin": (_algorithm_1, (0.01, 0.03, 0.1)),
    "straight-through": (_straight_through, (0.003, 0.01, 0.03)),
    "edge-popup": (_edge_popup, (0.003, 0.01, 0.03)),
    "supermask": (_bernoulli_supermask, (10.0, 30.0, 100.0)),
    "greedy": (_greedy_flips, (1, 4, 16)),
}
"""How Algorithm 1 and each of its peers search, and the rates that are tried."""

PEERS = tuple(name for name in _SEARCHES if name != "bin")
GRID = {
    name: [Trial(edges, rate) for edges in (0.5, 1.0, 2.0, 4.0) for rate in rates]
    for name, (_, rates) in _SEARCHES.items()
}
"""Trials of Algorithm 1 and of every peer, twelve each: a budget for this comparison alone."""

_Grid = Mapping[str, Sequence[Trial]]


def tune(draws: Sequence[Draw], seed: int = protocols.SEED, *, steps: int = _STEPS, grid: _Grid = GRID) -> pd.DataFrame:
    """Judge every trial by its mean validation AUC over the draws and their runs: one row per trial."""
    validation = [draw.split(protocols.HELD_OUT).to(torch.float64) for draw in draws]
    todo, judged = [(peer, trial) for peer, trials in grid.items() for trial in trials], []
    for peer, trial in progress(todo, "trials"):
        aucs = [auc(fit(peer, draw, trial, seed, steps=steps).weights, draw).mean() for draw in validation]
        mean = round(float(torch.stack(aucs).mean()), 4)
        judged.append({"peer": peer, "edges": trial.edges, "rate": trial.rate, "validation_auc": mean})
    return pd.DataFrame(judged)


def best_trials(trials: pd.DataFrame) -> dict[str, Trial]:
    """For every peer the trial of the highest validation AUC, the first one at a tie."""
    best = trials.loc[trials.groupby("peer")["validation_auc"].idxmax()].set_index("peer")
    return {peer: Trial(float(best["edges"][peer]), float(best["rate"][peer])) for peer in _SEARCHES}


def fit_all(draw: Draw, trials: Mapping[str, Trial], seed: int, *, timed: bool = False) -> dict[str, Fitted]:
    """Algorithm 1 (``bin``) and its peers on every run of a draw, all in double precision."""
    draw = draw.to(torch.float64)  # in single precision, rounding now and then decides which edges are drawn or best
    return {name: fit(name, draw, trials[name], seed, timed=timed) for name in _SEARCHES}


def reference_points(task: Task, trials: Mapping[str, Trial], runs: int = 10, seed: int = 0) -> pd.DataFrame:
    """Algorithm 1, its peers and ordinary classifiers on a task: one row per (dataset, task, size, model, run)."""
    draw = task.draw(runs, seed)
    networks = rows(fit_all(draw, trials, seed), draw)
    aucs = {name: pd.DataFrame({"run": draw.run_ids, "auc": classifier_auc(name, draw)}) for name in CLASSIFIERS}
    points = pd.concat([networks, pd.concat(aucs, names=["model"]).reset_index("model")], ignore_index=True)
    points = points.assign(dataset=task.dataset.name, task=task.title, size=task.train_per_class)
    return points[["dataset", "task", "size", "model", "run", "auc", "train_loss", "density_1", "density_2"]]


def margins(results: pd.DataFrame, model: str = "bin") -> pd.DataFrame:
    """Median AUC of a model minus that of every other one, with a 95 % interval: one row per (other, task, size)."""
    compared = {other: margin(results, [model], [other]) for other in results["model"].unique() if other != model}
    table: pd.DataFrame = pd.concat(compared, names=["other"])
    return table.reset_index()


def standing(compared: pd.DataFrame) -> pd.DataFrame:
    """In how many cases a model is ahead of each other one, behind it, or neither, by the intervals of `margins`."""
    words = side(compared["lower"], compared["upper"]).map({1: "ahead", 0: "unclear", -1: "behind"})
    counts = pd.crosstab(compared["other"], words).reindex(compared["other"].unique())
    return counts.reindex(columns=["ahead", "unclear", "behind"], fill_value=0).rename_axis(columns=None)
