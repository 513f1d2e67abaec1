"""Convergence of Algorithm 1 on convex functions: the paper's Sec. 4 and App. B, and a theorem that holds.

One coordinate of a step is ``w' = w - rate * g * B'_{M_soft}(w)`` with ``g`` a component of the gradient of f at
``v = B_{M_hard}(w)``. The parts of this module are

* Algorithm 1 itself on any f (`run`, `Path`),
* the paper's statements (`remainder`, `remainder_constant`, `rate_bound`) and two that refute the last one
  (`refuting_c`, `linear_gap_floor`),
* Algorithm 1 as mirror descent (`mirror_map`, `divergence`, `audit`) with the bounds that follow (`average_bound`,
  `last_iterate_bound`), and all bounds side by side on test problems (`survey`).

Points of the cube are given by their latent value ``w`` with ``v = B_{M_hard}(w)``; the vertices have w = -inf, inf.
Tensors are float64, vectors stand on the last axis, and all other axes are runs or problems.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.special import beta, betainc, xlogy
from torch import Tensor

from wfhelpers.core.binarize import soft_step, soft_step_slope
from wfhelpers.parameters import ParameterError
from wfhelpers.theory.convex import Problem

Numbers = NDArray[np.float64]


def check_setting(
    *, M_hard: float, M_soft: float, c: float = 1.0, T: int = 2, slope: float = 1.0, problems: int = 1, runs: int = 1
) -> None:
    """Refuse constants for which the statements of chapter 04 say nothing.

    Raises
    ------
    ParameterError
        If not ``0 < M_soft < M_hard`` (Sec. 4), ``c > 0``, ``slope > 0``, ``T >= 2``, and at least one problem and run.
    """
    if not 0 < M_soft < M_hard < np.inf:
        raise ParameterError(f"M_soft is {M_soft} and M_hard is {M_hard}; expected 0 < M_soft < M_hard (Sec. 4).")
    for name, value in {"c": c, "slope": slope}.items():
        if not 0 < value < np.inf:
            raise ParameterError(f"{name} is {value}; expected a positive number.")
    for name, count, least in [("T", T, 2), ("problems", problems, 1), ("runs", runs, 1)]:
        if count < least:
            raise ParameterError(f"{name} is {count}; expected at least {least}.")


def _arrays(*values: ArrayLike) -> list[Numbers]:
    return [np.asarray(value, dtype=np.float64) for value in values]


# Algorithm 1


@dataclass(frozen=True)
class Path:
    """Points and gradients of a run of Algorithm 1.

    Attributes
    ----------
    latent
        ``w^1 ... w^{T+1}``, ``[..., T + 1, d]``: the start, and what each of the T updates made of it.
    gradients
        What each update used, ``[..., T, d]``.
    rates
        ``eta_1 ... eta_T``, ``[..., T]``.
    M_hard, M_soft
        The sharpness forward and backward.
    """

    latent: Tensor
    gradients: Tensor
    rates: Tensor
    M_hard: float
    M_soft: float

    @property
    def points(self) -> Tensor:
        """``v^t = B_{M_hard}(w^t)``, t = 1 ... T + 1."""
        return soft_step(self.latent, self.M_hard)

    def average(self) -> Tensor:
        """Mean of ``v^1 ... v^T``, weighted by the rates: the point that `average_bound` speaks of."""
        weights = (self.rates / self.rates.sum(-1, keepdim=True))[..., None]
        return (weights * self.points[..., :-1, :]).sum(-2)


def decaying_rates(c: float, T: int, power: float = 1.0) -> Tensor:
    """Learning rates ``c / t^power``, t = 1 ... T: Theorem 1's with power 1, constant with power 0."""
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
    """Algorithm 1, eq. (5): ``w^{t+1} = w^t - eta_t grad f(B_{M_hard}(w^t), z_t) o B'_{M_soft}(w^t)``.

    Parameters
    ----------
    gradient
        ``gradient(v, z)`` is the gradient of ``f(., z)`` at v; with z None, that of F (see `convex.Problem.gradient`).
    start
        ``w^1``, ``[..., d]``. Its leading axes are the runs.
    rates
        ``eta_1 ... eta_T``, ``[T]`` or one row a run.
    samples
        Indices ``z_1 ... z_T``, one row a run; full gradients without them.
    """
    w, latent, gradients = start, [start], []
    for t in range(rates.shape[-1]):
        g = gradient(soft_step(w, M_hard), None if samples is None else samples[..., t])
        w = w - rates[..., t, None] * g * soft_step_slope(w, M_soft)
        latent.append(w)
        gradients.append(g)
    rates = rates.expand(*start.shape[:-1], -1)
    return Path(torch.stack(latent, -2), torch.stack(gradients, -2), rates, M_hard, M_soft)


