"""The five training strategies of Sec. 5 and the ten networks that they give.

`fit` trains one strategy on every run of a draw. Each strategy is a generator that yields its networks in the order in
which they come about, so that the time between two of them is the time that the second one took. Where the text leaves
a choice open, `Settings` has a field for it; a protocol (`wfhelpers.core.protocols`) is a full set of choices.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from scipy.special import ndtri
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.core import network
from wfhelpers.core.tasks import Draw
from wfhelpers.core.training import BINARY, SQUARE, Parametrization, descend

Generators = list[np.random.Generator]
Networks = Iterator[tuple[str, Tensor]]

STRATEGIES = ("real", "lottery", "bin", "random", "agnostic")
"""Identifiers of the five strategies."""

MODELS = (
    *("real", "real-bin", "lottery", "lottery-bin", "bin", "bin-real"),
    *("random", "random-bin", "agnostic", "agnostic-real"),
)
"""Identifiers of the ten models, each binary or real network after the one that it is derived from."""

OURS = ("bin", "bin-real")
"""Models of the paper's own method."""

REST = tuple(model for model in MODELS if model not in OURS)
BINARY_MODELS = ("real-bin", "lottery-bin", "bin", "random-bin", "agnostic")
PERCENTILES = tuple(range(10, 101, 10))
"""T_w of eq. (13): the percentiles of all weights at which a network may be cut."""


def strategy_of(model: str) -> str:
    """Strategy that a model belongs to: ``real-bin`` belongs to ``real``."""
    return model.split("-")[0]


def label(model: str) -> str:
    """Name of a model for people: ``real→bin`` for ``real-bin``."""
    return model.replace("-", "→")


@dataclass(frozen=True)
class Start:
    """Normal distribution ``N(mean, scale^2)`` of the numbers that training starts from.

    With ``mean=None`` it is ``scale * Phi^-1(1 / I)``, for which a share 1/I of the numbers is positive. A binary
    network of width I then has one edge per node on average, and the sums inside its tanh units stay near one.
    """

    scale: float = 1.0
    mean: float | None = 0.0

    def __post_init__(self) -> None:
        if not self.scale >= 0:
            raise InputError(f"The scale of a start is {self.scale}; expected 0 or a positive number.")

    def sample(self, sources: Generators, width: int) -> Tensor:
        """Start of one network per generator, ``[runs, 2, I, I]``."""
        mean = self.scale * float(ndtri(1 / width)) if self.mean is None else self.mean
        drawn = [generator.normal(mean, self.scale, (2, width, width)) for generator in sources]
        return torch.from_numpy(np.stack(drawn)).float()


SPARSE = Start(scale=0.1, mean=None)


def _check_counts(settings: object, names: Sequence[str], optional: Sequence[str]) -> None:
    for name in names:
        value = getattr(settings, name)
        if not (value is None and name in optional) and (not isinstance(value, int) or value < 1):
            raise InputError(f"{name} is {value!r}; expected a whole number of at least 1.")


@dataclass(frozen=True)
class Training:
    """Start and constant learning rate of one training; its updates and objects per update, unless as in `Settings`."""

    start: Start = Start()
    rate: float = 0.1
    steps: int | None = None
    batch: int | None = None

    def __post_init__(self) -> None:
        if not self.rate > 0:
            raise InputError(f"The learning rate is {self.rate}; expected a positive number.")
        _check_counts(self, ("steps", "batch"), optional=("steps", "batch"))


@dataclass(frozen=True)
class Settings:
    """Every choice that the ten models need. The defaults are the protocol literal.

    Attributes
    ----------
    real, lottery, bin, bin_real
        Start and rate of each training; ``bin_real`` is the fine-tuning of real weights on the architecture of ``bin``.
    real_bin, lottery_bin
        A training of its own for the network that ``real→bin`` and ``lottery→bin`` are cut from; if None, as in the
        text, they are cut from ``real`` and ``lottery``.
    random, shared
        Distribution of u in the random networks ``w = u^2``, and of the shared weight ``u_0`` of the agnostic ones.
    M_hard, M_soft, unscaled_slope
        Sharpness of the step forward and backward; whether the slope lacks the factor ``M_soft``, as in the main text.
    steps, batch
        Updates of each training, and objects per update (all of them if None).
    lottery_rounds, lottery_retrain
        Length T of the pruning sequence; whether the kept weights are rewound and trained again after each pruning.
    agnostic_architectures, agnostic_shared_weights, agnostic_fresh_weight
        Random weight tensors (each cut at ten percentiles) and shared weights tried on each; whether
        ``agnostic→real`` draws a new shared weight, as the text says, or keeps the best one.
    """

    real: Training = Training()
    lottery: Training = Training()
    bin: Training = Training()
    bin_real: Training = Training()
    real_bin: Training | None = None
    lottery_bin: Training | None = None
    random: Start = Start()
    shared: Start = Start()
    M_hard: float = 50.0
    M_soft: float = 5.0
    unscaled_slope: bool = False
    steps: int = 200
    batch: int | None = None
    lottery_rounds: int = 5
    lottery_retrain: bool = False
    agnostic_architectures: int = 10
    agnostic_shared_weights: int = 5
    agnostic_fresh_weight: bool = True

    def __post_init__(self) -> None:
        if not 0 < self.M_soft <= self.M_hard:
            raise InputError(f"M_soft is {self.M_soft} and M_hard is {self.M_hard}; expected 0 < M_soft <= M_hard.")
        counted = ("steps", "batch", "lottery_rounds", "agnostic_architectures", "agnostic_shared_weights")
        _check_counts(self, counted, optional=("batch",))


