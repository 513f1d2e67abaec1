from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from wfhelpers.core import network
from wfhelpers.core.evaluation import auc, table
from wfhelpers.core.protocols import protocol_settings
from wfhelpers.core.strategies import (
    CHARITABLE,
    LITERAL,
    MODELS,
    SPARSE,
    STRATEGIES,
    Fitted,
    Settings,
    Start,
    Training,
    fit,
)
from wfhelpers.core.tasks import Task
from wfhelpers.core.training import BINARY
from wfhelpers.study import comparison

QUICK = Settings(steps=3, agnostic_architectures=1, agnostic_shared_weights=1)
TASK = Task("citeseer", "DB", "IR", 20, 10)


@pytest.fixture(scope="module")
def draw():
    return TASK.draw(4, seed=0)


@pytest.mark.parametrize("task", [TASK, Task("mnist", 2, 1, 20, 10)], ids=lambda task: task.dataset.name)
@pytest.mark.parametrize("protocol", ["charitable", "tuned"])
def test_protocols_give_the_same_networks_in_both_precisions(task, protocol):
    training = protocol_settings(protocol, task).bin
    draw = Task(task.dataset, task.negative, task.positive, 50, 10).draw(4, seed=0)
    start = training.start.sample([np.random.default_rng(run) for run in range(4)], draw.width)
    assert not comparison.runs_that_rounding_changes(draw, start, BINARY(50, 5), 200, training.rate).any()


def test_large_rates_do_not():
    draw = Task("citeseer", "DB", "IR", 50, 10).draw(4, seed=0)
    start = SPARSE.sample([np.random.default_rng(run) for run in range(4)], 64)
    assert comparison.runs_that_rounding_changes(draw, start, BINARY(50, 5), 200, 0.3).any()


def test_median_aucs_agree_with_sklearn(draw):
    found = comparison.median_aucs(draw, QUICK, 0, "bin", "random")
    assert list(found.index) == ["bin", "bin→real", "random", "random→bin", "logistic regression"]
    weights = fit("random", draw, QUICK, 0)["random"].weights.double()
    scores = network.presum(weights, draw.x_test.double()).round(decimals=10)
    assert found["random"] == np.median([roc_auc_score(y, s) for y, s in zip(draw.y_test, scores, strict=True)])
    areas = []
    for run in range(4):
        linear = LogisticRegression(max_iter=1000).fit(draw.x_train[run], draw.y_train[run])
        areas.append(roc_auc_score(draw.y_test[run], linear.decision_function(draw.x_test[run])))
    assert found["logistic regression"] == pytest.approx(np.median(areas), abs=0.01)


def test_only_the_named_strategies_are_trained_again(draw):
    known = table(TASK, QUICK, runs=4, seed=0, timed=False)
    elsewhere = known.assign(size=99)
    other = replace(QUICK, bin=Training(SPARSE), real=Training(Start(0.1)))
    found = comparison.trained_again(pd.concat([known, elsewhere]), TASK, draw, other, 0, ["bin"])
    assert set(found["model"]) == set(MODELS)
    assert set(found["size"]) == {20}
    areas = found.set_index(["model", "run"])["auc"]
    before = known.set_index(["model", "run"])["auc"]
    assert areas["real"].equals(before["real"])
    np.testing.assert_allclose(areas["bin"], auc(fit("bin", draw, other, 0)["bin"].weights, draw))
    assert not areas["bin"].equals(before["bin"])


def test_with_signs_negates_features_and_nothing_else(draw):
    signs = np.where(np.arange(64) % 2, -1, 1)
    flipped = comparison.with_signs(TASK, signs).draw(4, seed=0)
    assert torch.equal(flipped.x_train, draw.x_train * torch.tensor(signs))
    assert torch.equal(flipped.y_test, draw.y_test)


def test_tied_pairs_counts_pairs_of_both_groups():
    scores = torch.tensor([[1.0, 1.0, 2.0, 2.0], [1.0, 2.0, 3.0, 4.0], [5.0, 5.0, 5.0, 5.0]])
    y = torch.tensor([[0, 1, 0, 1]] * 3)
    np.testing.assert_allclose(comparison.tied_pairs(scores, y), [0.5, 0, 1])


def test_precision_ties_scores_that_differ():
    # All units nearly saturated: sums so close to 64 that single precision tells only some apart.
    draw = Task("mnist", 1, 2, 20, 10).draw(4, seed=0)
    nearly = torch.stack([torch.eye(64), torch.full((64, 64), 3.0)]).expand(4, 2, 64, 64)
    nothing = Fitted(torch.zeros(4, 2, 64, 64), torch.zeros(4), torch.zeros(4))
    found = comparison.effect_of_precision({"real": replace(nothing, weights=nearly), "bin": nothing}, draw)
    assert found.loc["bin"].tolist() == [1, 1, 0.5, 0.5]
    sums = network.presum(nearly.double(), draw.x_test.double()).round(decimals=10)
    expected = [roc_auc_score(y, values) for y, values in zip(draw.y_test, sums, strict=True)]
    assert found.loc["real", ("AUC", "sum, double")] == pytest.approx(np.median(expected))
    assert found.loc["real", ("ties", "ψ, single")] > found.loc["real", ("ties", "sum, double")]


def test_differing_strategies():
    assert comparison.differing_strategies(LITERAL, CHARITABLE) == ["bin"]
    assert comparison.differing_strategies(LITERAL, LITERAL) == []
    assert comparison.differing_strategies(LITERAL, replace(LITERAL, shared=Start(2.0))) == ["agnostic"]
    assert comparison.differing_strategies(LITERAL, replace(LITERAL, steps=5)) == list(STRATEGIES)


@pytest.mark.parametrize(
    ("training", "words"),
    [
        (LITERAL.real, "N(0, 1²), rate 0.1"),
        (CHARITABLE.bin, "sparse, scale 0.1, rate 0.01"),
        (CHARITABLE.bin_real, "all 1, rate 0.01"),
    ],
)
def test_a_training_is_described_by_its_start_and_its_rate(training, words):
    assert comparison.described(training) == words


def test_work_side_by_side_keeps_its_order_and_gives_each_item_one_thread():
    before = torch.get_num_threads()
    made = comparison.side_by_side(lambda item: (item, torch.get_num_threads()), range(5), "numbers")
    assert made == [(item, 1) for item in range(5)]
    assert torch.get_num_threads() == before


def test_lottery_times_its_cut_is_what_the_text_calls_binary(draw):
    fitted = fit("lottery", draw, QUICK, 0)
    product = fitted["lottery"].weights * fitted["lottery-bin"].weights
    expected = {"lottery": fitted["lottery"].weights, "lottery→bin": fitted["lottery-bin"].weights}
    found = comparison.lottery_aucs(draw, QUICK, 0)
    for name, weights in (expected | {"lottery times its cut": product}).items():
        sums = network.presum(weights.double(), draw.x_test.double()).round(decimals=10)
        areas = [roc_auc_score(y, scores) for y, scores in zip(draw.y_test, sums, strict=True)]
        assert found[name] == pytest.approx(np.median(areas))
