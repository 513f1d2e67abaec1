"""How much the outcome hangs on what the text leaves open: every gap, the other reading of it, the effect on the AUC.

Effects are differences of medians over runs that share their draws, with 95 % intervals from a paired bootstrap. They
speak of new runs on the same task, not of new tasks. Nothing is chosen by test objects.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from wfhelpers._support import InputError, one_core_a_block, progress
from wfhelpers.core import network
from wfhelpers.core.evaluation import auc
from wfhelpers.core.protocols import GRID, HELD_OUT, protocol_settings
from wfhelpers.core.strategies import CHARITABLE, LITERAL, Settings, Start, Training, fit, label
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import FREE, SQUARE, Parametrization, descend
from wfhelpers.results.store import results_folder, write_whole
from wfhelpers.study.convergence import start_by_density
from wfhelpers.study.gaps import GAPS as GAPS
from wfhelpers.study.gaps import LEAD
from wfhelpers.study.intervals import LOWER, UPPER, resampled_medians
from wfhelpers.study.readings import READINGS, Case, Reading, sampled, way

LITTLE = 0.05
"""Difference of AUC that counts as little: fixed before anything was measured, for claims C11 and C14 alike."""

QUESTIONS = (("mnist", 1, 2), ("mnist", 4, 9), ("citeseer", "DB", "IR"))
"""Data set and classes of the tasks on which readings are compared: easy digits, hard digits, abstracts."""

TRAIN_PER_CLASS, TEST_PER_CLASS, RUNS, SEED = 50, 50, 10, 0


def questions(train_per_class: int = TRAIN_PER_CLASS, test_per_class: int = TEST_PER_CLASS) -> list[Task]:
    """Tasks of `QUESTIONS`."""
    return [Task(dataset, no, yes, train_per_class, test_per_class) for dataset, no, yes in QUESTIONS]


def settings_of(base: Settings | str, task: Task) -> Settings:
    """Settings themselves, or those of the protocol that is named."""
    return base if isinstance(base, Settings) else protocol_settings(base, task)


def contrast(by_run: pd.DataFrame, signs: Mapping[str, float]) -> tuple[float, float, float]:
    """Signed sum of the columns' medians over runs, and its 95 % interval: value, lower, upper.

    With the signs 1 and -1 it is `wfhelpers.study.intervals.margin` of two models; with four columns it is a difference of
    differences.
    """
    values, weights = by_run[list(signs)].to_numpy(), np.array(list(signs.values()))
    lower, upper = np.quantile(_resampled_medians(values) @ weights, [LOWER, UPPER])
    return float(np.median(values, axis=0) @ weights), float(lower), float(upper)


def _resampled_medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(values) < 3:
        raise InputError(f"There are {len(values)} runs, but intervals over runs need at least 3; ask for more.")
    return resampled_medians(values)


# Effects

COLUMNS = (
    *("gap", "choice", "chosen", "other", "dataset", "task", "model"),
    *("before", "after", "effect", "lower", "upper"),
)
"""Columns of a table of effects: one row a (reading, task, model or `LEAD`)."""


def measure(
    tasks: Sequence[Task] | None = None,
    readings: Sequence[Reading] | None = None,
    *,
    base: Settings | str = CHARITABLE,
    runs: int = RUNS,
    seed: int = SEED,
) -> pd.DataFrame:
    """Effect of each other reading on each task, everything else as in ``base``: columns `COLUMNS`.

    ``base`` holds settings, or is the name of a protocol. The words for our reading are those of ``charitable``.

    ``before`` and ``after`` are median AUCs with our reading and with the other one, ``effect`` is their difference,
    and ``lower``, ``upper`` its 95 % interval, paired over runs that share their objects and their starts. An effect
    is clear if its interval excludes zero. Where ``bin`` or ``real`` may change, a row has the effect on `LEAD`, too.
    """
    tasks = questions() if tasks is None else tasks
    readings = READINGS if readings is None else readings
    pairs = [(reading, task) for reading in readings for task in tasks if reading.dataset in ("", task.dataset.name)]
    needed = {task: {"bin", "real"} | {m for r, t in pairs if t is task for m in r.models} for task in tasks}
    with one_core_a_block() as pool:
        known = pool.map(
            lambda task: Case(task, settings_of(base, task)).areas(sorted(needed[task]), runs, seed), tasks
        )
        before = dict(zip(tasks, progress(known, "our readings", total=len(tasks)), strict=True))

        def of(pair: tuple[Reading, Task]) -> list[dict[str, object]]:
            reading, task = pair
            after = reading.change(Case(task, settings_of(base, task))).areas(reading.models, runs, seed)
            return _effects(reading, task, before[task], after)

        rows = [row for made in progress(pool.map(of, pairs), "other readings", total=len(pairs)) for row in made]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _effects(reading: Reading, task: Task, before: pd.DataFrame, after: pd.DataFrame) -> list[dict[str, object]]:
    """Rows of one reading on one task."""
    both = before.add_suffix(" before").join(before.assign(**after).add_suffix(" after"))
    signs = {model: {f"{model} after": 1.0, f"{model} before": -1.0} for model in reading.models}
    if {"bin", "real"} & set(reading.models):
        signs[LEAD] = {"bin after": 1.0, "real after": -1.0, "bin before": -1.0, "real before": 1.0}
    named = {"gap": str(reading.gap), "choice": reading.choice, "chosen": reading.chosen, "other": reading.other}
    named |= {"dataset": task.dataset.name, "task": task.title}
    medians, rows = both.median(), []
    for model, sign in signs.items():
        value, lower, upper = contrast(both, sign)
        ends = {when: _median(medians, model, when) for when in ("before", "after")}
        rows.append({**named, "model": model, **ends, "effect": value, "lower": lower, "upper": upper})
    return rows


def _median(medians: "pd.Series[float]", model: str, when: str) -> float:
    return float(medians[f"bin {when}"] - medians[f"real {when}"] if model == LEAD else medians[f"{model} {when}"])


def amount(lower: float, upper: float) -> str:
    """What a 95 % interval of a difference says: ``little`` below `LITTLE`, ``more`` above it, else ``open``."""
    return "little" if upper < LITTLE else "more" if lower > LITTLE else "open"


# Claim C11: weights of either sign

SIGNS: Mapping[str, Parametrization] = {"free": FREE, "nonnegative": SQUARE}
VALIDATED_RUNS = 5


def nonnegativity_cost(tasks: Sequence[Task] | None = None, *, runs: int = RUNS, seed: int = SEED) -> pd.DataFrame:
    """AUC that weights of either sign have over nonnegative ones: the price of ``w = u^2`` (claim C11).

    One row a (dataset, task, start), for each task and for the same task with its groups swapped. Both networks are
    trained for 200 steps, from the same random numbers. Starts:

    ``literal``
        N(0, 1) and the rate 0.1 for both.
    ``tuned``
        Each has the best of the same twelve trials, those of ``real`` in `wfhelpers.core.protocols.GRID`, by the mean
        AUC on a held-out 30 % of the training objects of the first five runs; the first one where trials tie.

    The constraint costs little on a task if ``upper`` is below `LITTLE`, and more if ``lower`` is above it; else the
    runs do not tell (`amount`).

    Returns
    -------
    pd.DataFrame
        Columns ``dataset``, ``task``, ``start``, the medians ``free`` and ``nonnegative``, and ``margin`` (free minus
        nonnegative) with its 95 % interval ``lower``, ``upper``.
    """
    made = []
    for case, areas in nonnegativity_aucs(tasks, runs=runs, seed=seed).groupby(
        ["dataset", "task", "start"], sort=False
    ):
        value, lower, upper = contrast(areas, {"free": 1, "nonnegative": -1})
        named = dict(zip(("dataset", "task", "start"), case, strict=True))
        made.append({**named, **areas.median(), "margin": value, "lower": lower, "upper": upper})
    return pd.DataFrame(made)


def nonnegativity_aucs(tasks: Sequence[Task] | None = None, *, runs: int = RUNS, seed: int = SEED) -> pd.DataFrame:
    """AUC with weights of either sign and with nonnegative ones, as `nonnegativity_cost` compares them.

    One row a (dataset, task, start, run), the columns ``free`` and ``nonnegative``.
    """
    tasks = questions() if tasks is None else tasks
    turned = [each for task in tasks for each in (task, task.swapped())]
    with one_core_a_block() as pool:
        waiting = [pool.submit(_signed, task, start, runs, seed) for task in turned for start in ("literal", "tuned")]
        return pd.concat([each.result() for each in waiting])


def _signed(task: Task, start: str, runs: int, seed: int) -> pd.DataFrame:
    draw = task.draw(runs, seed).to(torch.float64)  # weights of either sign amplify what single precision rounds off
    areas = {}
    for name, parametrization in SIGNS.items():
        training = LITERAL.real if start == "literal" else _best_trial(draw, parametrization, seed)
        areas[name] = auc(_trained(draw, training, parametrization, seed), draw).numpy()
    where = [[task.dataset.name], [task.title], [start], draw.run_ids]
    return pd.DataFrame(areas, pd.MultiIndex.from_product(where, names=["dataset", "task", "start", "run"]))


def _best_trial(draw: Draw, parametrization: Parametrization, seed: int) -> Training:
    validation = draw[:VALIDATED_RUNS].split(HELD_OUT)
    trials = [trial for trial in GRID["real"] if isinstance(trial, Training)]
    areas = [auc(_trained(validation, trial, parametrization, seed), validation).mean() for trial in trials]
    return trials[int(torch.stack(areas).round(decimals=4).argmax())]


def _trained(draw: Draw, training: Training, parametrization: Parametrization, seed: int) -> Tensor:
    """Weights of a network that starts from the random numbers of the strategy ``real``."""
    start = sampled(training.start, "real", draw, seed)
    return descend(draw, start, parametrization, LITERAL.steps, training.rate).weights


# Claim C14: the value of a shared weight

SHARED_WEIGHTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Values of u_0, fixed beforehand: N(0, 1), the text's distribution, gives a size outside of them once in a hundred
times. The sign of u_0 does not matter: it cancels over the two layers."""


