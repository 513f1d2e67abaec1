"""The loop of training in single precision, compiled: one network at a time, on one core, without the interpreter.

It computes what `wfhelpers.core.training` states for any precision, with ``tanh`` as a rational function, and does as
much as it can in one pass over memory. numba compiles on the first call and keeps the code on disk; importing this
module is slow, so that `wfhelpers.core.training.descend` does it only when it trains.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Numbers = NDArray[np.float32]

# Values may be fused and sums reordered; NaN and infinity keep their meaning.
_compiled = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})

ONE, HALF = np.float32(1), np.float32(0.5)
FLAT = np.float32(81)
"""Square of the x from which on ``tanh(x)`` is 1 in single precision."""

# tanh(x) = x P(x^2) / Q(x^2) for |x| < 9: fitted for the least relative error (2e-8), by Lawson's weights.
P0, P1, P2, P3, P4 = (
    np.float32(value)
    for value in (0.9999999783571955, 0.1337775417467171, 0.0034917024004102975, 2.0545095359490107e-05, 1.32658268e-08)
)
Q1, Q2, Q3, Q4 = (
    np.float32(value)
    for value in (0.46711068881182605, 0.025862200563367157, 0.00032792786946878326, 7.740241348172012e-07)
)


@njit(inline="always")
def tanh(x):  # type: ignore[no-untyped-def]
    """Hyperbolic tangent, off by at most 4e-7; exactly 1 or -1 from ``|x| = 9`` on, as in exact single precision."""
    square = x * x
    above = P0 + square * (P1 + square * (P2 + square * (P3 + square * P4)))
    below = ONE + square * (Q1 + square * (Q2 + square * (Q3 + square * Q4)))
    value = min(max(x * (above / below), -ONE), ONE)
    return np.copysign(ONE, x) if square >= FLAT else value


@_compiled
def tanh_(x: Numbers) -> None:
    """Replace every number of ``x`` by its hyperbolic tangent."""
    values = x.ravel()
    for i in range(values.size):
        values[i] = tanh(values[i])


@_compiled
def _binary_weights(w: Numbers, v: Numbers, M_hard: np.float32) -> None:
    """``v = B_{M_hard}(w) = (1 + tanh(M_hard w / 2)) / 2``, Sec. 3."""
    latent, weight, half = w.ravel(), v.ravel(), HALF * M_hard
    for i in range(latent.size):
        weight[i] = HALF + HALF * tanh(half * latent[i])


@_compiled
def _binary_update(w: Numbers, gradient: Numbers, M_soft: np.float32, rate: np.float32) -> None:
    """Eq. (5): ``w <- w - rate gradient (1 - tanh(M_soft w / 2)^2)``, with the height of the slope in the rate."""
    latent, g, half = w.ravel(), gradient.ravel(), HALF * M_soft
    for i in range(latent.size):
        t = tanh(half * latent[i])
        latent[i] -= rate * g[i] * (ONE - t * t)


@_compiled
def _square_weights(w: Numbers, v: Numbers, negligible: np.float32) -> None:
    """``v = w^2``, and w = 0 where it is negligible (footnote of Sec. 5)."""
    latent, weight = w.ravel(), v.ravel()
    for i in range(latent.size):
        kept = latent[i] if abs(latent[i]) > negligible else np.float32(0)
        weight[i] = kept * kept


@_compiled
def _square_update(w: Numbers, gradient: Numbers, negligible: np.float32, rate: np.float32) -> None:
    """Eq. (2): ``w <- w - rate gradient 2 w``."""
    latent, g = w.ravel(), gradient.ravel()
    for i in range(latent.size):
        if abs(latent[i]) > negligible:
            latent[i] -= rate * g[i] * (latent[i] + latent[i])


@_compiled
def _into_outer_sums(b: Numbers, sign: Numbers) -> None:
    """Replace the outer sums by the gradient of F with respect to them, object by object.

    ``b = tanh(w2 a)``,  ``z = sum_i b_i``,  ``dF/d(w2 a) = (1 - 2 y) sigmoid(z) / n * (1 - b^2)``.
    """
    for n in range(b.shape[0]):
        row, z = b[n], np.float32(0)
        for i in range(row.size):
            row[i] = tanh(row[i])
        for i in range(row.size):
            z += row[i]
        into_z = sign[n] / (ONE + np.exp(-z))
        for i in range(row.size):
            row[i] = into_z * (ONE - row[i] * row[i])


@_compiled
def _through_hidden(into_first: Numbers, a: Numbers) -> None:
    """``dF/d(w1 x) = (w2^T dF/d(w2 a)) (1 - a^2)``."""
    gradient, hidden = into_first.ravel(), a.ravel()
    for i in range(gradient.size):
        gradient[i] *= ONE - hidden[i] * hidden[i]


@_compiled
def train(
    w: Numbers,
    x: Numbers,
    sign: Numbers,
    mask: Numbers,
    binary: bool,
    forward: float,
    backward: float,
    rates: NDArray[np.float64],
    size: int,
    first_step: int,
) -> None:
    """Update the numbers ``w [2, I, I]`` of one network in place, once for each of the rates.

    Objects ``x [n, I]`` come with ``sign = (1 - 2 y) / size``; an update takes ``size`` of them, and the first ones
    stand again at the end if these are not all. The mask is empty where there is none. The two kinds of weights and
    their constants are those of `wfhelpers.core.training.Compiled`; ``first_step`` updates were made before.
    """
    width, objects = w.shape[1], x.shape[0] if size == x.shape[0] else x.shape[0] - size
    v, transposed, gradient = np.empty_like(w), np.empty_like(w), np.empty_like(w)
    a = np.empty((size, width), np.float32)
    b, into_first = np.empty_like(a), np.empty_like(a)
    for step in range(rates.size):
        begin = (first_step + step) * size % objects
        now, sign_now = x[begin : begin + size], sign[begin : begin + size]
        if binary:
            _binary_weights(w, v, np.float32(forward))
        else:
            _square_weights(w, v, np.float32(forward))
        if mask.size:
            v *= mask
        transposed[0], transposed[1] = v[0].T, v[1].T  # faster to copy than to multiply by a transposed matrix
        np.dot(now, transposed[0], a)  # a = tanh(w1 x), eq. (11)
        tanh_(a)
        np.dot(a, transposed[1], b)  # b = tanh(w2 a), eq. (11)
        _into_outer_sums(b, sign_now)
        np.dot(b.T, a, gradient[1])  # dF/dw2
        np.dot(b, v[1], into_first)
        _through_hidden(into_first, a)
        np.dot(into_first.T, now, gradient[0])  # dF/dw1
        if mask.size:
            gradient *= mask
        if binary:
            _binary_update(w, gradient, np.float32(backward), np.float32(rates[step]))
        else:
            _square_update(w, gradient, np.float32(forward), np.float32(rates[step]))
