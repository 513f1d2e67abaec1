import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import roc_auc_score

from wfhelpers._support import InputError
from wfhelpers.core import network
from wfhelpers.core.binarize import hard_step, soft_step
from wfhelpers.core.protocols import CHARITABLE, protocol_settings
from wfhelpers.core.strategies import SPARSE, Start, first_numbers, fit
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import BINARY, descend
from wfhelpers.study import convergence


@pytest.fixture(scope="module")
def draw() -> Draw:
    return Task("mnist", 4, 9, 50, 50).draw(4, seed=0)


@pytest.fixture(scope="module")
def start(draw):
    return first_numbers("bin", SPARSE, draw, seed=3)


def test_start_by_density_has_that_density(draw):
    for density in (0.5, 0.1, 1 / 64):
        drawn = first_numbers("bin", convergence.start_by_density(density, 0.3), draw, seed=0)
        spread = np.sqrt(density * (1 - density) / drawn.numel())
        assert float(hard_step(drawn).mean()) == pytest.approx(density, abs=4 * spread)
        assert float(drawn.std()) == pytest.approx(0.3, rel=0.05)


@pytest.mark.parametrize("density", [0, 1, -0.1])
def test_impossible_density_is_refused(density):
    with pytest.raises(InputError, match="expected a number between 0 and 1"):
        convergence.start_by_density(density, 0.1)


def test_followed_runs_are_those_of_the_model_bin(draw, start):
    trained, _ = convergence.follow(draw, start, 50, 5, 200, CHARITABLE.bin.rate, every=100)
    assert torch.equal(trained.weights, fit("bin", draw, CHARITABLE, seed=3)["bin"].weights)


def test_course_tells_what_each_state_is_worth(draw, start):
    _, course = convergence.follow(draw, start, 20, 4, 30, 0.1, every=10)
    assert list(course["step"].unique()) == [0, 10, 20, 30]
    latent = descend(draw, start, BINARY(20, 4), 20, 0.1).latent[2].double()
    row = course[(course["step"] == 20) & (course["run"] == 2)].iloc[0]
    x, y = draw.x_train[2].double(), draw.y_train[2]
    assert row["F_relaxed"] == pytest.approx(float(network.loss(soft_step(latent, 20), x, y)), abs=1e-9)
    assert row["F_binary"] == pytest.approx(float(network.loss(hard_step(latent), x, y)), abs=1e-9)
    for column, weights in (("auc_relaxed", soft_step(latent, 20)), ("auc_binary", hard_step(latent))):
        scores = network.presum(weights, draw.x_test[2].double()).round(decimals=10)
        assert row[column] == pytest.approx(roc_auc_score(draw.y_test[2], scores), abs=1e-9)
    assert row["density_2"] == pytest.approx(float((latent[1] >= 0).double().mean()))


def test_noting_only_the_ends_changes_nothing(draw, start):
    _, often = convergence.follow(draw, start, 50, 5, 20, 0.1, every=10)
    _, ends = convergence.follow(draw, start, 50, 5, 20, 0.1, every=20)
    columns = [column for column in often if column != "flip_ratio"]  # since the last record, which is another one
    expected = often.loc[often["step"] != 10, columns].reset_index(drop=True)
    pd.testing.assert_frame_equal(ends[columns], expected)


def test_grid_is_each_pair_alone(draw, start):
    grid = convergence.follow_grid(draw, start, [(10, 10), (50, 5)], 20, 0.1, every=20, unscaled_slope=True)
    alone = convergence.follow(draw, start, 50, 5, 20, 0.1, every=20, unscaled_slope=True)[1]
    pair = grid[(grid["M_hard"] == 50) & (grid["M_soft"] == 5)].drop(columns=["M_hard", "M_soft"])
    pd.testing.assert_frame_equal(pair.reset_index(drop=True), alone)
    assert list(convergence.ends(grid)["step"].unique()) == [20]
    assert len(convergence.ends(grid)) == 2 * draw.runs


def test_grid_pairs_every_hard_sharpness_with_every_ratio():
    assert convergence.grid([10, 50], [1, 0.1]) == [(10, 10), (10, 1), (50, 50), (50, 5)]


@pytest.mark.parametrize(
    ("M_hards", "ratios", "words"), [([], [1], "M_hard"), ([0], [1], "M_hard"), ([5], [2], "ratio")]
)
def test_impossible_grid_is_refused(M_hards, ratios, words):
    with pytest.raises(InputError, match=f"{words}.*expected at least one"):
        convergence.grid(M_hards, ratios)


def test_only_products_with_the_scale_of_the_start_matter(draw, start):
    """Twice the weights, half the sharpness and four times the rate are the same algorithm, to the last bit."""
    one = descend(draw, start, BINARY(50, 5), 50, 0.1).latent
    other = descend(draw, 2 * start, BINARY(25, 2.5), 50, 0.4).latent
    assert torch.equal(2 * one, other)
    assert not torch.equal(one, start)


