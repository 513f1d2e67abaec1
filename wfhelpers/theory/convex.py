"""Convex test functions on the cube ``[0, 1]^d``, on which chapters 04 and 04b check what is said about Algorithm 1.

A problem is a data set of n functions ``f(v, z) = h(row_z . v + offset_z)``, z = 0 ... n - 1, with one convex shape h;
its objective is their mean ``F(v)``, eq. (1). Tensors are float64. Leading axes (problems, runs) broadcast.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from scipy.optimize import minimize
from torch import Tensor
from torch.nn.functional import softplus

from wfhelpers._support import InputError

SHAPES: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]] = {
    "linear": (lambda x: x, torch.ones_like),
    "logistic": (softplus, torch.sigmoid),
    "quadratic": (lambda x: x * x / 2, lambda x: x),
}
"""Each shape h with its derivative, which does not decrease."""


@dataclass(frozen=True)
class Problem:
    """Functions ``f(v, z) = h(rows[z] . v + offsets[z])`` with the shape h that ``kind`` names, a key of `SHAPES`.

    ``rows`` and ``offsets`` are float64 tensors ``[..., n, d]`` and ``[..., n]``.
    """

    kind: str
    rows: Tensor
    offsets: Tensor

    def __post_init__(self) -> None:
        if self.kind not in SHAPES:
            raise InputError(f"kind is {self.kind!r}; expected one of {', '.join(SHAPES)}.")
        if self.rows.shape[:-1] != self.offsets.shape:
            shapes = f"rows have shape {list(self.rows.shape)} and offsets {list(self.offsets.shape)}"
            raise InputError(f"{shapes}; expected one offset for each row.")

    def __getitem__(self, index: int | slice | tuple[int, ...]) -> "Problem":
        """One problem of a batch, or some of them."""
        return Problem(self.kind, self.rows[index], self.offsets[index])

    def repeat(self) -> "Problem":
        """The same problems with an axis of runs after the axes that they have, to broadcast over."""
        return Problem(self.kind, self.rows[..., None, :, :], self.offsets[..., None, :])

    def values(self, v: Tensor) -> Tensor:
        """``f(v, z)`` for every z: ``[..., n]`` for ``v [..., d]``."""
        return SHAPES[self.kind][0](self._inner(v))

    def gradients(self, v: Tensor) -> Tensor:
        """Gradient of ``f(v, z)`` in v for every z, ``[..., n, d]``."""
        return SHAPES[self.kind][1](self._inner(v))[..., None] * self.rows

    def _inner(self, v: Tensor) -> Tensor:
        return (self.rows * v[..., None, :]).sum(-1) + self.offsets

    def objective(self, v: Tensor) -> Tensor:
        """``F(v)``, eq. (1): mean of the values."""
        return self.values(v).mean(-1)

    def gradient(self, v: Tensor, sample: Tensor | None = None) -> Tensor:
        """Gradient of F at v, or of ``f(., sample)`` where the indices ``sample [...]`` are given."""
        if sample is None:
            return self.gradients(v).mean(-2)
        rows = self.rows.expand(*sample.shape, *self.rows.shape[-2:]).take_along_dim(sample[..., None, None], -2)
        offsets = self.offsets.expand(*sample.shape, -1).take_along_dim(sample[..., None], -1)
        return Problem(self.kind, rows, offsets).gradients(v).squeeze(-2)

    def above_tangent(self, v: Tensor, other: Tensor) -> Tensor:
        """``F(v) - F(v') - grad F(v')^T (v - v')`` with v' = ``other``: not negative, says Lemma 4.1."""
        return self.objective(v) - self.objective(other) - (self.gradient(other) * (v - other)).sum(-1)

    def gradient_bound(self) -> Tensor:
        """G of eq. (6): the largest ``||grad f(v, z)||`` over the cube and over z, exactly."""
        # The derivative of h does not decrease, so that it is largest in size at an end of the range of its argument.
        ends = torch.stack([self.rows.clamp_max(0).sum(-1), self.rows.clamp_min(0).sum(-1)]) + self.offsets
        steepest = SHAPES[self.kind][1](ends).abs().amax(0)
        return torch.amax(steepest * self.rows.square().sum(-1).sqrt(), -1)

    def vertex_gap(self) -> Tensor:
        """``max F - min F`` over the cube, for a width of at most 12: a convex function is largest at a vertex."""
        width = self.rows.shape[-1]
        if width > 12:
            raise InputError(f"The problem has width {width}; the {2**width} vertices are only tried up to width 12.")
        vertices = torch.cartesian_prod(*[torch.tensor([0.0, 1.0], dtype=torch.float64)] * width).reshape(-1, width)
        return self.repeat().objective(vertices).amax(-1) - self.objective(self.minimizer)

    @cached_property
    def minimizer(self) -> Tensor:
        """Point ``v*`` of App. B: that of the cube with (nearly) the least F, ``[..., d]``."""
        batch = self.rows.shape[:-2]
        return torch.stack([self[index]._minimize() for index in np.ndindex(*batch)]).reshape(*batch, -1)

    def _minimize(self) -> Tensor:
        def objective_and_gradient(v: np.ndarray) -> tuple[float, np.ndarray]:
            point = torch.from_numpy(v)
            return self.objective(point).item(), self.gradient(point).numpy()

        options = {"ftol": 0.0, "gtol": 1e-12, "maxiter": 1000}
        start, bounds = np.full(self.rows.shape[-1], 0.5), [(0.0, 1.0)] * self.rows.shape[-1]
        done = minimize(objective_and_gradient, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        return torch.from_numpy(done.x)


def line(slope: float) -> Problem:
    """``f(v) = slope * v`` in one dimension, a data set of one function."""
    return Problem("linear", torch.tensor([[slope]], dtype=torch.float64), torch.zeros(1, dtype=torch.float64))


def random_problem(
    kind: str, *, batch: tuple[int, ...] = (), samples: int, width: int, rng: np.random.Generator
) -> Problem:
    """Problem with normal rows of about unit length and normal offsets; ``batch`` of them, independent."""
    rows = rng.normal(size=(*batch, samples, width)) / width**0.5
    offsets = rng.normal(size=(*batch, samples)) / 2
    return Problem(kind, torch.from_numpy(rows), torch.from_numpy(offsets))
