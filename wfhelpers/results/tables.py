"""What is measured besides the tasks: the tables of ``results/`` and the stored trials, as pieces of work."""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pandas as pd

from wfhelpers.core import protocols
from wfhelpers.core.jobs import ORIENTATIONS
from wfhelpers.core.protocols import CHARITABLE, PROTOCOLS, protocol_settings
from wfhelpers.core.strategies import Settings
from wfhelpers.core.tasks import Task
from wfhelpers.results.experiments import read
from wfhelpers.results.measurements import Measurement, Pieces, stored
from wfhelpers.results.store import results_folder
from wfhelpers.study import evidence, peers, sensitivity
from wfhelpers.study.leads import ANY, COLUMNS
from wfhelpers.study.readings import READINGS, Reading
from wfhelpers.study.task_series import tuning_draws
from wfhelpers.theory import convex

RUNS, SEED = 10, 0
FIGURE_3 = ("mnist", [1, 2, 3], [4, 5, 6], 100, 50)
FIGURE_5_SIZE = 150
SIX_TASKS = (
    *(("mnist", negative, positive, 100, 50) for negative, positive in ((1, 2), (3, 8), (4, 9))),
    *(("citeseer", *pair, 100, 50) for pair in (("DB", "IR"), ("AI", "ML"), ("Agents", "HCI"))),
)
"""Tasks on which claims are measured that the rows of all tasks do not decide, in both orientations: three of each
data set, easy and hard, those of Fig. 5 among them."""

REFERENCE_SIZE = 100
"""Training objects per class of the tasks of ``experiments.yml`` on which other methods are compared."""


def _evidence_pieces() -> Pieces:
    pieces: dict[str, partial[pd.DataFrame]] = {}
    pieces["C7"] = partial(_labelled, evidence.remainder_values, ANY, ANY, seed=SEED)
    for kind in convex.SHAPES:
        pieces[f"C8, {kind}"] = partial(_labelled, evidence.theorem_values, ANY, ANY, kind=kind, seed=SEED)
    six = [Task(*task) for task in SIX_TASKS]
    groups: list[tuple[str, Callable[..., pd.DataFrame], list[Task]]] = [
        ("C5 and C6", evidence.sharpness_values, [Task(*FIGURE_3), *six]),
        ("C10 and C12", evidence.spectra_values, [Task(*task[:3], FIGURE_5_SIZE, 50) for task in SIX_TASKS]),
        ("C13b", evidence.time_values, six),
        ("C14", evidence.shared_weight_values, six),
    ]
    for side in ORIENTATIONS:
        for task in six:
            values = partial(_labelled, evidence.sign_values, "", side, task=_turned(task, side), runs=RUNS, seed=SEED)
            pieces[f"C11, {side}, {task.dataset.name}, {task.title}"] = values
        for protocol, (parts, compute, tasks) in product(PROTOCOLS, groups):
            for task in tasks:
                options = {"settings": protocol_settings(protocol, task), "runs": RUNS, "seed": SEED}
                values = partial(_labelled, compute, protocol, side, task=_turned(task, side), **options)
                pieces[f"{parts}, {protocol}, {side}, {task.dataset.name}, {task.title}"] = values
    return pieces


def _turned(task: Task, side: str) -> Task:
    return task if side == "given" else task.swapped()


def _labelled(values: Callable[..., pd.DataFrame], protocol: str, side: str, **arguments: Any) -> pd.DataFrame:
    """Values with the columns that say where they were measured."""
    task = arguments.get("task")
    where = {"protocol": protocol, "orientation": side}
    where |= {"dataset": task.dataset.name, "task": task.title} if task else {"dataset": "", "task": ""}
    table = values(**arguments)
    return table.assign(**{name: word for name, word in where.items() if name not in table})[list(COLUMNS)].round(9)


