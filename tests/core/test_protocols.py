from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from wfhelpers.core import protocols
from wfhelpers.core.data import load
from wfhelpers.core.evaluation import auc
from wfhelpers.core.protocols import (
    CHARITABLE,
    FINALISTS,
    GRID,
    HELD_OUT,
    LITERAL,
    SHORT_GRID,
    TRIALS,
    chosen,
    protocol_settings,
    stored,
    tune,
)
from wfhelpers.core.strategies import Start, Training, fit
from wfhelpers.core.tasks import Task
from wfhelpers.study.task_series import TUNING_TASKS

TWO_TRIALS = {
    training: [Training(Start(1.0), 0.01), Training(Start(0.1, None), 0.1, steps=10, batch=4)]
    if isinstance(grid[0], Training)
    else grid[:2]
    for training, grid in GRID.items()
}
FIELDS = ("real", "real_bin", "lottery", "lottery_bin", "bin", "bin_real")


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(protocols, "SHORT_GRID", TWO_TRIALS)
    monkeypatch.setattr(protocols, "LITERAL", replace(LITERAL, steps=20, agnostic_architectures=1))


@pytest.fixture(scope="module")
def draw():
    return Task("mnist", 1, 2, 20, 10).draw(2, seed=0)


def test_test_objects_have_no_say(quick, draw):
    spoilt = replace(draw, x_test=torch.full_like(draw.x_test, torch.nan), y_test=1 - draw.y_test)
    pd.testing.assert_frame_equal(tune([draw], grid=TWO_TRIALS), tune([spoilt], grid=TWO_TRIALS))


def test_every_trained_model_has_the_same_number_of_trials(quick, draw):
    trained = tune([draw], grid=TWO_TRIALS).groupby("field").size()
    assert trained[list(FIELDS)].eq(4).all()  # two in the first round, and two finalists
    for dataset in ("mnist", "citeseer"):
        counts = pd.read_csv(TRIALS[dataset]).groupby(["field", "runs"]).size().unstack()
        assert counts.loc[list(FIELDS), 1].eq(len(GRID["bin"])).all()
        assert counts.loc[list(FIELDS), protocols.RUNS].eq(FINALISTS).all()


def test_a_trial_is_judged_on_held_out_objects_by_the_model_that_it_decides(quick, draw):
    table = tune([draw], seed=3, grid={"real": TWO_TRIALS["real"]}).set_index(["field", "rate", "runs"])
    validation = draw.split(HELD_OUT)
    fitted = fit("real", validation, replace(LITERAL, real=TWO_TRIALS["real"][1]), seed=3)
    for field, model in (("real", "real"), ("real_bin", "real-bin")):
        expected = auc(fitted[model].weights, validation)
        assert table.loc[(field, 0.1, 2), "validation_auc"] == pytest.approx(float(expected.mean()), abs=5e-5)
        assert table.loc[(field, 0.1, 1), "validation_auc"] == pytest.approx(float(expected[0]), abs=5e-5)


COLUMNS = ["field", "scale", "mean", "rate", "steps", "batch", "runs", "validation_auc"]


def test_the_best_finalist_is_chosen_then_the_cheapest_then_the_first():
    rows = [
        ("bin", 1.0, 0.0, 0.1, 200, None, 1, 0.99),  # of the first round: it does not count
        ("bin", 0.1, None, 0.3, 2000, None, 5, 0.8004),
        ("bin", 0.3, None, 0.1, 2000, 20, 5, 0.7996),
        ("bin", 0.4, None, 0.1, 2000, 20, 5, 0.8001),
        ("bin", 0.5, None, 0.1, 200, 20, 5, 0.7),
        ("shared", 1.0, 0.0, None, None, None, 5, 0.5),
        ("shared", 2.0, 0.0, None, None, None, 5, 0.5),
    ]
    settings = chosen(pd.DataFrame(rows, columns=COLUMNS))
    assert settings.bin == Training(Start(0.3, None), 0.1, 2000, 20)
    assert settings.shared == Start(1.0)
    assert settings.real == LITERAL.real
    assert settings.real_bin is None


def test_no_object_of_a_trial_is_an_object_of_a_result():
    for name, pairs in TUNING_TASKS.items():
        dataset = load(name)
        reserve = dataset.reserve()
        assert {chosen for pair in pairs for chosen in pair} <= set(reserve.classes)
        kept = np.concatenate([dataset.members(each) for each in dataset.classes])
        assert not set(kept) & set(dataset.reserved)
        assert len(kept) + len(dataset.reserved) == len(dataset.labels)
        np.testing.assert_array_equal(reserve.features, dataset.features[dataset.reserved])
        task = Task(name, *pairs[0], 100, 50)
        drawn = np.concatenate([rows for run in range(20) for rows in task.rows(0, run)])
        assert not set(drawn) & set(dataset.reserved)


@pytest.mark.parametrize("dataset", ["mnist", "citeseer"])
def test_no_winner_gains_anything_at_the_ends_of_the_rates(dataset):
    """A winner lies inside, or an inner rate comes as close to it as makes no difference: nothing beckons beyond."""
    trials = pd.read_csv(TRIALS[dataset])
    for field in FIELDS:
        finalists = trials[(trials["field"] == field) & (trials["runs"] > 1)]
        inner = finalists[~finalists["rate"].isin([protocols.RATES[0], protocols.RATES[-1]])]
        assert inner["validation_auc"].max() >= finalists["validation_auc"].max() - 0.002, field


def test_protocols_by_name():
    task = Task("mnist", 1, 2, 20, 10)
    assert protocol_settings("literal", task) is LITERAL
    assert protocol_settings("charitable", task) is CHARITABLE
    assert protocol_settings("tuned", task) == stored("mnist") == chosen(pd.read_csv(TRIALS["mnist"]))
    with pytest.raises(ValueError, match="Unknown protocol 'best'; expected literal, charitable or tuned"):
        protocol_settings("best", task)


def test_own_data_is_tuned_on_its_own_training_objects_by_short_trials(quick, tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "own.npz", X=rng.random((80, 5)), y=np.repeat(["a", "b"], 40))
    settings = protocol_settings("tuned", Task(tmp_path / "own.npz", "a", "b", 20, 10))
    assert settings.bin in TWO_TRIALS["bin"]
    assert {(trial.steps, trial.batch) for trial in SHORT_GRID["bin"]} == {(None, None)}
