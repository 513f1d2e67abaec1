"""Cells of work: the ten models trained on one task, at one size, under one protocol.

A cell is named by a hash over its settings, its data and the code that computes it. Whoever finds the name in a store
need not compute the cell again; whoever computes it gets the same rows on any machine, run times apart.
"""

import ast
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from wfhelpers._support import InputError
from wfhelpers.core import evaluation, strategies
from wfhelpers.core.data import Dataset, load
from wfhelpers.core.protocols import protocol_settings
from wfhelpers.core.spectra import laplacian_spectrum, quartile_bands, spectral_map
from wfhelpers.core.tasks import Task, task_series

PROTOCOLS = ("literal", "charitable", "tuned")
ORIENTATIONS = ("given", "swapped")
COMPUTED_BY = ("data", "tasks", "binarize", "network", "training", "strategies", "protocols", "evaluation", "spectra")
"""Modules whose code a cell's result depends on, besides this one."""

COLUMNS = (
    *("protocol", "dataset", "task", "negative", "positive", "size", "model", "run"),
    *("auc", "train_loss", "density_1", "density_2", "seconds", "seconds_total", "cell"),
)
"""Columns of a table of results, one row a (cell, model, run)."""

PAIR_STRATEGIES = ("real", "bin")
EIGENVALUE_STEP = 1e-4
"""Eigenvalues lie in [0, 2] and are stored as whole multiples of this."""


@dataclass(frozen=True)
class Cell:
    """One unit of computing. Everything that decides its result is a field, or read from the data and the code.

    Attributes
    ----------
    kind
        ``task``: ten models, every run timed by itself. ``pair``: the strategies real and bin only, untimed.
    dataset
        What `wfhelpers.core.data.load` takes.
    settings
        Fields of `strategies.Settings` that differ from the protocol's, as (name, value).
    spectra
        Whether the spectra of the networks belong to the result.
    """

    kind: str
    protocol: str
    dataset: str
    negative: tuple[Any, ...]
    positive: tuple[Any, ...]
    size: int
    test_per_class: int
    runs: int
    seed: int
    settings: tuple[tuple[str, Any], ...] = ()
    spectra: bool = False

    @property
    def task(self) -> Task:
        """The task, drawn from loaded data."""
        return Task(dataset(self.dataset), self.negative, self.positive, self.size, self.test_per_class)

    @property
    def key(self) -> dict[str, str]:
        """What the cell is about, without how it is computed."""
        return {
            "kind": self.kind,
            "protocol": self.protocol,
            "dataset": dataset(self.dataset).name,
            "negative": group_name(self.negative),
            "positive": group_name(self.positive),
            "size": str(self.size),
        }

    @property
    def causes(self) -> dict[str, str]:
        """Short hashes of the three things that a result depends on; a change of one makes it another cell."""
        described = {
            "settings": self._described_settings(),
            "test_per_class": self.test_per_class,
            "runs": self.runs,
            "seed": self.seed,
            "spectra": self.spectra,
        }
        return {"settings": short_hash(described), "data": dataset(self.dataset).sha256[:12], "code": code_hash()}

    @property
    def name(self) -> str:
        """Hash over the key and the causes."""
        return short_hash({**self.key, **self.causes})

    def _described_settings(self) -> Any:
        known = dataset(self.dataset).name in strategies.TUNED
        if self.protocol == "tuned" and not known:
            return ["tuned on the task itself", sorted(self.settings)]
        return asdict(replace(protocol_settings(self.protocol, self.task), **dict(self.settings)))


@dataclass(frozen=True)
class Result:
    """What a cell gave: its rows, and for some cells the spectra of its networks.

    Attributes
    ----------
    name, key, causes
        Those of the cell.
    rows
        Table with `COLUMNS`.
    spectra
        Empty, or ``bands`` [models, 3, 3 I] (lower quartile, median, upper quartile over runs, in `EIGENVALUE_STEP`),
        ``points`` [models, runs, 2] of the map of spectra and the share of variance ``explained`` [2] by its axes.
    """

    name: str
    key: Mapping[str, str]
    causes: Mapping[str, str]
    rows: pd.DataFrame
    spectra: Mapping[str, NDArray[Any]] = field(default_factory=dict)


def page_cells(
    dataset: str | Path,
    negative: Any = None,
    positive: Any = None,
    *,
    sizes: Sequence[int] | None = None,
    test_per_class: int | None = 50,
    runs: int = 10,
    seed: int = 0,
    protocol: str = "all",
    orientation: str = "both",
    settings: Mapping[str, Any] | None = None,
) -> list[Cell]:
    """Cells of one page: every protocol, orientation and size. The largest size gets spectra.

    Whatever is wrong with the choices is said here, before any work.
    """
    protocols = _chosen(protocol, "protocol", PROTOCOLS, "all")
    orientations = _chosen(orientation, "orientation", ORIENTATIONS, "both")
    override = check_settings(settings or {})
    tasks = task_series(_dataset_of(dataset), negative, positive, sizes, test_per_class)
    tasks[0].draw(1, seed)
    if not isinstance(runs, int) or runs < 1:
        raise InputError(f"runs is {runs!r}; expected a whole number of at least 1.")
    largest = max(task.train_per_class for task in tasks)
    return [
        Cell(
            "task",
            chosen,
            str(dataset),
            *groups,
            task.train_per_class,
            task.test_per_class,
            runs,
            seed,
            override,
            spectra=task.train_per_class == largest,
        )
        for chosen in protocols
        for groups in [_oriented(tasks[0], side) for side in orientations]
        for task in tasks
    ]


