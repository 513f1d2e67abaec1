"""Algorithm 1 as mirror descent: the potential, the theorem that holds, and what follows from it (chapter 04b).

A step of Algorithm 1 subtracts ``rate * gradient`` from ``theta(w)``, up to an error of second order (`mirror_map`).
From this follow bounds on the gap and the price of a flip. Equations (M1) to (M10) are those of chapter 04b. Points are
given as in `bounds`, by a latent ``w`` with ``v = B_{M_hard}(w)``; the vertices have w = -inf, inf.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import ArrayLike
from scipy.special import beta, betainc, xlogy
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.core.binarize import soft_step, soft_step_slope
from wfhelpers.theory import bounds
from wfhelpers.theory.bounds import Numbers, Path
from wfhelpers.theory.convex import Problem


def mirror_map(w: Tensor, M_soft: float | Tensor) -> Tensor:
    """Dual variable theta, (M1), with derivative ``1 / B'_{M_soft}``; its size at w is the price of a flip, (M10)."""
    # theta(w) = 2/M_soft (w + sinh(M_soft w) / M_soft)
    return (2 * w + 2 / M_soft * torch.sinh(M_soft * w)) / M_soft


def latent(v: Tensor, M_hard: float) -> Tensor:
    """The w with ``B_{M_hard}(w) = v``: -inf for v = 0, inf for v = 1."""
    return torch.logit(v) / M_hard


def curvature(w: Tensor, M_hard: float, M_soft: float) -> Tensor:
    """Second derivative of the potential at ``v = B_{M_hard}(w)``: at least ``16 / (M_hard M_soft) = 1 / (C - 1)``."""
    # Phi''(v) = 1 / (B'_{M_hard}(w) B'_{M_soft}(w))
    return 1 / (soft_step_slope(w, M_hard) * soft_step_slope(w, M_soft))


def potential(w: Tensor, M_hard: float, M_soft: float) -> Tensor:
    """Potential ``Phi`` at ``v = B_{M_hard}(w)``, (M2), coordinate by coordinate: ``dPhi/dv = theta(w)``."""
    ratio = M_soft / M_hard  # below 1 but close to it, differences of Phi lose as many digits as 1 - ratio has zeros
    v, rest = soft_step(w, M_hard).numpy(), soft_step(-w, M_hard).numpy()  # 1 - v would lose its digits near v = 1
    # H(v) = v log v + (1-v) log(1-v)
    entropy = xlogy(v, v) + xlogy(rest, rest)
    barrier = _power_integral(ratio, v, rest) + _power_integral(ratio, rest, v)
    # Phi(v) = (2 H(v) + (B_v + B_{1-v}) / a) / (M_hard M_soft)
    return torch.from_numpy(np.asarray((2 * entropy + barrier / ratio) / (M_hard * M_soft)))


def _power_integral(ratio: float, v: Numbers, rest: Numbers) -> Numbers:
    """``B_v``, the integral of ``(x / (1 - x))^ratio`` from 0 to v (an incomplete beta function), ``rest = 1 - v``."""
    if ratio == 1:
        with np.errstate(divide="ignore"):
            return -np.log(rest) - v
    below = betainc(1 + ratio, 1 - ratio, np.minimum(v, 0.5))
    above = 1 - betainc(1 - ratio, 1 + ratio, np.minimum(rest, 0.5))
    integral: Numbers = np.where(v < 0.5, below, above) * float(beta(1 + ratio, 1 - ratio))
    return integral


def divergence(target: Tensor, w: Tensor, M_hard: float, M_soft: float) -> Tensor:
    """Bregman divergence ``D(u, v)`` of (M3), ``u = B_{M_hard}(target)`` and ``v = B_{M_hard}(w)``, summed.

    ``target`` may be -inf or inf (a vertex): there D is finite exactly when ``M_soft < M_hard``.
    """
    # D(u, v) = Phi(u) - Phi(v) - Phi'(v) (u - v)
    linear = mirror_map(w, M_soft) * (soft_step(target, M_hard) - soft_step(w, M_hard))
    apart = potential(target, M_hard, M_soft) - potential(w, M_hard, M_soft) - linear
    return apart.clamp_min(0).sum(-1)


