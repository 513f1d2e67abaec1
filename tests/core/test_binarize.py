import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from wfhelpers.core.binarize import hard_step, soft_step, soft_step_slope, soft_step_slope_unscaled

numbers = st.floats(-30, 30)
sharpness = st.floats(0.1, 100)


@given(numbers, sharpness)
@settings(deadline=None)
def test_soft_step_is_the_logistic_function(w, M):
    expected = 1 / (1 + math.exp(-M * w)) if M * w > -700 else 0.0
    assert float(soft_step(torch.tensor(w, dtype=torch.float64), M)) == pytest.approx(expected, abs=1e-14)


@given(numbers, sharpness)
@settings(deadline=None)
def test_slope_is_the_derivative(w, M):
    point = torch.tensor(w, dtype=torch.float64, requires_grad=True)
    soft_step(point, M).backward()
    slope = float(soft_step_slope(point.detach(), M))
    assert slope == pytest.approx(float(point.grad), rel=1e-9, abs=1e-12)
    assert 0 <= slope <= M / 4 * (1 + 1e-12)  # but for rounding


@given(numbers, sharpness)
@settings(deadline=None)
def test_unscaled_slope_lacks_the_factor(w, M):
    point = torch.tensor(w, dtype=torch.float64)
    assert float(M * soft_step_slope_unscaled(point, M)) == pytest.approx(float(soft_step_slope(point, M)), rel=1e-12)


def test_hard_step_is_one_at_zero():
    assert hard_step(torch.tensor([-1e-30, -0.0, 0.0, 1e-30])).tolist() == [0, 1, 1, 1]


@given(numbers.filter(lambda w: abs(w) > 1e-3))
@settings(deadline=None)
def test_hard_step_is_the_limit_of_the_soft_one(w):
    point = torch.tensor(w, dtype=torch.float64)
    assert float(soft_step(point, 1e6)) == float(hard_step(point))
