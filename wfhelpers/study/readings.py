"""What the text leaves open or says twice: the gaps, and other readings of them, each as a change of this book's case.

The gaps are prose, in ``gaps.yml`` beside this module. A reading changes data, settings, training or judging;
`wfhelpers.study.sensitivity` measures what that does to the AUC.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
import yaml
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor

from wfhelpers.core import data, network, strategies
from wfhelpers.core.evaluation import auc, auc_of_scores, ordering_sums
from wfhelpers.core.protocols import CHARITABLE
from wfhelpers.core.strategies import PERCENTILES, Fitted, Settings, Start, Training, first_numbers, label, strategy_of
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import BINARY, SQUARE, Parametrization, descend

LEAD = "bin − real"
"""What the headline claim speaks of: median AUC of bin minus that of real."""


@dataclass(frozen=True)
class Gap:
    """A point at which the text can be read in more than one way, this book's reading of it, and its notebook."""

    number: int
    name: str
    place: str
    says: str
    reading: str
    why: str
    chapter: str
    beyond_auc: str = ""  # where another reading cannot change an AUC: what it changes instead
    decides: str = ""  # where it cannot, but changes the outcome of a claim: which one


@cache
def gaps() -> tuple[Gap, ...]:
    """Gaps by their number."""
    return tuple(Gap(**gap) for gap in yaml.safe_load(Path(__file__).with_name("gaps.yml").read_text(encoding="utf-8")))


def errata(effects: pd.DataFrame) -> str:
    """Table of the gaps in Markdown, with the effects of a table of `wfhelpers.study.sensitivity.joined`."""
    lines = ["| gap | the text says | our reading, and why | other readings: change of the AUC |", "|---|---|---|---|"]
    for gap in gaps():
        measured = "<br>".join(_measured(effects[effects["gap"] == str(gap.number)]))
        place = f"**{gap.number}** {gap.name}<br>{gap.place}<br>[chapter {int(gap.chapter[:2])}]({gap.chapter}.ipynb)"
        none = f"none, but decides **{gap.decides}**" if gap.decides else "none"
        columns = [place, gap.says, f"{gap.reading}. *{gap.why}*", measured or f"{none}. {gap.beyond_auc}"]
        lines.append(f"| {' | '.join(columns)} |")
    return "\n".join(lines)


def _measured(effects: pd.DataFrame) -> Iterator[str]:
    """One line per reading: its range over the tasks for the model that it changes most, and for a changed lead."""
    for (choice, other), rows in effects.groupby(["choice", "other"], sort=False):
        by_model = rows.groupby("model", sort=False)["effect"]
        most = by_model.agg(lambda values: values.abs().max()).drop(LEAD, errors="ignore")
        names = [str(most.idxmax()), *([LEAD] if {"bin", "real", LEAD} <= set(rows["model"]) else [])]
        ranges = []
        for name in names:
            ends = [signed(end).replace("-", "−") for end in by_model.get_group(name).agg(["min", "max"]).to_numpy()]
            ranges.append(f"{name if name == LEAD else label(name)} {' to '.join(dict.fromkeys(ends))}")
        yield f"{choice}: **{other}**, {', '.join(ranges)}"


def signed(value: float) -> str:
    """A number with its sign and two decimals: ``+0.42``."""
    return f"{round(value, 2) + 0.0:+.2f}"


def _train(models: Sequence[str], draw: Draw, settings: Settings, seed: int) -> dict[str, Tensor]:
    """Weights of some models, as `wfhelpers.core.strategies.fit` gives them. What nobody asked for is not derived."""
    weights: dict[str, Tensor] = {}
    for strategy in dict.fromkeys(map(strategy_of, models)):
        wanted = [model for model in models if strategy_of(model) == strategy]
        if wanted in (["bin"], ["real"]):
            start, parametrization, options = training_of(strategy, draw, settings, seed)
            weights[strategy] = descend(draw, start, parametrization, **options).weights
        else:
            fitted = strategies.fit(strategy, draw, settings, seed)
            weights |= {model: fitted[model].weights for model in wanted}
    return weights


def training_of(
    model: str, draw: Draw, settings: Settings, seed: int
) -> tuple[Tensor, Parametrization, dict[str, Any]]:
    """First numbers, parametrization, and steps, rate and batch of the training of ``bin`` or ``real``."""
    binary = BINARY(settings.M_hard, settings.M_soft, unscaled_slope=settings.unscaled_slope)
    training, parametrization = (settings.bin, binary) if model == "bin" else (settings.real, SQUARE)
    options = {
        "steps": training.steps or settings.steps,
        "rate": training.rate,
        "batch": training.batch or settings.batch,
    }
    return first_numbers(model, training.start, draw, seed), parametrization, options


