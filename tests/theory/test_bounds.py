"""`wfhelpers.theory.bounds`: every formula against quadrature, differences or a literal loop; every inequality on random f."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from torch import Tensor

from wfhelpers.parameters import ParameterError
from wfhelpers.theory import bounds, convex

INF = math.inf
KINDS = sorted(convex.SHAPES)
COUNTEREXAMPLE = convex.line(0.01)
fast = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(KINDS)
ratios = st.one_of(st.floats(0.05, 0.99), st.just(1.0))
sharpness = st.tuples(st.floats(0.5, 60), ratios).map(lambda pair: (pair[0], pair[0] * pair[1]))
rates_of_c = st.floats(1e-3, 1)


def vector(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def slope(w: float, M: float) -> float:
    return M * sigmoid(M * w) * sigmoid(-M * w)


def theta_times_slope(w: float, M_hard: float, M_soft: float) -> float:
    """``theta(w) B'_{M_hard}(w)`` without overflow: the exponentials of sinh and of the slope are joined."""
    size, sign = abs(w), math.copysign(1, w)
    joined = math.exp((M_soft - M_hard) * size) - math.exp(-(M_soft + M_hard) * size)
    sinh_part = sign * joined * M_hard / (1 + math.exp(-M_hard * size)) ** 2 / M_soft**2
    return 2 * w / M_soft * slope(w, M_hard) + sinh_part


def divergence_by_quadrature(target: float, w: float, M_hard: float, M_soft: float) -> float:
    """Integral of ``(theta(x) - theta(w)) B'_{M_hard}(x)`` from w to target, in pieces of the sigmoid's width."""
    theta = (2 * w + 2 / M_soft * math.sinh(M_soft * w)) / M_soft

    def integrand(x: float) -> float:
        return theta_times_slope(x, M_hard, M_soft) - theta * slope(x, M_hard)

    low, high = sorted((target, w))
    inner = [low, *(x for x in np.linspace(-8, 8, 17) / M_hard if low < x < high), high]
    total = sum(quad(integrand, a, b, epsabs=1e-13, epsrel=1e-10, limit=200)[0] for a, b in itertools.pairwise(inner))
    return total if target > w else -total


def some_problem(kind: str, seed: int) -> tuple[convex.Problem, np.random.Generator]:
    rng = np.random.default_rng(seed)
    samples, width = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    return convex.random_problem(kind, samples=samples, width=width, rng=rng), rng


# Algorithm 1


def literal_algorithm_1(
    problem: convex.Problem, start: Tensor, rates: Tensor, M_hard: float, M_soft: float, samples: list[int]
) -> np.ndarray:
    """Algorithm 1 as the paper prints it, one number after another."""
    w = start.tolist()
    for t, z in enumerate(samples):
        v = torch.tensor([sigmoid(M_hard * x) for x in w], dtype=torch.float64)
        g = problem.gradients(v)[z].tolist()
        w = [x - rates[t].item() * g_i * slope(x, M_soft) for x, g_i in zip(w, g, strict=True)]
    return np.array(w)


@given(kind=kinds, seed=seeds, M=sharpness, c=rates_of_c)
@fast
def test_a_run_is_the_literal_algorithm(kind: str, seed: int, M: tuple[float, float], c: float) -> None:
    problem, rng = some_problem(kind, seed)
    start = torch.from_numpy(rng.normal(size=(2, problem.rows.shape[-1])))
    samples = torch.from_numpy(rng.integers(problem.rows.shape[0], size=(2, 5)))
    rates = bounds.decaying_rates(c, 5)
    path = bounds.run(problem.gradient, start, rates, *M, samples=samples)
    for i in range(2):
        literal = literal_algorithm_1(problem, start[i], rates, *M, samples[i].tolist())
        np.testing.assert_allclose(path.latent[i, -1], literal, rtol=1e-10, atol=1e-12)
    mean = (path.rates[0, :, None] * path.points[0, :-1]).sum(0) / rates.sum()
    torch.testing.assert_close(path.average()[0], mean)