def pair_cells(
    dataset: str | Path,
    protocol: str,
    size: int,
    *,
    test_per_class: int = 50,
    runs: int = 10,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
) -> list[Cell]:
    """Cells of all ordered pairs of the classes of a data set, under one protocol."""
    override = check_settings(settings or {})
    pairs = list(permutations(_dataset_of(dataset).classes, 2))
    cells = [
        Cell("pair", protocol, str(dataset), (negative,), (positive,), size, test_per_class, runs, seed, override)
        for negative, positive in pairs
    ]
    for cell in cells:
        cell.task.draw(1, seed)
    return cells


def compute(cell: Cell) -> Result:
    """Train and judge the models of a cell, on one thread: run times compare, and workers keep to their cores."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _computed(cell)
    finally:
        torch.set_num_threads(threads)


def _computed(cell: Cell) -> Result:
    task = cell.task
    settings = replace(protocol_settings(cell.protocol, task), **dict(cell.settings))
    draw = task.draw(cell.runs, cell.seed)
    if cell.kind == "task":
        fitted = strategies.fit_all(draw, settings, cell.seed, timed=True)
    else:
        parts = [strategies.fit(strategy, draw, settings, cell.seed) for strategy in PAIR_STRATEGIES]
        fitted = {model: result for part in parts for model, result in part.items()}
    rows = evaluation.rows(fitted, draw)
    same: dict[str, Any] = {**cell.key, "size": cell.size, "task": task.title, "cell": cell.name}
    for column, value in same.items():
        rows[column] = value
    spectra = _spectra(fitted) if cell.spectra else {}
    return Result(cell.name, cell.key, cell.causes, rows[list(COLUMNS)].round(5), spectra)


def code_hash() -> str:
    """Hash over the code that computes a cell. Comments, docstrings and layout do not count."""
    return _code_hash(tuple(Path(__file__).with_name(f"{module}.py") for module in (*COMPUTED_BY, "jobs")))


def bare_code(source: str) -> str:
    """Python source without comments, docstrings and its own layout."""
    return ast.unparse(_WithoutStrings().visit(ast.parse(source)))


def short_hash(value: Any) -> str:
    """First twelve digits of the sha256 of a value's canonical JSON."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def group_name(group: Sequence[Any]) -> str:
    """Group of classes in a name of a file or a column: ``1-2-3``."""
    return "-".join(str(one) for one in group)


def check_settings(override: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Settings that replace the protocol's, sorted; refuses names and values that `strategies.Settings` has not."""
    known = {name: value for name, value in asdict(strategies.LITERAL).items() if not isinstance(value, dict)}
    for name in override:
        if name not in known:
            raise InputError(f"Unknown setting {name!r}; expected one of {', '.join(known)}.")
    try:
        replace(strategies.LITERAL, **override)
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error
    return tuple(sorted(override.items()))


@lru_cache
def dataset(name_or_path: str) -> Dataset:
    """Loaded data, once a process."""
    return load(name_or_path)


def _dataset_of(name_or_path: str | Path) -> Dataset:
    return dataset(str(name_or_path))


def _oriented(task: Task, orientation: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return (task.negative, task.positive) if orientation == "given" else (task.positive, task.negative)


def _chosen(value: str, name: str, known: Sequence[str], every: str) -> Sequence[str]:
    if value != every and value not in known:
        raise InputError(f"{name} is {value!r}; expected {every}, {', '.join(known)}.")
    return known if value == every else [value]


def _spectra(fitted: Mapping[str, strategies.Fitted]) -> dict[str, NDArray[Any]]:
    """Spectra of all models. A negative shared weight of agnostic→real counts by its size: edges are not negative."""
    spectra = [laplacian_spectrum(result.weights.abs()) for result in fitted.values()]
    bands = np.stack([quartile_bands(each).numpy() for each in spectra])
    plane = spectral_map(torch.stack(spectra))
    return {
        "bands": np.round(bands / EIGENVALUE_STEP).astype(np.int16),
        "points": plane.points.numpy().round(3).astype(np.float32),
        "explained": plane.explained.numpy().round(4),
    }


@lru_cache
def _code_hash(paths: tuple[Path, ...]) -> str:
    return short_hash([bare_code(path.read_text()) for path in paths])


class _WithoutStrings(ast.NodeTransformer):
    """Drops every statement that is only a string."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        alone = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if alone else node
