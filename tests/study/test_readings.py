from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.sparse import csr_array
from sklearn.metrics import roc_auc_score

from wfhelpers.core import data, network
from wfhelpers.core.data import Dataset
from wfhelpers.core.evaluation import auc
from wfhelpers.core.protocols import CHARITABLE, LITERAL
from wfhelpers.core.spectra import laplacian_spectrum
from wfhelpers.core.strategies import SPARSE, Fitted, Training, fit, fit_all
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.ledger import SIMILAR
from wfhelpers.study import readings, similarity
from wfhelpers.study.readings import READINGS, Case, Reading
from wfhelpers.study.sensitivity import measure

QUICK = replace(CHARITABLE, steps=5, agnostic_architectures=2, agnostic_shared_weights=2)


def task_of(features: np.ndarray, labels: np.ndarray, train: int = 12, test: int = 8) -> Task:
    return Task(Dataset("made up", features.astype(np.float32), labels, (0, 1), ""), 0, 1, train, test)


@pytest.fixture(scope="module")
def task() -> Task:
    rng = np.random.default_rng(0)
    return task_of(data.unit_rows(rng.normal(size=(80, 5))), np.repeat([0, 1], 40))


@pytest.fixture(scope="module")
def draw(task) -> Draw:
    return task.draw(3, seed=0)


@pytest.fixture(scope="module")
def weights(draw) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(1).normal(size=(3, 2, 5, 5))).square().float()


def changed(choice: str, case: Case, other: str | None = None) -> Case:
    (reading,) = [each for each in READINGS if each.choice == choice and other in (None, each.other)]
    return reading.change(case)


def test_models_are_trained_as_the_strategies_train_them(draw):
    models = ["bin", "real", "lottery", "lottery-bin", "agnostic-real"]
    made = readings._train(models, draw, QUICK, 0)
    assert list(made) == models
    for model in models:
        assert torch.equal(made[model], fit(model.split("-")[0], draw, QUICK, 0)[model].weights)


def test_every_reading_differs_from_ours_in_what_it_names():
    assert len({(reading.choice, reading.other) for reading in READINGS}) == len(READINGS)
    for reading in READINGS:
        assert reading.chosen != reading.other
        assert len({other.chosen for other in READINGS if other.choice == reading.choice}) == 1


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: f"{reading.choice}: {reading.other}")
def test_every_reading_changes_the_case_and_can_be_measured(reading):
    name = reading.dataset or "citeseer"
    classes = ("DB", "IR") if name == "citeseer" else (1, 2)
    case = Case(Task(name, *classes, 35, 4), QUICK)
    other = reading.change(case)
    assert other != case
    aucs = other.aucs(reading.models, 3, 0)
    assert list(aucs) == list(reading.models)
    assert aucs.to_numpy().min() >= 0
    assert aucs.to_numpy().max() <= 1


def test_changes_of_settings_change_one_field(task):
    case = Case(task)
    assert changed("rate of bin", case, "0.03").settings == replace(CHARITABLE, bin=Training(SPARSE, 0.03))
    assert changed("start of real", case, "N(0, 0.3²)").settings.real.rate == CHARITABLE.real.rate
    assert changed("steps", case, "50").settings == replace(CHARITABLE, steps=50)