def step_costs(rates: Tensor, G: Tensor | float, M_hard: float, M_soft: float) -> Tensor:
    """What step t may cost, ``a_t`` of (M4), ``[..., T]``. G may hold one number per problem, ``[..., 1]``."""
    # a_t = K e^kappa_t G^2 eta_t^2
    return _cost_constant(M_hard, M_soft) * _second_order(rates, G, M_soft)


def _cost_constant(M_hard: float, M_soft: float) -> float:
    """``K = M_hard M_soft / 32 + M_soft^2 / 8`` of (M4): the constants of parts (iii) and (ii) of the lemma."""
    return M_hard * M_soft / 32 + M_soft**2 / 8


def _second_order(rates: Tensor, G: Tensor | float, M_soft: float) -> Tensor:
    """``e^kappa_t G^2 eta_t^2``; kappa bounds how much the logarithm of the slope ``B'_{M_soft}`` changes in step t."""
    # kappa_t = M_soft^2 G eta_t / 4
    kappa = M_soft**2 * G * rates / 4
    return kappa.exp() * (G * rates) ** 2


def average_bound(distance: Tensor | float, costs: Tensor, rates: Tensor) -> Tensor:
    """Bound (M5) on ``E F(average) - F(u)``, with `step_costs` and the ``distance D(u, v^1)`` of any point u."""
    # (D(u, v^1) + sum_t a_t) / sum_t eta_t
    return (distance + costs.sum(-1)) / rates.sum(-1)


def last_iterate_bound(distance: Tensor | float, costs: Tensor, rates: Tensor) -> Tensor:
    """Bound (M6) on ``E F(v^T) - min F`` for rates that do not increase; ``distance`` is that of a minimizer."""
    if torch.any(rates.diff() > 0):
        raise InputError("The rates increase at some step; expected rates that stay equal or fall.")
    T = rates.shape[-1]
    tails = costs.flip(-1).cumsum(-1)  # tails[k] is the sum over t = T - k ... T
    k = torch.arange(1, T, dtype=torch.float64)
    # sum_{k=1}^{T-1} (sum_{t=T-k}^T a_t) / (k (k + 1))
    drift = (tails[..., 1:] / (k * (k + 1))).sum(-1)
    # ((D + sum_t a_t) / T + drift) / eta_T
    return ((distance + tails[..., -1]) / T + drift) / rates[..., -1]


def tuned_rate(distance: Tensor, G: Tensor | float, T: int, M_hard: float, M_soft: float) -> Tensor:
    """Constant rate of the corollary: it makes the two terms of (M5) equal where ``e^kappa`` is taken as 1."""
    # eta = sqrt(D / (K T)) / G
    return torch.sqrt(distance / _cost_constant(M_hard, M_soft) / T) / G


def vertex_factor(ratio: float) -> float:
    """Bound at the tuned rate, as kappa tends to 0, over ``G sqrt(d / T)``, from the centre of the cube to a vertex."""
    centre = torch.zeros(1, dtype=torch.float64)
    distance = divergence(torch.full_like(centre, np.inf), centre, 1.0, ratio)
    # 2 sqrt(D K), for one coordinate
    return float(2 * torch.sqrt(distance * _cost_constant(1.0, ratio)))


def linear_gap_floor(slope: float, start: float, c: float, log_T: ArrayLike, M_hard: float, M_soft: float) -> Numbers:
    """Number below the gap of Algorithm 1 after T steps at rates c/t on ``f(v) = slope * v``, slope > 0, d = 1.

    It falls as a power of ``log T`` only, so that Theorem 4.3 is false for all large T, whatever c and the start are.
    """
    first_rate, first = (torch.tensor(x, dtype=torch.float64) for x in (c, start))
    # L = slope c (1 + log T) + pi^2/6 * (M_soft^2/8) e^kappa slope^2 c^2, kappa = M_soft^2 c slope / 4
    second_order = np.pi**2 / 6 * M_soft**2 / 8 * _second_order(first_rate, slope, M_soft).item()
    moved = slope * c * (1 + np.asarray(log_T, dtype=np.float64)) + second_order
    # slope/2 (1 + M_soft^2 max(0, L - theta(start)))^(-M_hard/M_soft)
    reached = np.maximum(0, moved - mirror_map(first, M_soft).item())
    return slope / 2 * (1 + M_soft**2 * reached) ** (-M_hard / M_soft)


