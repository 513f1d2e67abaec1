"""Two-class tasks and their random draws of training and test objects (Sec. 5).

A `Task` says which classes are told apart and how many objects of each are used; `Task.draw` picks the objects of all
runs at once. Run r comes from its own generator, seeded by the seed and r: it is the same however many runs are drawn.
Two more facts make comparisons fair. The test objects do not depend on the training size, and a smaller training set
is contained in a larger one. Swapping the groups keeps the objects and their order and exchanges y = 0 and y = 1.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wfhelpers.core.data import DataError, Dataset, load


@dataclass(frozen=True, eq=False)
class Draw:
    """Training and test objects of several runs.

    Attributes
    ----------
    x_train, x_test
        Features ``[runs, objects, I]``.
    y_train, y_test
        Labels ``[runs, objects]``, 0 or 1, in the dtype of the features.
    run_ids
        Numbers of the runs, which a selection keeps: run 3 trained alone starts as run 3 of ten does.
    """

    x_train: Tensor
    y_train: Tensor
    x_test: Tensor
    y_test: Tensor
    run_ids: range = range(0)

    def __post_init__(self) -> None:
        if not self.run_ids:
            object.__setattr__(self, "run_ids", range(self.runs))

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.x_train)

    @property
    def width(self) -> int:
        """Number of features, the paper's I."""
        return self.x_train.shape[-1]

    def __getitem__(self, runs: int | slice) -> "Draw":
        """Views of some of the runs; a single one keeps its axis."""
        if not isinstance(runs, slice):
            run = range(self.runs)[runs]
            runs = slice(run, run + 1)
        return self._each(lambda objects: objects[runs], self.run_ids[runs])

    def to(self, dtype: torch.dtype) -> "Draw":
        """Return the same objects in another floating-point type."""
        return self._each(lambda objects: objects.to(dtype), self.run_ids)

    def on_training_objects(self) -> "Draw":
        """Return a draw whose test objects are the training objects."""
        return Draw(self.x_train, self.y_train, self.x_train, self.y_train, self.run_ids)

    def split(self, fraction: float) -> "Draw":
        """Hold out a fraction of the training objects of each label, for validation.

        The held-out objects take the place of the test objects, which the result does not contain. Objects stand in
        random order, so that taking the last ones of each label is a random choice.
        """
        held_out = torch.stack([_last_of_each_label(labels, fraction) for labels in self.y_train])
        return Draw(*self._where(~held_out), *self._where(held_out), self.run_ids)

    def _each(self, change: Callable[[Tensor], Tensor], run_ids: range) -> "Draw":
        parts = (change(objects) for objects in (self.x_train, self.y_train, self.x_test, self.y_test))
        return Draw(*parts, run_ids=run_ids)  # type: ignore[misc, arg-type]

    def _where(self, chosen: Tensor) -> tuple[Tensor, Tensor]:
        x, y = self.x_train[chosen], self.y_train[chosen]
        return x.reshape(self.runs, -1, self.width), y.reshape(self.runs, -1)


