"""How much the outcome depends on what the text leaves open: every gap, the other reading of it, its effect on the AUC.

Effects are differences of medians over runs that share their draws, with the intervals of `intervals`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from wfhelpers._support import one_core_per_block, side_by_side
from wfhelpers.core import network
from wfhelpers.core.evaluation import auc
from wfhelpers.core.protocols import CHARITABLE, HELD_OUT, LITERAL, SHORT_GRID, protocol_settings
from wfhelpers.core.strategies import Settings, Start, Training, first_numbers, fit, label
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import FREE, SQUARE, Parametrization, descend
from wfhelpers.study.convergence import start_by_density
from wfhelpers.study.intervals import contrast, side, spread
from wfhelpers.study.readings import LEAD, READINGS, Case, Reading, signed, training_of

TASKS = (("mnist", 1, 2), ("mnist", 4, 9), ("citeseer", "DB", "IR"))
"""Data set and classes of the tasks on which readings are compared: easy digits, hard digits, abstracts."""

_Base = Settings | str


def default_tasks() -> list[Task]:
    """Tasks of `TASKS` with 50 training and 50 test objects per class, loaded when they are asked for."""
    return [Task(dataset, negative, positive, 50, 50) for dataset, negative, positive in TASKS]


def _settings_of(base: _Base, task: Task) -> Settings:
    """Settings themselves, or those of the protocol that is named."""
    return base if isinstance(base, Settings) else protocol_settings(base, task)


_KEY = ["gap", "choice", "chosen", "other", "dataset", "task", "model"]
COLUMNS = (*_KEY, "before", "after", "effect", "lower", "upper")
"""Columns of a table of effects: one row per (reading, task, model or `LEAD`)."""


def measure(
    tasks: Sequence[Task], readings: Sequence[Reading] = READINGS, *, base: _Base = CHARITABLE, runs: int, seed: int = 0
) -> pd.DataFrame:
    """Effect of each other reading on the median AUC ``before`` of ours, all else as in ``base``, perhaps a protocol.

    Where ``bin`` or ``real`` may change, a row has the effect on `LEAD`, too.
    """
    cases = {task: Case(task, _settings_of(base, task)) for task in tasks}
    pairs = [(reading, task) for reading in readings for task in tasks if reading.dataset in ("", task.dataset.name)]
    needed = {task: {"bin", "real"} | {m for r, t in pairs if t is task for m in r.models} for task in tasks}
    ours = side_by_side(lambda task: cases[task].aucs(sorted(needed[task]), runs, seed), tasks, "our readings")
    before = dict(zip(tasks, ours, strict=True))

    def effects(pair: tuple[Reading, Task]) -> list[tuple[object, ...]]:
        reading, task = pair
        return _effects(reading, task, before[task], reading.change(cases[task]).aucs(reading.models, runs, seed))

    rows = [row for lines in side_by_side(effects, pairs, "other readings") for row in lines]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _effects(reading: Reading, task: Task, before: pd.DataFrame, after: pd.DataFrame) -> list[tuple[object, ...]]:
    both = before.add_suffix(" before").join(before.assign(**after).add_suffix(" after"))
    signs: dict[str, dict[str, float]] = {model: {model: 1} for model in reading.models}
    if {"bin", "real"} & set(reading.models):
        signs[LEAD] = {"bin": 1, "real": -1}
    named = (str(reading.gap), reading.choice, reading.chosen, reading.other, task.dataset.name, task.title)
    medians, rows = both.median(), []
    for model, sign in signs.items():
        change = {f"{name} {when}": s * one for when, s in (("after", 1), ("before", -1)) for name, one in sign.items()}
        ends = (sum(one * medians[f"{name} {when}"] for name, one in sign.items()) for when in ("before", "after"))
        rows.append((*named, model, *ends, *contrast(both, change)))
    return rows


def nonnegativity_aucs(task: Task, runs: int, seed: int = 0) -> pd.DataFrame:
    """AUC with weights of either sign and with nonnegative ones, ``w = u^2``, on a task as its groups are given.

    One row per (dataset, task, start, run). Both start from the same random numbers: ``literal`` from N(0, 1) at the
    rate 0.1, ``tuned`` by the best of the short trials of ``real`` on held-out objects.
    """
    draw = task.draw(runs, seed).to(torch.float64)  # weights of either sign amplify what single precision rounds off

    def trained(start: str) -> pd.DataFrame:
        aucs = {}
        for name, parametrization in (("free", FREE), ("nonnegative", SQUARE)):
            training = LITERAL.real if start == "literal" else _best_trial(draw, parametrization, seed)
            aucs[name] = auc(_trained(draw, training, parametrization, seed), draw).numpy()
        where = [[task.dataset.name], [task.title], [start], draw.run_ids]
        return pd.DataFrame(aucs, pd.MultiIndex.from_product(where, names=["dataset", "task", "start", "run"]))

    with one_core_per_block() as pool:
        return pd.concat(pool.map(trained, ("literal", "tuned")))


def nonnegativity_cost(aucs: pd.DataFrame) -> pd.DataFrame:
    """The price of ``w = u^2`` (claim C11): ``margin`` of free over nonnegative weights, per (dataset, task, start)."""
    return _contrasts(aucs, ["dataset", "task", "start"], "free", "nonnegative", "margin")


def _contrasts(table: pd.DataFrame, keys: list[str], one: str, two: str, difference: str) -> pd.DataFrame:
    """Medians of two columns, and their difference with its 95 % interval: one row per group."""
    lines = []
    for names, by_run in table.groupby(keys, sort=False):
        interval = zip((difference, "lower", "upper"), contrast(by_run, {one: 1, two: -1}), strict=True)
        lines.append({**dict(zip(keys, names, strict=True)), **by_run[[one, two]].median(), **dict(interval)})
    return pd.DataFrame(lines)


def _best_trial(draw: Draw, parametrization: Parametrization, seed: int) -> Training:
    """Trial of the highest mean AUC on held-out objects of the first five runs, the first one at a tie."""
    validation = draw[:5].split(HELD_OUT)
    trials = [trial for trial in SHORT_GRID["real"] if isinstance(trial, Training)]
    aucs = [auc(_trained(validation, trial, parametrization, seed), validation).mean() for trial in trials]
    return trials[int(torch.stack(aucs).round(decimals=4).argmax())]


def _trained(draw: Draw, training: Training, parametrization: Parametrization, seed: int) -> Tensor:
    """Weights of a network that starts from the random numbers of the strategy ``real``."""
    start = first_numbers("real", training.start, draw, seed)
    return descend(draw, start, parametrization, LITERAL.steps, training.rate).weights


_SHARED_WEIGHTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Values of u_0, fixed beforehand: N(0, 1), the text's distribution, gives a size outside of them once in a hundred
times. The sign of u_0 does not matter: it cancels over the two layers."""


