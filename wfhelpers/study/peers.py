"""Peers of Algorithm 1: four other ways to find the {0,1} weights of the paper's network psi, eq. (11).

======================  ==============================================================================================
``straight-through``    latent weights, their step forward, a slope of one backward (BinaryConnect)
``edge-popup``          the edges of the highest scores make up the network, in each layer
``supermask``           every edge is drawn with a probability that is learned
``greedy``              flips of weights that lower F, the ones that the gradient promises most of first
======================  ==============================================================================================

Each of them minimizes F, eq. (12), on all training objects of a run and ends with weights ``[runs, 2, I, I]`` that are
0 or 1. Run r depends on the seed and on r alone, not on the other runs. All have the budget of Algorithm 1: ``steps``
gradients of F, or what costs as many matrix products. A `Trial` is what can be chosen for a peer. Each gets as many of
them as ``bin`` in the protocol tuned, on the same tasks, judged on validation objects only.

``python -m wfhelpers.study.peers`` makes the stored trials, ``python -m wfhelpers.study.peers --grid`` the table of all tasks.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from scipy.special import logit
from scipy.stats import norm
from threadpoolctl import threadpool_limits
from torch import Tensor

from wfhelpers._support import InputError, one_core_a_block, progress
from wfhelpers.core import network, protocols, strategies
from wfhelpers.core.binarize import hard_step
from wfhelpers.core.evaluation import auc, rows
from wfhelpers.core.strategies import LITERAL, STRATEGIES, Fitted, Generators, Settings, Start, chosen
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import Parametrization, descend
from wfhelpers.results import experiments
from wfhelpers.results.store import write_whole
from wfhelpers.study.baselines import CLASSIFIERS, classifier_auc
from wfhelpers.study.comparison import side_by_side
from wfhelpers.study.intervals import margin

PEERS = ("straight-through", "edge-popup", "supermask", "greedy")
"""Identifiers of the peers."""

OTHERS = (*PEERS, *CLASSIFIERS)
"""All that Algorithm 1 is compared with: its peers and the ordinary classifiers."""

STEPS = 200
"""Gradients of F that every training of the book may use."""

GRADIENT_PRODUCTS, LOSS_PRODUCTS = 5, 2
"""Matrix products of ``objects x I x I`` in a gradient of F (two forward, three backward) and in F alone."""

SCALE = 0.1
"""Spread of the latent weights and of the scores at the start; only its ratio to the rate matters, clipping apart."""

LEAST_GAIN, LEAST_PROMISE = 1e-10, 1e-12
"""Fall of F that a flip must bring to be kept, and difference of two promises that counts: less could be rounding."""

TRIALS = Path(__file__).parents[2] / "results" / "trials_peers.csv"
"""Stored trials of the peers on both data sets."""

GRID_TABLE = TRIALS.with_name("reference_points.csv")
"""Stored AUC of Algorithm 1, its peers and ordinary classifiers, on all tasks of ``experiments.yml``."""


@dataclass(frozen=True)
class Trial:
    """What can be chosen for a peer.

    Attributes
    ----------
    edges
        Edges into each node: expected ones at the start; for ``edge-popup`` the mean of the whole training.
    rate
        Learning rate; for ``greedy`` the largest number of weights that are flipped at once.
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


def fit(peer: str, draw: Draw, trial: Trial, seed: int, *, steps: int = STEPS, timed: bool = False) -> Fitted:
    """Train a peer on every run of the draw, in the precision of the draw; with ``timed`` each run by itself."""
    if peer not in _SEARCHES:
        raise InputError(f"Unknown peer {peer!r}; expected one of {', '.join(PEERS)}.")
    if timed:
        parts = [_fit(peer, draw[run : run + 1], trial, seed, steps) for run in range(draw.runs)]
        weights, seconds = torch.cat([weights for weights, _ in parts]), torch.tensor([taken for _, taken in parts])
    else:
        weights, _ = _fit(peer, draw, trial, seed, steps)
        seconds = torch.full((draw.runs,), torch.nan)
    return Fitted(weights, seconds.double(), seconds.double())


def _fit(peer: str, draw: Draw, trial: Trial, seed: int, steps: int) -> tuple[Tensor, float]:
    """Weights, and the seconds that they took."""
    number = len(STRATEGIES) + PEERS.index(peer)  # no peer starts from the numbers of a strategy
    generators = [np.random.default_rng([seed, number, int(run)]) for run in draw.run_ids]
    begin = time.perf_counter()
    return _SEARCHES[peer](draw, trial, generators, steps), time.perf_counter() - begin