@dataclass(frozen=True)
class Fitted:
    """One model trained on every run: weights ``[runs, 2, I, I]``, and the processor time of each run.

    ``seconds_total`` counts the model that it was derived from, ``seconds`` does not; NaN where runs were trained
    together, since the time of a batch cannot be told apart into runs.
    """

    weights: Tensor
    seconds: Tensor
    seconds_total: Tensor


def fit(strategy: str, draw: Draw, settings: Settings, seed: int, *, timed: bool = False) -> dict[str, Fitted]:
    """Train one strategy of Sec. 5 on every run of the draw: its two models, by their identifiers.

    Run r depends on the seed and on r alone, not on the other runs. With ``timed`` every run is trained by itself.
    Training has the precision of the draw: ``draw.to(torch.float64)`` makes it slower, and rounds less.
    """
    if strategy not in _STRATEGIES:
        raise InputError(f"Unknown strategy {strategy!r}; expected one of {', '.join(STRATEGIES)}.")
    if timed:
        return _concatenate([_fit(strategy, draw[run : run + 1], settings, seed) for run in range(draw.runs)])
    untimed = torch.full((draw.runs,), torch.nan, dtype=torch.float64)
    fitted = _fit(strategy, draw, settings, seed)
    return {model: Fitted(result.weights, untimed, untimed) for model, result in fitted.items()}


def fit_all(draw: Draw, settings: Settings, seed: int, *, timed: bool = False) -> dict[str, Fitted]:
    """Train the five strategies: ten models, in the order of `MODELS`."""
    parts = [fit(strategy, draw, settings, seed, timed=timed) for strategy in STRATEGIES]
    return {model: result for part in parts for model, result in part.items()}


def generators(strategy: str | int, draw: Draw, seed: int) -> Generators:
    """Source of all random numbers of a strategy, one per run: it depends on the seed, the strategy and the run alone.

    A number in place of a name is for searches beyond the paper's five strategies.
    """
    number = STRATEGIES.index(strategy) if isinstance(strategy, str) else strategy
    return [np.random.default_rng([seed, number, int(run)]) for run in draw.run_ids]


def first_numbers(strategy: str, start: Start, draw: Draw, seed: int) -> Tensor:
    """First ``w`` of every run, drawn as `fit` draws it for the strategy, in the precision of the draw."""
    return start.sample(generators(strategy, draw, seed), draw.width).to(draw.x_train.dtype)


def cut(weights: Tensor, draw: Draw, percentiles: Sequence[int] = PERCENTILES) -> Tensor:
    """Binary network of eq. (13), ``B_infinity(w - xi)`` with the percentile ``xi`` that minimizes F.

    Ties go to the lowest percentile. A weight of zero is not an edge, whatever the percentile: what the lottery has
    pruned stays pruned.
    """
    candidates = _cuts(weights, percentiles)
    return _best(candidates, _train_loss(candidates, draw))


def _fit(strategy: str, draw: Draw, settings: Settings, seed: int) -> dict[str, Fitted]:
    by_itself = {"real-bin": settings.real_bin, "lottery-bin": settings.lottery_bin}
    fitted, total, begin = {}, 0.0, time.process_time()
    for model, weights in _STRATEGIES[strategy](draw, settings, generators(strategy, draw, seed)):
        seconds = time.process_time() - begin
        total = seconds if by_itself.get(model) else total + seconds
        fitted[model] = Fitted(weights, _seconds(seconds, draw), _seconds(total, draw))
        begin = time.process_time()
    return fitted


def _fit_real(draw: Draw, settings: Settings, sources: Generators) -> Networks:
    weights, own = _train_real(draw, settings, settings.real, sources), settings.real_bin
    yield "real", weights
    yield "real-bin", cut(_train_real(draw, settings, own, sources) if own else weights, draw)


def _fit_lottery(draw: Draw, settings: Settings, sources: Generators) -> Networks:
    weights, own = _prune(draw, settings, settings.lottery, sources), settings.lottery_bin
    yield "lottery", weights
    yield "lottery-bin", cut(_prune(draw, settings, own, sources) if own else weights, draw)


def _train_real(draw: Draw, settings: Settings, training: Training, sources: Generators) -> Tensor:
    return _train(draw, _start(training, draw, sources), SQUARE, settings, training)


def _prune(draw: Draw, settings: Settings, training: Training, sources: Generators) -> Tensor:
    """Best network of the pruning sequence that begins with a trained one."""
    start = _start(training, draw, sources)
    sequence = [_train(draw, start, SQUARE, settings, training)]
    for _ in range(settings.lottery_rounds - 1):
        kept = cut(sequence[-1], draw)
        if settings.lottery_retrain:
            sequence.append(_train(draw, start, SQUARE, settings, training, kept))
        else:
            sequence.append(sequence[-1] * kept)
    candidates = torch.stack(sequence)
    return _best(candidates, _train_loss(candidates, draw))


