import numpy as np
import pytest
import torch

from wfhelpers._support import InputError
from wfhelpers.core import network
from wfhelpers.core.binarize import hard_step
from wfhelpers.core.evaluation import auc
from wfhelpers.core.strategies import SPARSE, Start
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import BINARY, FREE, SQUARE, descend

ALGORITHM_1 = BINARY(50, 5)
EVERY_PARAMETRIZATION = {"binary": (ALGORITHM_1, SPARSE), "square": (SQUARE, Start(0.3)), "free": (FREE, Start(0.1))}


@pytest.fixture(scope="module")
def draw() -> Draw:
    return Task("mnist", 4, 9, 100, 50).draw(10, seed=0)


def start_of(start: Start, runs: int, width: int = 64) -> torch.Tensor:
    return start.sample([np.random.default_rng([7, run]) for run in range(runs)], width)


def algorithm_1(w, x, y, steps, rate, M_hard, M_soft, batch):
    """Algorithm 1 as the paper prints it: one run, float64, one object after another."""

    def sigmoid(value):
        return 1 / (1 + np.exp(-value))

    (w1, w2), n = w.astype(float), len(x)
    states = []
    for t in range(steps):
        chosen = [(t * batch + offset) % n for offset in range(batch)]
        v1, v2 = sigmoid(M_hard * w1), sigmoid(M_hard * w2)
        g1, g2 = np.zeros_like(v1), np.zeros_like(v2)
        for i in chosen:
            a = np.tanh(v1 @ x[i])
            b = np.tanh(v2 @ a)
            into_b = (1 - 2 * y[i]) * sigmoid(b.sum()) * (1 - b**2)
            g2 += np.outer(into_b, a)
            g1 += np.outer((v2.T @ into_b) * (1 - a**2), x[i])
        w1 = w1 - rate / batch * g1 * M_soft * sigmoid(M_soft * w1) * (1 - sigmoid(M_soft * w1))
        w2 = w2 - rate / batch * g2 * M_soft * sigmoid(M_soft * w2) * (1 - sigmoid(M_soft * w2))
        states.append(np.stack([w1, w2]))
    return states


@pytest.mark.parametrize("batch", [None, 30])
def test_engine_follows_algorithm_1_step_by_step(draw, batch):
    one, start = draw[3], start_of(SPARSE, 1)
    seen = []
    descend(one, start, ALGORITHM_1, 50, 0.1, batch=batch, watch=lambda _, w: seen.append(w[0].clone().numpy()))
    x, y = one.x_train[0].double().numpy(), one.y_train[0].numpy()
    literal = algorithm_1(start[0].numpy(), x, y, 50, 0.1, 50, 5, batch or len(x))
    for engine, transcription in zip(seen[1:], literal, strict=True):
        np.testing.assert_allclose(engine, transcription, rtol=0, atol=1e-5)
    assert np.abs(seen[-1] - seen[0]).max() > 0.1, "the weights did not move: nothing was compared"


