"""How far the fast functions of `wfhelpers.core.kernels` are from exact ones: the benchmark shows, a test bounds it."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wfhelpers.core import kernels

M_HARD, M_SOFT, RATE, NEGLIGIBLE = 50.0, 5.0, 0.1, 1e-12


def fast_against_exact() -> dict[str, tuple[NDArray[np.float32], NDArray[np.float64]]]:
    """What each fast function gives in single precision, and what the formula gives in double precision."""
    rng = np.random.default_rng(0)
    w = rng.normal(0, 0.3, (2, 64, 64)).astype(np.float32)
    gradient = rng.normal(0, 1e-2, w.shape).astype(np.float32)
    sums = rng.normal(0, 3, (200, 64)).astype(np.float32)
    hidden, into = (np.tanh(rng.normal(0, 1, sums.shape)).astype(np.float32) for _ in range(2))
    sign = (rng.choice([-1, 1], len(sums)) / len(sums)).astype(np.float32)
    line = np.linspace(-12, 12, 1_000_001).astype(np.float32)

    tanh, binary, binary_step, square, square_step, outer, inner = (
        array.copy() for array in (line, w, w, w, w, sums, into)
    )
    kernels.tanh_(tanh)
    kernels._binary_weights(w, binary, np.float32(M_HARD))
    kernels._binary_update(binary_step, gradient, np.float32(M_SOFT), np.float32(RATE))
    kernels._square_weights(w, square, np.float32(NEGLIGIBLE))
    kernels._square_update(square_step, gradient, np.float32(NEGLIGIBLE), np.float32(RATE))
    kernels._into_outer_sums(outer, sign)
    kernels._through_hidden(inner, hidden)

    v, g, b = w.astype(float), gradient.astype(float), np.tanh(sums.astype(float))
    slope = 1 - np.tanh(M_SOFT * v / 2) ** 2
    into_z = sign / (1 + np.exp(-b.sum(1)))
    return {
        "tanh": (tanh, np.tanh(line.astype(float))),
        "B_M(w)": (binary, 1 / (1 + np.exp(-M_HARD * v))),
        "update of Algorithm 1": (binary_step, v - RATE * g * slope),
        "w^2": (square, v**2),
        "update of square weights": (square_step, v - RATE * g * 2 * v),
        "gradient before the outer tanh": (outer, into_z[:, None] * (1 - b**2)),
        "gradient before the hidden tanh": (inner, into * (1 - hidden.astype(float) ** 2)),
    }


def errors() -> pd.Series:
    """Largest absolute error of each fast function."""
    pairs = fast_against_exact()
    return pd.Series({name: np.abs(fast - exact).max() for name, (fast, exact) in pairs.items()}, name="largest error")