def _sensitivity_pieces() -> Pieces:
    pieces: dict[str, partial[pd.DataFrame]] = {}
    for task in sensitivity.default_tasks():
        for reading in READINGS:
            if reading.dataset in ("", task.dataset.name):
                name = f"{task.title}, gap {reading.gap}, {reading.choice}: {reading.other}"
                pieces[name] = partial(_effects, reading=reading, task=task, base=CHARITABLE, runs=RUNS, seed=SEED)
        pieces[f"{task.title}, C11 and C14"] = partial(_effects_of_claims, CHARITABLE, task=task, runs=RUNS, seed=SEED)
    return pieces


def _effects(reading: Reading, task: Task, **options: Any) -> pd.DataFrame:
    return sensitivity.measure([task], [reading], **options).round(4)


def _effects_of_claims(settings: Settings, task: Task, runs: int, seed: int) -> pd.DataFrame:
    aucs = pd.concat([sensitivity.nonnegativity_aucs(turned, runs, seed) for turned in (task, task.swapped())])
    spread = sensitivity.shared_weight_spread(sensitivity.shared_weight_aucs(task, settings, runs, seed))
    return sensitivity.joined(pd.DataFrame(), sensitivity.nonnegativity_cost(aucs), spread).round(4)


def _reference_pieces() -> Pieces:
    listed, trials = read(results_folder().with_name("experiments.yml")), stored("trials_peers")
    best = {str(name): peers.best_trials(own) for name, own in trials.groupby("dataset")}
    pieces = {}
    for job in (job for page in listed.pages for job in page.jobs):
        if (job.protocol, job.size) == ("tuned", REFERENCE_SIZE):
            task, name = job.task, job.task.dataset.name
            tuned = {"trials": best[name], "runs": RUNS, "seed": SEED}
            pieces[f"{name}, {task.title}"] = partial(_reference_points, task=task, **tuned)
    return pieces


def _reference_points(**arguments: Any) -> pd.DataFrame:
    columns = ["dataset", "task", "size", "model", "run", "auc"]
    return peers.reference_points(**arguments)[columns].round(6)


def _trials_of(name: str) -> Measurement:
    pieces = {name: partial(_trials, dataset=name)}
    return Measurement(f"trials_{name}", lambda: pieces, ("study/task_series.py",), f"tune {name}")


def _trials(dataset: str) -> pd.DataFrame:
    return protocols.tune(tuning_draws(dataset))


def _peer_pieces() -> Pieces:
    both = product(sorted(protocols.TRIALS), peers.GRID)
    return {f"{name}, {peer}": partial(_peer_trials, dataset=name, peer=peer) for name, peer in both}


def _peer_trials(dataset: str, peer: str) -> pd.DataFrame:
    trials = peers.tune(tuning_draws(dataset), grid={peer: peers.GRID[peer]})
    trials.insert(0, "dataset", dataset)
    return trials


_HERE = "results/tables.py"
_READINGS = ("study/sensitivity.py", "study/readings.py", "study/convergence.py", "study/intervals.py")
_PEERS = ("study/peers.py", "study/task_series.py", "study/baselines.py", "study/convergence.py", "study/intervals.py")
_THEORY = ("theory/bounds.py", "theory/convex.py")
_EVIDENCE = ("study/evidence.py", "study/leads.py", "study/similarity.py", *_READINGS, *_THEORY)

_ALL = (
    *(_trials_of("mnist"), _trials_of("citeseer")),
    Measurement("trials_peers", _peer_pieces, (_HERE, *_PEERS), "tune peers"),
    Measurement("evidence", _evidence_pieces, (_HERE, *_EVIDENCE), "measure evidence"),
    Measurement("sensitivity", _sensitivity_pieces, (_HERE, *_READINGS), "measure sensitivity"),
    Measurement("reference_points", _reference_pieces, (_HERE, *_PEERS), "measure reference_points"),
)
TABLES = {table.name: table for table in _ALL}
"""All stored tables besides those of the tasks, in the order in which they depend on each other."""
