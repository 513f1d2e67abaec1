import itertools

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.special import expit, logit
from scipy.stats import norm

from wfhelpers.core import network
from wfhelpers.core.evaluation import auc
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import BINARY, descend
from wfhelpers.study import peers
from wfhelpers.study.baselines import CLASSIFIERS, LOGISTIC, classifier_auc
from wfhelpers.study.convergence import start_by_density
from wfhelpers.study.peers import GRID, PEERS, Trial, best_trials, fit

TRIALS = {
    "bin": Trial(1, 0.03),
    "straight-through": Trial(1, 0.02),
    "edge-popup": Trial(2, 0.03),
    "supermask": Trial(4, 100.0),
    "greedy": Trial(1, 8),
}


@pytest.fixture(scope="module")
def draw():
    return Task("mnist", 4, 9, 30, 20).draw(3, seed=0).to(torch.float64)


def tiny_draw(width, runs=1, objects=12):
    rng = np.random.default_rng(width)
    x = torch.from_numpy(rng.normal(size=(runs, objects, width)))
    y = torch.arange(objects).remainder(2).double().expand(runs, -1)
    return Draw(x, y, x, y)


def generators(peer, runs, seed=5):
    return [np.random.default_rng([seed, 6 + PEERS.index(peer), run]) for run in range(runs)]


class StraightThrough(torch.autograd.Function):
    """Step forward, identity backward: the textbook way."""

    @staticmethod
    def forward(ctx, w):
        return torch.where(w < 0, torch.zeros_like(w), torch.ones_like(w))

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def test_straight_through_agrees_with_autograd_and_clips(draw):
    """BinaryConnect as one would write it with torch.optim, at a rate that makes many latent weights hit the clip."""
    trial = Trial(1, 3.0)
    found = fit("straight-through", draw, trial, seed=5, steps=12).weights
    clipped = 0
    for run, rng in enumerate(generators("straight-through", 3)):
        w = torch.from_numpy(rng.normal(0.1 * norm.ppf(1 / 64), 0.1, (2, 64, 64)).astype(np.float32)).double()
        w.requires_grad_()
        optimizer = torch.optim.SGD([w], lr=trial.rate)
        for _ in range(12):
            optimizer.zero_grad()
            v = StraightThrough.apply(w)
            hidden = torch.tanh(draw.x_train[run] @ v[0].T)
            score = torch.nn.functional.softplus(torch.tanh(hidden @ v[1].T).sum(-1))
            (score * (1 - 2 * draw.y_train[run])).mean().backward()
            optimizer.step()
            clipped += int((w.detach().abs() > 1).sum())
            with torch.no_grad():
                w.clamp_(-1, 1)
        assert torch.equal(found[run], (w.detach() >= 0).double())
    assert clipped > 100


def literal_gradient(v, x, y):
    """Gradient of F by numpy, one object after another."""
    gradient = np.zeros_like(v)
    for row, label in zip(x, y, strict=True):
        a = np.tanh(v[0] @ row)
        b = np.tanh(v[1] @ a)
        back = (1 - 2 * label) * expit(b.sum()) / len(x) * (1 - b**2)
        gradient[1] += np.outer(back, a)
        gradient[0] += np.outer((v[1].T @ back) * (1 - a**2), row)
    return gradient


def test_edge_popup_agrees_with_a_literal_transcription(draw):
    trial, steps = TRIALS["edge-popup"], 10
    found = fit("edge-popup", draw, trial, seed=5, steps=steps).weights
    for run, rng in enumerate(generators("edge-popup", 3)):
        scores = rng.normal(0, 0.1, (2, 64, 64)).astype(np.float32).astype(np.float64)
        for step in range(steps + 1):
            v = np.zeros_like(scores)
            for layer in range(2):
                ranked = sorted(np.ndindex(64, 64), key=lambda place: -scores[layer][place])
                for place in ranked[: 2 * 64]:
                    v[layer][place] = 1
            if step < steps:
                scores -= trial.rate * literal_gradient(v, draw.x_train[run].numpy(), draw.y_train[run].numpy())
        np.testing.assert_array_equal(found[run], v)
    start = fit("edge-popup", draw, trial, seed=5, steps=0).weights
    assert (start != found).flatten(1).any(1).all()


def test_supermask_agrees_with_autograd_through_the_probability():
    """The drawn mask plus the probability minus itself: the value of the mask, the gradient of the probability."""
    draw, trial, steps = tiny_draw(4, runs=2), Trial(1, 20.0), 6
    found = fit("supermask", draw, trial, seed=5, steps=steps).weights
    for run, rng in enumerate(generators("supermask", 2)):
        scores = torch.full((2, 4, 4), float(logit(0.25)), dtype=torch.float64, requires_grad=True)
        for _ in range(steps):
            p = torch.sigmoid(scores)
            mask = (torch.from_numpy(rng.random((2, 4, 4))) < p).double()
            loss = network.loss(mask + p - p.detach(), draw.x_train[run], draw.y_train[run])
            (gradient,) = torch.autograd.grad(loss, scores)
            scores = (scores - trial.rate * gradient).detach().requires_grad_()
        assert torch.equal(found[run], (torch.sigmoid(scores) >= 0.5).double())
    assert 0 < found.mean() < 1