def test_rates_fall_as_asked() -> None:
    torch.testing.assert_close(bounds.decaying_rates(3, 3), vector(3, 1.5, 1))
    torch.testing.assert_close(bounds.decaying_rates(3, 4, 0.5)[3], torch.tensor(1.5, dtype=torch.float64))
    torch.testing.assert_close(bounds.decaying_rates(3, 2, 0), vector(3, 3))


@given(kind=kinds, seed=seeds, M=sharpness, c=rates_of_c)
@fast
def test_the_scale_of_w_can_be_taken_out_of_algorithm_1(kind: str, seed: int, M: tuple[float, float], c: float) -> None:
    problem, rng = some_problem(kind, seed)
    start, rates = torch.from_numpy(rng.normal(size=problem.rows.shape[-1])) / M[0], bounds.decaying_rates(c, 20, 0)
    path = bounds.run(problem.gradient, start, rates, *M)
    scaled = bounds.run(problem.gradient, M[0] * start, M[0] ** 2 * rates, 1.0, M[1] / M[0])
    torch.testing.assert_close(M[0] * path.latent, scaled.latent, rtol=1e-7, atol=1e-7)


# Lemma 2


@given(g=st.floats(-5, 5), w=st.floats(-1, 1), rate=st.floats(1e-3, 10), M=sharpness)
@fast
def test_the_remainder_is_that_of_the_mean_slope(g: float, w: float, rate: float, M: tuple[float, float]) -> None:
    M_hard, M_soft = M
    assume(abs(g) > 1e-3)
    step = -rate * g * slope(w, M_soft)
    assume(abs(step) > 1e-9)
    kinks = [x for x in np.linspace(-40, 40, 21) / M_hard if min(w, w + step) < x < max(w, w + step)]
    mean_slope = quad(slope, w, w + step, args=(M_hard,), points=kinks or None, limit=200)[0] / step
    expected = g - mean_slope * g * slope(w, M_soft)
    found = bounds.remainder(vector(g), vector(w), rate, M_hard, M_soft).item()
    assert found == pytest.approx(expected, abs=1e-6 * (1 + abs(expected)))


@given(seed=seeds, M=sharpness, c=rates_of_c)
@fast
def test_a_step_in_v_subtracts_gradient_minus_remainder(seed: int, M: tuple[float, float], c: float) -> None:
    problem, rng = some_problem("logistic", seed)
    start = torch.from_numpy(rng.normal(size=problem.rows.shape[-1]))
    path = bounds.run(problem.gradient, start, vector(c), *M)
    before, after = path.points
    r = bounds.remainder(path.gradients[0], start, c, *M)
    torch.testing.assert_close(after, before - c * (path.gradients[0] - r), rtol=0, atol=1e-12)


def test_the_printed_sign_of_the_remainder_is_wrong() -> None:
    start, g = vector(0.1), vector(1.0)
    path = bounds.run(lambda v, z: g, start, vector(0.01), 50, 5)
    printed = path.points[0] - 0.01 * (g + bounds.remainder(g, start, 0.01, 50, 5))
    assert (printed - path.points[1]).abs() > 1e-3


@given(seed=seeds, M=sharpness, rate=st.floats(1e-3, 100), scale=st.floats(0.001, 2))
@fast
def test_lemma_2_bounds_the_remainder(seed: int, M: tuple[float, float], rate: float, scale: float) -> None:
    rng = np.random.default_rng(seed)
    g, w = (torch.from_numpy(rng.normal(size=(50, 4))) for _ in range(2))
    length, G = bounds.remainder(g, scale * w, rate, *M).norm(dim=-1), g.norm(dim=-1)
    assert torch.all(length <= G * bounds.sharp_remainder_constant(*M) + 1e-9)
    assert bounds.sharp_remainder_constant(*M) <= bounds.remainder_constant(*M)


@pytest.mark.parametrize(("M_hard", "M_soft", "w"), [(50, 5, 0.0), (50, 50, 0.0), (4, 2, 30.0), (20, 1, 10.0)])
def test_the_sharp_constant_is_attained_in_the_limit(M_hard: float, M_soft: float, w: float) -> None:
    r = bounds.remainder(vector(1.0), vector(w), 1e-6, M_hard, M_soft).abs().item()
    assert r == pytest.approx(bounds.sharp_remainder_constant(M_hard, M_soft), rel=1e-6)


