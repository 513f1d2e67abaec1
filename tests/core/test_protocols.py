from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from wfhelpers.core import protocols
from wfhelpers.core.protocols import (
    CHARITABLE,
    GRID,
    HELD_OUT,
    LITERAL,
    TRIALS,
    chosen,
    judge_trial,
    protocol_settings,
    stored,
    tune,
)
from wfhelpers.core.strategies import Start, Training
from wfhelpers.core.tasks import Task
from wfhelpers.study.task_series import tuning_draws

TWO_TRIALS = {
    training: [Training(Start(1.0), 0.01), Training(Start(0.1, None), 0.1)]
    if isinstance(grid[0], Training)
    else grid[:2]
    for training, grid in GRID.items()
}


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(protocols, "GRID", TWO_TRIALS)
    monkeypatch.setattr(protocols, "LITERAL", replace(LITERAL, steps=20, agnostic_architectures=1))


@pytest.fixture(scope="module")
def draw():
    return Task("mnist", 1, 2, 20, 10).draw(2, seed=0)


def test_test_objects_have_no_say(quick, draw):
    spoilt = replace(draw, x_test=torch.full_like(draw.x_test, torch.nan), y_test=1 - draw.y_test)
    pd.testing.assert_frame_equal(tune([draw]), tune([spoilt]))


def test_every_training_has_the_same_number_of_trials(quick, draw):
    assert len({len(trials) for trials in GRID.values()}) == 1
    assert tune([draw]).groupby("training").size().eq(2).all()
    for dataset in ("mnist", "citeseer"):
        assert pd.read_csv(TRIALS[dataset]).groupby("training").size().to_dict() == {name: 12 for name in GRID}


def test_the_best_trial_is_chosen_and_the_first_where_they_tie():
    columns = ["training", "scale", "mean", "rate", "validation_auc"]
    rows = [
        ("bin", 1.0, 0.0, 0.1, 0.6),
        ("bin", 0.1, None, 0.3, 0.8),
        ("bin", 0.3, None, 0.1, 0.8),
        ("shared", 1.0, 0.0, None, 0.5),
        ("shared", 2.0, 0.0, None, 0.5),
    ]
    settings = chosen(pd.DataFrame(rows, columns=columns))
    assert settings.bin == Training(Start(0.1, None), 0.3)
    assert settings.shared == Start(1.0)
    assert settings.real == LITERAL.real


@pytest.mark.parametrize("dataset", ["mnist", "citeseer"])
def test_stored_trials_can_be_made_again(dataset):
    trials = pd.read_csv(TRIALS[dataset])
    assert chosen(trials) == stored(dataset)
    validation = [draw.split(HELD_OUT) for draw in tuning_draws(dataset)]
    trained = trials[trials.training.isin(["real", "bin"])]
    for position in np.random.default_rng(0).choice(len(trained), 2, replace=False):
        row = trained.iloc[position]
        trial = Training(Start(row.scale, None if np.isnan(row["mean"]) else row["mean"]), row.rate)
        again = judge_trial(row.training, trial, LITERAL, validation, protocols.SEED)
        assert again["validation_auc"] == pytest.approx(row.validation_auc, abs=0.01)


def test_protocols_by_name():
    task = Task("mnist", 1, 2, 20, 10)
    assert protocol_settings("literal", task) is LITERAL
    assert protocol_settings("charitable", task) is CHARITABLE
    assert protocol_settings("tuned", task) == stored("mnist")
    with pytest.raises(ValueError, match="Unknown protocol 'best'; expected literal, charitable or tuned"):
        protocol_settings("best", task)


def test_own_data_is_tuned_on_its_own_training_objects(quick, tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "own.npz", X=rng.random((80, 5)), y=np.repeat(["a", "b"], 40))
    settings = protocol_settings("tuned", Task(tmp_path / "own.npz", "a", "b", 20, 10))
    assert settings.bin in TWO_TRIALS["bin"]
