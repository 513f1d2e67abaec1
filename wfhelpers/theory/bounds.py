"""Algorithm 1 on convex functions, and what the paper's Sec. 4 and App. B say about it (chapter 04).

First Algorithm 1 on any f (`run`), then Lemma 4.2 and Theorem 4.3, then measured gaps; the bounds that hold are in
`mirror`. A point of the cube is given by its latent ``w``, ``v = B_{M_hard}(w)``; tensors are float64, the last axis is
that of vectors, all others are runs or problems.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.core.binarize import soft_step, soft_step_slope
from wfhelpers.theory.convex import Problem

Numbers = NDArray[np.float64]


def check_setting(
    *, M_hard: float, M_soft: float, c: float = 1.0, T: int = 2, slope: float = 1.0, problems: int = 1, runs: int = 1
) -> None:
    """Raise an `InputError` for constants about which the statements of chapters 04 and 04b say nothing."""
    if not 0 < M_soft < M_hard < np.inf:
        raise InputError(f"M_soft is {M_soft} and M_hard is {M_hard}; expected 0 < M_soft < M_hard (Sec. 4).")
    for name, value in {"c": c, "slope": slope}.items():
        if not 0 < value < np.inf:
            raise InputError(f"{name} is {value}; expected a positive number.")
    for name, count, least in [("T", T, 2), ("problems", problems, 1), ("runs", runs, 1)]:
        if count < least:
            raise InputError(f"{name} is {count}; expected at least {least}.")


@dataclass(frozen=True)
class Path:
    """Points and gradients of a run of Algorithm 1 with the sharpness ``M_hard`` forward and ``M_soft`` backward."""

    latent: Tensor
    """``w^1 ... w^{T+1}``, ``[..., T + 1, d]``: the start, and what each of the T updates gives."""
    gradients: Tensor
    """The gradient of each update, ``[..., T, d]``."""
    rates: Tensor
    """``eta_1 ... eta_T``, ``[..., T]``."""
    M_hard: float
    M_soft: float

    @property
    def points(self) -> Tensor:
        """``v^t = B_{M_hard}(w^t)``, t = 1 ... T + 1."""
        return soft_step(self.latent, self.M_hard)

    def average(self) -> Tensor:
        """Mean of ``v^1 ... v^T``, weighted by the rates: the point that `mirror.average_bound` speaks of."""
        weights = (self.rates / self.rates.sum(-1, keepdim=True))[..., None]
        return (weights * self.points[..., :-1, :]).sum(-2)


def decaying_rates(c: float, T: int, power: float = 1.0) -> Tensor:
    """Learning rates ``c / t^power``, t = 1 ... T: those of Theorem 4.3 with power 1, constant with power 0."""
    return c / torch.arange(1, T + 1, dtype=torch.float64) ** power


def run(
    gradient: Callable[[Tensor, Tensor | None], Tensor],
    start: Tensor,
    rates: Tensor,
    M_hard: float,
    M_soft: float,
    *,
    samples: Tensor | None = None,
) -> Path:
    """Algorithm 1, eq. (5), from ``start [..., d]``, whose leading axes are the runs.

    ``gradient(v, z)`` is the gradient of ``f(., z)`` at v; with z None, that of F (see `convex.Problem.gradient`).
    ``rates`` are ``[T]`` or one row per run; ``samples`` are indices ``z_1 ... z_T``, one row per run.
    """
    w, latent, gradients = start, [start], []
    for t in range(rates.shape[-1]):
        # g_t = grad f(v^t, z_t), v^t = B_{M_hard}(w^t)
        g = gradient(soft_step(w, M_hard), None if samples is None else samples[..., t])
        # w^{t+1} = w^t - eta_t g_t o B'_{M_soft}(w^t)
        w = w - rates[..., t, None] * g * soft_step_slope(w, M_soft)
        latent.append(w)
        gradients.append(g)
    rates = rates.expand(*start.shape[:-1], -1)
    return Path(torch.stack(latent, -2), torch.stack(gradients, -2), rates, M_hard, M_soft)


def remainder(gradient: Tensor, w: Tensor, rate: Tensor | float, M_hard: float, M_soft: float) -> Tensor:
    """Remainder r of Lemma 4.2, eq. (8): the vector for which one step reads ``v' = v - rate (gradient - r)``.

    It is read off from the step, without the unknown point xi of eq. (8). Eq. (7) prints ``gradient + r``, which does
    not hold.
    """
    # w' = w - rate gradient o B'_{M_soft}(w)
    after = w - rate * gradient * soft_step_slope(w, M_soft)
    # r = gradient - (v - v') / rate
    return gradient - (soft_step(w, M_hard) - soft_step(after, M_hard)) / rate


def remainder_constant(M_hard: float, M_soft: float) -> float:
    """Constant ``C = 1 + M_hard M_soft / 16`` of Lemma 4.2, eq. (9), for which ``||r|| <= G C``."""
    return 1 + M_hard * M_soft / 16


def sharp_remainder_constant(M_hard: float, M_soft: float) -> float:
    """Least constant that can replace C in eq. (9), Lemma 4.2: ``||r|| <= G max(1, C - 2)``."""
    # Each component of r is that of the gradient times 1 - p, with p between 0 and M_hard M_soft / 16 = C - 1.
    return max(1.0, remainder_constant(M_hard, M_soft) - 2)


def rate_bound(G: ArrayLike, c: ArrayLike, C: ArrayLike, T: ArrayLike) -> Numbers:
    """Right-hand side of Theorem 4.3, eq. (10). It is not a bound: see `refuting_c`."""
    G, c, C, T = (np.asarray(value, dtype=np.float64) for value in (G, c, C, T))
    # G^2 c (1 + C^2) / 2 * (1 + log T) / T
    bound: Numbers = G**2 * c * (1 + C**2) / 2 * (1 + np.log(T)) / T
    return bound


def refuting_c(initial_gap: ArrayLike, G: ArrayLike, C: ArrayLike, T: ArrayLike) -> Numbers:
    """Number below which every c makes Theorem 4.3 false at T, for a start with ``F(v^1) - min F = initial_gap``.

    With rates c/t the point moves by at most ``(C - 1) G c (1 + log T)``, so that the gap stays above
    ``initial_gap - (C - 1) G^2 c (1 + log T)``; this exceeds `rate_bound` for every smaller c.
    """
    initial_gap, G, C, T = (np.asarray(value, dtype=np.float64) for value in (initial_gap, G, C, T))
    # c_0 = initial_gap / (G^2 (1 + log T) (C - 1 + (1 + C^2) / (2 T)))
    threshold: Numbers = initial_gap / (G**2 * (1 + np.log(T)) * (C - 1 + (1 + C**2) / (2 * T)))
    return threshold


def survey(
    problem: Problem, start: Tensor, rates: Tensor, M_hard: float, M_soft: float, *, samples: Tensor | None = None
) -> pd.DataFrame:
    """Measured gaps of Algorithm 1 beside what Theorem 4.3 allows, one row per problem.

    ``problem`` is a batch with starts ``[problems, d]``; ``rates`` are ``[T]`` or one row per problem. With ``samples
    [problems, runs, T]`` gradients are those of single samples, and gaps are means over runs. Columns: ``range`` of F;
    ``gap`` at the last point (the lower of ``v^T`` and ``v^{T+1}``: the paper's text and appendix count differently);
    ``average_gap``; ``printed``, eq. (10) with c the first rate, meant for rates c/t.
    """
    repeated, rates = problem.repeat(), rates.expand(len(start), -1)
    runs = 1 if samples is None else samples.shape[-2]
    path = run(repeated.gradient, start[:, None].expand(-1, runs, -1), rates[:, None], M_hard, M_soft, samples=samples)
    least, last = problem.objective(problem.minimizer), path.points[..., -2:, :].unbind(-2)
    C, T = remainder_constant(M_hard, M_soft), rates.shape[-1]
    gaps = [repeated.objective(point).mean(-1) - least for point in (*last, path.average())]
    columns = {
        "range": problem.vertex_gap(),
        "gap": torch.minimum(*gaps[:2]),
        "average_gap": gaps[2],
        "printed": rate_bound(problem.gradient_bound(), rates[:, 0], C, T),
    }
    return pd.DataFrame({name: np.asarray(column) for name, column in columns.items()})


def tally(surveyed: pd.DataFrame, by: list[str], names: dict[str, str]) -> pd.DataFrame:
    """Count in each group of ``by`` how often bounds are violated, empty (not below the range of F), or useful.

    ``names`` maps the columns of bounds (``printed``, or those of `mirror.survey`) to their names in the result.
    """
    states: dict[str, pd.Series[bool]] = {}
    for bound, name in names.items():
        gap = surveyed["average_gap" if bound == "average_bound" else "gap"]
        violated, empty = gap > surveyed[bound], surveyed[bound] >= surveyed["range"]
        states |= {f"{name} violated": violated, f"{name} empty": empty, f"{name} useful": ~violated & ~empty}
    groups = surveyed.assign(**states).groupby(by)
    return groups[list(states)].sum().assign(of=groups.size())