def _fit_bin(draw: Draw, settings: Settings, sources: Generators) -> Networks:
    binary = BINARY(settings.M_hard, settings.M_soft, unscaled_slope=settings.unscaled_slope)
    architecture = _train(draw, _start(settings.bin, draw, sources), binary, settings, settings.bin)
    yield "bin", architecture
    start = _start(settings.bin_real, draw, sources)
    yield "bin-real", _train(draw, start, SQUARE, settings, settings.bin_real, architecture)


def _fit_random(draw: Draw, settings: Settings, sources: Generators) -> Networks:
    weights = settings.random.sample(sources, draw.width).square()
    yield "random", weights
    yield "random-bin", cut(weights, draw)


def _fit_agnostic(draw: Draw, settings: Settings, sources: Generators) -> Iterator[tuple[str, Tensor]]:
    best_loss = torch.full((draw.runs,), torch.inf, dtype=torch.float64)
    best = torch.zeros(draw.runs, 2, draw.width, draw.width)
    best_shared = torch.ones(draw.runs)
    x = draw.x_train.double()
    for _ in range(settings.agnostic_architectures):
        weights = Start().sample(sources, draw.width).square()
        shared = _shared_weights(settings.shared, sources, settings.agnostic_shared_weights)
        for architecture in _cuts(weights):
            loss = network.loss_of_shared_weights(architecture.double(), shared.double(), x, draw.y_train)
            lowest, which = _rounded(loss).min(0)
            better = lowest < best_loss
            best_loss = torch.where(better, lowest, best_loss)
            best_shared = torch.where(better, shared.gather(0, which[None])[0], best_shared)
            best = torch.where(better[:, None, None, None], architecture, best)
    yield "agnostic", best
    if settings.agnostic_fresh_weight:
        best_shared = _shared_weights(settings.shared, sources, 1)[0]
    yield "agnostic-real", best_shared[:, None, None, None] * best


_STRATEGIES: dict[str, Callable[[Draw, Settings, Generators], Networks]] = dict(
    zip(STRATEGIES, (_fit_real, _fit_lottery, _fit_bin, _fit_random, _fit_agnostic), strict=True)
)


def _train(
    draw: Draw,
    start: Tensor,
    parametrization: Parametrization,
    settings: Settings,
    training: Training,
    mask: Tensor | None = None,
) -> Tensor:
    steps, batch = training.steps or settings.steps, training.batch or settings.batch
    return descend(draw, start, parametrization, steps, training.rate, mask, batch).weights


def _start(training: Training, draw: Draw, sources: Generators) -> Tensor:
    """Numbers that a training starts from, in the precision of the draw: the one that it is then trained in."""
    return training.start.sample(sources, draw.width).to(draw.x_train.dtype)


def _shared_weights(start: Start, sources: Generators, number: int) -> Tensor:
    """``number`` shared weights ``u_0`` for each run, ``[number, runs]``."""
    drawn = [generator.normal(start.mean or 0.0, start.scale, number) for generator in sources]
    return torch.from_numpy(np.stack(drawn, 1)).float()


def _cuts(weights: Tensor, percentiles: Sequence[int] = PERCENTILES) -> Tensor:
    """``B_infinity(w - xi)`` without edges of weight zero, for each percentile xi of all weights of a network."""
    levels = torch.tensor([percentile / 100 for percentile in percentiles], dtype=weights.dtype)
    thresholds = torch.quantile(weights.flatten(-3), levels, dim=-1)
    return ((weights >= thresholds[..., None, None, None]) & (weights > 0)).to(weights.dtype)


def _train_loss(weights: Tensor, draw: Draw) -> Tensor:
    """F on the training objects, one value per network, in float64."""
    losses = [
        network.loss(each.double(), draw.x_train.double(), draw.y_train)
        for each in weights.reshape(-1, *weights.shape[-4:])
    ]
    return _rounded(torch.stack(losses)).reshape(weights.shape[:-3])


def _rounded(losses: Tensor) -> Tensor:
    """Losses of which those that differ by rounding alone, as with saturated outputs, tie on every machine."""
    return losses.round(decimals=9)


def _best(candidates: Tensor, losses: Tensor) -> Tensor:
    """For each run the candidate ``[candidates, runs, 2, I, I]`` of the lowest loss, the first one where they tie."""
    lowest = losses.min(0).values
    first = (losses == lowest).int().argmax(0)
    return candidates[first, torch.arange(candidates.shape[1])]


def _seconds(value: float, draw: Draw) -> Tensor:
    return torch.full((draw.runs,), value, dtype=torch.float64)


def _concatenate(parts: list[dict[str, Fitted]]) -> dict[str, Fitted]:
    return {
        model: Fitted(*(torch.cat([getattr(part[model], field.name) for part in parts]) for field in fields(Fitted)))
        for model in parts[0]
    }