def test_the_constant_at_the_papers_values() -> None:
    assert bounds.remainder_constant(50, 5) == 16.625


# Theorem 1 and what refutes it


def test_the_rate_is_the_printed_formula() -> None:
    for T in (1, 10, 1000):
        expected = 0.3**2 * 2 * (1 + 16.625**2) / 2 * (1 + math.log(T)) / T
        assert bounds.rate_bound(0.3, 2, 16.625, T) == pytest.approx(expected)
    assert bounds.rate_bound(1, 1, 2, [1, 2]).shape == (2,)


def test_the_known_counterexample_breaks_theorem_1_and_not_ours() -> None:
    start, T = vector(1.0), 1000
    path = bounds.run(COUNTEREXAMPLE.gradient, start, bounds.decaying_rates(1, T), 50, 5)
    gap, average_gap = (COUNTEREXAMPLE.objective(v).item() for v in (path.points[-1], path.average()))
    printed = float(bounds.rate_bound(0.01, 1, bounds.remainder_constant(50, 5), T))
    assert gap == pytest.approx(1.0e-2, rel=1e-3)
    assert printed == pytest.approx(1.1e-4, rel=0.02)
    assert gap > 90 * printed
    distance = bounds.divergence(vector(-INF), start, 50, 5)
    costs = bounds.step_costs(path.rates, 0.01, 50, 5)
    assert average_gap <= bounds.average_bound(distance, costs, path.rates)
    assert gap <= bounds.last_iterate_bound(distance, costs, path.rates)
    assert bounds.linear_gap_floor(0.01, 1.0, 1.0, math.log(T), 50, 5) <= gap


@given(kind=kinds, seed=seeds, M=sharpness, T=st.integers(1, 60))
@fast
def test_every_c_below_the_threshold_refutes_theorem_1(kind: str, seed: int, M: tuple[float, float], T: int) -> None:
    problem, rng = some_problem(kind, seed)
    start = torch.from_numpy(rng.normal(size=problem.rows.shape[-1])) / M[0]
    least, G, C = problem.objective(problem.minimizer()), problem.gradient_bound(), bounds.remainder_constant(*M)
    initial_gap = problem.objective(torch.sigmoid(M[0] * start)) - least
    assume(initial_gap > 1e-6)
    c = 0.999 * float(bounds.refuting_c(initial_gap, G, C, T))
    samples = torch.from_numpy(rng.integers(problem.rows.shape[0], size=T))
    path = bounds.run(problem.gradient, start, bounds.decaying_rates(c, T), *M, samples=samples)
    assert torch.all(problem.objective(path.points[-2:]) - least > bounds.rate_bound(G, c, C, T).item())


@given(
    steepness=st.floats(0.01, 3),
    start=st.floats(-0.5, 0.5),
    M=sharpness.filter(lambda M: M[1] < 30),
    c=st.floats(0.01, 3),
    T=st.integers(1, 300),
)
@example(steepness=1.0, start=0.0, M=(50.0, 5.0), c=1.0, T=300)
@fast
def test_the_gap_on_a_line_stays_above_its_floor(
    steepness: float, start: float, M: tuple[float, float], c: float, T: int
) -> None:
    path = bounds.run(lambda v, z: vector(steepness), vector(start), bounds.decaying_rates(c, T), *M)
    floor = float(bounds.linear_gap_floor(steepness, start, c, math.log(T), *M))
    assert steepness * path.points[-1].item() >= floor * (1 - 1e-9)


@pytest.mark.parametrize(("c", "M_hard", "M_soft"), [(0.1, 50, 5), (1.0, 50, 5), (10.0, 5, 1), (1.0, 5, 5)])
def test_on_a_line_theorem_1_is_false_for_all_large_t(c: float, M_hard: float, M_soft: float) -> None:
    log_T = np.linspace(150, 700, 50)  # e^700 is about the largest T that float64 holds
    floor = bounds.linear_gap_floor(1.0, 0.0, c, log_T, M_hard, M_soft)
    assert np.all(floor > bounds.rate_bound(1.0, c, bounds.remainder_constant(M_hard, M_soft), np.exp(log_T)))


