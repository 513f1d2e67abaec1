"""Measurements behind the claims, at small sizes."""

import numpy as np
import pandas as pd
import pytest
import torch

from wfhelpers.core.strategies import SPARSE, Start
from wfhelpers.core.tasks import Task
from wfhelpers.results import measurements
from wfhelpers.study import convergence
from wfhelpers.theory import bounds


@pytest.fixture(scope="module")
def draw():
    return Task("mnist", 1, 2, 20, 10).draw(3, seed=0)


@pytest.fixture(scope="module")
def ends(draw):
    return measurements.sharpness(draw, convergence.sample(SPARSE, draw, seed=0), rate=0.1)


def test_sharpness_runs_every_pair_that_the_claims_compare(ends):
    assert len(ends) == 12 * 3
    for M_hard in (*measurements.SMALL, *measurements.LARGE):
        assert len(measurements.softer_slope(ends, M_hard)) == 3
    for rule in measurements.SOFT_RULES.values():
        assert {len(values) for values in measurements.harder_step(ends, rule).values()} == {3}


def test_a_softer_slope_is_compared_run_by_run():
    table = pd.DataFrame({"M_hard": [50] * 4, "M_soft": [50, 50, 5, 5], "run": [0, 1, 1, 0], "F_binary": [1, 2, 5, 7]})
    assert measurements.softer_slope(table, 50).to_dict() == {0: 1 - 7, 1: 2 - 5}


def test_a_harder_step_is_judged_by_rounding_and_by_the_objective_reached():
    table = pd.DataFrame(
        {"M_hard": [20, 200], "M_soft": [20, 200], "run": [0, 0], "F_relaxed": [-9.0, -4.0], "F_binary": [-6.0, -5.0]}
    )
    found = measurements.harder_step(table, measurements.SOFT_RULES["M_soft = M_hard"])
    assert found["C6a"].item() == 3 - 1
    assert found["C6b"].item() == -4 + 9


def test_nothing_moves_from_a_dense_start(draw):
    ends = measurements.sharpness(draw, convergence.sample(Start(), draw, seed=0), rate=0.1)
    assert (measurements.softer_slope(ends, 50) == 0).all()


def test_remainders_leave_the_share_that_the_sharp_constant_says():
    C, sharp = bounds.remainder_constant(50, 5), bounds.sharp_remainder_constant(50, 5)
    assert measurements.remainder_slack(50, 5) >= 1 - sharp / C - 1e-9
    assert measurements.remainder_slack(50, 5, steps=1000) >= measurements.remainder_slack(50, 5)


def test_theorem_1_fails_at_small_rates_and_holds_at_large_ones():
    small, large = (measurements.theorem_slack("linear", c, problems=5, T=200) for c in (1e-4, 1.0))
    assert (small < 0).all()
    assert (large > 0).any()


def test_rows_have_one_value_a_run():
    task = Task("mnist", 1, 2, 20, 10)
    made = pd.DataFrame(measurements._rows("C14", "literal", "given", task, "", torch.tensor([0.5, 0.25])))
    assert tuple(made.columns) == measurements.COLUMNS
    assert made[["run", "value"]].to_numpy().tolist() == [[0, 0.5], [1, 0.25]]


def test_relabelled_networks_have_the_same_spectrum(monkeypatch):
    monkeypatch.setattr(measurements, "RUNS", 3)
    rows = pd.DataFrame(measurements._spectra_rows("literal", Task("mnist", 1, 2, 10, 10), "given"))
    assert rows.groupby("part").size().to_dict() == {"C10a": 3, "C10b": 3, "C12": 30}
    assert np.abs(rows.loc[rows["part"] == "C12", "value"]).max() < 1e-6