def shared_weight_aucs(
    tasks: Sequence[Task] | None = None, *, settings: Settings | str = CHARITABLE, runs: int = RUNS, seed: int = SEED
) -> pd.DataFrame:
    """AUC of one architecture with several shared weights: one row a (task, run), a column a value of u_0.

    The architecture is that of the model ``agnostic``, a random one that the search of the text chose.
    """
    tasks = questions() if tasks is None else tasks

    def of_task(task: Task) -> pd.DataFrame:
        draw = task.draw(runs, seed)
        architecture = fit("agnostic", draw, settings_of(settings, task), seed)["agnostic"].weights
        areas = pd.DataFrame({shared: auc(shared * architecture, draw).numpy() for shared in SHARED_WEIGHTS})
        areas.index = pd.MultiIndex.from_product(
            [[task.dataset.name], [task.title], draw.run_ids], names=["dataset", "task", "run"]
        )
        return areas

    with one_core_a_block() as pool:
        return pd.concat(pool.map(of_task, tasks))


def shared_weight_spread(
    tasks: Sequence[Task] | None = None, *, settings: Settings | str = CHARITABLE, runs: int = RUNS, seed: int = SEED
) -> pd.DataFrame:
    """Highest minus lowest median AUC of one architecture over the shared weights of `SHARED_WEIGHTS` (claim C14).

    The interval chooses the highest and the lowest anew in each resample. A spread is positive by its nature, so that
    its interval hardly ever contains zero. The claim holds on a task if ``lower`` is above `LITTLE` and fails if
    ``upper`` is below it; else the runs do not tell (`amount`).

    Returns
    -------
    pd.DataFrame
        One row a task: columns ``dataset``, ``task``, ``spread``, ``lower``, ``upper``, the medians ``lowest`` and
        ``highest``, and the shared weights ``best`` and ``worst`` that have them.
    """
    return spread_of(shared_weight_aucs(tasks, settings=settings, runs=runs, seed=seed))


