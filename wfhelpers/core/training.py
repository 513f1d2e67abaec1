"""One gradient-descent loop for every network of the paper: Algorithm 1, square weights, free weights, masks.

Descent moves unconstrained numbers ``w``; a `Parametrization` says which weights ``v = forward(w)`` the network uses
and which slope stands for ``dv/dw`` in the update of eq. (5), ``w <- w - rate * grad F(v) * slope(w)``. Algorithm 1 is
the case in which the two do not belong together: a hard sigmoid forward and the slope of a soft one backward.

`BINARY` and `SQUARE` in single precision run through the compiled loop of `wfhelpers.core.kernels`. Double precision,
and parametrizations that others bring, take the plain loop below, with exact functions: it is the reference.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import hardshrink

from wfhelpers._support import InputError, one_core_per_block
from wfhelpers.core import binarize, network
from wfhelpers.core.tasks import Draw

_TOGETHER = 4
"""Networks that the plain loop trains as one batch, on one core; the number does not change any result."""

_NEGLIGIBLE = 1e-12
"""Root of a weight that counts as zero: it shrinks by a factor per step, and denormal numbers are slow."""

Watch = Callable[[int, Tensor], None]


class _Observer(NamedTuple):
    """Shows every so many steps of a descent to whoever watches it."""

    watch: Watch
    every: int
    shape: tuple[int, ...]

    def __call__(self, step: int, latent: Tensor) -> None:
        if step % self.every == 0:
            self.watch(step, latent.reshape(self.shape).clone())


class Compiled(NamedTuple):
    """Algorithm 1 (``binary``) or square weights, as `wfhelpers.core.kernels.train` computes them.

    ``forward`` is M_hard, or the root of a weight that counts as zero; ``backward`` is M_soft, or nothing; ``height``
    multiplies the learning rate: it is the largest slope of the soft step, or 1.
    """

    binary: bool
    forward: float
    backward: float
    height: float


@dataclass(frozen=True)
class Parametrization:
    """Weights ``v`` of a network as a function of the numbers ``w`` that descent moves.

    Attributes
    ----------
    forward, slope
        ``v``, and what stands for ``dv/dw``.
    extract
        The network that remains when training ends (last line of Algorithm 1).
    compiled
        The same for the compiled loop, where it knows this parametrization.
    """

    forward: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], Tensor]
    extract: Callable[[Tensor], Tensor]
    compiled: Compiled | None = None


def BINARY(M_hard: float, M_soft: float, *, unscaled_slope: bool = False) -> Parametrization:  # noqa: N802
    """Algorithm 1: ``v = B_{M_hard}(w)`` forward, ``B'_{M_soft}(w)`` backward, ``B_infinity(w)`` at the end.

    ``unscaled_slope`` takes the main text's derivative, which lacks the factor ``M_soft``.
    """
    slope = binarize.soft_step_slope_unscaled if unscaled_slope else binarize.soft_step_slope
    return Parametrization(
        forward=lambda w: binarize.soft_step(w, M_hard),
        slope=lambda w: slope(w, M_soft),
        extract=binarize.hard_step,
        compiled=Compiled(True, M_hard, M_soft, 0.25 if unscaled_slope else M_soft / 4),
    )


def _square(w: Tensor) -> Tensor:
    return hardshrink(w, _NEGLIGIBLE).square()


SQUARE = Parametrization(
    forward=_square,
    slope=lambda w: 2 * hardshrink(w, _NEGLIGIBLE),
    extract=_square,
    compiled=Compiled(False, _NEGLIGIBLE, 0.0, 1.0),
)
"""Nonnegative real weights ``v = w^2`` (footnote of Sec. 5); a weight below 1e-24 is zero and stays so."""

FREE = Parametrization(forward=torch.clone, slope=torch.ones_like, extract=torch.clone)
"""Real weights of either sign, ``v = w``."""


@dataclass(frozen=True)
class Descent:
    """What `descend` returns: the numbers that it moved, ``latent``, and the network that they give, ``weights``."""

    latent: Tensor
    weights: Tensor


def descend(
    draw: Draw,
    start: Tensor,
    parametrization: Parametrization,
    steps: int,
    rate: float | Callable[[int], float],
    mask: Tensor | None = None,
    batch: int | None = None,
    *,
    watch: Watch | None = None,
    every: int = 1,
) -> Descent:
    """Minimize F over the training objects of every run at once, by the update of eq. (5); with `FREE` it is eq. (2).

    Parameters
    ----------
    draw
        Training objects ``[runs, n, I]``.
    start
        First value of ``w``, ``[..., runs, 2, I, I]``; further leading axes train several networks on each run. Its
        precision is the one of the training.
    parametrization
        How weights come from ``w``: `BINARY`, `SQUARE` or `FREE`.
    steps, rate
        Number of updates; learning rate, a constant or a function of the step (the first step is 1).
    mask
        0/1 tensor that broadcasts against ``start``: where it is 0 the weight is 0 and stays so.
    batch
        Objects per update. They are taken in the order of the draw, as Algorithm 1 prints it, and from the beginning
        again after the last one. All of them by default.
    watch, every
        ``watch(step, w)`` is called before the first step and after every ``every``-th one.
    """
    _check(draw, start, steps, rate, mask, batch, every)
    width = start.shape[-1]
    latent = start.clone().reshape(-1, 2, width, width)
    mask = None if mask is None else mask.to(start.dtype).expand_as(start).reshape(latent.shape).contiguous()
    rates = [rate(step) if callable(rate) else rate for step in range(1, steps + 1)]
    size = batch or draw.x_train.shape[1]
    x, y = _training_objects(draw, start.dtype, size)
    work = _Work(latent, mask, x, y, size, rates)
    observe = _Observer(watch, every, tuple(start.shape)) if watch else None
    with one_core_per_block() as pool:
        if parametrization.compiled and start.dtype == torch.float32:
            _descend_compiled(work, parametrization.compiled, observe, pool)
        else:
            _descend_exactly(work, parametrization, observe, pool)
    weights = parametrization.extract(latent)
    if mask is not None:
        weights = weights * mask
    return Descent(latent.reshape(start.shape), weights.reshape(start.shape))


class _Work(NamedTuple):
    """What a descent updates in place, ``latent``, and what it needs for that.

    Network k is trained on the objects of run ``k % len(x)``. With mini-batches the first ``size`` objects stand again
    at the end of ``x`` and ``y``, so that every mini-batch is a plain slice.
    """

    latent: Tensor
    mask: Tensor | None
    x: Tensor
    y: Tensor
    size: int
    rates: list[float]

    def batch(self, step: int) -> slice:
        """Objects of an update (the first step is 0)."""
        objects = self.x.shape[1] - (self.size if self.size < self.x.shape[1] else 0)
        begin = step * self.size % objects
        return slice(begin, begin + self.size)


def _descend_compiled(work: _Work, compiled: Compiled, observe: _Observer | None, pool: Executor) -> None:
    """Train in single precision by the compiled loop, each network on one core."""
    from wfhelpers.core import kernels  # only now: numba is slow to import

    sign = network.label_sign(work.y, work.x.dtype) / work.size
    w, x, signs = (each.numpy() for each in (work.latent, work.x, sign))
    kept = np.empty((len(w), 0, 0, 0), np.float32) if work.mask is None else work.mask.numpy()
    rates = compiled.height * np.array(work.rates)
    stride = observe.every if observe else max(1, len(rates))
    kind = (compiled.binary, compiled.forward, compiled.backward)
    for begin in range(0, len(rates), stride):
        if observe:
            observe(begin, work.latent)

        def train(place: int, begin: int = begin) -> None:
            run, some = place % len(x), rates[begin : begin + stride]
            kernels.train(w[place], x[run], signs[run], kept[place], *kind, some, work.size, begin)

        list(pool.map(train, range(len(w))))
    if observe:
        observe(len(rates), work.latent)


def _descend_exactly(work: _Work, parametrization: Parametrization, observe: _Observer | None, pool: Executor) -> None:
    """Train with exact functions, a few networks on each core."""
    run = torch.arange(len(work.latent)) % len(work.x)
    together = len(run) if observe else _TOGETHER

    def train(begin: int) -> None:
        part = slice(begin, begin + together)
        w, x, y = work.latent[part], work.x[run[part]], work.y[run[part]]
        mask = 1.0 if work.mask is None else work.mask[part]
        for step, rate in enumerate(work.rates):
            if observe:
                observe(step, w)
            now = work.batch(step)
            v = parametrization.forward(w) * mask
            gradient = network.loss_gradient(v, x[:, now], y[:, now])
            w -= rate * gradient * parametrization.slope(w) * mask  # eq. (5)
        if observe:
            observe(len(work.rates), w)

    list(pool.map(train, range(0, len(run), together)))


def _training_objects(draw: Draw, dtype: torch.dtype, size: int) -> tuple[Tensor, Tensor]:
    """Objects and labels, as `_Work` holds them."""
    x, y = draw.x_train.to(dtype).contiguous(), draw.y_train
    if size < x.shape[1]:
        x, y = torch.cat([x, x[:, :size]], 1), torch.cat([y, y[:, :size]], 1)
    return x, y


def _check(
    draw: Draw,
    start: Tensor,
    steps: int,
    rate: float | Callable[[int], float],
    mask: Tensor | None,
    batch: int | None,
    every: int,
) -> None:
    runs, objects, width = draw.x_train.shape
    shape, wanted = tuple(start.shape), (runs, 2, width, width)
    not_binary = mask is not None and not torch.all((mask == 0) | (mask == 1))
    for wrong, words in (
        (shape[-4:] != wanted, f"start has shape {shape}; expected (..., {', '.join(map(str, wanted))})."),
        (steps < 0, f"steps is {steps}; expected 0 or more."),
        (not callable(rate) and not rate > 0, f"rate is {rate}; expected a positive number."),
        (not_binary, "mask has entries other than 0 and 1; a mask keeps a weight (1) or removes it (0)."),
        (batch is not None and not 1 <= batch <= objects, f"batch is {batch}; expected 1 to {objects} objects."),
        (every < 1, f"every is {every}; expected 1 or more steps between records."),
    ):
        if wrong:
            raise InputError(words)
