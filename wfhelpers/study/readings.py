"""Other readings of the gaps, each as a change of the case that this book chose: data, settings, training, judging.

`wfhelpers.study.sensitivity` measures what they change.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor

from wfhelpers.core import data, network
from wfhelpers.core.evaluation import auc, auc_of_scores
from wfhelpers.core.strategies import CHARITABLE, PERCENTILES, STRATEGIES, Settings, Start, fit, strategy_of
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import BINARY, SQUARE, Parametrization, descend
from wfhelpers.study.comparison import tied_pairs, with_signs


def train(models: Sequence[str], draw: Draw, settings: Settings, seed: int) -> dict[str, Tensor]:
    """Weights of some models, as `strategies.fit` gives them. What nobody asked for is not derived."""
    made: dict[str, Tensor] = {}
    for strategy in dict.fromkeys(map(strategy_of, models)):
        wanted = [model for model in models if strategy_of(model) == strategy]
        if wanted in (["bin"], ["real"]):
            start, parametrization, rate = way(strategy, draw, settings, seed)
            trained = descend(draw, start, parametrization, settings.steps, rate, batch=settings.batch)
            made[strategy] = trained.weights
        else:
            fitted = fit(strategy, draw, settings, seed)
            made |= {model: fitted[model].weights for model in wanted}
    return made


def way(model: str, draw: Draw, settings: Settings, seed: int) -> tuple[Tensor, Parametrization, float]:
    """Start, parametrization and rate of the training of ``bin`` or ``real``."""
    binary = BINARY(settings.M_hard, settings.M_soft, unscaled_slope=settings.unscaled_slope)
    training, parametrization = (settings.bin, binary) if model == "bin" else (settings.real, SQUARE)
    return sampled(training.start, model, draw, seed), parametrization, training.rate


def sampled(start: Start, strategy: str, draw: Draw, seed: int) -> Tensor:
    """First numbers of every run, those of `strategies.fit`, in the precision of the draw."""
    generators = [np.random.default_rng([seed, STRATEGIES.index(strategy), run]) for run in draw.run_ids]
    return start.sample(generators, draw.width).to(draw.x_train.dtype)


@dataclass(frozen=True)
class Case:
    """All that a reading may change: what is trained on what, and how it is judged.

    Attributes
    ----------
    task, settings
        The task, and the settings of the trainings.
    draw
        ``draw(task, runs, seed)`` gives the objects.
    train
        ``train(models, draw, settings, seed)`` gives the weights of some models.
    judge
        ``judge(weights, draw)`` gives one AUC a run.
    """

    task: Task
    settings: Settings = CHARITABLE
    # Made by factories: a function that stands in a class is taken for a method of it.
    draw: Callable[[Task, int, int], Draw] = field(default_factory=lambda: Task.draw)
    train: Callable[[Sequence[str], Draw, Settings, int], dict[str, Tensor]] = field(default_factory=lambda: train)
    judge: Callable[[Tensor, Draw], Tensor] = field(default_factory=lambda: auc)

    def areas(self, models: Sequence[str], runs: int, seed: int) -> pd.DataFrame:
        """AUC of some models, one row a run."""
        draw = self.draw(self.task, runs, seed)
        weights = self.train(models, draw, self.settings, seed)
        return pd.DataFrame({model: self.judge(weights[model], draw).numpy() for model in models})


@dataclass(frozen=True)
class Reading:
    """Another reading of a gap.

    Attributes
    ----------
    gap
        Number in `GAPS`.
    choice
        What is chosen, in a few words.
    chosen, other
        The reading of this book, and the other one.
    change
        Makes the other case from ours.
    models
        Models that it may change.
    dataset
        Data set that it speaks of; every one if empty.
    """

    gap: int
    choice: str
    chosen: str
    other: str
    change: Callable[[Case], Case]
    models: tuple[str, ...] = ("bin",)
    dataset: str = ""


# Changes: of settings and of data


def _settings(**fields: object) -> Callable[[Case], Case]:
    return lambda case: replace(case, settings=replace(case.settings, **fields))  # type: ignore[arg-type]


def _start(model: str, start: Start) -> Callable[[Case], Case]:
    def change(case: Case) -> Case:
        training = replace(getattr(case.settings, model), start=start)
        return replace(case, settings=replace(case.settings, **{model: training}))

    return change


def _rate(model: str, rate: float) -> Callable[[Case], Case]:
    def change(case: Case) -> Case:
        training = replace(getattr(case.settings, model), rate=rate)
        return replace(case, settings=replace(case.settings, **{model: training}))

    return change


def _loaded(**options: object) -> Callable[[Case], Case]:
    """The same rows of a data set that was prepared otherwise."""

    def change(case: Case) -> Case:
        task = case.task
        loaded = data.load(task.dataset.name, **options)  # type: ignore[arg-type]
        return replace(case, task=Task(loaded, task.negative, task.positive, task.train_per_class, task.test_per_class))

    return change


def _signs(seed: int | None) -> Callable[[Case], Case]:
    """Random signs of the features; all flipped if there is no seed."""

    def change(case: Case) -> Case:
        width = case.task.dataset.features.shape[1]
        random = np.random.default_rng(seed).choice([-1, 1], width)
        return replace(case, task=with_signs(case.task, random if seed is not None else np.full(width, -1)))

    return change


def in_double(task: Task, runs: int, seed: int) -> Draw:
    """Objects in double precision, in which networks are then trained."""
    return task.draw(runs, seed).to(torch.float64)


def components_of_training_objects(words: NDArray[np.float64] | csr_array, task: Task, runs: int, seed: int) -> Draw:
    """The task's draw with features made from ``words`` by the principal components of each run's training objects.

    Row n of ``words`` belongs to object n of the data set. A test object is projected, but never looked at before.
    """
    draw = task.draw(runs, seed)
    train, test = [], []
    for run in range(runs):
        rows, test_rows = task.rows(seed, run)
        seen = words[rows].toarray() if isinstance(words, csr_array) else words[rows]
        mean, axes = data.principal_axes(seen)
        train.append(data.unit_rows(data.project(seen, mean, axes)))
        test.append(data.unit_rows(data.project(words[test_rows], mean, axes)))
    return replace(draw, x_train=torch.from_numpy(np.stack(train)), x_test=torch.from_numpy(np.stack(test)))


def _citeseer_from_training_objects(task: Task, runs: int, seed: int) -> Draw:
    return components_of_training_objects(data.citeseer_words()[0], task, runs, seed)


# Changes of training and of judging


def train_with_relu(models: Sequence[str], draw: Draw, settings: Settings, seed: int) -> dict[str, Tensor]:
    """Weights of ``bin`` and ``real`` trained with ``max(0, z)`` where eq. (11) has ``log(1 + e^z)``."""
    made = {}
    for model in models:
        w, parametrization, rate = way(model, draw, settings, seed)
        v, slope = torch.empty_like(w), torch.empty_like(w)
        for _ in range(settings.steps):
            gradient = relu_gradient(parametrization.forward(w, v), draw.x_train, draw.y_train)
            w.addcmul_(gradient, parametrization.slope(w, slope), value=-rate)
        made[model] = parametrization.extract(w)
    return made


def relu_gradient(weights: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Gradient of eq. (12) with ``max(0, z)`` for the softplus: as `network.loss_gradient`, with a step for sigmoid."""
    first, second = weights.unbind(-3)
    a = torch.tanh(x @ first.mT)
    b = torch.tanh(a @ second.mT)
    into_z = (b.sum(-1) > 0) * network.label_sign(y, x.dtype) / x.shape[-2]
    into_second = into_z[..., None] * (1 - b * b)
    into_first = (into_second @ second) * (1 - a * a)
    return torch.stack([into_first.mT @ x, into_second.mT @ a], -3)