# The paper's statements


def remainder(gradient: Tensor, w: Tensor, rate: Tensor | float, M_hard: float, M_soft: float) -> Tensor:
    """Remainder r of Lemma 2, the vector for which one step reads ``v' = v - rate (gradient - r)``.

    It equals ``gradient - B'_{M_hard}(xi) o gradient o B'_{M_soft}(w)`` of eq. (8), where xi is a point between w and
    w' that nobody needs to know: r is read off from the step itself. Eq. (7) prints the other sign, ``gradient + r``,
    for the same r; it does not hold.
    """
    after = w - rate * gradient * soft_step_slope(w, M_soft)
    return gradient - (soft_step(w, M_hard) - soft_step(after, M_hard)) / rate


def remainder_constant(M_hard: float, M_soft: float) -> float:
    """Constant ``C = 1 + M_hard M_soft / 16`` of Lemma 2, for which ``||r|| <= G C``."""
    return 1 + M_hard * M_soft / 16


def sharp_remainder_constant(M_hard: float, M_soft: float) -> float:
    """Least constant in Lemma 2's place: ``||r|| <= G max(1, C - 2)``.

    Each component of r is that of the gradient times ``1 - p`` with p between 0 and ``M_hard M_soft / 16 = C - 1``.
    """
    return max(1.0, remainder_constant(M_hard, M_soft) - 2)


def rate_bound(G: ArrayLike, c: ArrayLike, C: ArrayLike, T: ArrayLike) -> Numbers:
    """Right-hand side of Theorem 1, ``G^2 c (1 + C^2) / 2 * (1 + log T) / T``. It is no bound: see `refuting_c`."""
    G, c, C, T = _arrays(G, c, C, T)
    bound: Numbers = G**2 * c * (1 + C**2) / 2 * (1 + np.log(T)) / T
    return bound


def refuting_c(initial_gap: ArrayLike, G: ArrayLike, C: ArrayLike, T: ArrayLike) -> Numbers:
    """Number below which every c makes Theorem 1 false at T, for a start with ``F(v^1) - min F = initial_gap``.

    With rates c/t the point moves by at most ``(C - 1) G c (1 + log T)``, so that the gap stays above
    ``initial_gap - (C - 1) G^2 c (1 + log T)``; this exceeds `rate_bound` for every smaller c.
    """
    initial_gap, G, C, T = _arrays(initial_gap, G, C, T)
    threshold: Numbers = initial_gap / (G**2 * (1 + np.log(T)) * (C - 1 + (1 + C**2) / (2 * T)))
    return threshold


def linear_gap_floor(slope: float, start: float, c: float, log_T: ArrayLike, M_hard: float, M_soft: float) -> Numbers:
    """Number below the gap of Algorithm 1 after T steps at rates c/t on ``f(v) = slope * v``, slope > 0, d = 1.

    It falls as a power of ``log T`` only, so that Theorem 1 is false for all large T, whatever c and the start::

        gap >= slope/2 * (1 + M_soft^2 max(0, L - theta(start)))^(-M_hard/M_soft),
        L = slope c (1 + log T) + pi^2/6 * (M_soft^2/8) e^kappa slope^2 c^2,    kappa = M_soft^2 c slope / 4.

    ``log_T`` is the natural logarithm, so that T may be as large as one likes.
    """
    first_rate, first = (torch.tensor(x, dtype=torch.float64) for x in (c, start))
    second_order = np.pi**2 / 6 * dual_error_limits(first_rate, slope, M_soft).item()
    moved = slope * c * (1 + np.asarray(log_T, dtype=np.float64)) + second_order
    reached = np.maximum(0, moved - mirror_map(first, M_soft).item())
    return slope / 2 * (1 + M_soft**2 * reached) ** (-M_hard / M_soft)


# Algorithm 1 as mirror descent


def mirror_map(w: Tensor, M_soft: float) -> Tensor:
    """Dual variable ``theta(w) = (2 w + (2 / M_soft) sinh(M_soft w)) / M_soft``, with derivative ``1 / B'_{M_soft}``.

    Its size at w is the price of a flip: no coordinate changes sign before the sum of its ``rate * |gradient|``
    has reached ``|theta(w)|``.
    """
    return (2 * w + 2 / M_soft * torch.sinh(M_soft * w)) / M_soft


def latent(v: Tensor, M_hard: float) -> Tensor:
    """The w with ``B_{M_hard}(w) = v``: -inf for v = 0, inf for v = 1."""
    return torch.logit(v) / M_hard