# Mirror descent


@given(z=st.floats(-9, 9), M=sharpness)
@fast
def test_the_mirror_map_integrates_the_inverse_slope(z: float, M: tuple[float, float]) -> None:
    expected = quad(lambda x: 1 / slope(x, M[1]), 0, z / M[1])[0]
    assert bounds.mirror_map(vector(z / M[1]), M[1]).item() == pytest.approx(expected, rel=1e-8, abs=1e-12)


@given(z=st.floats(-6, 6), M=sharpness)
@fast
def test_the_potential_has_the_mirror_map_as_its_slope_and_the_stated_curvature(
    z: float, M: tuple[float, float]
) -> None:
    M_hard, M_soft = M
    v = sigmoid(z)
    h = 1e-4 * v * (1 - v)
    w = bounds.latent(vector(v - h, v, v + h), M_hard)
    low, middle, high = bounds.potential(w, M_hard, M_soft).tolist()
    size = abs(middle) + 1 / (M_hard * M_soft)
    assert (high - low) / (2 * h) == pytest.approx(
        bounds.mirror_map(w[1], M_soft).item(), rel=1e-5, abs=1e-11 * size / h
    )
    curvature = bounds.curvature(w[1], M_hard, M_soft).item()
    thetas = bounds.mirror_map(w, M_soft)
    assert (thetas[2] - thetas[0]).item() / (2 * h) == pytest.approx(curvature, rel=1e-5)
    assert curvature >= 16 / (M_hard * M_soft) * (1 - 1e-12)


@given(target=st.floats(-8, 8), start=st.floats(-8, 8), M=sharpness)
@example(target=INF, start=0.0, M=(50.0, 5.0))
@example(target=-INF, start=5.0, M=(50.0, 45.0))
@example(target=7.0, start=-7.0, M=(50.0, 50.0))
@example(target=40.0, start=39.0, M=(2.0, 2.0))
@fast
def test_the_divergence_is_its_integral(target: float, start: float, M: tuple[float, float]) -> None:
    M_hard, M_soft = M
    goal, w = target / M_hard, start / M_hard
    found = bounds.divergence(vector(goal), vector(w), M_hard, M_soft).item()
    expected = divergence_by_quadrature(goal, w, M_hard, M_soft)
    rounding = 1 / (M_hard * M_soft) + abs(bounds.mirror_map(vector(w), M_soft).item())  # size of what cancels
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9 * rounding)


@given(
    start=st.floats(-1, 1), M_hard=st.floats(0.5, 60), ratio=st.floats(0.05, 0.999), side=st.sampled_from([-INF, INF])
)
@fast
def test_a_vertex_is_at_finite_distance_when_soft_is_below_hard(
    start: float, M_hard: float, ratio: float, side: float
) -> None:
    assert math.isfinite(bounds.divergence(vector(side), vector(start), M_hard, ratio * M_hard).item())
    assert bounds.divergence(vector(side), vector(start), M_hard, M_hard).item() == INF
    # where the two are equal, the distance grows on the way to the vertex without limit: by 1/M^2 a unit of M w
    far = [bounds.divergence(vector(math.copysign(x, side) / M_hard), vector(0.0), M_hard, M_hard) for x in (200, 300)]
    assert (far[1] - far[0]).item() * M_hard**2 == pytest.approx(100)


@given(M=st.floats(0.5, 60), delta=st.floats(1e-9, 1))
@fast
def test_near_a_vertex_the_distance_grows_with_the_logarithm_where_soft_equals_hard(M: float, delta: float) -> None:
    near = bounds.divergence(bounds.latent(vector(delta / 2), M), vector(0.0), M, M).item()
    assert near <= math.log(4 / delta) / M**2 + 1e-12