def straight_through(draw: Draw, trial: Trial, generators: Generators, steps: int) -> Tensor:
    """BinaryConnect (Courbariaux et al. 2015, Algorithm 1) with the step to {0,1} in the place of the sign.

    Latent weights ``w`` move by ``w <- clip(w - rate grad F(v), -1, 1)`` with ``v = B_infinity(w)``: the gradient with
    respect to the binary weights goes straight through the step. Start: ``N(m, 0.1^2)`` with the trial's density.
    """
    start = Start(SCALE, SCALE * float(norm.ppf(trial.density(draw.width)))).sample(generators, draw.width)
    return descend(draw, start.to(draw.x_train.dtype), STRAIGHT_THROUGH, steps, trial.rate).weights


def edge_popup(draw: Draw, trial: Trial, generators: Generators, steps: int) -> Tensor:
    """Edge-popup (Ramanujan et al. 2020, Sec. 3) in a network whose weights are all one.

    Scores move by ``s <- s - rate grad F(v)`` with ``v = h(s)``, where ``h`` is one for the highest scores of each
    layer, a fixed share of them. Start: ``N(0, 0.1^2)``.
    """
    start = Start(SCALE).sample(generators, draw.width).to(draw.x_train.dtype)
    count = max(1, round(trial.density(draw.width) * draw.width**2))
    return descend(draw, start, TOP_SCORES(count), steps, trial.rate).weights


def bernoulli_supermask(draw: Draw, trial: Trial, generators: Generators, steps: int) -> Tensor:
    """Supermask of Zhou et al. (2019) in a network whose weights are all one.

    Every step draws a network, ``v ~ Bernoulli(sigmoid(s))``, and moves ``s <- s - rate grad F(v) sigmoid'(s)``. The
    result is the most probable network: the edges with ``sigmoid(s) >= 1/2``. All ``s`` start at the trial's density.
    """

    def search(run: int) -> Tensor:
        return _supermask_run(draw[run], trial, generators[run], steps)

    with one_core_a_block() as pool:
        return hard_step(torch.stack(list(pool.map(search, range(draw.runs)))))


def _supermask_run(draw: Draw, trial: Trial, generator: np.random.Generator, steps: int) -> Tensor:
    """Scores of the only run of a draw, ``[2, I, I]``."""
    x, y, width = draw.x_train[0], draw.y_train[0], draw.width
    scores = torch.full((2, width, width), float(logit(trial.density(width))), dtype=x.dtype)
    for _ in range(steps):
        probabilities = torch.sigmoid(scores)
        v = (torch.from_numpy(generator.random(scores.shape)) < probabilities).to(x.dtype)
        scores -= trial.rate * network.loss_gradient(v, x, y) * probabilities * (1 - probabilities)
    return scores


def greedy_flips(draw: Draw, trial: Trial, generators: Generators, steps: int) -> Tensor:
    """Greedy bit-flipping: flip weights as long as F falls, starting from random edges of the trial's density.

    The gradient promises a change of ``g (1 - 2 v)`` for the flip of a weight. Up to ``rate`` weights, those of the
    best promise, are flipped at once; if F does not fall, half as many are tried; if not even a single flip helps, the
    next one in line is. F in double precision never rises, and where no single flip lowers it the search ends.

    A gradient costs 5 matrix products and F costs 2; a run may spend as many as ``steps`` gradients cost.
    """

    def search(run: int) -> Tensor:
        return _greedy_run(draw[run], trial, generators[run], GRADIENT_PRODUCTS * steps)

    with one_core_a_block() as pool:
        return torch.stack(list(pool.map(search, range(draw.runs)))).to(draw.x_train.dtype)


def _greedy_run(draw: Draw, trial: Trial, generator: np.random.Generator, budget: int) -> Tensor:
    """Greedy flips of the only run of a draw, ``[2, I, I]``."""
    x, y = draw.x_train[0].double(), draw.y_train[0]
    v = torch.from_numpy(generator.random((2, draw.width, draw.width)) < trial.density(draw.width)).double()
    in_line = generator.permutation(v.numel())
    order, lowest, place, most = _promising(v, x, y, in_line), network.loss(v, x, y), 0, int(trial.rate)
    size, budget = most, budget - GRADIENT_PRODUCTS - LOSS_PRODUCTS
    while place < len(order) and budget >= LOSS_PRODUCTS + GRADIENT_PRODUCTS:
        flipped = v.flatten().clone()
        flipped[order[place : place + size]] = 1 - flipped[order[place : place + size]]
        loss = network.loss(flipped.view_as(v), x, y)
        budget -= LOSS_PRODUCTS
        if loss < lowest - LEAST_GAIN:
            v, lowest = flipped.view_as(v), loss
            order, place, size = _promising(v, x, y, in_line), 0, min(2 * size, most)
            budget -= GRADIENT_PRODUCTS
        elif size > 1:
            size //= 2
        else:
            place += 1
    return v


