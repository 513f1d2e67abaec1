import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from wfhelpers.core import network
from wfhelpers.core.evaluation import auc, auc_of_scores, rows, table
from wfhelpers.core.protocols import CHARITABLE
from wfhelpers.core.strategies import MODELS, Settings, fit
from wfhelpers.core.tasks import Task

QUICK = Settings(steps=3, agnostic_architectures=1, agnostic_shared_weights=1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_auc_agrees_with_sklearn_also_with_ties(seed, distinct):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, distinct, (3, 20)).astype(float)
    y = np.stack([rng.permutation([0] * 8 + [1] * 12) for _ in range(3)])
    expected = [roc_auc_score(labels, values) for labels, values in zip(y, scores, strict=True)]
    np.testing.assert_allclose(auc_of_scores(torch.from_numpy(scores), torch.from_numpy(y)), expected, rtol=1e-12)


def test_auc_of_networks_orders_by_psi():
    draw = Task("mnist", 1, 2, 20, 30).draw(4, seed=0)
    weights = torch.randn(4, 2, 64, 64, generator=torch.Generator().manual_seed(0)) * 0.2
    psi = network.score(weights.double(), draw.x_test.double())
    expected = [roc_auc_score(labels, values) for labels, values in zip(draw.y_test, psi, strict=True)]
    np.testing.assert_allclose(auc(weights, draw), expected, rtol=1e-12)


def test_train_auc_is_that_of_the_training_objects():
    draw = Task("mnist", 4, 9, 20, 10).draw(2, seed=0)
    fitted = fit("real", draw, QUICK, 0)
    made = rows(fitted, draw).set_index(["model", "run"])["train_auc"]
    psi = network.score(fitted["real"].weights.double(), draw.x_train.double())
    for run in (0, 1):
        assert made["real", run] == pytest.approx(roc_auc_score(draw.y_train[run], psi[run]), abs=1e-12)


def test_a_network_with_constant_output_has_auc_one_half():
    draw = Task("mnist", 1, 2, 20, 30).draw(2, seed=0)
    assert auc(torch.full((2, 2, 64, 64), 50.0), draw).tolist() == [0.5, 0.5]
    assert auc(torch.zeros(2, 2, 64, 64), draw).tolist() == [0.5, 0.5]


def test_table_has_one_row_a_model_and_run_and_is_tidy():
    task = Task("mnist", 1, 2, 20, 10)
    made = table(task, QUICK, runs=2, seed=0)
    assert sorted(zip(made.model, made.run, strict=True)) == sorted((model, run) for model in MODELS for run in (0, 1))
    assert set(made.task) == {"1 vs 2"}
    assert set(made["size"]) == {20}
    binary = made[made.kind == "binary"]
    assert set(binary.model) == {"real-bin", "lottery-bin", "bin", "random-bin", "agnostic"}
    assert made[["auc", "train_loss", "density_1", "density_2", "seconds", "seconds_total"]].notna().all().all()
    assert (made.seconds > 0).all()


def test_seconds_of_a_derived_model_add_up_and_a_batch_has_none():
    draw = Task("mnist", 1, 2, 20, 10).draw(2, seed=0)
    alone = rows(fit("bin", draw, QUICK, 0, timed=True), draw).pivot(index="run", columns="model")
    np.testing.assert_allclose(alone.seconds_total["bin"], alone.seconds["bin"])
    np.testing.assert_allclose(alone.seconds_total["bin-real"], alone.seconds["bin"] + alone.seconds["bin-real"])
    together = rows(fit("bin", draw, QUICK, 0), draw)
    assert together[["seconds", "seconds_total"]].isna().all().all()


@pytest.mark.parametrize(
    ("negative", "positive", "least"), [([1], [2], 0.98), ([4], [9], 0.88), ([1, 2, 3], [4, 5, 6], 0.91)]
)
def test_a_sparse_start_trains_binary_networks(negative, positive, least):
    draw = Task("mnist", negative, positive, 100, 50).draw(10, seed=0)
    assert float(auc(fit("bin", draw, CHARITABLE, 0)["bin"].weights, draw).median()) >= least