def finals() -> pd.DataFrame:
    rows = [(50, 50, run, 0.5) for run in range(4)]
    rows += [(50, 5, run, 0.5 + gain) for run, gain in enumerate((0.1, 0.2, 0.3, -0.1))]
    rows += [(10, 10, run, 0.7) for run in range(4)] + [(10, 1, run, 0.7) for run in range(4)]
    return pd.DataFrame(rows, columns=["M_hard", "M_soft", "run", "auc_binary"])


def test_softening_pairs_the_runs():
    table = convergence.softening(finals().sample(frac=1, random_state=0), 0.1)
    assert table.loc[50, "median"] == pytest.approx(0.15)
    assert (table.loc[50, "rose"], table.loc[50, "fell"]) == (3, 1)
    assert (table.loc[10, "rose"], table.loc[10, "fell"]) == (0, 0)


def test_dense_start_is_saturated_and_never_moves_while_a_sparse_one_does(draw):
    swept = convergence.density_sweep(draw, [0.5, 1 / 64], 0.1, 50, 5, 100, 0.1, seed=0).set_index("density")
    dense, sparse = swept.loc[0.5], swept.loc[1 / 64]
    assert (dense["no_gradient"] == 1).all()
    assert (dense["flat_2"] == 1).all()
    assert dense["sum_2"].between(25, 39).all()
    assert not dense["moved"].any()
    assert (dense["auc_start"] == dense["auc_binary"]).all()
    assert sparse["sum_2"].between(0, 3).all()
    assert (sparse["no_gradient"] < 0.1).all()
    assert sparse["moved"].all()
    assert (sparse["auc_binary"] > 0.8).all()


def test_saturation_of_a_network_that_can_be_worked_out_by_hand():
    """All w = 0 gives v = 1/2 everywhere, whatever M_hard: a hidden unit is tanh(1/2), an output sums two halves."""
    x = torch.tensor([[[1.0, 0.0]]]).repeat(1, 2, 1)
    tiny = Draw(x, torch.tensor([[0.0, 1.0]]), x, torch.tensor([[0.0, 1.0]]))
    row = convergence.saturation(torch.zeros(1, 2, 2, 2), tiny, 50).iloc[0]
    assert row["sum_2"] == pytest.approx(np.tanh(0.5), abs=1e-6)
    assert row["flat_2"] == 0
    # The second input is zero, and the two objects, alike but with opposite labels, cancel everywhere else.
    assert row["no_gradient"] == 1


def test_start_of_scale_zero_is_its_mean(draw):
    assert torch.equal(first_numbers("bin", Start(0.0, -0.5), draw, 0), torch.full((4, 2, 64, 64), -0.5))


def test_course_is_a_tidy_table(draw, start):
    end, course = convergence.follow(draw, start, 50, 5, 40, 0.1, every=20)
    assert list(course.columns[:4]) == ["step", "run", "F_relaxed", "F_binary"]
    assert len(course) == 3 * draw.runs
    last = course[course["step"] == 40].sort_values("run")
    halfway = descend(draw, start, BINARY(50, 5), 20, 0.1).latent
    np.testing.assert_allclose(last["flip_ratio"], convergence.flip_ratio(halfway, end.latent))
    expected = network.loss(end.weights.double(), draw.x_train.double(), draw.y_train)
    np.testing.assert_allclose(last["F_binary"], expected)


def test_flip_ratio_counts_changed_signs():
    before = torch.tensor([[[1.0, -1.0], [1.0, -1.0]], [[1.0, 1.0], [1.0, 1.0]]])
    after = torch.tensor([[[2.0, 1.0], [1.0, -1.0]], [[1.0, 1.0], [-1.0, 1.0]]])
    assert float(convergence.flip_ratio(before, after)) == 0.25


@pytest.mark.parametrize(
    "task", [Task("citeseer", "DB", "IR", 20, 10), Task("mnist", 2, 1, 20, 10)], ids=lambda task: task.dataset.name
)
@pytest.mark.parametrize("protocol", ["charitable", "tuned"])
def test_protocols_give_the_same_networks_in_both_precisions(task, protocol):
    training = protocol_settings(protocol, task).bin
    draw = Task(task.dataset, task.negative, task.positive, 50, 10).draw(4, seed=0)
    start = training.start.sample([np.random.default_rng(run) for run in range(4)], draw.width)
    assert not convergence.runs_that_rounding_changes(draw, start, BINARY(50, 5), 200, training.rate).any()


def test_large_rates_do_not():
    draw = Task("citeseer", "DB", "IR", 50, 10).draw(4, seed=0)
    start = SPARSE.sample([np.random.default_rng(run) for run in range(4)], 64)
    assert convergence.runs_that_rounding_changes(draw, start, BINARY(50, 5), 200, 0.3).any()