def test_divergences_add_up_over_coordinates() -> None:
    goal, w = vector(INF, 0.1, -INF), vector(0.2, -0.1, 0.0)
    parts = [bounds.divergence(goal[i : i + 1], w[i : i + 1], 20, 4).item() for i in range(3)]
    assert bounds.divergence(goal, w, 20, 4).item() == pytest.approx(sum(parts))
    assert bounds.divergence(w, w, 20, 4).item() == 0
    assert bounds.latent(vector(0, 0.5, 1), 3.0).tolist() == [-INF, 0, INF]


@given(kind=kinds, seed=seeds, M=sharpness, c=rates_of_c, power=st.sampled_from([0, 0.5, 1]), scale=st.floats(0, 5))
@fast
def test_every_inequality_of_the_mirror_descent_proof(
    kind: str, seed: int, M: tuple[float, float], c: float, power: float, scale: float
) -> None:
    problem, rng = some_problem(kind, seed)
    G, width = problem.gradient_bound().item(), problem.rows.shape[-1]
    c = c / (G * M[1] ** 2)  # so that e^kappa stays moderate and the inequalities are not trivial
    start = torch.from_numpy(scale * rng.normal(size=(3, width))) / M[0]
    samples = torch.from_numpy(rng.integers(problem.rows.shape[0], size=(3, 15)))
    target = torch.from_numpy(rng.normal(size=width)) / M[0]
    path = bounds.run(problem.gradient, start, bounds.decaying_rates(c, 15, power), *M, samples=samples)
    found = bounds.audit(path, target, G)
    slack = 1e-11 * (1 + bounds.mirror_map(path.latent, M[1]).abs().max().item())
    assert torch.all(found.identity.abs() <= slack)
    assert torch.all(found.length <= found.length_limit + slack)
    assert torch.all(found.dual_error <= found.dual_error_limit + slack)
    assert torch.all(found.regret <= found.regret_limit + 15 * slack)


def test_an_audit_counts_what_it_finds() -> None:
    one, zero = vector(1.0, 1.0), vector(0.0, 0.0)
    found = bounds.Audit(vector(0, 1), one, one, one, 2 * one, vector(3, 5), vector(4, 4), rounding=0.1).summary()
    assert found["violated"].tolist() == [1, 0, 0, 1]
    assert found["checked"].tolist() == [2, 2, 2, 2]
    assert found["tightest"].tolist()[1:] == [0.5, 1, 1.25]
    assert bounds.Audit(zero, zero, one, zero, one, zero, one, rounding=0.1).summary()["violated"].sum() == 0


def every_path(problem: convex.Problem, start: Tensor, rates: Tensor, M: tuple[float, float]) -> bounds.Path:
    """All runs that single-sample gradients can give, each once: means over them are expectations, exactly."""
    sequences = list(itertools.product(range(problem.rows.shape[0]), repeat=rates.shape[-1]))
    samples = torch.tensor(sequences)
    return bounds.run(problem.gradient, start.expand(len(samples), -1), rates, *M, samples=samples)


@given(kind=kinds, seed=seeds, M=sharpness, c=st.floats(0.01, 20), power=st.sampled_from([0, 0.5, 1]))
@fast
def test_the_corrected_theorem_in_exact_expectation(
    kind: str, seed: int, M: tuple[float, float], c: float, power: float
) -> None:
    rng = np.random.default_rng(seed)
    problem = convex.random_problem(kind, samples=3, width=2, rng=rng)
    start, best = torch.from_numpy(rng.normal(size=2)) / M[0], problem.minimizer()
    G = problem.gradient_bound().item()
    rates = bounds.decaying_rates(c / (G * M[1] * M[0]), 6, power)
    path = every_path(problem, start, rates, M)
    least = problem.objective(best)
    distance = bounds.divergence(bounds.latent(best, M[0]), start, *M)
    costs = bounds.step_costs(rates, G, *M)
    average_gap = problem.objective(path.average()).mean() - least
    last_gap = problem.objective(path.points[:, -2]).mean() - least
    assert average_gap <= bounds.average_bound(distance, costs, rates) + 1e-9
    assert last_gap <= bounds.last_iterate_bound(distance, costs, rates) + 1e-9


