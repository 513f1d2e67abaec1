"""Algorithm 1 watched while it runs: its course (Fig. 3), what its start does to it, what the final rounding costs.

Tables have one row a run (and a step, where a course is followed). ``F_relaxed`` and ``auc_relaxed`` belong to the
network ``B_{M_hard}(w)`` that descent sees, ``F_binary`` and ``auc_binary`` to the network ``B_infinity(w)`` that is
extracted at the end. F is measured on the training objects, AUC on the test objects.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import torch
from scipy.stats import norm
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.core import binarize, network
from wfhelpers.core.evaluation import auc
from wfhelpers.core.strategies import STRATEGIES, Start
from wfhelpers.core.tasks import Draw
from wfhelpers.core.training import BINARY, Descent, Trace, descend, flip_ratio
from wfhelpers.study.intervals import quartiles

Scalar = float | int


def start_by_density(density: float, scale: float) -> Start:
    """Start ``N(scale Phi^-1(density), scale^2)``, for which the binary network has that density on average."""
    if not 0 < density < 1:
        raise InputError(f"The density of a start is {density}; expected a number between 0 and 1.")
    return Start(scale, float(scale * norm.ppf(density)))


def sample(start: Start, draw: Draw, seed: int) -> Tensor:
    """First ``w`` of every run, drawn as `strategies.fit` draws it for the model ``bin``."""
    generators = [np.random.default_rng([seed, STRATEGIES.index("bin"), run]) for run in draw.run_ids]
    return start.sample(generators, draw.width)


def grid(M_hards: Sequence[Scalar], ratios: Sequence[Scalar]) -> list[tuple[Scalar, Scalar]]:
    """Pairs ``(M_hard, M_soft = ratio M_hard)`` of Fig. 3."""
    if not M_hards or not all(M_hard > 0 for M_hard in M_hards):
        raise InputError(f"The values of M_hard are {list(M_hards)}; expected at least one, all of them positive.")
    if not ratios or not all(0 < ratio <= 1 for ratio in ratios):
        raise InputError(f"The ratios M_soft / M_hard are {list(ratios)}; expected at least one, from above 0 to 1.")
    return [(M_hard, ratio * M_hard) for M_hard in M_hards for ratio in ratios]


def follow(
    draw: Draw,
    start: Tensor,
    M_hard: Scalar,
    M_soft: Scalar,
    steps: int,
    rate: float,
    *,
    every: int = 1,
    unscaled_slope: bool = False,
) -> tuple[Descent, pd.DataFrame]:
    """Run Algorithm 1 on every run and note its state before the first step and after every ``every``-th one.

    The table has the columns ``step``, ``run``, those named at the top of this module, the densities of the two layers
    of the binary network and the share of its weights that flipped since the last record.
    """
    course = _trace(draw, M_hard)
    binary = BINARY(M_hard, M_soft, unscaled_slope=unscaled_slope)
    if every < steps:
        trained = descend(draw, start, binary, steps, rate, watch=course, every=every)
    else:  # Only the ends: unwatched, descent spreads the runs over the cores.
        course(0, start)
        trained = descend(draw, start, binary, steps, rate)
        course(steps, trained.latent)
    return trained, course.table()


def follow_grid(
    draw: Draw,
    start: Tensor,
    pairs: Iterable[tuple[Scalar, Scalar]],
    steps: int,
    rate: float,
    *,
    every: int,
    unscaled_slope: bool = False,
) -> pd.DataFrame:
    """Courses of Algorithm 1 for several pairs ``(M_hard, M_soft)`` from one start, as in Fig. 3."""
    tables = []
    for M_hard, M_soft in pairs:
        course = follow(draw, start, M_hard, M_soft, steps, rate, every=every, unscaled_slope=unscaled_slope)[1]
        tables.append(course.assign(M_hard=M_hard, M_soft=M_soft))
    return pd.concat(tables, ignore_index=True)


def ends(courses: pd.DataFrame) -> pd.DataFrame:
    """Rows of the last step."""
    last: pd.DataFrame = courses.loc[courses["step"] == courses["step"].max()]
    return last.reset_index(drop=True)


def softening(finals: pd.DataFrame, ratio: float, value: str = "auc_binary") -> pd.DataFrame:
    """What a softer slope does, run by run: ``value`` with ``M_soft = ratio M_hard`` less that with ``M_hard`` itself.

    A row for each ``M_hard``: quartiles of the difference, and the numbers of runs in which the value went up
    (``rose``) and down (``fell``).
    """
    columns = ["M_hard", "run", value]
    equal = finals.loc[finals["M_soft"] == finals["M_hard"], columns]
    softer = finals.loc[np.isclose(finals["M_soft"], ratio * finals["M_hard"]), columns]
    both = softer.merge(equal, on=["M_hard", "run"], suffixes=("_softer", "_equal"), validate="one_to_one")
    both["difference"] = both[f"{value}_softer"] - both[f"{value}_equal"]
    table = quartiles(both, ["M_hard"], "difference").sort_index()
    table["rose"] = (both["difference"] > 0).groupby(both["M_hard"]).sum()
    table["fell"] = (both["difference"] < 0).groupby(both["M_hard"]).sum()
    return table


def saturation(latent: Tensor, draw: Draw, M_hard: Scalar) -> pd.DataFrame:
    """How far the ``tanh`` units of the network ``B_{M_hard}(w)`` are saturated, one row a run.

    ``sum_2`` is the median sum inside a unit of the second layer, ``flat_2`` the share of those units whose output is
    exactly 1 or -1 in the precision of ``latent``, ``no_gradient`` the share of weights whose gradient is exactly 0.
    """
    weights, x = binarize.soft_step(latent, M_hard), draw.x_train.to(latent.dtype)
    first, second = weights.unbind(-3)
    sums = torch.tanh(x @ first.mT) @ second.mT
    gradient = network.loss_gradient(weights, x, draw.y_train)
    values = {
        "sum_2": sums.flatten(1).median(-1).values,
        "flat_2": (torch.tanh(sums).abs() == 1).double().mean((-1, -2)),
        "no_gradient": (gradient == 0).double().mean((-1, -2, -3)),
    }
    return pd.DataFrame({"run": list(draw.run_ids), **{name: value.numpy() for name, value in values.items()}})


def density_sweep(
    draw: Draw,
    densities: Iterable[float],
    scale: float,
    M_hard: Scalar,
    M_soft: Scalar,
    steps: int,
    rate: float,
    seed: int,
) -> pd.DataFrame:
    """Algorithm 1 from starts of several densities: one row a (density, run).

    Columns ``auc_start`` and ``auc_binary`` before and after training, ``flip_ratio`` between the two networks,
    ``moved`` where at least one weight flipped, and those of `saturation` at the start.
    """
    tables = []
    for density in densities:
        start = sample(start_by_density(density, scale), draw, seed)
        trained = descend(draw, start, BINARY(M_hard, M_soft), steps, rate)
        table = saturation(start, draw, M_hard)
        table.insert(0, "density", density)
        table["auc_start"] = auc(binarize.hard_step(start), draw).numpy()
        table["auc_binary"] = auc(trained.weights, draw).numpy()
        table["flip_ratio"] = flip_ratio(start, trained.latent).numpy()
        tables.append(table)
    swept = pd.concat(tables, ignore_index=True)
    return swept.assign(moved=swept["flip_ratio"] > 0)


def _trace(draw: Draw, M_hard: Scalar) -> Trace:
    x, y = draw.x_train.double(), draw.y_train

    def relaxed(latent: Tensor) -> Tensor:
        return binarize.soft_step(latent.double(), M_hard)

    def binary(latent: Tensor) -> Tensor:
        return binarize.hard_step(latent.double())

    return Trace(
        F_relaxed=lambda w: network.loss(relaxed(w), x, y),
        F_binary=lambda w: network.loss(binary(w), x, y),
        auc_relaxed=lambda w: auc(relaxed(w), draw),
        auc_binary=lambda w: auc(binary(w), draw),
        density_1=lambda w: network.density(binary(w))[..., 0],
        density_2=lambda w: network.density(binary(w))[..., 1],
    )