def relu_auc(weights: Tensor, draw: Draw) -> Tensor:
    """AUC of the scores ``max(0, z)``: objects with a negative z tie."""
    return auc_of_scores(_sums(weights, draw).relu(), draw.y_test)


def auc_without_ties(weights: Tensor, draw: Draw) -> Tensor:
    """Share of pairs that are in the right order, where a tie counts nothing."""
    sums = _sums(weights, draw)
    return auc_of_scores(sums, draw.y_test) - tied_pairs(sums, draw.y_test) / 2


def auc_of_single_psi(weights: Tensor, draw: Draw) -> Tensor:
    """AUC of psi itself, computed in single precision."""
    return auc_of_scores(network.score(weights.float(), draw.x_test.float()), draw.y_test)


def auc_on_half(weights: Tensor, draw: Draw) -> Tensor:
    """AUC on the first half of the test objects of each label: half as many in all."""
    places = [(draw.y_test == label).nonzero()[:, 1].reshape(draw.runs, -1) for label in (0, 1)]
    kept = torch.cat([each[:, : (each.shape[1] + 1) // 2] for each in places], 1)
    x, y = draw.x_test.gather(1, kept[..., None].expand(-1, -1, draw.width)), draw.y_test.gather(1, kept)
    return auc(weights, replace(draw, x_test=x, y_test=y))


def _sums(weights: Tensor, draw: Draw) -> Tensor:
    """Sums that `wfhelpers.core.evaluation.auc` orders the objects by."""
    return network.presum(weights.double(), draw.x_test.double()).round(decimals=10)


def train_lottery_as_printed(models: Sequence[str], draw: Draw, settings: Settings, seed: int) -> dict[str, Tensor]:
    """Model ``lottery-bin`` as printed: the pruned weights times their cut, which is not binary."""
    made = train(["lottery", "lottery-bin"], draw, settings, seed)
    made["lottery-bin"] = made["lottery"] * made["lottery-bin"]
    return {model: made[model] for model in models}


def train_and_cut_lower(models: Sequence[str], draw: Draw, settings: Settings, seed: int) -> dict[str, Tensor]:
    """Models ``real-bin`` and ``random-bin`` cut at the 0th, 10th, ..., 90th percentile, with the full network."""
    return {
        model: _cut_lower(train([strategy_of(model)], draw, settings, seed)[strategy_of(model)], draw)
        for model in models
    }


def _cut_lower(weights: Tensor, draw: Draw) -> Tensor:
    """Cut of eq. (13) that `strategies.cut` makes, with every percentile lowered by ten."""
    levels = torch.tensor([percentile / 100 - 0.1 for percentile in PERCENTILES], dtype=weights.dtype)
    thresholds = torch.quantile(weights.flatten(1), levels.clamp_min(0), dim=1)
    candidates = ((weights >= thresholds[..., None, None, None]) & (weights > 0)).to(weights.dtype)
    losses = [network.loss(each.double(), draw.x_train.double(), draw.y_train) for each in candidates]
    rounded = torch.stack(losses).round(decimals=9)
    first = (rounded == rounded.min(0).values).int().argmax(0)
    return candidates[first, torch.arange(draw.runs)]


READINGS = (
    Reading(1, "derivative", "M B (1 − B)", "B (1 − B)", _settings(unscaled_slope=True)),
    Reading(
        2,
        "“ReLU”",
        "log(1 + e^z)",
        "max(0, z)",
        lambda case: replace(case, train=train_with_relu, judge=relu_auc),
        ("bin", "real"),
    ),
    Reading(3, "M_soft", "M_hard / 10", "M_hard", _settings(M_soft=50.0)),
    Reading(4, "start of bin", "density 1/64, s = 0.1", "N(0, 1)", _start("bin", Start())),
    Reading(4, "start of bin", "density 1/64, s = 0.1", "N(0, 0.1²)", _start("bin", Start(0.1))),
    Reading(4, "start of real", "N(0, 1)", "N(0, 0.3²)", _start("real", Start(0.3)), ("real",)),
    Reading(4, "start of real", "N(0, 1)", "N(0, 0.1²)", _start("real", Start(0.1)), ("real",)),
    Reading(4, "start of bin→real", "weights 1", "N(0, 1)", _start("bin_real", Start()), ("bin-real",)),
    Reading(5, "rate of bin", "0.01", "0.003", _rate("bin", 0.003)),
    Reading(5, "rate of bin", "0.01", "0.03", _rate("bin", 0.03)),
    Reading(5, "rate of real", "0.1", "0.01", _rate("real", 0.01), ("real",)),
    Reading(5, "steps", "200", "50", _settings(steps=50), ("bin", "real")),
    Reading(5, "steps", "200", "400", _settings(steps=400), ("bin", "real")),
    Reading(5, "batch", "all objects", "20 objects", _settings(batch=20), ("bin", "real")),
    # Of bin alone: at the rate 0.1 of real, single objects throw it about so that another processor finds another AUC.
    Reading(5, "batch", "all objects", "1 object", _settings(batch=1)),
    Reading(6, "pooling", "mean", "max", _loaded(pooling="max"), ("bin", "real"), "mnist"),
    Reading(7, "centring", "centred", "not centred", _loaded(centred=False), ("bin", "real"), "citeseer"),
    Reading(
        7,
        "components",
        "of the corpus",
        "of the training objects",
        lambda case: replace(case, draw=_citeseer_from_training_objects),
        ("bin", "real"),
        "citeseer",
    ),
    Reading(
        8,
        "orientation",
        "as named",
        "groups swapped",
        lambda case: replace(case, task=case.task.swapped()),
        ("bin", "real"),
    ),
    Reading(9, "lottery", "prune only", "rewind, train again", _settings(lottery_retrain=True), ("lottery",)),
    Reading(9, "prunings", "T = 5", "T = 2", _settings(lottery_rounds=2), ("lottery",)),
    Reading(
        9,
        "lottery→bin",
        "w̃",
        "w ∘ w̃",
        lambda case: replace(case, train=train_lottery_as_printed),
        ("lottery-bin",),
    ),
    Reading(10, "agnostic search", "10 tensors", "1 tensor", _settings(agnostic_architectures=1), ("agnostic",)),
    Reading(10, "values of u₀ tried", "5", "1", _settings(agnostic_shared_weights=1), ("agnostic",)),
    Reading(
        10,
        "u₀ of agnostic→real",
        "drawn anew",
        "the best one",
        _settings(agnostic_fresh_weight=False),
        ("agnostic-real",),
    ),
    Reading(
        11,
        "how ties count",
        "half",
        "nothing",
        lambda case: replace(case, judge=auc_without_ties),
        ("bin", "real", "random"),
    ),
    Reading(
        12,
        "scores",
        "sum, double",
        "ψ, single",
        lambda case: replace(case, judge=auc_of_single_psi),
        ("bin", "real", "random"),
    ),
    Reading(
        12,
        "precision of training",
        "single",
        "double",
        lambda case: replace(case, draw=in_double),
        ("bin", "real"),
    ),
    Reading(
        13,
        "thresholds",
        "10th to 100th",
        "0th to 90th",
        lambda case: replace(case, train=train_and_cut_lower),
        ("real-bin", "random-bin"),
    ),
    Reading(
        16,
        "test objects",
        "50 a class",
        "25 a class",
        lambda case: replace(case, judge=auc_on_half),
        ("bin", "real"),
    ),
    Reading(23, "signs of components", "our rule", "all flipped", _signs(None), ("bin", "real"), "citeseer"),
    Reading(23, "signs of components", "our rule", "random", _signs(0), ("bin", "real"), "citeseer"),
)
"""Other readings of the gaps, with what is measured: all but those of `GAPS` that cannot change an AUC."""