def test_the_last_iterate_bound_is_its_double_sum() -> None:
    rates, costs, distance = vector(0.5, 0.4, 0.4, 0.1), vector(0.3, 0.2, 0.25, 0.05), 0.7
    expected = (distance + sum(costs.tolist())) / (4 * 0.1)
    for k in (1, 2, 3):
        expected += sum(costs.tolist()[3 - k :]) / (k * (k + 1) * 0.1)
    assert bounds.last_iterate_bound(distance, costs, rates).item() == pytest.approx(expected)
    assert bounds.average_bound(distance, costs, rates).item() == pytest.approx(1.5 / 1.4)
    constant = bounds.last_iterate_bound(distance, vector(0.2, 0.2, 0.2), vector(0.1, 0.1, 0.1)).item()
    assert constant == pytest.approx(distance / 0.3 + 2 * (1 + 1 + 1 / 2))
    with pytest.raises(ValueError, match="rates increase"):
        bounds.last_iterate_bound(1.0, costs, rates.flip(0))


def test_the_cost_of_a_step_is_the_stated_product() -> None:
    kappa = 5**2 * 2 * 0.1 / 4
    expected = (50 * 5 / 32 + 25 / 8) * math.exp(kappa) * 2**2 * 0.1**2
    assert bounds.step_costs(vector(0.1), 2.0, 50, 5).item() == pytest.approx(expected)


def test_the_tuned_rate_is_the_best_one_where_kappa_is_small() -> None:
    distance, G, T = vector(0.01), 1e-3, 10**6
    tuned = bounds.tuned_rate(distance, G, T, 50, 5).item()
    allowed = []
    for factor in (0.9, 1, 1.1):
        rates = torch.full((T,), factor * tuned, dtype=torch.float64)
        allowed.append(bounds.average_bound(distance, bounds.step_costs(rates, G, 50, 5), rates))
    assert allowed[1] == min(allowed)


@pytest.mark.parametrize(("M_hard", "M_soft"), [(50, 5), (10, 1), (8, 4)])
def test_the_factor_to_a_vertex_is_that_of_the_tuned_bound(M_hard: float, M_soft: float) -> None:
    d, G, T = 3, 0.7, 10**6
    start, vertex = torch.zeros(d).double(), vector(INF, -INF, INF)
    distance = bounds.divergence(vertex, start, M_hard, M_soft)
    rates = torch.full((T,), bounds.tuned_rate(distance, G, T, M_hard, M_soft).item(), dtype=torch.float64)
    bound = bounds.average_bound(distance, bounds.step_costs(rates, G, M_hard, M_soft), rates)
    assert bound.item() == pytest.approx(bounds.vertex_factor(M_soft / M_hard) * G * math.sqrt(d / T), rel=1e-2)
    assert bounds.vertex_factor(1.0) == INF


@given(kind=kinds, seed=seeds, M=sharpness, c=st.floats(0.01, 30), scale=st.floats(0.01, 5))
@fast
def test_no_weight_flips_before_its_price_is_paid(
    kind: str, seed: int, M: tuple[float, float], c: float, scale: float
) -> None:
    problem, rng = some_problem(kind, seed)
    start = torch.from_numpy(scale * rng.normal(size=(20, problem.rows.shape[-1]))) / M[1]
    path = bounds.run(problem.gradient, start, bounds.decaying_rates(c / M[1], 30, 0), *M)
    paid = (path.rates[..., None] * path.gradients).abs().cumsum(-2)
    flipped = torch.sign(path.latent[:, 1:]) != torch.sign(start)[:, None]
    price = bounds.mirror_map(start, M[1]).abs()[:, None].expand_as(paid)
    assert torch.all(paid[flipped] >= price[flipped] * (1 - 1e-9))