@pytest.mark.parametrize("name", EVERY_PARAMETRIZATION)
@pytest.mark.parametrize("masked", [False, True])
def test_engine_follows_autograd(draw, name, masked):
    parametrization, start = EVERY_PARAMETRIZATION[name]
    draw = draw[:2].to(torch.float64)
    w = start_of(start, 2).double()
    mask = (torch.rand(w.shape, generator=torch.Generator().manual_seed(0)) < 0.5).double() if masked else None
    trained = descend(draw, w, parametrization, 20, lambda step: 0.5 / step, mask)
    for step in range(1, 21):
        v = parametrization.forward(w) * (1 if mask is None else mask)
        v.requires_grad_()
        network.loss(v, draw.x_train, draw.y_train).sum().backward()
        slope = parametrization.slope(w) * (1 if mask is None else mask)
        w = w - 0.5 / step * v.grad * slope
    torch.testing.assert_close(trained.latent, w, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", EVERY_PARAMETRIZATION)
def test_slope_is_the_derivative_of_forward(name):
    parametrization = BINARY(5, 5) if name == "binary" else EVERY_PARAMETRIZATION[name][0]
    w = torch.linspace(-2, 2, 41, dtype=torch.float64)
    forward = parametrization.forward
    difference = (forward(w + 1e-6) - forward(w - 1e-6)) / 2e-6
    torch.testing.assert_close(parametrization.slope(w), difference, rtol=0, atol=1e-8)


def test_missing_factor_only_rescales_the_rate(draw):
    start = start_of(SPARSE, 10)
    scaled = descend(draw, start, BINARY(50, 5), 50, 0.1)
    unscaled = descend(draw, start, BINARY(50, 5, unscaled_slope=True), 50, 0.5)
    torch.testing.assert_close(scaled.latent, unscaled.latent, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", EVERY_PARAMETRIZATION)
def test_a_run_alone_equals_the_run_in_a_batch_of_100(name):
    parametrization, start = EVERY_PARAMETRIZATION[name]
    draw = Task("mnist", 4, 9, 50, 50).draw(100, seed=1)
    starts = start_of(start, 100)
    together = {steps: descend(draw, starts, parametrization, steps, 0.1) for steps in (50, 200)}
    for run in (0, 57, 99):
        alone = {steps: descend(draw[run], starts[run : run + 1], parametrization, steps, 0.1) for steps in (50, 200)}
        torch.testing.assert_close(alone[50].latent[0], together[50].latent[run], rtol=0, atol=1e-6)
        difference = auc(alone[200].weights, draw[run]) - auc(together[200].weights[run : run + 1], draw[run])
        assert float(difference.abs().max()) <= 0.01


def test_the_same_call_gives_the_same_bits_with_one_thread_and_two(draw):
    start, before = start_of(SPARSE, 10), torch.get_num_threads()
    try:
        results = []
        for threads in (1, 2, 2):
            torch.set_num_threads(threads)
            results.append(descend(draw, start, ALGORITHM_1, 20, 0.1).latent)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[1], results[2])


def test_watching_changes_nothing(draw):
    start = start_of(SPARSE, 10)
    steps: list[int] = []
    watched = descend(draw, start, ALGORITHM_1, 20, 0.1, watch=lambda step, _: steps.append(step), every=5)
    assert steps == [0, 5, 10, 15, 20]
    assert torch.equal(watched.latent, descend(draw, start, ALGORITHM_1, 20, 0.1).latent)


def test_further_leading_axes_train_several_networks_a_run(draw):
    starts = torch.stack([start_of(SPARSE, 10), start_of(Start(0.2, None), 10)])
    both = descend(draw, starts, ALGORITHM_1, 20, 0.1)
    torch.testing.assert_close(both.latent[1], descend(draw, starts[1], ALGORITHM_1, 20, 0.1).latent, rtol=0, atol=1e-6)


def test_training_lowers_the_loss_and_a_zero_mean_start_never_moves(draw):
    def loss(weights):
        return network.loss(weights, draw.x_train, draw.y_train)

    sparse, dense = start_of(SPARSE, 10), start_of(Start(1.0), 10)
    assert (loss(descend(draw, sparse, ALGORITHM_1, 100, 0.1).weights) < loss(hard_step(sparse)) - 1).all()
    assert torch.equal(descend(draw, dense, ALGORITHM_1, 100, 0.1).weights, hard_step(dense))


def test_masked_weights_stay_zero(draw):
    mask = torch.zeros(10, 2, 64, 64)
    mask[..., ::2] = 1
    trained = descend(draw, start_of(Start(0.3), 10), SQUARE, 10, 0.1, mask)
    assert (trained.weights[..., 1::2] == 0).all()
    assert (trained.weights[..., ::2] > 0).any()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": torch.zeros(9, 2, 64, 64)}, "start has shape"),
        ({"steps": -1}, "steps is -1"),
        ({"rate": -0.1}, "rate is -0.1"),
        ({"rate": float("nan")}, "rate is nan"),
        ({"mask": torch.full((10, 2, 64, 64), 0.5)}, "other than 0 and 1"),
        ({"batch": 0}, "batch is 0"),
        ({"batch": 201}, "batch is 201; expected 1 to 200 objects"),
        ({"every": 0}, "every is 0"),
    ],
)
def test_bad_input_gets_one_sentence(draw, change, words):
    call = {"start": torch.zeros(10, 2, 64, 64), "parametrization": FREE, "steps": 1, "rate": 0.1} | change
    with pytest.raises(InputError, match=words):
        descend(draw, **call)


@pytest.mark.parametrize("name", ["binary", "square"])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("batch", [None, 30, 200])
def test_the_compiled_loop_follows_double_precision(draw, name, masked, batch):
    parametrization, start = EVERY_PARAMETRIZATION[name]
    w = start_of(start, 10)
    mask = (torch.rand(w.shape, generator=torch.Generator().manual_seed(0)) < 0.5).float() if masked else None
    fast = descend(draw, w, parametrization, 40, 0.05, mask, batch)
    exact = descend(draw.to(torch.float64), w.double(), parametrization, 40, 0.05, mask, batch)
    torch.testing.assert_close(fast.latent.double(), exact.latent, rtol=0, atol=2e-5)
    torch.testing.assert_close(fast.weights.double(), exact.weights, rtol=0, atol=2e-5)
    assert (exact.latent - w).abs().max() > 0.01, "the weights did not move: nothing was compared"


@pytest.mark.parametrize("width", [1, 3, 7])
def test_the_compiled_loop_knows_every_width(width):
    rng = np.random.default_rng(0)
    x, y = torch.from_numpy(rng.random((2, 9, width))).float(), torch.arange(18).reshape(2, 9) % 2
    odd = Draw(x, y.float(), x, y.float())
    w = torch.from_numpy(rng.normal(size=(2, 2, width, width))).float()
    fast, exact = (
        descend(odd, w.to(dtype), SQUARE, 30, 0.1, batch=4).latent for dtype in (torch.float32, torch.float64)
    )
    torch.testing.assert_close(fast.double(), exact, rtol=0, atol=1e-5)
