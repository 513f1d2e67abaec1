"""`wfhelpers.theory.convex`: its gradients, its constants and its minimizers, each against another way to get them."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from wfhelpers._support import InputError
from wfhelpers.theory import convex

KINDS = sorted(convex.SHAPES)
fast = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def problem_and_points(kind: str, seed: int, points: int = 2) -> tuple[convex.Problem, torch.Tensor]:
    rng = np.random.default_rng(seed)
    samples, width = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    problem = convex.random_problem(kind, samples=samples, width=width, rng=rng)
    return problem, torch.from_numpy(rng.uniform(size=(points, width)))


def certificate(problem: convex.Problem, v: torch.Tensor) -> torch.Tensor:
    """Upper bound on ``F(v) - min F`` by Lemma 4.1: the largest ``grad F(v) . (v - u)`` over u in the cube."""
    gradient = problem.gradient(v)
    return torch.maximum(gradient * v, gradient * (v - 1)).sum(-1)


@pytest.mark.parametrize("kind", KINDS)
@fast
@given(seed=seeds)
def test_gradients_are_those_of_autograd(kind: str, seed: int) -> None:
    problem, points = problem_and_points(kind, seed)
    v = points.clone().requires_grad_()
    (full,) = torch.autograd.grad(problem.objective(v).sum(), v)
    torch.testing.assert_close(problem.gradient(points), full)
    for z in range(problem.rows.shape[0]):
        (single,) = torch.autograd.grad(problem.values(v)[:, z].sum(), v)
        torch.testing.assert_close(problem.gradient(points, torch.full((2,), z)), single)


@pytest.mark.parametrize("kind", KINDS)
@fast
@given(seed=seeds)
def test_lemma_4_1_a_mean_of_convex_functions_lies_above_its_tangents(kind: str, seed: int) -> None:
    problem, (v, other) = problem_and_points(kind, seed)
    above = problem.objective(v) - problem.objective(other) - problem.gradient(other) @ (v - other)
    assert above >= -1e-12
    torch.testing.assert_close(problem.above_tangent(v, other), above, rtol=0, atol=1e-12)
    assert torch.all(problem.values(v) - problem.values(other) - problem.gradients(other) @ (v - other) >= -1e-12)


@pytest.mark.parametrize("kind", KINDS)
@fast
@given(seed=seeds)
def test_the_gradient_bound_is_the_largest_gradient_on_the_cube(kind: str, seed: int) -> None:
    problem, points = problem_and_points(kind, seed, points=50)
    G = problem.gradient_bound()
    vertices = torch.tensor(list(itertools.product([0.0, 1.0], repeat=points.shape[-1])), dtype=torch.float64)
    inside, at_vertices = (problem.gradients(at).norm(dim=-1) for at in (points, vertices))
    assert torch.all(inside <= G * (1 + 1e-12))
    torch.testing.assert_close(at_vertices.max(), G)


@pytest.mark.parametrize("kind", KINDS)
@fast
@given(seed=seeds)
def test_no_point_of_a_grid_is_below_the_minimizer(kind: str, seed: int) -> None:
    problem, points = problem_and_points(kind, seed)
    best = problem.minimizer
    axis = np.linspace(0, 1, 11)
    grid = torch.tensor(list(itertools.product(axis, repeat=points.shape[-1])))
    assert torch.all((best >= 0) & (best <= 1))
    assert certificate(problem, best) < 1e-6
    assert problem.objective(grid).min() >= problem.objective(best) - certificate(problem, best) - 1e-12


def test_the_certificate_is_no_less_than_the_gap_of_a_poor_point() -> None:
    problem, points = problem_and_points("quadratic", 3, points=20)
    gap = problem.objective(points) - problem.objective(problem.minimizer)
    assert torch.all(certificate(problem, points) >= gap)
    assert gap.max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
@fast
@given(seed=seeds)
def test_the_range_is_attained_at_a_vertex_and_exceeded_nowhere(kind: str, seed: int) -> None:
    problem, points = problem_and_points(kind, seed, points=50)
    vertices = torch.tensor(list(itertools.product([0.0, 1.0], repeat=points.shape[-1])), dtype=torch.float64)
    least = problem.objective(problem.minimizer)
    assert torch.all(problem.objective(points) - least <= problem.vertex_gap() + 1e-12)
    torch.testing.assert_close(problem.objective(vertices).max() - least, problem.vertex_gap())


def test_a_batch_holds_the_problems_that_it_is_made_of() -> None:
    batch = convex.random_problem("logistic", batch=(3,), samples=4, width=2, rng=np.random.default_rng(0))
    v = torch.rand(3, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    z = torch.tensor([0, 3, 1])
    for i in range(3):
        torch.testing.assert_close(batch.objective(v)[i], batch[i].objective(v[i]))
        torch.testing.assert_close(batch.gradient(v, z)[i], batch[i].gradients(v[i])[z[i]])
        torch.testing.assert_close(batch.minimizer[i], batch[i].minimizer)
        torch.testing.assert_close(batch.vertex_gap()[i], batch[i].vertex_gap())
    torch.testing.assert_close(batch[1:].rows, batch.rows[1:])


def test_a_line_is_a_line() -> None:
    v = torch.tensor([[0.0], [0.5], [1.0]], dtype=torch.float64)
    assert convex.line(0.2).objective(v).tolist() == pytest.approx([0, 0.1, 0.2])
    assert convex.line(0.2).gradient_bound() == pytest.approx(0.2)


def test_a_problem_refuses_an_unknown_shape_and_missing_offsets() -> None:
    rows = torch.ones(3, 2, dtype=torch.float64)
    with pytest.raises(InputError, match="kind is 'cubic'; expected one of linear, logistic, quadratic"):
        convex.Problem("cubic", rows, rows[:, 0])
    with pytest.raises(InputError, match="expected one offset for each row"):
        convex.Problem("linear", rows, rows[0])
    with pytest.raises(InputError, match="width 13; the 8192 vertices"):
        convex.random_problem("linear", samples=1, width=13, rng=np.random.default_rng(0)).vertex_gap()