def test_a_flip_happens_once_little_more_than_its_price_is_paid() -> None:
    start, rate = vector(-0.2), 1e-3
    price = -bounds.mirror_map(start, 5).item()
    path = bounds.run(lambda v, z: vector(-1.0), start, bounds.decaying_rates(rate, 300, 0), 50, 5)
    steps = int((path.latent[:, 0] >= 0).double().argmax())
    assert price <= steps * rate <= 1.02 * price


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"M_hard": 5, "M_soft": 50}, "M_soft is 50 and M_hard is 5; expected 0 < M_soft < M_hard"),
        ({"M_hard": 5, "M_soft": 0}, "expected 0 < M_soft < M_hard"),
        ({"M_hard": 5, "M_soft": math.nan}, "expected 0 < M_soft < M_hard"),
        ({"M_hard": 5, "M_soft": 5}, "expected 0 < M_soft < M_hard"),
        ({"M_hard": 5, "M_soft": 4, "c": -1.0}, "c is -1.0; expected a positive number"),
        ({"M_hard": 5, "M_soft": 4, "slope": 0.0}, "slope is 0.0; expected a positive number"),
        ({"M_hard": 5, "M_soft": 4, "runs": 0}, "runs is 0; expected at least 1"),
        ({"M_hard": 5, "M_soft": 4, "problems": -3}, "problems is -3; expected at least 1"),
        ({"M_hard": 5, "M_soft": 4, "T": 1}, "T is 1; expected at least 2"),
    ],
)
def test_impossible_settings_are_refused(setting: dict[str, float], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        bounds.check_setting(**setting)
    bounds.check_setting(M_hard=5, M_soft=4)


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_survey_holds_what_each_problem_alone_gives(kind: str, single: bool) -> None:
    rng = np.random.default_rng(4)
    problems = convex.random_problem(kind, batch=(3,), samples=4, width=2, rng=rng)
    start = torch.from_numpy(rng.normal(size=(3, 2))) / 20
    samples = torch.from_numpy(rng.integers(4, size=(3, 5, 30))) if single else None
    rates = bounds.decaying_rates(0.1, 30)
    table = bounds.survey(problems, start, rates, 20, 4, samples=samples)
    for i in range(3):
        one, least = problems[i], problems[i].objective(problems[i].minimizer())
        paths = [
            bounds.run(one.gradient, start[i], rates, 20, 4, samples=None if samples is None else samples[i, run])
            for run in range(5)
        ]
        last = [np.mean([one.objective(path.points[t]).item() for path in paths]) for t in (-2, -1)]
        average = np.mean([one.objective(path.average()).item() for path in paths])
        assert table.gap[i] == pytest.approx(min(last) - least.item())
        assert table.average_gap[i] == pytest.approx(average - least.item())
        assert table.initial[i] == pytest.approx((one.objective(torch.sigmoid(20 * start[i])) - least).item())
        assert table.printed[i] == pytest.approx(bounds.rate_bound(one.gradient_bound(), 0.1, 6, 30).item())
        distance = bounds.divergence(bounds.latent(one.minimizer(), 20), start[i], 20, 4)
        costs = bounds.step_costs(rates, one.gradient_bound().item(), 20, 4)
        assert table.average_bound[i] == pytest.approx(bounds.average_bound(distance, costs, rates).item())
        assert table.last_bound[i] == pytest.approx(bounds.last_iterate_bound(distance, costs, rates).item())
    assert (table.range >= table.initial).all()


def test_bounds_are_violated_empty_or_useful() -> None:
    surveyed = pd.DataFrame(
        {
            "range": 1.0,
            "gap": 0.5,
            "average_gap": 0.3,
            "printed": [0.4, 0.6, 1.0],
            "average_bound": 0.4,
            "last_bound": 2,
        }
    )
    table = bounds.compare(surveyed)
    assert table["printed violated"].tolist() == [True, False, False]
    assert table["printed useful"].tolist() == [False, True, False]
    assert table["printed empty"].tolist() == [False, False, True]
    assert table["average_bound useful"].all()
    assert table["last_bound empty"].all()
    assert "printed violated" not in surveyed
    counts = bounds.tally(table.assign(kind=["x", "x", "y"]), "kind", {"printed": "(10)", "last_bound": "(M6)"})
    assert counts.columns.tolist() == ["(10) violated", "(M6) violated", "(10) useful", "(M6) useful", "of"]
    assert counts.loc["x"].tolist() == [1, 0, 1, 0, 2]
    assert counts.loc["y"].tolist() == [0, 0, 0, 0, 1]