def spread_of(areas: pd.DataFrame) -> pd.DataFrame:
    """Table of `shared_weight_spread` from that of `shared_weight_aucs`."""
    made = []
    for (dataset, task), by_run in areas.groupby(level=["dataset", "task"], sort=False):
        values = by_run.to_numpy()
        lower, upper = np.quantile(np.ptp(_resampled_medians(values), axis=-1), [LOWER, UPPER])
        medians = by_run.median()
        ends = {"lowest": medians.min(), "highest": medians.max(), "best": medians.idxmax(), "worst": medians.idxmin()}
        spread = {"spread": medians.max() - medians.min(), "lower": lower, "upper": upper}
        made.append({"dataset": dataset, "task": task, **spread, **ends})
    return pd.DataFrame(made)


# The table of all effects


def table(
    tasks: Sequence[Task] | None = None, *, base: Settings | str = CHARITABLE, runs: int = RUNS, seed: int = SEED
) -> pd.DataFrame:
    """All effects in one table with `COLUMNS`: the readings of the gaps, then claims C11 and C14."""
    tasks = questions() if tasks is None else tasks
    effects = measure(tasks, base=base, runs=runs, seed=seed)
    costs = nonnegativity_cost(tasks, runs=runs, seed=seed)
    return joined(effects, costs, shared_weight_spread(tasks, settings=base, runs=runs, seed=seed))