def shared_weight_aucs(task: Task, settings: _Base, runs: int, seed: int = 0) -> pd.DataFrame:
    """AUC of the architecture of ``agnostic``: one row per (dataset, task, run), one column per shared weight u_0."""
    draw = task.draw(runs, seed)
    architecture = fit("agnostic", draw, _settings_of(settings, task), seed)["agnostic"].weights
    where = [[task.dataset.name], [task.title], draw.run_ids]
    index = pd.MultiIndex.from_product(where, names=["dataset", "task", "run"])
    return pd.DataFrame({shared: auc(shared * architecture, draw).numpy() for shared in _SHARED_WEIGHTS}, index)


def shared_weight_spread(aucs: pd.DataFrame) -> pd.DataFrame:
    """Highest minus lowest median AUC over shared weights (claim C14), with its interval: one row per task."""
    lines = []
    for (dataset, task), by_run in aucs.groupby(level=["dataset", "task"], sort=False):
        value, lower, upper = spread(by_run)
        medians = by_run.median()
        ends = {"lowest": medians.min(), "highest": medians.max(), "best": medians.idxmax(), "worst": medians.idxmin()}
        lines.append({"dataset": dataset, "task": task, "spread": value, "lower": lower, "upper": upper, **ends})
    return pd.DataFrame(lines)