def _promising(v: Tensor, x: Tensor, y: Tensor, in_line: NDArray[np.int64]) -> Tensor:
    """Weights in the order of what their flip promises for F, the best first; ``in_line`` decides where they tie."""
    promise = (network.loss_gradient(v, x, y) * (1 - 2 * v)).flatten().numpy()
    rounded = np.rint(promise / LEAST_PROMISE).astype(np.int64)
    return torch.from_numpy(np.argsort(rounded * len(in_line) + in_line))  # no two keys are equal


def _step_after_clipping(w: Tensor, out: Tensor) -> Tensor:
    # BinaryConnect clips at the end of a step; at the beginning of the next one it comes to the same.
    return torch.ge(w.clamp_(-1, 1), 0, out=out)


STRAIGHT_THROUGH = Parametrization(forward=_step_after_clipping, slope=lambda w, out: out.fill_(1), extract=hard_step)
"""Weights ``v = B_infinity(w)`` of latent weights in [-1, 1], with a slope of one."""


def TOP_SCORES(count: int) -> Parametrization:  # noqa: N802
    """Weights one for the ``count`` highest scores of each layer (and for those that tie with the last of them)."""

    def top(scores: Tensor) -> Tensor:
        flat = scores.flatten(-2)
        least = flat.kthvalue(flat.shape[-1] - count + 1, dim=-1).values
        return scores >= least[..., None, None]

    return Parametrization(
        forward=lambda w, out: out.copy_(top(w)),
        slope=lambda w, out: out.fill_(1),
        extract=lambda w: top(w).to(w.dtype),
    )


_SEARCHES: dict[str, Callable[[Draw, Trial, Generators, int], Tensor]] = {
    "straight-through": straight_through,
    "edge-popup": edge_popup,
    "supermask": bernoulli_supermask,
    "greedy": greedy_flips,
}

EDGES = (0.5, 1.0, 2.0, 4.0)
RATES: dict[str, Sequence[float]] = {
    "straight-through": (0.003, 0.01, 0.03),
    "edge-popup": (0.003, 0.01, 0.03),
    "supermask": (10.0, 30.0, 100.0),
    "greedy": (1, 4, 16),
}
GRID = {peer: [Trial(edges, rate) for edges in EDGES for rate in rates] for peer, rates in RATES.items()}
"""Trials of every peer, twelve each, as many as ``bin`` has in `wfhelpers.core.protocols.GRID`."""


def tune(draws: Sequence[Draw], seed: int = protocols.SEED, *, steps: int = STEPS) -> pd.DataFrame:
    """Judge every trial by its mean validation AUC over the draws and their runs: one row a trial."""
    validation = [draw.split(protocols.HELD_OUT).to(torch.float64) for draw in draws]
    judged = []
    todo = [(peer, trial) for peer in PEERS for trial in GRID[peer]]
    for peer, trial in progress(todo, "trials"):
        areas = [auc(fit(peer, draw, trial, seed, steps=steps).weights, draw).mean() for draw in validation]
        found = round(float(torch.stack(areas).mean()), 4)
        judged.append({"peer": peer, "edges": trial.edges, "rate": trial.rate, "validation_auc": found})
    return pd.DataFrame(judged)


def best_trials(trials: pd.DataFrame) -> dict[str, Trial]:
    """For every peer the trial of the highest validation AUC, the first one at a tie."""
    best = trials.loc[trials.groupby("peer")["validation_auc"].idxmax()].set_index("peer")
    return {peer: Trial(float(best["edges"][peer]), float(best["rate"][peer])) for peer in PEERS}


def stored_trials(dataset: str) -> pd.DataFrame:
    """Stored trials of ``mnist`` or ``citeseer``."""
    trials = pd.read_csv(TRIALS)
    return trials[trials["dataset"] == dataset].drop(columns="dataset").reset_index(drop=True)


def tuned(task: Task) -> tuple[Settings, dict[str, Trial]]:
    """Settings of ``bin`` and the trial of each peer, tuned alike.

    For a data set without stored trials they are made on training objects of the task itself.
    """
    if task.dataset.name in strategies.TUNED:
        return strategies.TUNED[task.dataset.name], best_trials(stored_trials(task.dataset.name))
    draw = task.draw(protocols.RUNS, protocols.SEED)
    validation = [draw.split(protocols.HELD_OUT)]
    judged = [protocols.judge("bin", trial, LITERAL, validation, protocols.SEED) for trial in protocols.GRID["bin"]]
    return chosen(pd.DataFrame(judged)), best_trials(tune([draw]))