def joined(effects: pd.DataFrame, costs: pd.DataFrame, spread: pd.DataFrame) -> pd.DataFrame:
    """Tables of `measure`, `nonnegativity_cost` and `shared_weight_spread` as one."""
    made = [effects, _as_effects_of_sign(costs), _as_effects_of_value(spread)]
    return pd.concat(made, ignore_index=True)[list(COLUMNS)]


def _as_effects_of_sign(costs: pd.DataFrame) -> pd.DataFrame:
    named = {"gap": "C11", "choice": "sign of real weights", "chosen": "w = u²", "model": "real"}
    columns = {"nonnegative": "before", "free": "after", "margin": "effect"}
    return costs.rename(columns=columns).assign(other="free, " + costs["start"] + " start", **named)


def _as_effects_of_value(spread: pd.DataFrame) -> pd.DataFrame:
    named = {"gap": "C14", "choice": "value of u₀", "chosen": "worst of a grid", "other": "best of a grid"}
    columns = {"lowest": "before", "highest": "after", "spread": "effect"}
    return spread.rename(columns=columns).assign(model="agnostic-real", **named)


def ranking(effects: pd.DataFrame) -> pd.DataFrame:
    """Choices by their largest effect on the median AUC of a model: the row of that effect, a row a choice.

    The column ``lead`` has the largest effect of the same choice on `LEAD`, where there is one.
    """
    size = effects["effect"].abs()
    on_lead = effects["model"] == LEAD
    largest = size[~on_lead].groupby(effects["choice"], sort=False).idxmax()
    lead = size[on_lead].groupby(effects["choice"]).idxmax().map(effects["effect"])
    ranked = effects.loc[largest].assign(lead=effects.loc[largest, "choice"].map(lead))
    order = ranked["effect"].abs().sort_values(ascending=False, kind="stable").index
    return ranked.loc[order].reset_index(drop=True)