def curvature(w: Tensor, M_hard: float, M_soft: float) -> Tensor:
    """Second derivative of the potential at ``v = B_{M_hard}(w)``: ``1 / (B'_{M_hard}(w) B'_{M_soft}(w))``.

    At least ``16 / (M_hard M_soft) = 1 / (C - 1)``.
    """
    return 1 / (soft_step_slope(w, M_hard) * soft_step_slope(w, M_soft))


def potential(w: Tensor, M_hard: float, M_soft: float) -> Tensor:
    """Potential ``Phi`` at ``v = B_{M_hard}(w)``, coordinate by coordinate: ``dPhi/dv = theta(w)``.

    With ``a = M_soft / M_hard`` and the incomplete beta function ``B(v; p, q)``, up to a constant::

        Phi = (2 [v log v + (1-v) log(1-v)] + [B(v; 1+a, 1-a) + B(1-v; 1+a, 1-a)] / a) / (M_hard M_soft)

    At a vertex it is finite exactly when ``M_soft < M_hard``. Where a is below 1 but close to it, differences of Phi
    lose as many digits as ``1 - a`` has leading zeros; a = 1 has a formula of its own.
    """
    ratio = M_soft / M_hard
    v, rest = soft_step(w, M_hard).numpy(), soft_step(-w, M_hard).numpy()  # 1 - v would lose its digits near v = 1
    entropy = 2 * (xlogy(v, v) + xlogy(rest, rest))
    barrier = (_power_integral(ratio, v, rest) + _power_integral(ratio, rest, v)) / ratio
    return torch.from_numpy(np.asarray((entropy + barrier) / (M_hard * M_soft)))


def _power_integral(ratio: float, v: Numbers, rest: Numbers) -> Numbers:
    """``B(v; 1 + ratio, 1 - ratio)``, the integral of ``(x / (1 - x))^ratio`` from 0 to v, where ``rest = 1 - v``."""
    if ratio == 1:
        with np.errstate(divide="ignore"):
            return -np.log(rest) - v
    below = betainc(1 + ratio, 1 - ratio, np.minimum(v, 0.5))
    above = 1 - betainc(1 - ratio, 1 + ratio, np.minimum(rest, 0.5))
    integral: Numbers = np.where(v < 0.5, below, above) * float(beta(1 + ratio, 1 - ratio))
    return integral


def divergence(target: Tensor, w: Tensor, M_hard: float, M_soft: float) -> Tensor:
    """Bregman divergence ``D(u, v)`` of the potential, ``u = B_{M_hard}(target)`` and ``v = B_{M_hard}(w)``, summed.

    In each coordinate it is the integral of ``(theta(x) - theta(w)) B'_{M_hard}(x)`` over x from w to ``target``.
    ``target`` may be -inf or inf (a vertex): there D is finite exactly when ``M_soft < M_hard``.
    """
    linear = mirror_map(w, M_soft) * (soft_step(target, M_hard) - soft_step(w, M_hard))
    apart = potential(target, M_hard, M_soft) - potential(w, M_hard, M_soft) - linear
    return apart.clamp_min(0).sum(-1)


def length_limits(rates: Tensor, G: Tensor | float, M_hard: float, M_soft: float) -> Tensor:
    """Bound on ``D(v^t, v^{t+1})``, the length of step t: ``(M_hard M_soft / 32) e^kappa_t G^2 eta_t^2``."""
    return M_hard * M_soft / 32 * _kappa(rates, G, M_soft).exp() * (G * rates) ** 2


def dual_error_limits(rates: Tensor, G: Tensor | float, M_soft: float) -> Tensor:
    """Bound on how far step t is from a straight line in theta: ``(M_soft^2 / 8) e^kappa_t G^2 eta_t^2``."""
    return M_soft**2 / 8 * _kappa(rates, G, M_soft).exp() * (G * rates) ** 2


def step_costs(rates: Tensor, G: Tensor | float, M_hard: float, M_soft: float) -> Tensor:
    """What step t may cost, ``a_t = (M_hard M_soft / 32 + M_soft^2 / 8) e^kappa_t G^2 eta_t^2``, ``[..., T]``.

    ``kappa_t = M_soft^2 G eta_t / 4`` bounds how much the logarithm of the slope ``B'_{M_soft}`` changes in the step.
    G may hold one number a problem, ``[..., 1]``.
    """
    return length_limits(rates, G, M_hard, M_soft) + dual_error_limits(rates, G, M_soft)


def _kappa(rates: Tensor, G: Tensor | float, M_soft: float) -> Tensor:
    return M_soft**2 * G * rates / 4