def fit_all(task: Task, draw: Draw, seed: int, *, timed: bool = False) -> dict[str, Fitted]:
    """Algorithm 1 (``bin``) and its peers, tuned, on every run of a task's draw, all in double precision.

    In single precision a rounding error now and then decides whether a score is among the highest, or whether an edge
    is drawn, and another processor would find another network.
    """
    settings, trials = tuned(task)
    draw = draw.to(torch.float64)
    fitted = {"bin": strategies.fit("bin", draw, settings, seed, timed=timed)["bin"]}
    return fitted | {peer: fit(peer, draw, trials[peer], seed, timed=timed) for peer in PEERS}


def reference_points(tasks: Sequence[Task], runs: int = 10, seed: int = 0) -> pd.DataFrame:
    """Algorithm 1, its peers and ordinary classifiers: one row a (dataset, task, size, model, run).

    Columns: the AUC on test objects; for networks also F on training objects and the density of each layer.
    """
    with threadpool_limits(1, user_api="blas"):  # tasks share the cores, and a result must not depend on how
        made = side_by_side(lambda task: _of_task(task, runs, seed), tasks, "tasks")
    return pd.concat(made, ignore_index=True)


def _of_task(task: Task, runs: int, seed: int) -> pd.DataFrame:
    draw = task.draw(runs, seed)
    measured = ["model", "run", "auc", "train_loss", "density_1", "density_2"]
    networks = rows(fit_all(task, draw, seed), draw)[measured]
    ordinary = [
        pd.DataFrame({"model": name, "run": draw.run_ids, "auc": classifier_auc(name, draw)}) for name in CLASSIFIERS
    ]
    made = pd.concat([networks, *ordinary], ignore_index=True)
    made.insert(0, "dataset", task.dataset.name)
    made.insert(1, "task", task.title)
    made.insert(2, "size", task.train_per_class)
    return made


def margins(results: pd.DataFrame, model: str = "bin") -> pd.DataFrame:
    """Median AUC of a model minus that of every other one, with a 95 % interval: one row a (other, task, size)."""
    found = {other: margin(results, [model], [other]) for other in results["model"].unique() if other != model}
    table: pd.DataFrame = pd.concat(found, names=["other"])
    return table.reset_index()


def standing(compared: pd.DataFrame) -> pd.DataFrame:
    """In how many cases a model is ahead of each other one, behind it, or neither, by the intervals of `margins`."""
    signs = (compared["lower"] > 0).astype(int) - (compared["upper"] < 0).astype(int)
    words = signs.map({1: "ahead", 0: "unclear", -1: "behind"})
    counts = pd.crosstab(compared["other"], words).reindex(compared["other"].unique())
    return counts.reindex(columns=["ahead", "unclear", "behind"], fill_value=0).rename_axis(columns=None)


def grid_tasks(path: str | Path = "experiments.yml", size: int = 100) -> list[Task]:
    """Tasks of a file of experiments at one training size, in both orientations."""
    cells = [cell for page in experiments.read(path).pages for cell in page.cells if cell.size == size]
    return [cell.task for cell in cells if cell.protocol == "tuned"]


def main() -> None:
    """Make the stored trials of the peers again, or the table of reference points on all tasks."""
    parser = argparse.ArgumentParser(
        prog="python -m wfhelpers.study.peers",
        description="Tune the peers of Algorithm 1, or compare them on all tasks.",
    )
    parser.add_argument("--grid", action="store_true", help="make the table of all tasks from the stored trials")
    parser.add_argument("--experiments", default="experiments.yml", help="file that names the tasks")
    options = parser.parse_args()
    if options.grid:
        made = reference_points(grid_tasks(options.experiments))
        made, path = made[["dataset", "task", "size", "model", "run", "auc"]].round(6), GRID_TABLE
    else:
        by_dataset = {name: tune(protocols.tuning_draws(name)) for name in sorted(protocols.TUNING_TASKS)}
        made, path = pd.concat(by_dataset, names=["dataset"]).reset_index(level="dataset"), TRIALS
    path.parent.mkdir(exist_ok=True)
    write_whole(path, made.to_csv(index=False).encode())
    print(f"{len(made)} rows are in {path.name}.")


if __name__ == "__main__":
    main()