def described(training: Training) -> str:
    """Start and rate of a training in a few signs: ``N(0, 0.3²), rate 0.1``; its updates where they are its own."""
    scale, mean = training.start.scale, training.start.mean
    start = f"N({mean or 0:g}, {scale:g}²)" if scale else f"all {mean:g}"
    words = f"{f'sparse, scale {scale:g}' if mean is None else start}, rate {training.rate:g}"
    if training.steps is None:
        return words
    return f"{words}, {training.steps} updates by {training.batch or 'all'} objects"


@dataclass(frozen=True)
class Case:
    """All that a reading may change: what is trained on what, and how it is judged.

    ``draw(task, runs, seed)`` gives the objects, ``train(models, draw, settings, seed)`` the weights of some models,
    and ``judge(weights, draw)`` one AUC per run.
    """

    task: Task
    settings: Settings = CHARITABLE
    # Factories, because a function in a class is taken for a method of it.
    draw: Callable[[Task, int, int], Draw] = field(default_factory=lambda: Task.draw)
    train: Callable[[Sequence[str], Draw, Settings, int], dict[str, Tensor]] = field(default_factory=lambda: _train)
    judge: Callable[[Tensor, Draw], Tensor] = field(default_factory=lambda: auc)

    def aucs(self, models: Sequence[str], runs: int, seed: int) -> pd.DataFrame:
        """AUC of some models, one row per run."""
        draw = self.draw(self.task, runs, seed)
        weights = self.train(models, draw, self.settings, seed)
        return pd.DataFrame({model: self.judge(weights[model], draw).numpy() for model in models})


Change = Callable[[Case], Case]


@dataclass(frozen=True)
class Reading:
    """Another reading of the gap of a number: what is chosen, the reading of this book, and the other one.

    ``change`` makes the other case from ours, which may change ``models``, on ``dataset`` or, if empty, on all data.
    """

    gap: int
    choice: str
    chosen: str
    other: str
    change: Change
    models: tuple[str, ...] = ("bin",)
    dataset: str = ""


def _case(**fields: object) -> Change:
    return lambda case: replace(case, **fields)  # type: ignore[arg-type]


def _settings(**fields: object) -> Change:
    return lambda case: replace(case, settings=replace(case.settings, **fields))  # type: ignore[arg-type]


def _training(model: str, **fields: object) -> Change:
    """Another start or rate of one training."""
    return lambda case: _settings(**{model: replace(getattr(case.settings, model), **fields)})(case)


def _task(change: Callable[[Task], Task]) -> Change:
    return lambda case: replace(case, task=change(case.task))


def _loaded(**options: Any) -> Change:
    """The same rows of a data set that was prepared otherwise."""
    return _task(lambda task: replace(task, dataset=data.load(task.dataset.name, **options)))


def _signs(*choices: int) -> Change:
    """Signs of the features, each drawn from ``choices``."""
    rng = np.random.default_rng
    return _task(lambda task: with_signs(task, rng(0).choice(choices, task.dataset.features.shape[1])))


def with_signs(task: Task, signs: NDArray[np.int64]) -> Task:
    """Return the same task with some features negated; ``signs [I]`` holds 1 and -1."""
    features = (task.dataset.features * signs).astype(np.float32)
    return replace(task, dataset=replace(task.dataset, features=features))


def _in_double(task: Task, runs: int, seed: int) -> Draw:
    return task.draw(runs, seed).to(torch.float64)  # networks are trained in the precision of their objects


def _own_axes(task: Task, runs: int, seed: int, words: NDArray[np.float64] | csr_array | None = None) -> Draw:
    """Draw with features by principal components of each run's training objects; row n of ``words`` is object n's."""
    words = data.citeseer_words()[0] if words is None else words
    draw, train, test = task.draw(runs, seed), [], []
    for run in range(runs):
        rows, test_rows = task.rows(seed, run)
        seen = words[rows].toarray() if isinstance(words, csr_array) else words[rows]
        mean, axes = data.principal_axes(seen)
        train.append(data.unit_rows(data.project(seen, mean, axes)))
        test.append(data.unit_rows(data.project(words[test_rows], mean, axes)))
    return replace(draw, x_train=torch.from_numpy(np.stack(train)), x_test=torch.from_numpy(np.stack(test)))


def _train_with_relu(models: Sequence[str], draw: Draw, settings: Settings, seed: int) -> dict[str, Tensor]:
    """Weights of ``bin`` and ``real`` trained with ``max(0, z)`` where eq. (11) has ``log(1 + e^z)``."""
    weights = {}
    for model in models:
        w, parametrization, options = training_of(model, draw, settings, seed)
        for _ in range(options["steps"]):
            gradient = _relu_gradient(parametrization.forward(w), draw.x_train, draw.y_train)
            w -= options["rate"] * gradient * parametrization.slope(w)
        weights[model] = parametrization.extract(w)
    return weights