@pytest.mark.parametrize("width", [1, 2])
def test_supermask_moves_in_the_mean_as_all_networks_together(width, monkeypatch):
    """One step of 4,000 runs against the mean over all networks, each with its probability."""
    runs, density = 4000, 0.5
    one = tiny_draw(width)
    many = Draw(*(t.expand(runs, *t.shape[1:]) for t in (one.x_train, one.y_train, one.x_test, one.y_test)))
    moved = []
    monkeypatch.setattr(peers, "hard_step", lambda scores: moved.append(scores.clone()) or (scores >= 0).double())
    fit("supermask", many, Trial(density * width, 1.0), seed=5, steps=1)
    expected = torch.zeros(2, width, width, dtype=torch.float64)
    for bits in itertools.product([0.0, 1.0], repeat=2 * width**2):
        v = torch.tensor(bits, dtype=torch.float64).view(2, width, width).requires_grad_()
        (gradient,) = torch.autograd.grad(network.loss(v, one.x_train[0], one.y_train[0]), v)
        expected -= 0.5 ** (2 * width**2) * gradient * 0.25
    error = torch.stack(moved).std(0) / runs**0.5
    assert (((torch.stack(moved).mean(0) - expected) / error.clamp_min(1e-12)).abs() < 4).all()
    assert (expected.abs() > 5 * error).any()


def test_supermask_draws_an_edge_with_its_probability(monkeypatch):
    seen = []
    gradient = network.loss_gradient
    monkeypatch.setattr(network, "loss_gradient", lambda v, x, y: seen.append(v) or gradient(v, x, y))
    fit("supermask", tiny_draw(4, runs=2000), Trial(1, 1e-9), seed=5, steps=5)
    drawn = torch.stack(seen)
    assert ((drawn == 0) | (drawn == 1)).all()
    assert float(drawn.mean()) == pytest.approx(0.25, abs=4 * (0.1875 / drawn.numel()) ** 0.5)
    assert drawn.mean((0, 1)).sub(0.25).abs().max() < 5 * (0.1875 / 10_000) ** 0.5


def loss(v, draw):
    return float(network.loss(v, draw.x_train[0].double(), draw.y_train[0]))


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("most", [1, 4])
def test_greedy_ends_where_no_single_flip_helps(width, most):
    draw = tiny_draw(width)
    for seed in range(5):
        found = peers._greedy_flips(draw, Trial(0.5 * width, most), [np.random.default_rng(seed)], steps=1000)[0]
        for place in np.ndindex(*found.shape):
            flipped = found.clone()
            flipped[place] = 1 - flipped[place]
            assert loss(flipped, draw) > loss(found, draw) - 1e-9


@pytest.mark.parametrize("most", [1, 8])
def test_greedy_never_raises_the_objective_and_spends_what_gradients_would_cost(draw, most, monkeypatch):
    """Every loss and gradient is counted, two products a loss and five a gradient; the course is written down."""
    spent, course = [0], []
    true_loss, true_gradient = network.loss, network.loss_gradient

    def counted_loss(v, x, y):
        spent[0] += 2
        return true_loss(v, x, y)

    def counted_gradient(v, x, y):
        spent[0] += 5
        course.append(float(true_loss(v, x, y)))
        return true_gradient(v, x, y)

    monkeypatch.setattr(network, "loss", counted_loss)
    monkeypatch.setattr(network, "loss_gradient", counted_gradient)
    steps = 30
    found = fit("greedy", draw[0], Trial(1, most), seed=5, steps=steps).weights[0]
    assert 5 * steps - 7 < spent[0] <= 5 * steps
    assert len(course) > 5
    assert (np.diff(course) < 0).all()
    assert float(true_loss(found, draw.x_train[0], draw.y_train[0])) == pytest.approx(course[-1])


def test_greedy_takes_the_best_promise_first(draw):
    """With a budget for a single flip, it is the one whose gradient promises the largest fall."""
    rng = np.random.default_rng(3)
    start = (rng.random((2, 64, 64)) < 1 / 64).astype(np.float64)
    promise = literal_gradient(start, draw.x_train[0].numpy(), draw.y_train[0].numpy()) * (1 - 2 * start)
    found = peers._greedy_flips(draw[0], Trial(1, 1), [np.random.default_rng(3)], steps=3)[0].numpy()
    assert (found != start).sum() == 1
    assert promise[found != start][0] == pytest.approx(promise.min(), abs=1e-11)


@pytest.mark.parametrize("peer", PEERS)
def test_weights_are_zero_and_one_and_lower_the_objective(draw, peer):
    start, end = (fit(peer, draw, TRIALS[peer], seed=5, steps=steps).weights for steps in (1, 60))
    for weights in (start, end):
        assert weights.shape == (3, 2, 64, 64)
        assert ((weights == 0) | (weights == 1)).all()
    losses = [network.loss(weights, draw.x_train, draw.y_train) for weights in (start, end)]
    assert (losses[1] < losses[0] - 0.1).all()


