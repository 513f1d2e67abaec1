"""Measurements behind the claims, at small sizes."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.linalg import eigh

from wfhelpers.core.evaluation import auc
from wfhelpers.core.protocols import CHARITABLE, LITERAL
from wfhelpers.core.strategies import SPARSE, Settings, Start, Training, first_numbers
from wfhelpers.core.tasks import Task
from wfhelpers.core.training import BINARY, SQUARE, descend
from wfhelpers.study import evidence
from wfhelpers.theory import bounds


@pytest.fixture(scope="module")
def draw():
    return Task("mnist", 1, 2, 20, 10).draw(3, seed=0)


@pytest.fixture(scope="module")
def ends(draw):
    return evidence.sharpness(draw, first_numbers("bin", SPARSE, draw, 0), rate=0.1)


def test_sharpness_runs_every_pair_that_the_claims_compare(ends):
    assert len(ends) == 12 * 3
    for M_hard in (*evidence.SMALL, *evidence.LARGE):
        assert len(evidence.softer_slope(ends, M_hard)) == 3
    for rule in evidence.SOFT_RULES.values():
        assert {len(values) for values in evidence.harder_step(ends, rule).values()} == {3}


def test_a_softer_slope_is_compared_run_by_run():
    table = pd.DataFrame({"M_hard": [50] * 4, "M_soft": [50, 50, 5, 5], "run": [0, 1, 1, 0], "F_binary": [1, 2, 5, 7]})
    assert evidence.softer_slope(table, 50).to_dict() == {0: 1 - 7, 1: 2 - 5}


def test_a_harder_step_is_judged_by_rounding_and_by_the_objective_reached():
    table = pd.DataFrame(
        {"M_hard": [20, 200], "M_soft": [20, 200], "run": [0, 0], "F_relaxed": [-9.0, -4.0], "F_binary": [-6.0, -5.0]}
    )
    found = evidence.harder_step(table, evidence.SOFT_RULES["M_soft = M_hard"])
    assert found["C6a"].item() == 3 - 1
    assert found["C6b"].item() == -4 + 9


def test_nothing_moves_from_a_dense_start(draw):
    ends = evidence.sharpness(draw, first_numbers("bin", Start(), draw, 0), rate=0.1)
    assert (evidence.softer_slope(ends, 50) == 0).all()


def test_remainders_leave_the_share_that_the_sharp_constant_says():
    C, sharp = bounds.remainder_constant(50, 5), bounds.sharp_remainder_constant(50, 5)
    assert evidence.remainder_slack(50, 5) >= 1 - sharp / C - 1e-9
    assert evidence.remainder_slack(50, 5, steps=1000) >= evidence.remainder_slack(50, 5)


def test_theorem_1_fails_at_small_rates_and_holds_at_large_ones():
    small, large = (evidence.theorem_slack("linear", c, problems=5, T=200) for c in (1e-4, 1.0))
    assert (small < 0).all()
    assert (large > 0).any()


def test_relabelled_networks_have_the_same_spectrum():
    rng = np.random.default_rng(1)
    networks = torch.from_numpy((rng.random((4, 2, 5, 5)) < 0.3).astype(float))
    assert evidence.change_by_relabelling(networks, rng).shape == (4,)
    assert evidence.change_by_relabelling(networks, rng).max() < 1e-12


def test_a_change_of_the_spectrum_would_be_seen(monkeypatch):
    """With hidden nodes that are exchanged in one layer only, the networks differ, and so do their spectra."""
    rng = np.random.default_rng(1)
    networks = torch.from_numpy((rng.random((4, 2, 5, 5)) < 0.3).astype(float))
    monkeypatch.setattr(
        evidence,
        "relabel_hidden",
        lambda weights, order: torch.stack([weights[..., 0, :, :][..., order, :], weights[..., 1, :, :]], -3),
    )
    changes = evidence.change_by_relabelling(networks, np.random.default_rng(2))
    order = torch.from_numpy(np.random.default_rng(2).permutation(5))
    mixed = networks.clone()
    mixed[:, 0] = networks[:, 0][..., order, :]
    expected = [np.abs(_spectrum(one) - _spectrum(two)).max() for one, two in zip(mixed, networks, strict=True)]
    np.testing.assert_allclose(changes, expected, atol=1e-9)
    assert changes.max() > 1e-3


def _spectrum(weights):
    first, second = weights.numpy()
    one, none = np.eye(5), np.zeros((5, 5))
    graph = np.block([[one, second, none], [second.T, one, first], [none, first.T, one]])
    roots = graph.sum(1) ** -0.5
    return eigh(np.eye(15) - roots[:, None] * graph * roots, eigvals_only=True)


TASK = Task("mnist", 1, 2, 20, 10)


@pytest.mark.parametrize(
    ("values", "arguments", "parts"),
    [
        (evidence.sharpness_values, {"settings": CHARITABLE}, {"C5a": 4, "C5b": 4, "C6a": 6, "C6b": 6}),
        (evidence.spectra_values, {"settings": LITERAL}, {"C10a": 1, "C10b": 1, "C12": 10}),
        (evidence.sign_values, {}, {"C11": 3}),
        (evidence.shared_weight_values, {"settings": LITERAL}, {"C14": 1}),
    ],
)
def test_measurements_have_one_value_per_case_and_run_and_depend_on_the_orientation(values, arguments, parts):
    given, swapped = (values(task, runs=3, seed=0, **arguments) for task in (TASK, TASK.swapped()))
    for table in (given, swapped):
        assert (table.groupby("part").size() / 3).to_dict() == parts
        assert (
            table.groupby([name for name in table if name not in ("run", "value")])["run"]
            .apply(list)
            .map(lambda runs: runs == [0, 1, 2])
            .all()
        )
    differ = given["value"].to_numpy() != swapped["value"].to_numpy()
    for part in parts:
        if part != "C12":  # zero, up to rounding, in either orientation
            assert differ[(given["part"] == part).to_numpy()].any(), part


def test_theory_is_measured_once_per_case():
    remainders = evidence.remainder_values(0)
    assert (len(remainders), set(remainders["run"])) == (4, {0})
    assert remainders["value"].iloc[0] == evidence.remainder_slack(50, 5, seed=0)
    problems = evidence.theorem_values("linear", 0)
    assert (len(problems), set(problems["task"])) == (120, {"linear"})
    assert not problems["case"].duplicated().any()


def test_the_factor_to_the_same_auc_counts_objects() -> None:
    """Each training is stopped after so many updates, by itself: the first time that its AUC is as high counts."""
    draw = Task("mnist", 1, 2, 20, 20).draw(2, seed=0)
    settings = Settings(bin=Training(SPARSE, 0.03, steps=20, batch=10), real=Training(Start(0.3), 0.1, steps=30))
    found = evidence.factor_to_same_auc(draw, settings, seed=1)
    ways = {"bin": (BINARY(50, 5), 20, 10, 10), "real": (SQUARE, 30, None, 40)}
    paths = {}
    for model, (parametrization, steps, batch, _) in ways.items():
        training = getattr(settings, model)
        start = first_numbers(model, training.start, draw, 1)
        ends = [descend(draw, start, parametrization, n, training.rate, batch=batch) for n in range(steps + 1)]
        paths[model] = np.stack([auc(end.weights, draw).numpy() for end in ends])
    level = min(np.median(path[-1]) for path in paths.values()) - 0.01
    for run in (0, 1):
        seen = {}
        for model, path in paths.items():
            reached = [n for n, value in enumerate(path[:, run]) if value >= level] or [len(path) - 1]
            seen[model] = max(reached[0], 1) * ways[model][3]
        assert found[run] == pytest.approx(np.log(seen["bin"] / seen["real"]))