def by_task(effects: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """Effects on some models for a page: a row a (gap, choice, other reading, model), a column a task, as text."""
    shown = effects[effects["model"].isin(models)]
    texts = shown.assign(text=[effect_text(*row) for row in shown[["effect", "lower", "upper"]].to_numpy()])
    rows = ["gap", "choice", "other", "model"]
    order = texts[rows].drop_duplicates()
    wide = texts.pivot(index=rows, columns="task", values="text").fillna("")
    wide = wide.loc[pd.MultiIndex.from_frame(order), list(dict.fromkeys(texts["task"]))]
    return wide.rename(index=label, level="model").rename_axis(columns=None)


def effect_text(effect: float, lower: float, upper: float) -> str:
    """An effect with its interval: ``+0.42 (+0.40, +0.44)``."""
    value, least, most = (f"{round(number, 2) + 0.0:+.2f}" for number in (effect, lower, upper))
    return f"{value} ({least}, {most})"


def stored(path: Path | None = None) -> pd.DataFrame:
    """Table of all effects that ``python -m wfhelpers.study.sensitivity`` wrote."""
    return pd.read_csv(path or results_folder() / FILE, dtype={"gap": str, "chosen": str, "other": str})


def disagreement(found: pd.DataFrame, known: pd.DataFrame) -> float:
    """Largest difference between two tables of effects, in AUC; infinite if they have not the same rows."""
    key, values = list(COLUMNS[:7]), list(COLUMNS[7:])
    one, two = found.set_index(key)[values], known.set_index(key)[values]
    if len(one) != len(two) or not one.index.sort_values().equals(two.index.sort_values()):
        return float("inf")
    return float((one - two.reindex(one.index)).abs().to_numpy().max())


# The start, and the headline claim

FELL = 0.01
"""A run trains at all if F on its training objects is lower by more than this at its end: fixed beforehand."""

SCALES = (0.03, 0.1, 0.3, 1.0)
MEANS: Mapping[str, tuple[float, ...]] = {"bin": (-2.0, -1.0, -0.5, -0.2, -0.1, 0.0), "real": (0.0, 0.1, 0.3, 1.0)}
"""Means of starts that are tried. Those of ``real`` are not negative: w = u^2 does not see the sign of u."""


def start_grid(
    tasks: Sequence[Task],
    model: str,
    *,
    base: Settings | str = CHARITABLE,
    means: Sequence[float] | None = None,
    scales: Sequence[float] = SCALES,
    runs: int = RUNS,
    seed: int = SEED,
) -> pd.DataFrame:
    """Train ``bin`` or ``real`` from starts N(mean, scale^2): one row a (dataset, task, mean, scale, run).

    Columns ``auc``, and ``trains`` where F on the training objects fell by more than `FELL`.
    """
    starts = [Start(scale, mean) for scale in scales for mean in (MEANS[model] if means is None else means)]
    return _from_starts(tasks, model, starts, base, runs, seed)


def _from_starts(
    tasks: Sequence[Task], model: str, starts: Sequence[Start], base: Settings | str, runs: int, seed: int
) -> pd.DataFrame:
    draws = [task.draw(runs, seed) for task in tasks]
    todo = [(task, draw, start) for task, draw in zip(tasks, draws, strict=True) for start in starts]

    def of(case: tuple[Task, Draw, Start]) -> pd.DataFrame:
        task, draw, start = case
        settings = settings_of(base, task)
        settings = replace(settings, **{model: replace(getattr(settings, model), start=start)})
        first, parametrization, rate = way(model, draw, settings, seed)
        weights = descend(draw, first, parametrization, settings.steps, rate, batch=settings.batch).weights
        x, y = draw.x_train.double(), draw.y_train
        fall = network.loss(parametrization.extract(first).double(), x, y) - network.loss(weights.double(), x, y)
        columns = {"run": list(draw.run_ids), "auc": auc(weights, draw).numpy(), "trains": (fall > FELL).numpy()}
        named = {"dataset": task.dataset.name, "task": task.title, "mean": start.mean, "scale": start.scale}
        return pd.DataFrame({**named, **columns})

    with one_core_a_block() as pool:
        made = progress(pool.map(of, todo), f"starts of {model}", total=len(todo))
        return pd.concat(made, ignore_index=True)


BIN_STARTS: Mapping[str, Start] = {
    "N(0, 1)": Start(),
    **{f"1/{n}": start_by_density(1 / n, 0.1) for n in (2, 4, 8, 16, 32, 64, 256)},
}
"""Starts of ``bin`` in the map of the headline claim: the text's only distribution, and densities at the scale 0.1."""

REAL_STARTS: Mapping[str, Start] = {
    "N(0, 2²)": Start(2.0),
    "N(0, 1)": Start(),
    **{f"N(0, {scale:g}²)": Start(scale) for scale in (0.5, 0.3, 0.1, 0.03)},
}
"""Starts of ``real`` in the map of the headline claim."""


def outcome(lower: float, upper: float) -> str:
    """What a 95 % interval of `LEAD` says: ``bin ahead`` above zero, ``real ahead`` below it, else ``tie``."""
    return "bin ahead" if lower > 0 else "real ahead" if upper < 0 else "tie"


def headline_map(
    tasks: Sequence[Task] | None = None, *, base: Settings | str = CHARITABLE, runs: int = RUNS, seed: int = SEED
) -> pd.DataFrame:
    """Where “bin beats real” holds: one row a (dataset, task, start of bin, start of real), all else as in ``base``.

    Columns: the medians ``bin`` and ``real``, their difference ``lead`` with its paired 95 % interval ``lower``,
    ``upper``, and the `outcome`.
    """
    tasks = questions() if tasks is None else tasks
    areas = {}
    for model, starts in (("bin", BIN_STARTS), ("real", REAL_STARTS)):
        swept = _from_starts(tasks, model, list(starts.values()), base, runs, seed)
        areas[model] = swept.assign(start=np.tile(np.repeat(list(starts), runs), len(tasks)))
    return compare_starts(areas["bin"], areas["real"])


def compare_starts(of_bin: pd.DataFrame, of_real: pd.DataFrame) -> pd.DataFrame:
    """Table of `headline_map` from AUCs of each model: columns ``dataset``, ``task``, ``start``, ``run``, ``auc``."""
    made = []
    for (dataset, task), bins in of_bin.groupby(["dataset", "task"], sort=False):
        reals = of_real[(of_real["dataset"] == dataset) & (of_real["task"] == task)]
        for bin_start, one in bins.groupby("start", sort=False):
            for real_start, two in reals.groupby("start", sort=False):
                both = pd.DataFrame({"bin": one.set_index("run")["auc"], "real": two.set_index("run")["auc"]})
                lead, lower, upper = contrast(both, {"bin": 1, "real": -1})
                named = {"dataset": dataset, "task": task, "bin_start": bin_start, "real_start": real_start}
                values = {**both.median(), "lead": lead, "lower": lower, "upper": upper}
                made.append({**named, **values, "outcome": outcome(lower, upper)})
    return pd.DataFrame(made)


def deciders(leads: pd.DataFrame) -> pd.DataFrame:
    """What decides the headline claim, a row a task of `headline_map`.

    The lead is a difference of two numbers, and each hangs on its own start. ``by_bin`` and ``by_real`` are the ranges
    of these numbers over the starts: how far the one or the other choice can move the lead. The other columns count the
    cells of each outcome.
    """
    groups = leads.groupby(["dataset", "task"], sort=False)
    counts = groups["outcome"].value_counts().unstack(fill_value=0)
    counts = counts.reindex(columns=["bin ahead", "tie", "real ahead"], fill_value=0)
    ranges = {f"by_{model}": groups[model].max() - groups[model].min() for model in ("bin", "real")}
    return pd.DataFrame(ranges).join(counts)


FILE = "sensitivity.csv"


def main() -> None:
    """Measure all effects anew and store them."""
    parser = argparse.ArgumentParser(prog="python -m wfhelpers.study.sensitivity", description=main.__doc__)
    parser.add_argument("--output", type=Path, help=f"file to write (default: {FILE} in the project's results)")
    path = parser.parse_args().output or results_folder() / FILE
    effects = table()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, effects.round(4).to_csv(index=False).encode())
    print(ranking(effects)[["gap", "choice", "other", "task", "model", "effect"]].round(3).to_string(index=False))


if __name__ == "__main__":
    main()
