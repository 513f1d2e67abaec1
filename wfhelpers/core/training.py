"""One gradient-descent loop for every network of the paper: Algorithm 1, square weights, free weights, masks.

Descent moves unconstrained numbers ``w``; a `Parametrization` says which weights ``v = forward(w)`` the network uses
and which slope stands for ``dv/dw`` in the update of eq. (5), ``w <- w - rate * grad F(v) * slope(w)``. Algorithm 1 is
the case in which the two do not belong together: a hard sigmoid forward and the slope of a soft one backward.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from wfhelpers._support import one_core_a_block
from wfhelpers.core import binarize, network
from wfhelpers.core.tasks import Draw

# Networks are trained in blocks whose numbers fit into a core's cache; a block does not change any result.
_BLOCK_BYTES = 2 * 2**20
_tanh_backward: Callable[..., Tensor] = (
    torch.ops.aten.tanh_backward.grad_input
)  # (g, t) -> g * (1 - t^2) in one pass over memory

_hardshrink: Callable[..., Tensor] = torch.ops.aten.hardshrink.out
# A square weight shrinks by a factor a step: without an end it becomes denormal and slows each product down tenfold.
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class Parametrization:
    """Weights ``v`` of a network as a function of the numbers ``w`` that descent moves.

    Attributes
    ----------
    forward
        ``forward(w, out)`` writes ``v`` into ``out``.
    slope
        ``slope(w, out)`` writes what stands for ``dv/dw`` into ``out``.
    extract
        ``extract(w)`` is the network that remains when training ends (last line of Algorithm 1).
    """

    forward: Callable[[Tensor, Tensor], Tensor]
    slope: Callable[[Tensor, Tensor], Tensor]
    extract: Callable[[Tensor], Tensor]


def BINARY(M_hard: float, M_soft: float, *, unscaled_slope: bool = False) -> Parametrization:  # noqa: N802
    """Algorithm 1: ``v = B_{M_hard}(w)`` forward, ``B'_{M_soft}(w)`` backward, ``B_infinity(w)`` at the end.

    ``unscaled_slope`` takes the main text's derivative, which lacks the factor ``M_soft``.
    """
    # B_M(w) = (1 + tanh(M w / 2)) / 2 and B'_M(w) = M (1 - tanh(M w / 2)^2) / 4. Unlike a sigmoid, which shrinks to
    # denormal numbers for very negative w and then slows each product down tenfold, this form reaches 0 exactly.
    height = torch.tensor(0.25 if unscaled_slope else M_soft / 4)
    half = torch.tensor(0.5)

    def forward(w: Tensor, out: Tensor) -> Tensor:
        network.tanh_(torch.mul(w, M_hard / 2, out=out))
        return torch.add(half.to(w.dtype), out, alpha=0.5, out=out)

    def slope(w: Tensor, out: Tensor) -> Tensor:
        network.tanh_(torch.mul(w, M_soft / 2, out=out))
        return _tanh_backward(height.to(w.dtype).expand_as(out), out, grad_input=out)

    return Parametrization(
        forward=forward,
        slope=slope,
        extract=binarize.hard_step,
    )


SQUARE = Parametrization(
    forward=lambda w, out: _hardshrink(w, _NEGLIGIBLE, out=out).square_(),
    slope=lambda w, out: _hardshrink(w, _NEGLIGIBLE, out=out).mul_(2),
    extract=lambda w: torch.nn.functional.hardshrink(w, _NEGLIGIBLE).square(),
)
"""Nonnegative real weights ``v = w^2`` (footnote of Sec. 5); a weight below 1e-24 is zero and stays so."""

FREE = Parametrization(
    forward=lambda w, out: out.copy_(w),
    slope=lambda w, out: out.fill_(1),
    extract=torch.clone,
)
"""Real weights of either sign, ``v = w``."""


@dataclass(frozen=True)
class Descent:
    """What `descend` returns: the numbers that it moved, ``latent``, and the network that they give, ``weights``."""

    latent: Tensor
    weights: Tensor


def inverse_time(c: float) -> Callable[[int], float]:
    """Learning rate ``c / t`` of Theorem 1, for steps t = 1, 2, ..."""
    return lambda step: c / step


def descend(
    draw: Draw,
    start: Tensor,
    parametrization: Parametrization,
    steps: int,
    rate: float | Callable[[int], float],
    mask: Tensor | None = None,
    batch: int | None = None,
    *,
    watch: Callable[[int, Tensor], None] | None = None,
    every: int = 1,
) -> Descent:
    """Minimize F over the training objects of every run at once, by the update of eq. (5).

    Parameters
    ----------
    draw
        Training objects ``[runs, n, I]``.
    start
        First value of ``w``, ``[..., runs, 2, I, I]``; further leading axes train several networks on each run.
    parametrization
        How weights come from ``w``: `BINARY`, `SQUARE` or `FREE`.
    steps, rate
        Number of updates; learning rate, a constant or a function of the step (the first step is 1).
    mask
        0/1 tensor that broadcasts against ``start``: where it is 0 the weight is 0 and stays so.
    batch
        Objects an update sees. They are taken in the order of the draw, as Algorithm 1 prints it, and from the
        beginning again after the last one. All of them by default.
    watch, every
        ``watch(step, w)`` is called before the first step and after every ``every``-th one.
    """
    _check(draw, start, steps, rate, mask, batch, every)
    width = start.shape[-1]
    latent = start.clone().reshape(-1, 2, width, width)
    mask = None if mask is None else mask.to(start.dtype).expand_as(start).reshape(latent.shape)
    x, sign = _training_objects(draw, start.dtype, batch)
    run = torch.arange(len(latent)) % len(x)
    rates = [rate(step) if callable(rate) else rate for step in range(1, steps + 1)]
    observe = _observer(watch, every, start.shape) if watch else None
    block = len(latent) if watch else max(1, _BLOCK_BYTES // _bytes_per_network(x, batch))

    def train(begin: int) -> None:
        part = slice(begin, begin + block)
        kept = None if mask is None else mask[part]
        _descend_block(latent[part], x[run[part]], sign[run[part]], parametrization, rates, kept, batch, observe)

    with one_core_a_block() as pool:
        list(pool.map(train, range(0, len(latent), block)))
    weights = parametrization.extract(latent)
    if mask is not None:
        weights = weights * mask
    return Descent(latent.reshape(start.shape), weights.reshape(start.shape))


def flip_ratio(before: Tensor, after: Tensor) -> Tensor:
    """Share of the binary weights ``B_infinity(w)`` that differ between two states of ``w``, one a network."""
    return (binarize.hard_step(before) != binarize.hard_step(after)).double().mean((-1, -2, -3))


class Trace:
    """Record of a descent, for its ``watch`` argument: named measures of ``w`` and the share of flipped weights.

    Each measure maps ``w [runs, 2, I, I]`` to one number a run.
    """

    def __init__(self, **measures: Callable[[Tensor], Tensor]) -> None:
        self._measures = measures
        self._previous: Tensor | None = None
        self._rows: list[pd.DataFrame] = []

    def __call__(self, step: int, latent: Tensor) -> None:
        """Note the measures of ``latent`` at ``step``."""
        previous = latent if self._previous is None else self._previous
        values = {name: measure(latent) for name, measure in self._measures.items()}
        values["flip_ratio"] = flip_ratio(previous, latent)
        self._previous = latent
        columns = {name: value.double().numpy() for name, value in values.items()}
        self._rows.append(pd.DataFrame({"step": step, "run": np.arange(len(latent)), **columns}))

    def table(self) -> pd.DataFrame:
        """One row a (step, run), a column a measure."""
        return pd.concat(self._rows, ignore_index=True)


@torch.inference_mode()  # no gradient is recorded, which saves a twentieth of the time
def _descend_block(
    latent: Tensor,
    x: Tensor,
    sign: Tensor,
    parametrization: Parametrization,
    rates: list[float],
    mask: Tensor | None,
    batch: int | None,
    observe: Callable[[int, Tensor], None] | None,
) -> None:
    """Update ``latent [networks, 2, I, I]`` in place: `network.loss_gradient`, without allocations, and eq. (5)."""
    networks, width = len(latent), latent.shape[-1]
    size = batch or x.shape[1]
    objects = x.shape[1] - (batch or 0)  # the first `batch` objects stand again at the end, see _training_objects
    w = latent.movedim(1, 0).contiguous()  # layer first, so that each layer of every network is one contiguous batch
    kept = None if mask is None else mask.movedim(1, 0).contiguous()
    v, slope, gradient = torch.empty_like(w), torch.empty_like(w), torch.empty_like(w)
    a, b, into_first = (w.new_empty(networks, size, width) for _ in range(3))
    z = w.new_empty(networks, size)
    for step, rate in enumerate(rates):
        if observe:
            observe(step, w.movedim(0, 1))
        begin = step * size % objects
        x_now, sign_now = x[:, begin : begin + size], sign[:, begin : begin + size]
        parametrization.forward(w, v)
        parametrization.slope(w, slope)
        if kept is not None:
            v.mul_(kept)
            slope.mul_(kept)
        network.tanh_(torch.bmm(x_now, v[0].mT, out=a))
        network.tanh_(torch.bmm(a, v[1].mT, out=b))
        torch.sum(b, -1, out=z).sigmoid_().mul_(sign_now)
        _tanh_backward(z[..., None].expand_as(b), b, grad_input=b)  # b is now the gradient before the outer tanh
        torch.bmm(b.mT, a, out=gradient[1])
        torch.bmm(b, v[1], out=into_first)
        _tanh_backward(into_first, a, grad_input=into_first)
        torch.bmm(into_first.mT, x_now, out=gradient[0])
        w.addcmul_(gradient, slope, value=-rate)
    latent.copy_(w.movedim(0, 1))
    if observe:
        observe(len(rates), latent)


def _observer(
    watch: Callable[[int, Tensor], None], every: int, shape: tuple[int, ...]
) -> Callable[[int, Tensor], None]:
    def observe(step: int, latent: Tensor) -> None:
        if step % every == 0:
            with torch.inference_mode(False):  # an ordinary tensor, the watcher's own
                watch(step, latent.reshape(shape).clone())

    return observe


def _training_objects(draw: Draw, dtype: torch.dtype, batch: int | None) -> tuple[Tensor, Tensor]:
    """Objects and ``(1 - 2 y) / (objects an update sees)``, padded so that every mini-batch is a plain slice."""
    x = draw.x_train.to(dtype)
    sign = network.label_sign(draw.y_train, dtype) / (batch or x.shape[1])
    if batch:
        x, sign = torch.cat([x, x[:, :batch]], 1), torch.cat([sign, sign[:, :batch]], 1)
    return x, sign


def _bytes_per_network(x: Tensor, batch: int | None) -> int:
    objects, width = batch or x.shape[1], x.shape[2]
    return (4 * objects * width + 8 * width * width) * x.element_size()


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
    if start.ndim < 4 or start.shape[-4:] != (runs, 2, width, width):
        raise ValueError(f"start has shape {tuple(start.shape)}; expected (..., {runs}, 2, {width}, {width}).")
    if steps < 0:
        raise ValueError(f"steps is {steps}; expected 0 or more.")
    if not callable(rate) and not rate > 0:
        raise ValueError(f"rate is {rate}; expected a positive number.")
    if mask is not None and not torch.all((mask == 0) | (mask == 1)):
        raise ValueError("mask has entries other than 0 and 1; a mask keeps a weight (1) or removes it (0).")
    if batch is not None and not 1 <= batch <= objects:
        raise ValueError(f"batch is {batch}; expected a number from 1 to the {objects} training objects of a run.")
    if every < 1:
        raise ValueError(f"every is {every}; expected 1 or more steps between records.")
