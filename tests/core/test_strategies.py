from dataclasses import replace

import numpy as np
import pytest
import torch

from wfhelpers._support import InputError
from wfhelpers.core import network
from wfhelpers.core.protocols import CHARITABLE, LITERAL, stored
from wfhelpers.core.strategies import (
    MODELS,
    STRATEGIES,
    Settings,
    Start,
    Training,
    cut,
    fit,
    fit_all,
    generators,
    label,
    strategy_of,
)
from wfhelpers.core.tasks import Task
from wfhelpers.core.training import SQUARE, descend

QUICK = replace(CHARITABLE, steps=10, agnostic_architectures=2, agnostic_shared_weights=3, real=Training(Start(0.3)))


@pytest.fixture(scope="module")
def draw():
    return Task("mnist", 4, 9, 30, 20).draw(3, seed=0)


@pytest.fixture(scope="module")
def fitted(draw):
    return fit_all(draw, QUICK, seed=5)


def loss(weights, draw):
    return network.loss(weights.double(), draw.x_train.double(), draw.y_train)


def random_weights(draw, seed):
    return torch.rand(draw.runs, 2, 64, 64, generator=torch.Generator().manual_seed(seed)) ** 8


def test_ten_models_of_five_strategies(fitted):
    assert tuple(fitted) == MODELS
    assert {strategy_of(model) for model in MODELS} == set(STRATEGIES)
    assert label("bin-real") == "bin→real"


def test_binary_models_have_weights_zero_and_one(fitted):
    for model in ("real-bin", "lottery-bin", "bin", "random-bin", "agnostic"):
        assert ((fitted[model].weights == 0) | (fitted[model].weights == 1)).all(), model


def test_real_weights_live_on_the_found_architecture(fitted):
    assert (fitted["bin-real"].weights[fitted["bin"].weights == 0] == 0).all()
    assert not torch.equal(fitted["bin-real"].weights, fitted["bin"].weights)


def test_cut_takes_the_best_percentile(draw):
    weights = random_weights(draw, 0)
    found = cut(weights, draw)
    for run in range(draw.runs):
        losses = []
        for percentile in range(10, 101, 10):
            xi = np.percentile(weights[run].numpy(), percentile)
            binary = torch.from_numpy((weights[run].numpy() >= xi).astype(np.float32))
            losses.append(float(loss(binary[None], draw[run])))
        assert float(loss(found[run : run + 1], draw[run])) == pytest.approx(min(losses), abs=1e-8)


def test_the_highest_percentile_keeps_one_weight():
    draw = Task("mnist", 4, 9, 30, 20).draw(1, seed=0)
    weights = torch.full((1, 2, 64, 64), 0.5)
    weights[0, 0, 3, 4] = 1.0
    # All ties but one: every lower percentile is 0.5 and keeps everything, which saturates; one edge alone does not.
    kept = cut(weights, draw)
    assert kept.sum() in (1, weights.numel())
    candidates = torch.stack([torch.ones_like(weights), (weights == 1).float()])
    assert float(loss(kept, draw)) == pytest.approx(float(min(loss(each, draw) for each in candidates)), abs=1e-8)


def test_a_pruned_weight_stays_pruned(draw):
    weights = random_weights(draw, 1)
    weights[..., ::2] = 0
    assert (cut(weights, draw)[..., ::2] == 0).all()


def test_lottery_as_written_multiplies_trained_weights_by_masks(draw):
    settings = replace(QUICK, lottery=Training(Start(0.3)), lottery_rounds=3)
    found = fit("lottery", draw, settings, 5)["lottery"].weights
    start = settings.lottery.start.sample([np.random.default_rng([5, 1, run]) for run in range(3)], 64)
    trained = descend(draw, start, SQUARE, settings.steps, 0.1).weights
    sequence = [trained]
    for _ in range(2):
        sequence.append(sequence[-1] * cut(sequence[-1], draw))
    best = torch.stack([loss(each, draw) for each in sequence]).min(0).values
    torch.testing.assert_close(loss(found, draw), best, rtol=0, atol=1e-8)
    kept = found != 0
    torch.testing.assert_close(found[kept], trained[kept])


def test_lottery_with_retraining_trains_what_it_kept(draw):
    settings = replace(QUICK, lottery=Training(Start(0.3)), lottery_rounds=3)
    as_written = fit("lottery", draw, settings, 5)["lottery"].weights
    retrained = fit("lottery", draw, replace(settings, lottery_retrain=True), 5)["lottery"].weights
    assert not torch.equal(as_written, retrained)
    first = fit("lottery", draw, replace(settings, lottery_rounds=1), 5)["lottery"].weights
    assert (loss(retrained, draw) <= loss(first, draw) + 1e-9).all()


def test_random_networks_are_squares_of_normal_numbers(draw):
    weights = fit("random", draw, LITERAL, 5)["random"].weights
    expected = np.random.default_rng([5, 3, 2]).normal(0, 1, (2, 64, 64)) ** 2
    np.testing.assert_allclose(weights[2], expected, rtol=1e-6)