def average_bound(distance: Tensor | float, costs: Tensor, rates: Tensor) -> Tensor:
    """Bound on ``E F(average) - F(u)`` after T steps, ``(D(u, v^1) + sum a_t) / sum eta_t``.

    ``distance`` is ``D(u, v^1)`` for any point u of the cube, ``costs`` are those of `step_costs`.
    """
    return (distance + costs.sum(-1)) / rates.sum(-1)


def last_iterate_bound(distance: Tensor | float, costs: Tensor, rates: Tensor) -> Tensor:
    """Bound on ``E F(v^T) - min F`` for rates that do not increase.

    ``distance`` is ``D(v*, v^1)`` for a minimizer v*, ``costs`` are those of `step_costs`. The bound is ::

        (D + sum_t a_t) / (T eta_T) + sum_{k=1}^{T-1} (sum_{t=T-k}^T a_t) / (k (k + 1) eta_T)

    and with a constant rate, where all costs are the same, ``D / (T eta) + (a / eta) (1 + 1 + 1/2 + ... + 1/(T-1))``.
    """
    if torch.any(rates.diff() > 0):
        raise ValueError("The rates increase at some step; expected rates that stay equal or fall.")
    T = rates.shape[-1]
    tails = costs.flip(-1).cumsum(-1)  # tails[k] is the sum over t = T - k ... T
    k = torch.arange(1, T, dtype=torch.float64)
    drift = (tails[..., 1:] / (k * (k + 1))).sum(-1)
    return ((distance + tails[..., -1]) / T + drift) / rates[..., -1]


def tuned_rate(distance: Tensor, G: Tensor | float, T: int, M_hard: float, M_soft: float) -> Tensor:
    """Constant rate that makes the two terms of `average_bound` equal where ``e^kappa`` is taken as 1."""
    return torch.sqrt(distance / (M_hard * M_soft / 32 + M_soft**2 / 8) / T) / G


def vertex_factor(ratio: float) -> float:
    """Bound at the tuned rate over ``G sqrt(d / T)``, from the centre of the cube to a vertex, where kappa is small.

    It is ``2 sqrt(D K)`` for one coordinate, and depends on ``ratio = M_soft / M_hard`` only: infinite at 1.
    """
    centre = torch.zeros(1, dtype=torch.float64)
    distance = divergence(torch.full_like(centre, np.inf), centre, 1.0, ratio)
    return float(2 * torch.sqrt(distance * (ratio / 32 + ratio**2 / 8)))


@dataclass(frozen=True)
class Audit:
    """Both sides of every inequality in the proof of the mirror-descent theorem, step by step, ``[..., T]``.

    Attributes
    ----------
    identity
        Residual of ``<q, v^t - u> = D(u, v^t) - D(u, v^{t+1}) + D(v^t, v^{t+1})``, ``q = theta(w^t) - theta(w^{t+1})``.
    length, length_limit
        ``D(v^t, v^{t+1})`` and its bound.
    dual_error, dual_error_limit
        ``||eta g - q||_1`` and its bound.
    regret, regret_limit
        ``sum_{s <= t} eta_s <g_s, v^s - u> + D(u, v^{t+1})`` and ``D(u, v^1) + sum_{s <= t} a_s``.
    rounding
        What float64 may add to one step: the summands of D are as large as theta, and nearly cancel.
    """

    identity: Tensor
    length: Tensor
    length_limit: Tensor
    dual_error: Tensor
    dual_error_limit: Tensor
    regret: Tensor
    regret_limit: Tensor
    rounding: float

    def summary(self) -> pd.DataFrame:
        """How often each statement was checked and violated, and the largest left/right of the inequalities."""
        zero = torch.zeros_like(self.identity)
        sides = {
            "identity": (self.identity.abs(), zero, self.rounding),
            "dual_error": (self.dual_error, self.dual_error_limit, self.rounding),
            "length": (self.length, self.length_limit, self.rounding),
            "regret": (self.regret, self.regret_limit, self.rounding * self.regret.shape[-1]),
        }
        checked = {name: left.numel() for name, (left, _, _) in sides.items()}
        violated = {name: int((left > right + slack).sum()) for name, (left, right, slack) in sides.items()}
        tightest = {name: (left / right).max().item() for name, (left, right, _) in sides.items() if name != "identity"}
        return pd.DataFrame({"checked": checked, "violated": violated, "tightest": tightest}).loc[list(sides)]