def joined(effects: pd.DataFrame, costs: pd.DataFrame, spreads: pd.DataFrame) -> pd.DataFrame:
    """Tables of `measure`, `nonnegativity_cost` and `shared_weight_spread` as one."""
    columns = {"nonnegative": "before", "free": "after", "margin": "effect"}
    named = {"gap": "C11", "choice": "sign of real weights", "chosen": "w = u²", "model": "real"}
    signs = costs.rename(columns=columns).assign(other="free, " + costs["start"] + " start", **named)
    columns = {"lowest": "before", "highest": "after", "spread": "effect"}
    named = {"gap": "C14", "choice": "value of u₀", "chosen": "worst of a grid", "model": "agnostic-real"}
    values = spreads.rename(columns=columns).assign(other="best of a grid", **named)
    return pd.concat([effects, signs, values], ignore_index=True)[list(COLUMNS)]


def ranking(effects: pd.DataFrame) -> pd.DataFrame:
    """Choices by their largest effect on a model: the row of that effect, and ``lead``, the largest one on `LEAD`."""
    size = effects["effect"].abs()
    on_lead = effects["model"] == LEAD
    largest = size[~on_lead].groupby(effects["choice"], sort=False).idxmax()
    lead = size[on_lead].groupby(effects["choice"]).idxmax().map(effects["effect"])
    ranked = effects.loc[largest].assign(lead=effects.loc[largest, "choice"].map(lead))
    order = ranked["effect"].abs().sort_values(ascending=False, kind="stable").index
    return ranked.loc[order].reset_index(drop=True)