def test_agnostic_finds_the_best_of_its_samples(draw):
    """All architectures and shared weights of one run, enumerated one after another from the same generator."""
    settings = replace(QUICK, agnostic_fresh_weight=False)
    rng = np.random.default_rng([5, 4, 1])
    losses = {}
    for architecture in range(2):
        u = rng.normal(0, 1, (2, 64, 64)).astype(np.float32)
        for which, shared in enumerate(rng.normal(0, 1, 3).astype(np.float32)):
            for percentile in range(10, 101, 10):
                binary = (u**2 >= np.percentile(u**2, percentile)).astype(np.float32)
                value = loss(torch.from_numpy(shared * binary)[None], draw[1])
                losses[architecture, which, percentile] = round(float(value), 9)
    found = fit("agnostic", draw, settings, 5)["agnostic-real"].weights[1:2]
    assert float(loss(found, draw[1])) == pytest.approx(min(losses.values()), abs=1e-8)


def test_fresh_shared_weight_differs_from_the_best_one(draw):
    fresh = fit("agnostic", draw, replace(QUICK, agnostic_fresh_weight=True), 5)
    best = fit("agnostic", draw, replace(QUICK, agnostic_fresh_weight=False), 5)
    assert torch.equal(fresh["agnostic"].weights, best["agnostic"].weights)
    assert not torch.equal(fresh["agnostic-real"].weights, best["agnostic-real"].weights)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_run_depends_on_the_seed_and_its_number_alone(draw, fitted, strategy):
    alone = fit(strategy, draw[1], QUICK, seed=5, timed=True)
    for model, result in alone.items():
        torch.testing.assert_close(result.weights[0], fitted[model].weights[1], rtol=0, atol=1e-6)
    another_seed = fit(strategy, draw[1], QUICK, seed=6)
    assert any(not torch.equal(another_seed[model].weights, alone[model].weights) for model in alone)


def test_training_has_the_precision_of_the_draw(draw, fitted):
    """Float32 and float64 agree to rounding after a few steps, in float64 to more digits than float32 has."""
    precise = fit("real", draw.to(torch.float64), QUICK, seed=5)["real"].weights
    assert precise.dtype == torch.float64
    assert not torch.equal(precise, precise.float().double())
    torch.testing.assert_close(fitted["real"].weights, precise.float(), atol=1e-5, rtol=1e-4)


def test_timed_runs_are_trained_one_by_one(draw):
    timed = fit("real", draw, QUICK, seed=5, timed=True)["real"]
    assert (timed.seconds > 0).all()
    assert len(set(timed.seconds.tolist())) == draw.runs, "every run has its own time"


def test_sparse_start_has_one_edge_a_node():
    weights = Start(0.1, None).sample([np.random.default_rng(0)], 64)
    assert float((weights >= 0).double().mean()) == pytest.approx(1 / 64, rel=0.2)


def test_protocols():
    assert LITERAL.bin.start == LITERAL.real.start == LITERAL.lottery.start == LITERAL.bin_real.start == Start(1.0, 0.0)
    assert CHARITABLE.real == LITERAL.real
    assert CHARITABLE.bin.start.mean is None
    assert all(stored(dataset) for dataset in ("mnist", "citeseer"))
    assert stored("wine.csv") is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Settings(M_soft=60.0), "M_soft is 60.0 and M_hard is 50.0"),
        (lambda: Settings(M_soft=0.0), "0 < M_soft"),
        (lambda: Settings(bin=Training(rate=-1.0)), "learning rate is -1.0"),
        (lambda: Settings(real=Training(Start(scale=-1.0))), "scale of a start is -1.0"),
        (lambda: Settings(steps=0), "steps is 0"),
        (lambda: Settings(batch=2.5), "batch is 2.5"),
        (lambda: Settings(lottery_rounds=0), "lottery_rounds is 0"),
        (lambda: fit("magic", None, LITERAL, 0), "Unknown strategy 'magic'; expected one of real, lottery"),
    ],
)
def test_what_makes_no_sense_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_training_may_have_its_own_updates_and_objects():
    task = Task("mnist", 1, 2, 20, 10)
    draw = task.draw(2, seed=0)
    own = replace(QUICK, real=Training(Start(0.3), 0.1, steps=3, batch=8))
    same = replace(QUICK, real=Training(Start(0.3), 0.1), steps=3, batch=8)
    torch.testing.assert_close(fit("real", draw, own, 0)["real"].weights, fit("real", draw, same, 0)["real"].weights)
    with pytest.raises(InputError, match=r"batch is 2\.5; expected a whole number"):
        Training(batch=2.5)


@pytest.mark.parametrize("strategy", ["real", "lottery"])
def test_a_binary_model_may_be_cut_from_a_training_of_its_own(strategy):
    draw = Task("mnist", 1, 2, 20, 10).draw(2, seed=0)
    main, other = Training(Start(0.3), 0.1), Training(Start(0.1), 0.3)
    plain = fit(strategy, draw, replace(QUICK, **{strategy: main}), 0)
    own = fit(strategy, draw, replace(QUICK, **{strategy: main, f"{strategy}_bin": other}), 0, timed=True)
    torch.testing.assert_close(own[strategy].weights, plain[strategy].weights)
    assert not torch.equal(own[f"{strategy}-bin"].weights, plain[f"{strategy}-bin"].weights)
    # The second network starts from the numbers that the generator of the run gives after those of the first.
    sources = generators(strategy, draw, 0)
    main.start.sample(sources, draw.width)
    start = other.start.sample(sources, draw.width)
    trained = descend(draw, start, SQUARE, QUICK.steps, 0.3).weights
    if strategy == "real":
        torch.testing.assert_close(own["real-bin"].weights, cut(trained, draw))
    # Its time is its own: the model named first is not part of it.
    assert torch.equal(own[f"{strategy}-bin"].seconds, own[f"{strategy}-bin"].seconds_total)
    assert (own[strategy].seconds <= own[strategy].seconds_total).all()