def audit(path: Path, target: Tensor, G: float) -> Audit:
    """Evaluate the proof of the mirror-descent theorem along a path, for a point u with finite ``D(u, v^1)``.

    ``target`` is the latent value of u, ``[d]`` or with the path's leading axes.
    """
    M_hard, M_soft = path.M_hard, path.M_soft
    before, after, target = path.latent[..., :-1, :], path.latent[..., 1:, :], target[..., None, :]
    moved = path.rates[..., None] * path.gradients
    q = mirror_map(before, M_soft) - mirror_map(after, M_soft)
    away = soft_step(before, M_hard) - soft_step(target, M_hard)
    to_target = divergence(target, path.latent, M_hard, M_soft)
    length = divergence(before, after, M_hard, M_soft)
    return Audit(
        identity=(q * away).sum(-1) - (to_target[..., :-1] - to_target[..., 1:] + length),
        length=length,
        length_limit=length_limits(path.rates, G, M_hard, M_soft),
        dual_error=(moved - q).abs().sum(-1),
        dual_error_limit=dual_error_limits(path.rates, G, M_soft),
        regret=(moved * away).sum(-1).cumsum(-1) + to_target[..., 1:],
        regret_limit=to_target[..., :1] + step_costs(path.rates, G, M_hard, M_soft).cumsum(-1),
        rounding=1e-12 * (1 + mirror_map(path.latent, M_soft).abs().max().item()),
    )


def survey(
    problem: Problem, start: Tensor, rates: Tensor, M_hard: float, M_soft: float, *, samples: Tensor | None = None
) -> pd.DataFrame:
    """Measured gaps of Algorithm 1 beside what Theorem 1 and the mirror-descent theorem allow.

    Parameters
    ----------
    problem, start
        A batch of problems and one start for each, ``[problems, d]``.
    rates
        ``[T]``, or one row a problem.
    samples
        ``[problems, runs, T]``: means over runs of single-sample gradients. Full gradients without them.

    Returns
    -------
    DataFrame
        One row a problem: ``initial`` gap and ``range`` of F, ``gap`` at the last point (the lower of ``v^T`` and
        ``v^{T+1}``, since the paper's text and appendix count differently) and ``average_gap``, the bounds ``printed``
        (Theorem 1 with c the first rate, meant for rates c/t), ``average_bound`` and ``last_bound``.
    """
    G, best, repeated = problem.gradient_bound(), problem.minimizer(), problem.repeat()
    rates, runs = rates.expand(len(start), -1), 1 if samples is None else samples.shape[-2]
    path = run(repeated.gradient, start[:, None].expand(-1, runs, -1), rates[:, None], M_hard, M_soft, samples=samples)
    least = problem.objective(best)

    def gap(point: Tensor) -> Tensor:
        return repeated.objective(point).mean(-1) - least

    distance = divergence(latent(best, M_hard), start, M_hard, M_soft)
    costs = step_costs(rates, G[:, None], M_hard, M_soft)
    columns = {
        "initial": problem.objective(soft_step(start, M_hard)) - least,
        "range": problem.vertex_gap(),
        "gap": torch.minimum(gap(path.points[..., -2, :]), gap(path.points[..., -1, :])),
        "average_gap": gap(path.average()),
        "printed": rate_bound(G, rates[:, 0], remainder_constant(M_hard, M_soft), rates.shape[-1]),
        "average_bound": average_bound(distance, costs, rates),
        "last_bound": last_iterate_bound(distance, costs, rates),
    }
    return pd.DataFrame({name: np.asarray(column) for name, column in columns.items()})


def compare(surveyed: pd.DataFrame) -> pd.DataFrame:
    """Say of each bound of a `survey` whether it is violated, empty (not below the range of F) or useful.

    Adds columns named ``printed violated``, ``average_bound empty``, and so on.
    """
    table = surveyed.copy()
    for bound, gap in {"printed": "gap", "average_bound": "average_gap", "last_bound": "gap"}.items():
        violated, empty = table[gap] > table[bound], table[bound] >= table["range"]
        table[f"{bound} violated"], table[f"{bound} empty"] = violated, empty
        table[f"{bound} useful"] = ~violated & ~empty
    return table


def tally(compared: pd.DataFrame, by: str | list[str], names: dict[str, str]) -> pd.DataFrame:
    """Count in a table of `compare` how often bounds are violated and useful, in the groups of the column(s) ``by``.

    ``names`` maps the bounds to count (``printed``, ``average_bound``, ``last_bound``) to what the result calls them.
    """
    states = ("violated", "useful")
    columns = {f"{bound} {state}": f"{name} {state}" for state in states for bound, name in names.items()}
    groups = compared.groupby(by)
    return groups[list(columns)].sum().rename(columns=columns).assign(of=groups.size())
