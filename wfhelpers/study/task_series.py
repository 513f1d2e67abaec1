"""Which tasks a chapter or a page takes: those that were named, with a sensible choice for what was not."""

from pathlib import Path
from typing import Any

import numpy as np

from wfhelpers._support import InputError
from wfhelpers.core.data import Dataset, load
from wfhelpers.core.protocols import RUNS, SEED
from wfhelpers.core.tasks import Draw, Task

_Named = Dataset | str | Path

EXAMPLES = {"mnist": (1, 2), "citeseer": ("DB", "IR")}  # groups that a notebook tells apart where none are named
ONE_OF_EACH_KIND: list[tuple[_Named, Any, Any]] = [
    ("mnist", 1, 2),
    ("mnist", (1, 2, 3), (4, 5, 6)),
    ("citeseer", "DB", "IR"),
    ("citeseer", ("Agents", "AI"), ("DB", "IR")),
]
"""Data set and groups of a task of each kind in Fig. 4: single classes and groups of them, digits and abstracts."""

TUNING_TASKS: dict[str, list[tuple[int | str, int | str]]] = {
    "mnist": [(0, 8), (3, 5), (7, 9)],
    "citeseer": [("Agents", "ML"), ("HCI", "ML"), ("DB", "IR")],
}
"""Pairs of classes, taken in both orientations, on which the stored trials of the protocol tuned were made."""


def tuning_draws(dataset: str) -> list[Draw]:
    """Draws on which the stored trials of a data set were made: of objects that no result uses."""
    reserve = load(dataset).reserve()
    pairs = [pair for first, second in TUNING_TASKS[dataset] for pair in ((first, second), (second, first))]
    return [Task(reserve, negative, positive, 140, 10).draw(RUNS, SEED) for negative, positive in pairs]


def task_series(
    dataset: _Named, negative: Any = None, positive: Any = None, train_per_class: Any = None, test_per_class: Any = None
) -> list[Task]:
    """One task at one or more training sizes, with a sensible choice for whatever is None.

    Groups: ``EXAMPLES``, or the first two classes of another data set. Test objects: the paper's 50, or a quarter of
    the smallest class. Sizes: the paper's 150, or what the smallest class leaves, and one and two thirds of it.
    """
    chosen = dataset if isinstance(dataset, Dataset) else load(dataset)
    if (negative is None) != (positive is None):
        raise InputError("Only one of the groups negative and positive is named; name both, or neither.")
    if negative is None:
        negative, positive = EXAMPLES.get(chosen.name, chosen.classes[:2])
    least = Task(chosen, negative, positive, 1, 1)
    smallest = min(int(np.sum(chosen.labels == each)) for each in least.negative + least.positive)
    if test_per_class is None:
        test_per_class = max(1, min(50, smallest // 4))
    if train_per_class is None:
        Task(chosen, negative, positive, 1, test_per_class)
        largest = max(3, min(150, smallest - test_per_class))
        train_per_class = [largest // 3, 2 * largest // 3, largest]
    sizes = train_per_class if isinstance(train_per_class, list | tuple) else [train_per_class]
    if not sizes or len(set(map(str, sizes))) < len(sizes):
        raise InputError(f"train_per_class is {train_per_class!r}; expected one or more different sizes.")
    return [Task(chosen, negative, positive, size, test_per_class) for size in sizes]


def task_grid(
    dataset: _Named | None = None, negative: Any = None, positive: Any = None, *sizes: Any, **named_sizes: Any
) -> list[list[Task]]:
    """A `task_series` for the task that is named; one for each kind in Fig. 4 if none is."""
    named = not (dataset is None and negative is None and positive is None)
    groups = [("mnist" if dataset is None else dataset, negative, positive)] if named else ONE_OF_EACH_KIND
    return [task_series(*each, *sizes, **named_sizes) for each in groups]


def tasks_of_figure_5(dataset: Any, negative: Any, positive: Any, *sizes: int) -> dict[str, Task]:
    """Tasks of Fig. 5 by name: on the data set, or of Citeseer, as its caption says, and of MNIST, as the text says."""
    if dataset is None and (negative is not None or positive is not None):
        raise InputError("Groups of classes are named, but no data set; name it, too, for example mnist.")
    names = ["citeseer", "mnist"] if dataset is None else [dataset]
    series = [task_series(name, negative, positive, *sizes) for name in names]
    return {f"{task.dataset.name}, {task.title}": task for (task,) in series}