def by_task(effects: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """Effects on some models as text: one row per (gap, choice, other reading, model), one column per task."""
    shown = effects[effects["model"].isin(models)]
    numbers = (map(signed, row) for row in shown[["effect", "lower", "upper"]].to_numpy())
    texts = shown.assign(text=[f"{effect} ({lower}, {upper})" for effect, lower, upper in numbers])
    rows = ["gap", "choice", "other", "model"]
    order = texts[rows].drop_duplicates()
    wide = texts.pivot(index=rows, columns="task", values="text").fillna("")
    wide = wide.loc[pd.MultiIndex.from_frame(order), list(dict.fromkeys(texts["task"]))]
    return wide.rename(index=label, level="model").rename_axis(columns=None)


def disagreement(one: pd.DataFrame, two: pd.DataFrame) -> float:
    """Largest difference between two tables of effects, in AUC; infinite if their rows are not the same."""
    one, two = (table[list(COLUMNS)].set_index(_KEY) for table in (one, two))
    if len(one) != len(two) or not one.index.sort_values().equals(two.index.sort_values()):
        return float("inf")
    return float((one - two.reindex(one.index)).abs().to_numpy().max())


_STARTS: Mapping[str, Sequence[Start]] = {
    model: [Start(scale, mean) for scale in (0.03, 0.1, 0.3, 1.0) for mean in means]
    for model, means in {"bin": (-2.0, -1.0, -0.5, -0.2, -0.1, 0.0), "real": (0.0, 0.1, 0.3, 1.0)}.items()
}
"""Starts that are tried. The means of ``real`` are not negative: w = u^2 does not see the sign of u."""


def start_grid(
    tasks: Sequence[Task], model: str, starts: Sequence[Start] = (), *, base: _Base = CHARITABLE, runs: int, seed: int
) -> pd.DataFrame:
    """AUC of ``bin`` or ``real`` from normal starts, and whether a run ``trains``: per (dataset, task, start, run)."""
    cases = [(task, _settings_of(base, task), task.draw(runs, seed)) for task in tasks]
    todo = [(*case, start) for case in cases for start in starts or _STARTS[model]]

    def trained(case: tuple[Task, Settings, Draw, Start]) -> pd.DataFrame:
        task, settings, draw, start = case
        settings = replace(settings, **{model: replace(getattr(settings, model), start=start)})
        first, parametrization, options = training_of(model, draw, settings, seed)
        weights = descend(draw, first, parametrization, **options).weights
        x, y = draw.x_train.double(), draw.y_train
        fall = network.loss(parametrization.extract(first).double(), x, y) - network.loss(weights.double(), x, y)
        # A run trains if the loss falls by more than 0.01, which was fixed beforehand.
        columns = {"run": list(draw.run_ids), "auc": auc(weights, draw).numpy(), "trains": (fall > 0.01).numpy()}
        named = {"dataset": task.dataset.name, "task": task.title, "mean": start.mean, "scale": start.scale}
        return pd.DataFrame({**named, **columns})

    return pd.concat(side_by_side(trained, todo, f"starts of {model}"), ignore_index=True)


# Starts in the map of the headline claim. Those of bin: the text's only distribution, and densities at the scale 0.1.
_BIN_STARTS: Mapping[str, Start] = {
    "N(0, 1)": Start(),
    **{f"1/{n}": start_by_density(1 / n, 0.1) for n in (2, 4, 8, 16, 32, 64, 256)},
}
_REAL_STARTS: Mapping[str, Start] = {
    "N(0, 1)" if scale == 1 else f"N(0, {scale:g}²)": Start(scale) for scale in (2.0, 1.0, 0.5, 0.3, 0.1, 0.03)
}
_OUTCOMES = {1: "bin ahead", 0: "tie", -1: "real ahead"}  # by the side of zero on which the interval of the lead lies


def headline_map(tasks: Sequence[Task], *, base: _Base = CHARITABLE, runs: int, seed: int = 0) -> pd.DataFrame:
    """Where “bin beats real” holds: medians, ``lead`` and outcome per (dataset, task, bin_start, real_start)."""
    aucs = {}
    for model, starts in (("bin", _BIN_STARTS), ("real", _REAL_STARTS)):
        swept = start_grid(tasks, model, list(starts.values()), base=base, runs=runs, seed=seed)
        aucs[model] = swept.assign(start=np.tile(np.repeat(list(starts), runs), len(tasks)))
    return _compare_starts(aucs["bin"], aucs["real"])


def _compare_starts(of_bin: pd.DataFrame, of_real: pd.DataFrame) -> pd.DataFrame:
    """Table of `headline_map` from AUCs of each model: columns ``dataset``, ``task``, ``start``, ``run``, ``auc``."""
    bins = of_bin.rename(columns={"auc": "bin", "start": "bin_start"})
    reals = of_real.rename(columns={"auc": "real", "start": "real_start"})
    both = bins.merge(reals, on=["dataset", "task", "run"])
    leads = _contrasts(both, ["dataset", "task", "bin_start", "real_start"], "bin", "real", "lead")
    return leads.assign(outcome=side(leads["lower"], leads["upper"]).map(_OUTCOMES))


def deciders(leads: pd.DataFrame) -> pd.DataFrame:
    """What decides the headline claim: ranges of both medians over the starts, and counts of outcomes, per task."""
    groups = leads.groupby(["dataset", "task"], sort=False)
    counts = groups["outcome"].value_counts().unstack(fill_value=0)
    counts = counts.reindex(columns=list(_OUTCOMES.values()), fill_value=0)
    ranges = {f"by_{model}": groups[model].max() - groups[model].min() for model in ("bin", "real")}
    return pd.DataFrame(ranges).join(counts)