class Inequality(NamedTuple):
    """Both sides of a statement ``left <= right``, step by step, ``[..., T]``, and what rounding may add."""

    left: Tensor
    right: Tensor
    rounding: float


def audit(path: Path, target: Tensor, G: float) -> dict[str, Inequality]:
    """Evaluate the proof of the theorem along a path, for a point u with finite ``D(u, v^1)``.

    ``target`` is the latent value of u, ``[d]`` or with the path's leading axes. The keys are the statements:
    (M7), whose residual is compared with 0; parts (ii) and (iii) of the lemma on one step; (M8), summed.
    """
    M_hard, M_soft = path.M_hard, path.M_soft
    before, after, target = path.latent[..., :-1, :], path.latent[..., 1:, :], target[..., None, :]
    # eta_t g_t, and q_t = theta(w^t) - theta(w^{t+1})
    moved, q = path.rates[..., None] * path.gradients, mirror_map(before, M_soft) - mirror_map(after, M_soft)
    away = soft_step(before, M_hard) - soft_step(target, M_hard)
    to_target = divergence(target, path.latent, M_hard, M_soft)
    length, limit = divergence(before, after, M_hard, M_soft), _second_order(path.rates, G, M_soft)
    # <q_t, v^t - u> - (D(u, v^t) - D(u, v^{t+1}) + D(v^t, v^{t+1}))
    residual = (q * away).sum(-1) - (to_target[..., :-1] - to_target[..., 1:] + length)
    # sum_{s <= t} eta_s <g_s, v^s - u> + D(u, v^{t+1}) <= D(u, v^1) + sum_{s <= t} a_s
    regret = (moved * away).sum(-1).cumsum(-1) + to_target[..., 1:]
    allowed = to_target[..., :1] + step_costs(path.rates, G, M_hard, M_soft).cumsum(-1)
    # The summands of D are as large as theta, and nearly cancel.
    rounding = 1e-12 * (1 + mirror_map(path.latent, M_soft).abs().max().item())
    return {
        "(M7)": Inequality(residual.abs(), torch.zeros_like(residual), rounding),
        "(ii)": Inequality((moved - q).abs().sum(-1), M_soft**2 / 8 * limit, rounding),
        "(iii)": Inequality(length, M_hard * M_soft / 32 * limit, rounding),
        "(M8), summed": Inequality(regret, allowed, rounding * regret.shape[-1]),
    }


def audit_table(statements: dict[str, Inequality]) -> pd.DataFrame:
    """How often each statement was checked and violated, and its largest left/right (NaN where the right is 0)."""
    rows: dict[str, dict[str, float]] = {}
    for name, (left, right, rounding) in statements.items():
        rows[name] = {"checked": left.numel(), "violated": int((left > right + rounding).sum())}
        rows[name] |= {"tightest": (left / right).max().item() if right.any() else np.nan}
    return pd.DataFrame.from_dict(rows, orient="index")


def survey(
    problem: Problem, start: Tensor, rates: Tensor, M_hard: float, M_soft: float, *, samples: Tensor | None = None
) -> pd.DataFrame:
    """Table of `bounds.survey` with the bounds (M5) and (M6) in the columns ``average_bound`` and ``last_bound``."""
    table = bounds.survey(problem, start, rates, M_hard, M_soft, samples=samples)
    rates = rates.expand(len(start), -1)
    distance = divergence(latent(problem.minimizer, M_hard), start, M_hard, M_soft)
    costs = step_costs(rates, problem.gradient_bound()[:, None], M_hard, M_soft)
    proved = {"average_bound": average_bound, "last_bound": last_iterate_bound}
    return table.assign(**{name: bound(distance, costs, rates).numpy() for name, bound in proved.items()})
