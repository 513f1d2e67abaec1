from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from wfhelpers import sensitivity
from wfhelpers.data import Dataset
from wfhelpers.errors import InputError
from wfhelpers.evaluation import margin
from wfhelpers.strategies import CHARITABLE
from wfhelpers.tasks import Task


def made_up(features: np.ndarray, labels: np.ndarray, *, train: int = 12, test: int = 8) -> Task:
    """Tell 0 from 1 in objects whose features are made up."""
    rows = (features / np.linalg.norm(features, axis=1, keepdims=True)).astype(np.float32)
    return Task(Dataset("made up", rows, labels, (0, 1), ""), 0, 1, train, test)


def groups(number: int = 40) -> np.ndarray:
    return np.repeat([0, 1], number)


@pytest.fixture(scope="module")
def rises() -> Task:
    """The first feature is large where y = 1: a nonnegative weight on it is all that a network needs."""
    rng = np.random.default_rng(0)
    labels = groups()
    return made_up(np.column_stack([labels + 0.2, rng.uniform(0.2, 1, (80, 3))]), labels)


@pytest.fixture(scope="module")
def falls() -> Task:
    """The first feature is large where y = 0 and the rest says nothing: only a negative weight would help."""
    rng = np.random.default_rng(0)
    features = np.concatenate([rng.normal(1, 0.1, (40, 1)), rng.normal(-1, 0.1, (40, 1))])
    return made_up(np.column_stack([features, rng.normal(0, 0.01, (80, 3))]), groups())


def test_contrast_of_two_columns_is_the_margin_of_two_models():
    rng = np.random.default_rng(0)
    by_run = pd.DataFrame({"a": rng.uniform(size=7), "b": rng.uniform(size=7)})
    long = by_run.rename_axis("run").reset_index().melt("run", var_name="model", value_name="auc")
    known = margin(long.assign(task="t", size=1), ["a"], ["b"]).iloc[0]
    assert sensitivity.contrast(by_run, {"a": 1, "b": -1}) == pytest.approx(tuple(known[["margin", "lower", "upper"]]))


def test_contrast_of_equal_columns_is_exactly_zero():
    by_run = pd.DataFrame({"a": [0.3, 0.5, 0.9], "b": [0.3, 0.5, 0.9]})
    assert sensitivity.contrast(by_run, {"a": 1, "b": -1}) == (0, 0, 0)


def test_two_runs_are_too_few_for_an_interval():
    with pytest.raises(InputError, match="at least 3"):
        sensitivity.contrast(pd.DataFrame({"a": [0.1, 0.2]}), {"a": 1})


def test_nonnegative_weights_cost_much_where_a_feature_must_count_against(falls):
    costs = sensitivity.nonnegativity_cost([falls], runs=4).set_index(["task", "start"])
    assert costs.loc[("0 vs 1", "tuned"), "free"] == 1
    assert costs.loc[("0 vs 1", "tuned"), "lower"] > 0.4  # nonnegative weights do no better than chance
    # The other way round the feature counts in favour, and both kinds of weights are perfect.
    assert costs.loc[("1 vs 0", "tuned"), ["free", "nonnegative", "margin"]].tolist() == [1, 1, 0]


def test_both_orientations_and_both_starts_are_tried(rises):
    costs = sensitivity.nonnegativity_cost([rises], runs=3)
    assert list(zip(costs["task"], costs["start"], strict=True)) == [
        *(("0 vs 1", "literal"), ("0 vs 1", "tuned"), ("1 vs 0", "literal"), ("1 vs 0", "tuned"))
    ]
    np.testing.assert_allclose(costs["margin"], costs["free"] - costs["nonnegative"])
    assert (costs["lower"] <= costs["margin"]).all()
    assert (costs["margin"] <= costs["upper"]).all()


def test_test_objects_have_no_say_in_the_trial(rises):
    draw = rises.draw(3, seed=0)
    other = replace(draw, x_test=draw.x_test.flip(1))
    known, found = (sensitivity._best_trial(each, sensitivity.FREE, 0) for each in (draw, other))
    assert known == found


def test_spread_is_the_range_of_the_medians():
    index = pd.MultiIndex.from_product([["d"], ["t"], range(3)], names=["dataset", "task", "run"])
    areas = pd.DataFrame({0.1: [0.5, 0.6, 0.7], 1.0: [0.9, 0.9, 0.9], 3.0: [0.8, 0.2, 0.3]}, index=index)
    (row,) = sensitivity.spread_of(areas).to_dict("records")
    assert (row["best"], row["worst"]) == (1.0, 3.0)
    assert row["spread"] == pytest.approx(0.6)
    assert row["lower"] <= row["spread"] <= row["upper"]


def test_a_network_that_ignores_its_weight_has_no_spread():
    index = pd.MultiIndex.from_product([["d"], ["t"], range(4)], names=["dataset", "task", "run"])
    areas = pd.DataFrame({0.1: [0.5, 0.6, 0.7, 0.1], 1.0: [0.5, 0.6, 0.7, 0.1]}, index=index)
    assert sensitivity.spread_of(areas)[["spread", "lower", "upper"]].to_numpy().tolist() == [[0, 0, 0]]


def test_shared_weights_are_tried_on_one_architecture_a_run(rises):
    quick = replace(CHARITABLE, agnostic_architectures=1, agnostic_shared_weights=1)
    areas = sensitivity.shared_weight_aucs([rises], settings=quick, runs=3)
    assert areas.shape == (3, len(sensitivity.SHARED_WEIGHTS))
    spread = sensitivity.shared_weight_spread([rises], settings=quick, runs=3)
    assert spread["spread"].item() == pytest.approx(np.ptp(areas.median()))


def test_sign_of_a_shared_weight_cancels(rises):
    draw = rises.draw(3, seed=0)
    architecture = (torch.from_numpy(np.random.default_rng(0).uniform(size=(3, 2, 4, 4))) < 0.5).float()
    for shared in sensitivity.SHARED_WEIGHTS:
        areas = [sensitivity.auc(sign * shared * architecture, draw) for sign in (1, -1)]
        assert torch.equal(*areas)
