"""`wfhelpers.theory.bounds`: Algorithm 1 against a literal loop, the paper's statements on random convex functions."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from random_cases import fast, first_rates, kinds, seeds, sharpness, sigmoid, slope, some_problem, vector
from scipy.integrate import quad
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.theory import bounds, convex

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


@given(kind=kinds, seed=seeds, M=sharpness, c=first_rates)
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


@given(kind=kinds, seed=seeds, M=sharpness, c=first_rates)
@fast
def test_the_scale_of_w_can_be_taken_out_of_algorithm_1(kind: str, seed: int, M: tuple[float, float], c: float) -> None:
    problem, rng = some_problem(kind, seed)
    start, rates = torch.from_numpy(rng.normal(size=problem.rows.shape[-1])) / M[0], bounds.decaying_rates(c, 20, 0)
    path = bounds.run(problem.gradient, start, rates, *M)
    scaled = bounds.run(problem.gradient, M[0] * start, M[0] ** 2 * rates, 1.0, M[1] / M[0])
    torch.testing.assert_close(M[0] * path.latent, scaled.latent, rtol=1e-7, atol=1e-7)


# Lemma 4.2


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


@given(seed=seeds, M=sharpness, c=first_rates)
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
def test_lemma_4_2_bounds_the_remainder(seed: int, M: tuple[float, float], rate: float, scale: float) -> None:
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


# Theorem 4.3 and what refutes it


def test_the_rate_is_the_printed_formula() -> None:
    for T in (1, 10, 1000):
        expected = 0.3**2 * 2 * (1 + 16.625**2) / 2 * (1 + math.log(T)) / T
        assert bounds.rate_bound(0.3, 2, 16.625, T) == pytest.approx(expected)
    assert bounds.rate_bound(1, 1, 2, [1, 2]).shape == (2,)


def test_the_known_counterexample_breaks_theorem_4_3() -> None:
    line, T = convex.line(0.01), 1000
    path = bounds.run(line.gradient, vector(1.0), bounds.decaying_rates(1, T), 50, 5)
    gap = line.objective(path.points[-1]).item()
    printed = float(bounds.rate_bound(0.01, 1, bounds.remainder_constant(50, 5), T))
    assert gap == pytest.approx(1.0e-2, rel=1e-3)
    assert printed == pytest.approx(1.1e-4, rel=0.02)
    assert gap > 90 * printed


@given(kind=kinds, seed=seeds, M=sharpness, T=st.integers(1, 60))
@fast
def test_every_c_below_the_threshold_refutes_theorem_4_3(kind: str, seed: int, M: tuple[float, float], T: int) -> None:
    problem, rng = some_problem(kind, seed)
    start = torch.from_numpy(rng.normal(size=problem.rows.shape[-1])) / M[0]
    least, G, C = problem.objective(problem.minimizer), problem.gradient_bound(), bounds.remainder_constant(*M)
    initial_gap = problem.objective(torch.sigmoid(M[0] * start)) - least
    assume(initial_gap > 1e-6)
    c = 0.999 * float(bounds.refuting_c(initial_gap, G, C, T))
    samples = torch.from_numpy(rng.integers(problem.rows.shape[0], size=T))
    path = bounds.run(problem.gradient, start, bounds.decaying_rates(c, T), *M, samples=samples)
    assert torch.all(problem.objective(path.points[-2:]) - least > bounds.rate_bound(G, c, C, T).item())


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
    with pytest.raises(InputError, match=sentence):
        bounds.check_setting(**setting)
    bounds.check_setting(M_hard=5, M_soft=4)


def test_bounds_are_violated_empty_or_useful() -> None:
    columns = {"range": 1.0, "gap": 0.5, "average_gap": 0.3, "printed": [0.4, 0.6, 1.0], "average_bound": 0.4}
    surveyed = pd.DataFrame({**columns, "last_bound": 2, "kind": ["x", "x", "y"]})
    counts = bounds.tally(surveyed, ["kind"], {"printed": "(10)"})
    assert counts.columns.tolist() == ["(10) violated", "(10) empty", "(10) useful", "of"]
    assert counts.loc["x"].tolist() == [1, 0, 1, 2]
    assert counts.loc["y"].tolist() == [0, 1, 0, 1]
    counts = bounds.tally(surveyed, ["kind"], {"average_bound": "(M5)", "last_bound": "(M6)"})
    assert counts.loc["x"].to_dict() == {
        **{"(M5) violated": 0, "(M5) empty": 0, "(M5) useful": 2},
        **{"(M6) violated": 0, "(M6) empty": 2, "(M6) useful": 0},
        "of": 2,
    }
    violated = bounds.tally(surveyed.assign(average_gap=0.45), ["kind"], {"average_bound": "(M5)"})
    assert violated["(M5) violated"].tolist() == [2, 1]
