"""`wfhelpers.theory.mirror`: every formula against quadrature or differences, every inequality on random functions."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from random_cases import KINDS, fast, first_rates, kinds, seeds, sharpness, sigmoid, slope, some_problem, vector
from scipy.integrate import quad
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.theory import bounds, convex, mirror

INF = math.inf


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


# The potential


@given(z=st.floats(-9, 9), M=sharpness)
@fast
def test_the_mirror_map_integrates_the_inverse_slope(z: float, M: tuple[float, float]) -> None:
    expected = quad(lambda x: 1 / slope(x, M[1]), 0, z / M[1])[0]
    assert mirror.mirror_map(vector(z / M[1]), M[1]).item() == pytest.approx(expected, rel=1e-8, abs=1e-12)


@given(z=st.floats(-6, 6), M=sharpness)
@fast
def test_the_potential_has_the_mirror_map_as_its_slope_and_the_stated_curvature(
    z: float, M: tuple[float, float]
) -> None:
    M_hard, M_soft = M
    v = sigmoid(z)
    h = 1e-4 * v * (1 - v)
    w = mirror.latent(vector(v - h, v, v + h), M_hard)
    low, middle, high = mirror.potential(w, M_hard, M_soft).tolist()
    size = abs(middle) + 1 / (M_hard * M_soft)
    assert (high - low) / (2 * h) == pytest.approx(
        mirror.mirror_map(w[1], M_soft).item(), rel=1e-5, abs=1e-11 * size / h
    )
    curvature = mirror.curvature(w[1], M_hard, M_soft).item()
    thetas = mirror.mirror_map(w, M_soft)
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
    found = mirror.divergence(vector(goal), vector(w), M_hard, M_soft).item()
    expected = divergence_by_quadrature(goal, w, M_hard, M_soft)
    rounding = 1 / (M_hard * M_soft) + abs(mirror.mirror_map(vector(w), M_soft).item())  # size of what cancels
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9 * rounding)


@given(
    start=st.floats(-1, 1), M_hard=st.floats(0.5, 60), ratio=st.floats(0.05, 0.999), side=st.sampled_from([-INF, INF])
)
@fast
def test_a_vertex_is_at_finite_distance_when_soft_is_below_hard(
    start: float, M_hard: float, ratio: float, side: float
) -> None:
    assert math.isfinite(mirror.divergence(vector(side), vector(start), M_hard, ratio * M_hard).item())
    assert mirror.divergence(vector(side), vector(start), M_hard, M_hard).item() == INF
    # where the two are equal, the distance grows on the way to the vertex without limit: by 1/M^2 a unit of M w
    far = [mirror.divergence(vector(math.copysign(x, side) / M_hard), vector(0.0), M_hard, M_hard) for x in (200, 300)]
    assert (far[1] - far[0]).item() * M_hard**2 == pytest.approx(100)


@given(M=st.floats(0.5, 60), delta=st.floats(1e-9, 1))
@fast
def test_near_a_vertex_the_distance_grows_with_the_logarithm_where_soft_equals_hard(M: float, delta: float) -> None:
    near = mirror.divergence(mirror.latent(vector(delta / 2), M), vector(0.0), M, M).item()
    assert near <= math.log(4 / delta) / M**2 + 1e-12


def test_divergences_add_up_over_coordinates() -> None:
    goal, w = vector(INF, 0.1, -INF), vector(0.2, -0.1, 0.0)
    parts = [mirror.divergence(goal[i : i + 1], w[i : i + 1], 20, 4).item() for i in range(3)]
    assert mirror.divergence(goal, w, 20, 4).item() == pytest.approx(sum(parts))
    assert mirror.divergence(w, w, 20, 4).item() == 0
    assert mirror.latent(vector(0, 0.5, 1), 3.0).tolist() == [-INF, 0, INF]


@given(kind=kinds, seed=seeds, M=sharpness, c=first_rates, power=st.sampled_from([0, 0.5, 1]), scale=st.floats(0, 5))
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
    slack = 1e-11 * (1 + mirror.mirror_map(path.latent, M[1]).abs().max().item())
    statements = mirror.audit(path, target, G)
    assert list(statements) == ["(M7)", "(ii)", "(iii)", "(M8), summed"]
    assert not statements["(M7)"].right.any()
    for name, (left, right, _) in statements.items():
        assert left.shape == (3, 15)
        assert torch.all(left <= right + (15 * slack if name == "(M8), summed" else slack)), name


def test_an_audit_evaluates_the_sides_that_the_proof_names() -> None:
    problem, M, G, u = convex.line(2.0), (6.0, 3.0), 2.0, vector(0.1)
    path = bounds.run(problem.gradient, vector(0.3), vector(0.05, 0.04), *M)
    theta = mirror.mirror_map(path.latent, M[1])[:, 0].tolist()
    to_u = [divergence_by_quadrature(0.1, w, *M) for w in path.latent[:, 0].tolist()]
    factor = [math.exp(M[1] ** 2 * G * rate / 4) * (G * rate) ** 2 for rate in (0.05, 0.04)]
    gain = [
        rate * G * (v - sigmoid(M[0] * 0.1)) for rate, v in zip((0.05, 0.04), path.points[:2, 0].tolist(), strict=True)
    ]
    steps = mirror.audit(path, u, G)
    length = [divergence_by_quadrature(*path.latent[t : t + 2, 0].tolist(), *M) for t in (0, 1)]
    error = [abs(rate * G - (theta[t] - theta[t + 1])) for t, rate in enumerate((0.05, 0.04))]
    assert steps["(ii)"].left.tolist() == pytest.approx(error)
    assert steps["(ii)"].right.tolist() == pytest.approx([M[1] ** 2 / 8 * x for x in factor])
    assert steps["(iii)"].left.tolist() == pytest.approx(length)
    assert steps["(iii)"].right.tolist() == pytest.approx([M[0] * M[1] / 32 * x for x in factor])
    assert steps["(M8), summed"].left.tolist() == pytest.approx([gain[0] + to_u[1], sum(gain) + to_u[2]])
    costs = [(M[0] * M[1] / 32 + M[1] ** 2 / 8) * x for x in factor]
    assert steps["(M8), summed"].right.tolist() == pytest.approx([to_u[0] + costs[0], to_u[0] + sum(costs)])


def test_an_audit_counts_violations() -> None:
    one, zero = vector(1.0, 1.0), vector(0.0, 0.0)
    sides = {"(M7)": (vector(0, 1), zero), "(ii)": (one, 2 * one), "(iii)": (one, one), "sum": (vector(3, 5), 4 * one)}
    table = mirror.audit_table({name: mirror.Inequality(*both, rounding=0.1) for name, both in sides.items()})
    assert table["violated"].tolist() == [1, 0, 0, 1]
    assert table["checked"].tolist() == [2, 2, 2, 2]
    assert math.isnan(table["tightest"].iloc[0])
    assert table["tightest"].tolist()[1:] == [0.5, 1, 1.25]
    assert mirror.audit_table({"small": mirror.Inequality(0.05 * one, zero, rounding=0.1)})["violated"].sum() == 0


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
    start, best = torch.from_numpy(rng.normal(size=2)) / M[0], problem.minimizer
    G = problem.gradient_bound().item()
    rates = bounds.decaying_rates(c / (G * M[1] * M[0]), 6, power)
    path = every_path(problem, start, rates, M)
    least = problem.objective(best)
    distance = mirror.divergence(mirror.latent(best, M[0]), start, *M)
    costs = mirror.step_costs(rates, G, *M)
    average_gap = problem.objective(path.average()).mean() - least
    last_gap = problem.objective(path.points[:, -2]).mean() - least
    assert average_gap <= mirror.average_bound(distance, costs, rates) + 1e-9
    assert last_gap <= mirror.last_iterate_bound(distance, costs, rates) + 1e-9


def test_the_last_iterate_bound_is_its_double_sum() -> None:
    rates, costs, distance = vector(0.5, 0.4, 0.4, 0.1), vector(0.3, 0.2, 0.25, 0.05), 0.7
    expected = (distance + sum(costs.tolist())) / (4 * 0.1)
    for k in (1, 2, 3):
        expected += sum(costs.tolist()[3 - k :]) / (k * (k + 1) * 0.1)
    assert mirror.last_iterate_bound(distance, costs, rates).item() == pytest.approx(expected)
    assert mirror.average_bound(distance, costs, rates).item() == pytest.approx(1.5 / 1.4)
    constant = mirror.last_iterate_bound(distance, vector(0.2, 0.2, 0.2), vector(0.1, 0.1, 0.1)).item()
    assert constant == pytest.approx(distance / 0.3 + 2 * (1 + 1 + 1 / 2))
    with pytest.raises(InputError, match="rates increase"):
        mirror.last_iterate_bound(1.0, costs, rates.flip(0))


def test_the_cost_of_a_step_is_the_stated_product() -> None:
    kappa = 5**2 * 2 * 0.1 / 4
    expected = (50 * 5 / 32 + 25 / 8) * math.exp(kappa) * 2**2 * 0.1**2
    assert mirror.step_costs(vector(0.1), 2.0, 50, 5).item() == pytest.approx(expected)


def test_the_tuned_rate_is_the_best_one_where_kappa_is_small() -> None:
    distance, G, T = vector(0.01), 1e-3, 10**6
    tuned = mirror.tuned_rate(distance, G, T, 50, 5).item()
    allowed = []
    for factor in (0.9, 1, 1.1):
        rates = torch.full((T,), factor * tuned, dtype=torch.float64)
        allowed.append(mirror.average_bound(distance, mirror.step_costs(rates, G, 50, 5), rates))
    assert allowed[1] == min(allowed)


@pytest.mark.parametrize(("M_hard", "M_soft"), [(50, 5), (10, 1), (8, 4)])
def test_the_factor_to_a_vertex_is_that_of_the_tuned_bound(M_hard: float, M_soft: float) -> None:
    d, G, T = 3, 0.7, 10**6
    start, vertex = torch.zeros(d).double(), vector(INF, -INF, INF)
    distance = mirror.divergence(vertex, start, M_hard, M_soft)
    rates = torch.full((T,), mirror.tuned_rate(distance, G, T, M_hard, M_soft).item(), dtype=torch.float64)
    bound = mirror.average_bound(distance, mirror.step_costs(rates, G, M_hard, M_soft), rates)
    assert bound.item() == pytest.approx(mirror.vertex_factor(M_soft / M_hard) * G * math.sqrt(d / T), rel=1e-2)
    assert mirror.vertex_factor(1.0) == INF


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
    price = mirror.mirror_map(start, M[1]).abs()[:, None].expand_as(paid)
    assert torch.all(paid[flipped] >= price[flipped] * (1 - 1e-9))


def test_a_flip_happens_once_little_more_than_its_price_is_paid() -> None:
    start, rate = vector(-0.2), 1e-3
    price = -mirror.mirror_map(start, 5).item()
    path = bounds.run(lambda v, z: vector(-1.0), start, bounds.decaying_rates(rate, 300, 0), 50, 5)
    steps = int((path.latent[:, 0] >= 0).double().argmax())
    assert price <= steps * rate <= 1.02 * price


# Lines, and surveys


def test_the_known_counterexample_does_not_break_the_proved_bounds() -> None:
    line, start, T = convex.line(0.01), vector(1.0), 1000
    path = bounds.run(line.gradient, start, bounds.decaying_rates(1, T), 50, 5)
    gap, average_gap = (line.objective(v).item() for v in (path.points[-1], path.average()))
    distance = mirror.divergence(vector(-INF), start, 50, 5)
    costs = mirror.step_costs(path.rates, 0.01, 50, 5)
    assert average_gap <= mirror.average_bound(distance, costs, path.rates)
    assert gap <= mirror.last_iterate_bound(distance, costs, path.rates)
    assert mirror.linear_gap_floor(0.01, 1.0, 1.0, math.log(T), 50, 5) <= gap


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
    floor = float(mirror.linear_gap_floor(steepness, start, c, math.log(T), *M))
    assert steepness * path.points[-1].item() >= floor * (1 - 1e-9)


@pytest.mark.parametrize(("c", "M_hard", "M_soft"), [(0.1, 50, 5), (1.0, 50, 5), (10.0, 5, 1), (1.0, 5, 5)])
def test_on_a_line_theorem_4_3_is_false_for_all_large_t(c: float, M_hard: float, M_soft: float) -> None:
    log_T = np.linspace(150, 700, 50)  # e^700 is about the largest T that float64 holds
    floor = mirror.linear_gap_floor(1.0, 0.0, c, log_T, M_hard, M_soft)
    assert np.all(floor > bounds.rate_bound(1.0, c, bounds.remainder_constant(M_hard, M_soft), np.exp(log_T)))


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_survey_holds_what_each_problem_alone_gives(kind: str, single: bool) -> None:
    rng = np.random.default_rng(4)
    problems = convex.random_problem(kind, batch=(3,), samples=4, width=2, rng=rng)
    start = torch.from_numpy(rng.normal(size=(3, 2))) / 20
    samples = torch.from_numpy(rng.integers(4, size=(3, 5, 30))) if single else None
    rates = bounds.decaying_rates(0.1, 30)
    measured_alone = bounds.survey(problems, start, rates, 20, 4, samples=samples)
    table = mirror.survey(problems, start, rates, 20, 4, samples=samples)
    pd.testing.assert_frame_equal(table[["range", "gap", "average_gap", "printed"]], measured_alone)
    for i in range(3):
        one, least = problems[i], problems[i].objective(problems[i].minimizer)
        paths = [
            bounds.run(one.gradient, start[i], rates, 20, 4, samples=None if samples is None else samples[i, run])
            for run in range(5)
        ]
        last = [np.mean([one.objective(path.points[t]).item() for path in paths]) for t in (-2, -1)]
        average = np.mean([one.objective(path.average()).item() for path in paths])
        assert table.gap[i] == pytest.approx(min(last) - least.item())
        assert table.average_gap[i] == pytest.approx(average - least.item())
        assert table.range[i] == pytest.approx(one.vertex_gap().item())
        assert table.printed[i] == pytest.approx(bounds.rate_bound(one.gradient_bound(), 0.1, 6, 30).item())
        distance = mirror.divergence(mirror.latent(one.minimizer, 20), start[i], 20, 4)
        costs = mirror.step_costs(rates, one.gradient_bound().item(), 20, 4)
        assert table.average_bound[i] == pytest.approx(mirror.average_bound(distance, costs, rates).item())
        assert table.last_bound[i] == pytest.approx(mirror.last_iterate_bound(distance, costs, rates).item())
