"""Algorithm 1 watched while it runs: its course (Fig. 3), what its start does to it, what the final rounding costs.

Tables have one row per run (and step, where a course is followed). ``F_relaxed`` and ``auc_relaxed`` belong to the
network ``B_{M_hard}(w)`` that descent sees, ``F_binary`` and ``auc_binary`` to the network ``B_infinity(w)`` that is
extracted at the end. F is measured on the training objects, AUC on the test objects.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy.special import ndtri
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.core import binarize, network
from wfhelpers.core.evaluation import auc
from wfhelpers.core.strategies import Start, first_numbers
from wfhelpers.core.tasks import Draw
from wfhelpers.core.training import BINARY, Descent, Parametrization, descend
from wfhelpers.study.intervals import quartiles


def start_by_density(density: float, scale: float) -> Start:
    """Start ``N(scale Phi^-1(density), scale^2)``, for which the binary network has that density on average."""
    if not 0 < density < 1:
        raise InputError(f"The density of a start is {density}; expected a number between 0 and 1.")
    return Start(scale, float(scale * ndtri(density)))


def grid(M_hards: Sequence[float], ratios: Sequence[float]) -> list[tuple[float, float]]:
    """Pairs ``(M_hard, M_soft = ratio M_hard)`` of Fig. 3."""
    if not M_hards or not all(M_hard > 0 for M_hard in M_hards):
        raise InputError(f"The values of M_hard are {list(M_hards)}; expected at least one, all of them positive.")
    if not ratios or not all(0 < ratio <= 1 for ratio in ratios):
        raise InputError(f"The ratios M_soft / M_hard are {list(ratios)}; expected at least one, from above 0 to 1.")
    return [(M_hard, ratio * M_hard) for M_hard in M_hards for ratio in ratios]


def flip_ratio(before: Tensor, after: Tensor) -> Tensor:
    """Share of the binary weights ``B_infinity(w)`` that differ between two states of ``w``, one value per network."""
    return (binarize.hard_step(before) != binarize.hard_step(after)).double().mean((-1, -2, -3))


def follow(
    draw: Draw, start: Tensor, M_hard: float, M_soft: float, steps: int, rate: float, *, every: int = 1, **slope: bool
) -> tuple[Descent, pd.DataFrame]:
    """Run Algorithm 1 on every run and note its state before the first step and after every ``every``-th one.

    ``slope`` is an option of `wfhelpers.core.training.BINARY`. The table has the columns named at the top of this
    module, the densities of both layers of the binary network and the share of weights that flipped since the last row.
    """
    tables, previous = [], [start]

    def note(step: int, latent: Tensor) -> None:
        table = _state(latent, previous[-1], draw, M_hard)
        table.insert(0, "step", step)
        tables.append(table)
        previous.append(latent)

    binary = BINARY(M_hard, M_soft, **slope)
    if every < steps:
        trained = descend(draw, start, binary, steps, rate, watch=note, every=every)
    else:  # Only the ends: unwatched, descent spreads the runs over the cores.
        note(0, start)
        trained = descend(draw, start, binary, steps, rate)
        note(steps, trained.latent)
    return trained, pd.concat(tables, ignore_index=True)


def follow_grid(
    draw: Draw, start: Tensor, pairs: Iterable[tuple[float, float]], steps: int, rate: float, **options: Any
) -> pd.DataFrame:
    """Courses of Algorithm 1 for several pairs ``(M_hard, M_soft)`` from one start (Fig. 3); options of `follow`."""
    courses = (
        follow(draw, start, *pair, steps, rate, **options)[1].assign(M_hard=pair[0], M_soft=pair[1]) for pair in pairs
    )
    return pd.concat(courses, ignore_index=True)


def ends(courses: pd.DataFrame) -> pd.DataFrame:
    """Rows of the last step."""
    return courses.query("step == step.max()").reset_index(drop=True)


def softening(finals: pd.DataFrame, ratio: float, value: str = "auc_binary") -> pd.DataFrame:
    """Quartiles of what ``M_soft = ratio M_hard`` adds to ``value`` run by run, and how many runs rose and fell."""
    equal, softer = (
        finals[np.isclose(finals["M_soft"], r * finals["M_hard"])].set_index(["M_hard", "run"])[value]
        for r in (1, ratio)
    )
    difference = (softer - equal).dropna().rename("difference")
    table = quartiles(difference.reset_index(), ["M_hard"], "difference").sort_index()
    counts = {"rose": difference > 0, "fell": difference < 0}
    return table.assign(**{name: which.groupby(level="M_hard").sum() for name, which in counts.items()})


def saturation(latent: Tensor, draw: Draw, M_hard: float) -> pd.DataFrame:
    """How far the ``tanh`` units of the network ``B_{M_hard}(w)`` are saturated, one row per run.

    ``sum_2`` is the median sum inside a unit of the second layer, ``flat_2`` the share of those units whose output is
    exactly 1 or -1 in the precision of ``latent``, ``no_gradient`` the share of weights whose gradient is exactly 0.
    """
    weights, x = binarize.soft_step(latent, M_hard), draw.x_train.to(latent.dtype)
    gradient = network.loss_gradient(weights, x, draw.y_train)
    sums = torch.tanh(x @ weights[:, 0].mT) @ weights[:, 1].mT
    values = {
        "sum_2": sums.flatten(1).median(-1).values,
        "flat_2": (torch.tanh(sums).abs() == 1).double().mean((-1, -2)),
        "no_gradient": (gradient == 0).double().mean((-1, -2, -3)),
    }
    return pd.DataFrame({"run": list(draw.run_ids), **{name: value.numpy() for name, value in values.items()}})


def density_sweep(
    draw: Draw, densities: Iterable[float], s: float, M_hard: float, M_soft: float, steps: int, rate: float, seed: int
) -> pd.DataFrame:
    """Algorithm 1 from starts of several densities at the scale s: AUCs, flips, `saturation`, per density and run."""
    tables = {}
    for density in densities:
        start = first_numbers("bin", start_by_density(density, s), draw, seed)
        trained = descend(draw, start, BINARY(M_hard, M_soft), steps, rate)
        before, after = (auc(weights, draw).numpy() for weights in (binarize.hard_step(start), trained.weights))
        flipped = flip_ratio(start, trained.latent).numpy()
        measured = {"auc_start": before, "auc_binary": after, "flip_ratio": flipped, "moved": flipped > 0}
        tables[density] = saturation(start, draw, M_hard).assign(**measured)
    return pd.concat(tables, names=["density"]).reset_index("density").reset_index(drop=True)


def runs_that_rounding_changes(
    draw: Draw, start: Tensor, parametrization: Parametrization, steps: int, rate: float
) -> Tensor:
    """Mark the runs whose networks differ when they are trained in single and in double precision."""
    starts = (start.float(), start.double())
    one, two = (descend(draw, first, parametrization, steps, rate).weights.double() for first in starts)
    return (one != two).flatten(1).any(1)


def _state(latent: Tensor, previous: Tensor, draw: Draw, M_hard: float) -> pd.DataFrame:
    """What the networks of a moment of training are worth, one row per run, and the share that flipped before it."""
    w = latent.double()
    networks = {"relaxed": binarize.soft_step(w, M_hard), "binary": binarize.hard_step(w)}
    x, y = draw.x_train.double(), draw.y_train
    columns = {f"F_{name}": network.loss(weights, x, y) for name, weights in networks.items()}
    columns |= {f"auc_{name}": auc(weights, draw) for name, weights in networks.items()}
    columns["density_1"], columns["density_2"] = network.density(networks["binary"]).unbind(-1)
    columns["flip_ratio"] = flip_ratio(previous, latent)
    return pd.DataFrame({"run": np.arange(draw.runs), **{name: value.numpy() for name, value in columns.items()}})
