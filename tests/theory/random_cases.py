"""Random problems, sharpness and the like for the tests of this room."""

import math

import numpy as np
import torch
from hypothesis import settings
from hypothesis import strategies as st
from torch import Tensor

from wfhelpers.theory import convex

KINDS = sorted(convex.SHAPES)
fast = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(KINDS)
ratios = st.one_of(st.floats(0.05, 0.99), st.just(1.0))
sharpness = st.tuples(st.floats(0.5, 60), ratios).map(lambda pair: (pair[0], pair[0] * pair[1]))
first_rates = st.floats(1e-3, 1)


def vector(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def slope(w: float, M: float) -> float:
    return M * sigmoid(M * w) * sigmoid(-M * w)


def some_problem(kind: str, seed: int) -> tuple[convex.Problem, np.random.Generator]:
    rng = np.random.default_rng(seed)
    samples, width = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    return convex.random_problem(kind, samples=samples, width=width, rng=rng), rng