@pytest.mark.parametrize("peer", PEERS)
def test_a_run_depends_on_the_seed_and_its_number_alone(draw, peer):
    together = fit(peer, draw, TRIALS[peer], seed=5, steps=20)
    alone = fit(peer, draw[1], TRIALS[peer], seed=5, steps=20, timed=True)
    assert torch.equal(alone.weights[0], together.weights[1])
    assert float(alone.seconds) > 0
    assert together.seconds.isnan().all()
    another_seed = fit(peer, draw[1], TRIALS[peer], seed=6, steps=20)
    assert not torch.equal(another_seed.weights, alone.weights)


def test_precision_is_that_of_the_draw(draw):
    for peer in PEERS:
        assert fit(peer, draw.to(torch.float32), TRIALS[peer], seed=5, steps=2).weights.dtype == torch.float32
        assert fit(peer, draw, TRIALS[peer], seed=5, steps=2).weights.dtype == torch.float64


def test_every_peer_has_as_many_trials_as_bin():
    assert set(GRID) == {"bin", *PEERS}
    assert all(len(set(trials)) == 12 for trials in GRID.values())


def test_the_best_trial_is_chosen_and_the_first_where_they_tie():
    rows = [(peer, edges, 0.1, value) for peer in GRID for edges, value in ((1, 0.6), (2, 0.8), (4, 0.8))]
    trials = pd.DataFrame(rows, columns=["peer", "edges", "rate", "validation_auc"])
    assert best_trials(trials) == dict.fromkeys(GRID, Trial(2, 0.1))


def test_test_objects_have_no_say_in_the_trials():
    grid = {peer: trials[4:6] for peer, trials in GRID.items()}
    draw = Task("mnist", 1, 2, 20, 10).draw(2, seed=0)
    spoilt = Draw(draw.x_train, draw.y_train, draw.x_test * torch.nan, 1 - draw.y_test)
    trials = peers.tune([draw], steps=10, grid=grid)
    assert trials.groupby("peer").size().to_dict() == dict.fromkeys(GRID, 2)
    pd.testing.assert_frame_equal(trials, peers.tune([spoilt], steps=10, grid=grid))
    alone = peers.tune([draw], steps=10, grid={"greedy": grid["greedy"][1:]})
    pd.testing.assert_frame_equal(
        alone, trials[trials["peer"] == "greedy"].tail(1).reset_index(drop=True), check_dtype=False
    )


@pytest.mark.parametrize("task", [Task("citeseer", "DB", "IR", 20, 10), Task("mnist", 1, 2, 20, 10)])
def test_reference_points_are_the_areas_of_all_models(task):
    """The rows of a model are what it reaches by itself on the task's draw."""
    found = peers.reference_points(task, TRIALS, runs=2, seed=1)
    assert list(found.columns[:6]) == ["dataset", "task", "size", "model", "run", "auc"]
    assert list(found["model"].unique()) == ["bin", *PEERS, *CLASSIFIERS]
    found = found.set_index("model")
    drawn = task.draw(2, 1).to(torch.float64)
    sources = [np.random.default_rng([1, 5, run]) for run in range(2)]
    start = start_by_density(1 / drawn.width, 0.1).sample(sources, drawn.width).double()
    networks = {"bin": descend(drawn, start, BINARY(50, 5), 200, 0.03).weights}
    networks["greedy"] = fit("greedy", drawn, TRIALS["greedy"], 1).weights
    for model, weights in networks.items():
        np.testing.assert_allclose(found["auc"][model], auc(weights, drawn))
        np.testing.assert_allclose(found["density_1"][model], weights[:, 0].mean((1, 2)))
        np.testing.assert_allclose(
            found["train_loss"][model], network.loss(weights, drawn.x_train, drawn.y_train), atol=1e-9
        )
    np.testing.assert_allclose(found["auc"][LOGISTIC], classifier_auc(LOGISTIC, drawn))


def test_standing_counts_clear_cases_only():
    rng = np.random.default_rng(0)
    noise = {run: rng.normal(0, 0.01) for run in range(10)}
    shifts = {"bin": 0.8, "worse": 0.7, "better": 0.9, "same": 0.8}
    results = pd.DataFrame(
        [
            (task, 100, model, run, shift + noise[run])
            for task in ("a", "b")
            for model, shift in shifts.items()
            for run in noise
        ],
        columns=["task", "size", "model", "run", "auc"],
    )
    compared = peers.margins(results)
    assert len(compared) == 6
    np.testing.assert_allclose(compared[compared["other"] == "worse"]["margin"], 0.1)
    counts = peers.standing(compared)
    assert counts.to_dict("index") == {
        "worse": {"ahead": 2, "unclear": 0, "behind": 0},
        "better": {"ahead": 0, "unclear": 0, "behind": 2},
        "same": {"ahead": 0, "unclear": 2, "behind": 0},
    }


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Trial(0, 1), "edges of a trial is 0; expected a positive number"),
        (lambda: Trial(1, -1), "rate of a trial is -1"),
        (lambda: fit("magic", None, Trial(1, 1), 0), "Unknown peer 'magic'; expected one of bin, straight-through"),
    ],
)
def test_what_makes_no_sense_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