def test_a_reading_that_takes_the_largest_pixel_loses_what_the_mean_has():
    """Windows differ in how many pixels are lit and never in the brightest one: the maximum cannot tell them apart."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 40)
    lit = rng.permuted(np.tile(np.arange(9), (80 * 64, 1)), axis=1).reshape(80, 8, 8, 3, 3)
    more = np.where(np.arange(64).reshape(8, 8) < 32, 4 * labels[:, None, None], 0)  # in the upper half, if y = 1
    windows = np.where(lit <= more[..., None, None], 255, 0).astype(np.uint8)
    images = np.zeros((80, 28, 28), np.uint8)
    images[:, 2:26, 2:26] = windows.swapaxes(2, 3).reshape(80, 24, 24)
    tasks = {how: task_of(data.unit_rows(data.pool(images, how)), labels) for how in data.POOLINGS}
    reading = Reading(6, "pooling", "mean", "max", lambda case: replace(case, task=tasks["max"]))
    row = measure([tasks["mean"]], [reading], runs=3).set_index("model").loc["bin"]
    assert (row["before"], row["after"]) == (1, 0.5)
    assert row["upper"] < 0


def test_pooling_and_centring_prepare_the_same_objects_otherwise():
    for name, choice, option in (
        ("mnist", "pooling", {"pooling": "max"}),
        ("citeseer", "centring", {"centred": False}),
    ):
        case = Case(Task(name, *((1, 2) if name == "mnist" else ("DB", "IR")), 5, 5))
        other = changed(choice, case)
        np.testing.assert_array_equal(other.task.dataset.features, data.load(name, **option).features)
        assert other.task.rows(0, 1)[0].tolist() == case.task.rows(0, 1)[0].tolist()


def test_components_of_training_objects_never_see_a_test_object():
    rng = np.random.default_rng(0)
    words, labels = rng.normal(size=(60, 9)), np.repeat([0, 1], 30)
    task = task_of(data.unit_rows(words), labels)
    known = readings._own_axes(task, 2, 0, words)
    for run in range(2):
        train, test = task.rows(0, run)
        spoiled = words.copy()
        spoiled[np.setdiff1d(np.arange(60), train)] = rng.normal(size=(60 - len(train), 9))
        found = readings._own_axes(task, 2, 0, spoiled)
        assert torch.equal(found.x_train[run], known.x_train[run])
        assert not torch.equal(found.x_test[run], known.x_test[run])
        # The singular vectors of the training objects alone, each with the sign that it has there.
        mean = words[train].mean(0)
        axes = np.linalg.svd(words[train] - mean)[2].T
        expected = (words[test] - mean) @ axes
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        signs = np.sign((expected * known.x_test[run].numpy()).sum(0))
        np.testing.assert_allclose(known.x_test[run], expected * signs, atol=1e-6)


def test_sparse_words_give_what_dense_words_give(task):
    words = (np.random.default_rng(0).uniform(size=(80, 30)) < 0.3).astype(float)
    sparse = readings._own_axes(task, 1, 0, csr_array(words))
    dense = readings._own_axes(task, 1, 0, words)
    torch.testing.assert_close(sparse.x_test, dense.x_test)


def test_flipped_signs_are_all_flipped_and_random_ones_some(task):
    features = task.dataset.features
    np.testing.assert_array_equal(
        changed("signs of components", Case(task), "all flipped").task.dataset.features, -features
    )
    ratio = changed("signs of components", Case(task), "random").task.dataset.features / features
    assert set(np.unique(ratio)) == {-1, 1}
    assert (np.ptp(ratio, axis=0) == 0).all()


def test_gradient_with_relu_is_that_of_autograd(draw, weights):
    w = (weights.double() - 0.8).requires_grad_()  # negative sums, too
    x, y = draw.x_train.double(), draw.y_train
    sums = network.presum(w, x)
    assert 0.1 < (sums > 0).double().mean() < 0.9
    (sums.relu() * (1 - 2 * y)).mean(-1).sum().backward()
    torch.testing.assert_close(readings._relu_gradient(w.detach(), x, y), w.grad)


def test_training_with_relu_moves_against_its_gradient(draw):
    once = replace(QUICK, steps=1)
    start, _, options = readings.training_of("real", draw, once, 0)
    assert options == {"steps": 1, "rate": once.real.rate, "batch": None}
    u = start.double().requires_grad_()
    (network.presum(u.square(), draw.x_train.double()).relu() * (1 - 2 * draw.y_train)).mean(-1).sum().backward()
    expected = (u - options["rate"] * u.grad).square()
    torch.testing.assert_close(readings._train_with_relu(["real"], draw, once, 0)["real"], expected.float())


def pairs(scores: torch.Tensor, y: torch.Tensor) -> tuple[float, float]:
    """Shares of pairs in the right order, and of tied ones, counted one by one."""
    one, two = scores[y == 1], scores[y == 0]
    return float((one[:, None] > two).double().mean()), float((one[:, None] == two).double().mean())


def test_ties_count_nothing_or_half(draw):
    coarse = replace(draw, x_test=draw.x_test.mul(2).round())  # many equal objects
    weights = torch.eye(5).expand(3, 2, 5, 5)
    sums = network.presum(weights.double(), coarse.x_test.double()).round(decimals=10)
    counted = [pairs(*each) for each in zip(sums, coarse.y_test, strict=True)]
    assert all(tied > 0 for _, tied in counted)
    np.testing.assert_allclose(readings._auc_without_ties(weights, coarse), [right for right, _ in counted])
    np.testing.assert_allclose(auc(weights, coarse), [right + tied / 2 for right, tied in counted])


def test_objects_below_zero_tie_under_relu(draw):
    weights = torch.eye(5).expand(3, 2, 5, 5)
    sums = network.presum(weights, draw.x_test)
    expected = [roc_auc_score(y, s.relu()) for y, s in zip(draw.y_test, sums, strict=True)]
    np.testing.assert_allclose(readings._relu_auc(weights, draw), expected)


def test_single_precision_orders_by_psi(draw, weights):
    expected = [roc_auc_score(y, s) for y, s in zip(draw.y_test, network.score(weights, draw.x_test), strict=True)]
    np.testing.assert_allclose(readings._auc_of_single_psi(weights, draw), expected)


def test_half_of_the_test_objects_are_the_first_of_each_label(draw, weights):
    expected = []
    for run in range(3):
        places = [torch.nonzero(draw.y_test[run] == label)[:4, 0] for label in (0, 1)]
        kept = torch.cat(places)
        sums = network.presum(weights[run].double(), draw.x_test[run, kept].double())
        expected.append(roc_auc_score(draw.y_test[run, kept], sums))
    np.testing.assert_allclose(readings._auc_on_half(weights, draw), expected)


def test_lottery_as_printed_is_pruned_but_not_binary(draw):
    printed = readings._train_lottery_as_printed(["lottery-bin"], draw, QUICK, 0)["lottery-bin"]
    fitted = fit("lottery", draw, QUICK, 0)
    kept = fitted["lottery-bin"].weights.bool()
    assert torch.equal(printed[kept], fitted["lottery"].weights[kept])
    assert (printed[~kept] == 0).all()
    assert ((printed != 0) & (printed != 1)).any()


def lower_cut(weights: torch.Tensor, draw: Draw) -> torch.Tensor:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readings, "_train", lambda models, *_: {"real": weights})
        return readings._cut_lower(["real-bin"], draw, QUICK, 0)["real-bin"]


def test_lower_cuts_have_the_full_network_among_them(draw):
    weights = torch.rand(3, 2, 5, 5, generator=torch.Generator().manual_seed(0)) + 0.1
    found = lower_cut(weights, draw)
    x, y = draw.x_train.double(), draw.y_train
    for run in range(3):
        levels = [np.quantile(weights[run].numpy(), share) for share in np.arange(10) / 10]
        losses = [network.loss((weights[run] >= level).double(), x[run], y[run]) for level in levels]
        assert network.loss(found[run].double(), x[run], y[run]) == pytest.approx(float(min(losses)))
    rising = replace(draw, x_train=draw.y_train[..., None] * torch.ones(5))  # the more edges, the better
    assert lower_cut(weights, rising).all()


def test_with_signs_negates_features_and_nothing_else():
    signs = np.where(np.arange(64) % 2, -1, 1)
    task = Task("citeseer", "DB", "IR", 20, 10)
    draw, flipped = task.draw(4, seed=0), readings.with_signs(task, signs).draw(4, seed=0)
    assert torch.equal(flipped.x_train, draw.x_train * torch.tensor(signs))
    assert torch.equal(flipped.y_test, draw.y_test)


def test_tied_pairs_counts_pairs_of_both_groups():
    scores = torch.tensor([[1.0, 1.0, 2.0, 2.0], [1.0, 2.0, 3.0, 4.0], [5.0, 5.0, 5.0, 5.0]])
    y = torch.tensor([[0, 1, 0, 1]] * 3)
    np.testing.assert_allclose(readings._tied_pairs(scores, y), [0.5, 0, 1])


def test_precision_ties_scores_that_differ():
    # All units nearly saturated: sums so close to 64 that single precision tells only some apart.
    draw = Task("mnist", 1, 2, 20, 10).draw(4, seed=0)
    nearly = torch.stack([torch.eye(64), torch.full((64, 64), 3.0)]).expand(4, 2, 64, 64)
    nothing = Fitted(torch.zeros(4, 2, 64, 64), torch.zeros(4), torch.zeros(4))
    found = readings.effect_of_precision({"real": replace(nothing, weights=nearly), "bin": nothing}, draw)
    assert found.loc["bin"].tolist() == [1, 1, 0.5, 0.5]
    sums = network.presum(nearly.double(), draw.x_test.double()).round(decimals=10)
    expected = [roc_auc_score(y, values) for y, values in zip(draw.y_test, sums, strict=True)]
    assert found.loc["real", ("AUC", "sum, double")] == pytest.approx(np.median(expected))
    assert found.loc["real", ("ties", "ψ, single")] > found.loc["real", ("ties", "sum, double")]


@pytest.mark.parametrize(
    ("training", "words"),
    [
        (LITERAL.real, "N(0, 1²), rate 0.1"),
        (CHARITABLE.bin, "sparse, scale 0.1, rate 0.01"),
        (CHARITABLE.bin_real, "all 1, rate 0.01"),
    ],
)
def test_a_training_is_described_by_its_start_and_its_rate(training, words):
    assert readings.described(training) == words


def test_a_zero_weight_may_be_an_edge_again(task):
    """Eq. (13) to the letter, one candidate after another; for some draw it gives another network than ours."""
    settings = replace(CHARITABLE, steps=30, lottery=Training(SPARSE, 1.0))

    def f(weights, draw):
        return round(
            float(network.loss(torch.from_numpy(weights).double(), draw.x_train[0].double(), draw.y_train[0])), 9
        )

    def cut(weights, draw):
        cuts = [(weights >= np.percentile(weights, p)).astype(np.float32) for p in range(10, 101, 10)]
        return min(cuts, key=lambda each: f(each, draw))

    differs = False
    for seed in range(12):
        draw = task.draw(1, seed)
        found = readings._cut_with_zeros(["lottery", "lottery-bin"], draw, settings, seed)
        sequence = [fit("lottery", draw, replace(settings, lottery_rounds=1), seed)["lottery"].weights[0].numpy()]
        for _ in range(settings.lottery_rounds - 1):
            sequence.append(sequence[-1] * cut(sequence[-1], draw))
        best = min(sequence, key=lambda each: f(each, draw))
        np.testing.assert_array_equal(found["lottery"][0], best)
        np.testing.assert_array_equal(found["lottery-bin"][0], cut(best, draw))
        ours = fit("lottery", draw, settings, seed)["lottery-bin"].weights
        differs |= not torch.equal(found["lottery-bin"], ours)
    assert differs, "the two readings never differ: nothing was compared"


# Gaps

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def test_gaps_are_numbered_without_a_hole():
    assert [gap.number for gap in readings.gaps()] == list(range(1, 28))
    assert readings.gaps() is readings.gaps()  # read once


@pytest.mark.parametrize("gap", readings.gaps(), ids=lambda gap: gap.name)
def test_a_gap_has_another_reading_or_a_reason_why_none_can_change_an_auc(gap):
    measured = any(reading.gap == gap.number for reading in READINGS)
    assert measured != bool(gap.beyond_auc)
    assert all([gap.name, gap.place, gap.says, gap.reading, gap.why])
    assert (NOTEBOOKS / f"{gap.chapter}.ipynb").is_file()


def effects(*rows: tuple[str, str, str, str, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["gap", "choice", "other", "model", "effect"])


def test_errata_have_one_line_per_gap_with_as_many_cells_as_the_head():
    lines = readings.errata(effects(("6", "pooling", "max", "bin", -0.1))).splitlines()
    assert len(lines) == 2 + len(readings.gaps())
    assert {line.replace("\\|", "").count("|") for line in lines} == {5}


def test_errata_give_the_range_over_tasks_of_the_model_changed_most_and_of_the_lead():
    made = effects(
        ("6", "pooling", "max", "bin", -0.061),
        ("6", "pooling", "max", "bin", 0.004),
        ("6", "pooling", "max", "real", 0.01),
        ("6", "pooling", "max", readings.LEAD, -0.071),
        ("6", "pooling", "max", readings.LEAD, -0.074),
    )
    (line,) = [line for line in readings.errata(made).splitlines() if line.startswith("| **6**")]
    assert line.endswith("pooling: **max**, bin −0.06 to +0.00, bin − real −0.07 |")


def test_errata_say_why_a_gap_has_no_effect():
    lines = readings.errata(effects()).splitlines()
    assert f"none. {readings.gaps()[20].beyond_auc}" in lines[2 + 20]
    assert "none, but decides **C10 on MNIST**. " in lines[2 + 13]


def test_what_gap_14_is_said_to_decide_is_measured():
    """With blocks of ones binary networks lie at most half as far apart as real ones (C10), with loops they do not."""
    weights = similarity.edge_weights(fit_all(Task("mnist", 1, 2, 50, 50).draw(6, 0), CHARITABLE, 0))
    ends = {}
    for name, diagonal in (("loops", None), ("ones", torch.ones(64, 64))):
        spectra = {kind: laplacian_spectrum(networks, diagonal) for kind, networks in weights.items()}
        ratios = similarity.distance_ratios(spectra["real"], spectra["binary"])
        ends[name] = ratios.loc[similarity.RATIOS[2], "high"]
    assert ends["ones"] < SIMILAR < ends["loops"]
    assert readings.gaps()[13].decides == "C10 on MNIST"
