import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from wfhelpers.core import network

widths, seeds = st.integers(1, 6), st.integers(0, 2**32 - 1)


def made_up(seed, width, objects=7, lead=()):
    generator = torch.Generator().manual_seed(seed)
    weights = torch.randn(*lead, 2, width, width, generator=generator, dtype=torch.float64)
    x = torch.randn(*lead, objects, width, generator=generator, dtype=torch.float64)
    y = torch.randint(0, 2, (*lead, objects), generator=generator)
    return weights, x, y


def psi_by_loops(w1, w2, x):
    """Eq. (11), index by index."""
    total = 0.0
    for i in range(len(w2)):
        inner = sum(w2[i][j] * np.tanh(sum(w1[j][k] * x[k] for k in range(len(x)))) for j in range(len(w1)))
        total += np.tanh(inner)
    return np.log(1 + np.exp(total))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_tanh_in_place_is_the_hyperbolic_tangent(dtype):
    small = torch.logspace(-30, 0, 1000)  # small values count, too: where they vanished, so would gradients
    x = torch.cat([torch.linspace(-40, 40, 100_001), small, torch.tensor([0, torch.inf, -torch.inf])]).to(dtype)
    expected = [math.tanh(value) for value in x.tolist()]
    assert network.tanh_(x) is x
    np.testing.assert_allclose(x, expected, rtol=2 * torch.finfo(dtype).eps)


@given(seeds, widths)
@settings(max_examples=20, deadline=None)
def test_score_and_loss_follow_the_equations(seed, width):
    weights, x, y = made_up(seed, width)
    expected = [psi_by_loops(*weights.numpy(), one) for one in x.numpy()]
    np.testing.assert_allclose(network.score(weights, x), expected, rtol=1e-12)
    by_hand = np.mean([value * (1 - 2 * label) for value, label in zip(expected, y.numpy(), strict=True)])
    assert float(network.loss(weights, x, y)) == pytest.approx(by_hand, rel=1e-12, abs=1e-12)


@given(seeds, widths)
@settings(max_examples=20, deadline=None)
def test_shared_weights_have_the_loss_of_their_networks(seed, width):
    weights, x, y = made_up(seed, width, lead=(3,))
    architecture = (weights > 0).double()
    shared = torch.randn(4, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    found = network.loss_of_shared_weights(architecture, shared, x, y)
    assert found.shape == (4, 3)
    for which, run in np.ndindex(4, 3):
        alone = network.loss(shared[which, run] * architecture[run], x[run], y[run])
        assert float(found[which, run]) == pytest.approx(float(alone), rel=1e-12, abs=1e-12)


@given(seeds, widths)
@settings(max_examples=20, deadline=None)
def test_gradient_agrees_with_autograd(seed, width):
    weights, x, y = made_up(seed, width, lead=(3,))
    weights.requires_grad_()
    network.loss(weights, x, y).sum().backward()
    torch.testing.assert_close(network.loss_gradient(weights.detach(), x, y), weights.grad, rtol=1e-10, atol=1e-13)


def test_gradient_agrees_with_finite_differences():
    weights, x, y = made_up(0, 3)
    gradient, step = network.loss_gradient(weights, x, y), 1e-6
    for index in np.ndindex(*weights.shape):
        change = torch.zeros_like(weights)
        change[index] = step
        difference = network.loss(weights + change, x, y) - network.loss(weights - change, x, y)
        assert float(gradient[index]) == pytest.approx(float(difference) / (2 * step), abs=1e-8)


@given(seeds, widths)
@settings(max_examples=20, deadline=None)
def test_batch_equals_one_by_one(seed, width):
    weights, x, y = made_up(seed, width, lead=(2, 3))
    for function in (network.loss, network.loss_gradient):
        whole = function(weights, x, y)
        for a, b in np.ndindex(2, 3):
            torch.testing.assert_close(whole[a, b], function(weights[a, b], x[a, b], y[a, b]), rtol=1e-12, atol=1e-15)


def test_leading_axes_broadcast():
    weights, x, y = made_up(1, 4, lead=(5, 3))
    shared_x, shared_y = x[0], y[0]
    for function in (network.loss, network.loss_gradient):
        whole = function(weights, shared_x, shared_y)
        torch.testing.assert_close(whole[4, 2], function(weights[4, 2], shared_x[2], shared_y[2]))


@given(seeds, st.permutations(range(5)))
@settings(max_examples=20, deadline=None)
def test_relabelling_hidden_nodes_changes_nothing(seed, order):
    weights, x, _ = made_up(seed, 5)
    relabelled = torch.stack([weights[0][list(order)], weights[1][:, list(order)]])
    torch.testing.assert_close(network.score(relabelled, x), network.score(weights, x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@given(seed=seeds, exponent=st.floats(0, 1))
@settings(max_examples=30, deadline=None)
def test_finite_weights_never_overflow(dtype, seed, exponent):
    weights, x, y = made_up(seed, 4)
    largest = torch.finfo(dtype).max
    weights = (weights / weights.abs().max() * largest**exponent).to(dtype)
    for value in (network.score(weights, x.to(dtype)), network.loss_gradient(weights, x.to(dtype), y)):
        assert torch.isfinite(value).all()


def test_a_sum_out_of_range_saturates_with_the_right_sign():
    huge = torch.tensor([[[3e38, -1e38], [1e38, -3e38]], [[1.0, 0.0], [0.0, 1.0]]])
    hidden = network.presum(huge, torch.tensor([[2.0, 2.0]]))  # the true sums are 4e38 and -4e38
    assert float(hidden) == pytest.approx(np.tanh(1) + np.tanh(-1))
    assert float(network.presum(huge[[0, 1]], torch.tensor([[2.0, 1.0]]))) == pytest.approx(np.tanh(1) - np.tanh(1))


def test_density_counts_each_layer():
    weights = torch.tensor([[[1.0, 0.0], [0.0, 0.0]], [[0.5, 2.0], [0.0, 3.0]]])
    assert network.density(weights).tolist() == [0.25, 0.75]