def _relu_gradient(weights: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Gradient of eq. (12) with ``max(0, z)`` for the softplus: as `network.loss_gradient`, with a step for sigmoid."""
    first, second = weights.unbind(-3)
    a = torch.tanh(x @ first.mT)
    b = torch.tanh(a @ second.mT)
    into_z = (b.sum(-1) > 0) * network.label_sign(y, x.dtype) / x.shape[-2]
    into_second = into_z[..., None] * (1 - b * b)
    into_first = (into_second @ second) * (1 - a * a)
    return torch.stack([into_first.mT @ x, into_second.mT @ a], -3)


def _train_lottery_as_printed(models: Sequence[str], draw: Draw, settings: Settings, seed: int) -> dict[str, Tensor]:
    """Model ``lottery-bin`` as printed: the pruned weights times their cut, which is not binary."""
    weights = _train(["lottery", "lottery-bin"], draw, settings, seed)
    weights["lottery-bin"] = weights["lottery"] * weights["lottery-bin"]
    return {model: weights[model] for model in models}


def _cut_lower(models: Sequence[str], draw: Draw, settings: Settings, seed: int) -> dict[str, Tensor]:
    """Models ``real-bin`` and ``random-bin`` cut at the 0th, 10th, ..., 90th percentile, with the full network."""
    parents = _train([strategy_of(model) for model in models], draw, settings, seed)
    lower = tuple(percentile - 10 for percentile in PERCENTILES)
    return {model: strategies.cut(parents[strategy_of(model)], draw, lower) for model in models}


def _cut_with_zeros(models: Sequence[str], draw: Draw, settings: Settings, seed: int) -> dict[str, Tensor]:
    """Models ``lottery`` and ``lottery-bin`` with eq. (13) to the letter: if xi = 0, pruned weights are edges again."""

    def loss(weights: Tensor) -> Tensor:
        return network.loss(weights.double(), draw.x_train.double(), draw.y_train).round(decimals=9)

    def best(candidates: Tensor) -> Tensor:
        return candidates[torch.stack([loss(each) for each in candidates]).argmin(0), torch.arange(draw.runs)]

    def cut(weights: Tensor) -> Tensor:
        levels = torch.tensor(PERCENTILES, dtype=weights.dtype) / 100
        xi = torch.quantile(weights.flatten(1), levels, dim=1)
        return best((weights >= xi[..., None, None, None]).to(weights.dtype))

    sequence = [strategies.fit("lottery", draw, replace(settings, lottery_rounds=1), seed)["lottery"].weights]
    for _ in range(settings.lottery_rounds - 1):
        sequence.append(sequence[-1] * cut(sequence[-1]))
    weights = {"lottery": best(torch.stack(sequence))}
    weights["lottery-bin"] = cut(weights["lottery"])
    return {model: weights[model] for model in models}


def _relu_auc(weights: Tensor, draw: Draw) -> Tensor:
    """AUC of the scores ``max(0, z)``: objects with a negative z tie."""
    return auc_of_scores(ordering_sums(weights, draw).relu(), draw.y_test)


def _auc_without_ties(weights: Tensor, draw: Draw) -> Tensor:
    """Share of pairs that are in the right order, where a tie counts nothing."""
    sums = ordering_sums(weights, draw)
    return auc_of_scores(sums, draw.y_test) - _tied_pairs(sums, draw.y_test) / 2


def _tied_pairs(scores: Tensor, y: Tensor) -> Tensor:
    """Share of pairs, one object of each group, that have the same score, per run of ``scores [runs, n]``."""
    negatives, positives = (scores[y == group].reshape(len(scores), -1) for group in (0, 1))
    return (negatives[:, :, None] == positives[:, None, :]).double().mean((1, 2))


def _auc_of_single_psi(weights: Tensor, draw: Draw) -> Tensor:
    """AUC of psi itself, computed in single precision."""
    return auc_of_scores(network.score(weights.float(), draw.x_test.float()), draw.y_test)


def _auc_on_half(weights: Tensor, draw: Draw) -> Tensor:
    """AUC on the first half of the test objects of each label: half as many in all."""
    places = [(draw.y_test == label).nonzero()[:, 1].reshape(draw.runs, -1) for label in (0, 1)]
    kept = torch.cat([each[:, : (each.shape[1] + 1) // 2] for each in places], 1)
    x, y = draw.x_test.gather(1, kept[..., None].expand(-1, -1, draw.width)), draw.y_test.gather(1, kept)
    return auc(weights, replace(draw, x_test=x, y_test=y))


def effect_of_precision(fitted: Mapping[str, Fitted], draw: Draw) -> pd.DataFrame:
    """Ties and AUC of psi in single precision, and of the sum inside its softplus in double precision: medians."""
    medians = {}
    for model, result in fitted.items():
        single, double = network.score(result.weights, draw.x_test), ordering_sums(result.weights, draw)
        medians[label(model)] = {
            (name, how): float(np.median(measured(scores, draw.y_test)))
            for name, measured in (("ties", _tied_pairs), ("AUC", auc_of_scores))
            for how, scores in (("ψ, single", single), ("sum, double", double))
        }
    return pd.DataFrame(medians).T


_BOTH, _THREE = ("bin", "real"), ("bin", "real", "random")

READINGS = (
    Reading(1, "derivative", "M B (1 − B)", "B (1 − B)", _settings(unscaled_slope=True)),
    Reading(2, "“ReLU”", "log(1 + e^z)", "max(0, z)", _case(train=_train_with_relu, judge=_relu_auc), _BOTH),
    Reading(3, "M_soft", "M_hard / 10", "M_hard", _settings(M_soft=50.0)),
    Reading(4, "start of bin", "density 1/64, s = 0.1", "N(0, 1)", _training("bin", start=Start())),
    Reading(4, "start of bin", "density 1/64, s = 0.1", "N(0, 0.1²)", _training("bin", start=Start(0.1))),
    Reading(4, "start of real", "N(0, 1)", "N(0, 0.3²)", _training("real", start=Start(0.3)), ("real",)),
    Reading(4, "start of real", "N(0, 1)", "N(0, 0.1²)", _training("real", start=Start(0.1)), ("real",)),
    Reading(4, "start of bin→real", "weights 1", "N(0, 1)", _training("bin_real", start=Start()), ("bin-real",)),
    Reading(5, "rate of bin", "0.01", "0.003", _training("bin", rate=0.003)),
    Reading(5, "rate of bin", "0.01", "0.03", _training("bin", rate=0.03)),
    Reading(5, "rate of real", "0.1", "0.01", _training("real", rate=0.01), ("real",)),
    Reading(5, "steps", "200", "50", _settings(steps=50), _BOTH),
    Reading(5, "steps", "200", "400", _settings(steps=400), _BOTH),
    Reading(5, "batch", "all objects", "20 objects", _settings(batch=20), _BOTH),
    # Of bin alone: at the rate 0.1 of real, single objects throw it about so that another processor finds another AUC.
    Reading(5, "batch", "all objects", "1 object", _settings(batch=1)),
    Reading(6, "pooling", "mean", "max", _loaded(pooling="max"), _BOTH, "mnist"),
    Reading(7, "centring", "centred", "not centred", _loaded(centred=False), _BOTH, "citeseer"),
    Reading(7, "components", "of the corpus", "of the training objects", _case(draw=_own_axes), _BOTH, "citeseer"),
    Reading(8, "orientation", "as named", "groups swapped", _task(Task.swapped), _BOTH),
    Reading(9, "lottery", "prune only", "rewind, train again", _settings(lottery_retrain=True), ("lottery",)),
    Reading(9, "prunings", "T = 5", "T = 2", _settings(lottery_rounds=2), ("lottery",)),
    Reading(9, "lottery→bin", "w̃", "w ∘ w̃", _case(train=_train_lottery_as_printed), ("lottery-bin",)),
    Reading(10, "agnostic search", "10 tensors", "1 tensor", _settings(agnostic_architectures=1), ("agnostic",)),
    Reading(10, "values of u₀ tried", "5", "1", _settings(agnostic_shared_weights=1), ("agnostic",)),
    Reading(
        10, "u₀ of agnostic→real", "redrawn", "the best one", _settings(agnostic_fresh_weight=False), ("agnostic-real",)
    ),
    Reading(11, "how ties count", "half", "nothing", _case(judge=_auc_without_ties), _THREE),
    Reading(12, "scores", "sum, double", "ψ, single", _case(judge=_auc_of_single_psi), _THREE),
    Reading(12, "precision of training", "single", "double", _case(draw=_in_double), _BOTH),
    Reading(13, "thresholds", "10th to 100th", "0th to 90th", _case(train=_cut_lower), ("real-bin", "random-bin")),
    Reading(16, "test objects", "50 per class", "25 per class", _case(judge=_auc_on_half), _BOTH),
    Reading(23, "signs of components", "our rule", "all flipped", _signs(-1), _BOTH, "citeseer"),
    Reading(23, "signs of components", "our rule", "random", _signs(-1, 1), _BOTH, "citeseer"),
    Reading(24, "weight 0", "no edge", "an edge if ξ = 0", _case(train=_cut_with_zeros), ("lottery", "lottery-bin")),
)
"""Other readings of the gaps, with what is measured: all but those of `gaps` that cannot change an AUC."""
