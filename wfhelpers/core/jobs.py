"""Jobs: the ten models trained on one task, at one size, in one orientation, under one protocol.

A job is named by a hash over its settings, its data and the code of this room. Whoever finds the name in a store need
not compute the job again; whoever computes it gets the same rows on any machine, run times apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from wfhelpers._support import canonical_code, one_core_per_block, short_hash
from wfhelpers.core import evaluation, protocols, strategies
from wfhelpers.core.data import Dataset, load
from wfhelpers.core.protocols import protocol_settings
from wfhelpers.core.spectra import laplacian_spectrum, quartile_bands, spectral_map
from wfhelpers.core.tasks import Task

ORIENTATIONS = ("given", "swapped")
COLUMNS = (
    *("protocol", "dataset", "task", "orientation", "negative", "positive", "size", "model", "run"),
    *("auc", "train_auc", "train_loss", "density_1", "density_2", "seconds", "seconds_total", "job"),
)
"""Columns of a table of results, one row per (job, model, run)."""

PAIR_STRATEGIES = ("real", "bin")
EIGENVALUE_STEP = 1e-4
"""Eigenvalues lie in [0, 2] and are stored as whole multiples of this."""


@dataclass(frozen=True)
class Job:
    """What is computed and stored at once. All that decides its result is a field, or read from the data and the code.

    Attributes
    ----------
    kind
        ``task``: ten models, every run timed by itself. ``pair``: the strategies real and bin only, untimed.
    dataset
        What `wfhelpers.core.data.load` takes.
    orientation
        ``given`` if the groups are as they were named, ``swapped`` if they are exchanged.
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
    orientation: str
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
        """What the job is about, without how it is computed."""
        groups = {"negative": group_name(self.negative), "positive": group_name(self.positive)}
        where = {"kind": self.kind, "protocol": self.protocol, "dataset": dataset(self.dataset).name}
        return where | groups | {"size": str(self.size)}

    @property
    def causes(self) -> dict[str, str]:
        """Short hashes of the three things that a result depends on; if one changes, it is another job."""
        described = {name: getattr(self, name) for name in ("orientation", "test_per_class", "runs", "seed", "spectra")}
        described["settings"] = self._described_settings()
        return {"settings": short_hash(described), "data": dataset(self.dataset).sha256[:12], "code": code_hash()}

    @property
    def name(self) -> str:
        """Hash over the key and the causes."""
        return short_hash({**self.key, **self.causes})

    def _described_settings(self) -> Any:
        if self.protocol == "tuned" and protocols.stored(dataset(self.dataset).name) is None:
            return ["tuned on the task itself", sorted(self.settings)]
        return asdict(self.adapted(protocol_settings(self.protocol, self.task)))

    def adapted(self, settings: strategies.Settings) -> strategies.Settings:
        """Settings of the protocol with those that differ in this job, of which updates and objects are for all."""
        named = dict(self.settings)
        own: dict[str, Any] = {name: None for name in ("steps", "batch") if name in named}
        every = {each.name: getattr(settings, each.name) for each in fields(settings)}
        trainings = {
            name: replace(each, **own) for name, each in every.items() if isinstance(each, strategies.Training)
        }
        return replace(settings, **{**trainings, **named})


@dataclass(frozen=True)
class Result:
    """What a job gave: its rows, and for some jobs the spectra of its networks.

    Attributes
    ----------
    rows
        Table with `COLUMNS`.
    spectra
        Empty, or ``bands`` [models, 3, 3 I] (lower quartile, median, upper quartile over runs, in `EIGENVALUE_STEP`),
        ``points`` [models, runs, 2] of the map of spectra and the share of variance ``explained`` [2] by its axes.
    networks
        The binary networks of Algorithm 1 (model ``bin``), a bit per weight: ``[runs, 2 I I / 8]`` (`unpacked`); None
        for pairs, and under the protocol literal, where half of all weights stay one and would fill megabytes.
    """

    name: str
    key: Mapping[str, str]
    causes: Mapping[str, str]
    rows: pd.DataFrame
    spectra: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    networks: NDArray[np.uint8] | None = None


def compute(job: Job) -> Result:
    """Train and judge the models of a job, on one thread: run times compare, and workers keep to their cores."""
    with one_core_per_block():
        return _computed(job)


def _computed(job: Job) -> Result:
    task = job.task
    settings = job.adapted(protocol_settings(job.protocol, task))
    draw = task.draw(job.runs, job.seed)
    if job.kind == "task":
        fitted = strategies.fit_all(draw, settings, job.seed, timed=True)
    else:
        parts = [strategies.fit(strategy, draw, settings, job.seed) for strategy in PAIR_STRATEGIES]
        fitted = {model: result for part in parts for model, result in part.items()}
    rows = evaluation.rows(fitted, draw)
    same: dict[str, Any] = {**job.key, "size": job.size, "task": task.title}
    same |= {"orientation": job.orientation, "job": job.name}
    for column, value in same.items():
        rows[column] = value
    spectra = _spectra(fitted) if job.spectra else {}
    kept = job.kind == "task" and job.protocol != "literal"
    networks = np.packbits(fitted["bin"].weights.bool().flatten(1).numpy(), axis=1) if kept else None
    return Result(job.name, job.key, job.causes, rows[list(COLUMNS)].round(5), spectra, networks)


def unpacked(bits: NDArray[np.uint8], width: int) -> torch.Tensor:
    """Weights ``[runs, 2, I, I]`` of the binary networks of a `Result`."""
    flat = np.unpackbits(bits, axis=1, count=2 * width * width)
    return torch.from_numpy(flat).reshape(-1, 2, width, width).float()


@lru_cache
def code_hash() -> str:
    """Hash over the `canonical_code` of every module of this room: of all the code that decides a result."""
    modules = sorted(Path(__file__).parent.glob("*.py"))
    return short_hash({module.stem: canonical_code(module.read_text(encoding="utf-8")) for module in modules})


def group_name(group: Sequence[Any]) -> str:
    """Group of classes in a name of a file or a column: ``1-2-3``."""
    return "-".join(str(one) for one in group)


@lru_cache
def dataset(name_or_path: str) -> Dataset:
    """Loaded data, once per process."""
    return load(name_or_path)


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