@dataclass(frozen=True, eq=False)
class Task:
    """Tell a positive group of classes (y = 1) from a negative one (y = 0).

    Parameters
    ----------
    dataset
        A `Dataset`, or what `wfhelpers.core.data.load` takes.
    negative, positive
        One class or several. Text matches a class that is written in the same way: ``"1"`` is the digit 1.
    train_per_class, test_per_class
        Objects of every single class: {1,2,3} vs {4,5,6} with 100 per class trains on 600 images.
    """

    dataset: Dataset
    negative: tuple[Any, ...]
    positive: tuple[Any, ...]
    train_per_class: int
    test_per_class: int

    def __init__(
        self,
        dataset: Dataset | str | Path,
        negative: Any,
        positive: Any,
        train_per_class: int,
        test_per_class: int,
    ) -> None:
        chosen = dataset if isinstance(dataset, Dataset) else load(dataset)
        object.__setattr__(self, "dataset", chosen)
        object.__setattr__(self, "negative", _group(chosen, negative, "negative"))
        object.__setattr__(self, "positive", _group(chosen, positive, "positive"))
        object.__setattr__(self, "train_per_class", _positive(train_per_class, "train_per_class"))
        object.__setattr__(self, "test_per_class", _positive(test_per_class, "test_per_class"))
        self._check()

    def _check(self) -> None:
        both = set(self.negative) & set(self.positive)
        if both:
            raise DataError(f"Class {min(both)!r} is in both groups; a class belongs to one of them.")
        needed = self.train_per_class + self.test_per_class
        for chosen in self.negative + self.positive:
            present = len(self.dataset.members(chosen))
            if needed > present:
                raise DataError(
                    f"Class {chosen!r} of {self.dataset.name} has {present} objects to draw, but "
                    f"{self.train_per_class} for training and {self.test_per_class} for testing were asked for; "
                    "ask for fewer."
                )

    @property
    def title(self) -> str:
        """Name for people, negative group first: ``1 vs 2`` or ``{1,2,3} vs {4,5,6}``."""
        return f"{_written(self.negative)} vs {_written(self.positive)}"

    def swapped(self) -> "Task":
        """Return the same task with its groups exchanged: what was y = 0 is y = 1."""
        return Task(self.dataset, self.positive, self.negative, self.train_per_class, self.test_per_class)

    def rows(self, seed: int, run: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of the data set that one run trains on and is tested on, each in random order."""
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,)))
        train, test = [], []
        for chosen in self.dataset.classes:  # of all classes, so that the groups have no say in the draw
            members = rng.permutation(self.dataset.members(chosen))
            if chosen in self.negative + self.positive:
                test.append(members[: self.test_per_class])
                train.append(members[self.test_per_class :][: self.train_per_class])
        return rng.permutation(np.concatenate(train)), rng.permutation(np.concatenate(test))

    def draw(self, runs: int, seed: int) -> Draw:
        """Draw the objects of `runs` independent runs."""
        runs, seed = _positive(runs, "runs"), _whole(seed, "seed", least=0)
        train, test = (np.stack(rows) for rows in zip(*(self.rows(seed, run) for run in range(runs)), strict=True))
        return Draw(*self._objects(train), *self._objects(test))

    def _objects(self, rows: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        y = np.isin(self.dataset.labels[rows], self.positive).astype(np.float32)
        return torch.from_numpy(self.dataset.features[rows]), torch.from_numpy(y)


def _group(dataset: Dataset, wanted: Any, which: str) -> tuple[Any, ...]:
    """Classes of the data set that were asked for: one of them, or several."""
    several = isinstance(wanted, Sequence | set | np.ndarray) and not isinstance(wanted, str)
    group = tuple(_match(dataset, one) for one in (wanted if several else [wanted]))
    if not group:
        raise DataError(f"The {which} group is empty; name at least one class.")
    if len(set(group)) < len(group):
        raise DataError(f"The {which} group {_written(group)} names a class twice; name it once.")
    return group


def _match(dataset: Dataset, wanted: Any) -> Any:
    for known in dataset.classes:
        if known == wanted or str(known) == str(wanted):
            return known
    known = ", ".join(str(known) for known in dataset.classes)
    raise DataError(f"Unknown class {wanted!r}; the classes of {dataset.name} are {known}.")


def _written(group: tuple[Any, ...]) -> str:
    return str(group[0]) if len(group) == 1 else "{" + ",".join(str(one) for one in group) + "}"


def _positive(value: Any, name: str) -> int:
    return _whole(value, name, least=1)


def _whole(value: Any, name: str, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise DataError(f"{name} is {value!r}; expected a whole number of at least {least}.")
    return number


def _last_of_each_label(labels: Tensor, fraction: float) -> Tensor:
    """Mark the last objects of each label, the given fraction of them (rounded)."""
    chosen = torch.zeros(len(labels), dtype=torch.bool)
    for label in (0, 1):
        members = torch.nonzero(labels == label)[:, 0]
        count = round(fraction * len(members))
        if not 0 < count < len(members):
            raise DataError(
                f"A fraction of {fraction} of {len(members)} training objects with y = {label} leaves one side "
                "empty; choose another fraction."
            )
        chosen[members[-count:]] = True
    return chosen
