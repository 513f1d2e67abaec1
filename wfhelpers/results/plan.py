"""Which jobs a task or a data set needs. Whatever is wrong with the choices is said here, before any work."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import permutations
from pathlib import Path
from typing import Any

from wfhelpers._support import InputError
from wfhelpers.core.jobs import ORIENTATIONS, Job
from wfhelpers.core.jobs import dataset as loaded
from wfhelpers.core.protocols import LITERAL, PROTOCOLS
from wfhelpers.core.tasks import Task
from wfhelpers.study.task_series import task_series


def task_jobs(
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
) -> list[Job]:
    """Jobs of one page: every protocol, orientation and size. The largest size gets spectra."""
    under = _chosen(protocol, "protocol", PROTOCOLS, "all")
    orientations = _chosen(orientation, "orientation", ORIENTATIONS, "both")
    override = check_settings(settings or {})
    tasks = task_series(loaded(str(dataset)), negative, positive, sizes, test_per_class)
    tasks[0].draw(1, seed)
    if not isinstance(runs, int) or runs < 1:
        raise InputError(f"runs is {runs!r}; expected a whole number of at least 1.")
    largest = max(task.train_per_class for task in tasks)

    def job(protocol: str, side: str, task: Task) -> Job:
        groups = (task.negative, task.positive) if side == "given" else (task.positive, task.negative)
        sizes = (task.train_per_class, task.test_per_class)
        with_spectra = task.train_per_class == largest
        return Job("task", protocol, str(dataset), *groups, side, *sizes, runs, seed, override, with_spectra)

    return [job(protocol, side, task) for protocol in under for side in orientations for task in tasks]


def pair_jobs(
    dataset: str | Path,
    protocol: str,
    size: int,
    *,
    test_per_class: int = 50,
    runs: int = 10,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
) -> list[Job]:
    """Jobs of all ordered pairs of classes of a data set, under one protocol; a pair in ascending order is *given*."""
    override = check_settings(settings or {})
    classes = loaded(str(dataset)).classes
    jobs = []
    for first, second in permutations(range(len(classes)), 2):
        groups, side = ((classes[first],), (classes[second],)), ORIENTATIONS[first > second]
        jobs.append(Job("pair", protocol, str(dataset), *groups, side, size, test_per_class, runs, seed, override))
        jobs[-1].task.draw(1, seed)
    return jobs


def check_settings(override: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Settings that replace the protocol's, sorted; refuses names and values that `strategies.Settings` has not."""
    for name in override:
        if name not in known_settings():
            raise InputError(f"Unknown setting {name!r}; expected one of {', '.join(known_settings())}.")
    try:
        replace(LITERAL, **override)
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error
    return tuple(sorted(override.items()))


def known_settings() -> dict[str, Any]:
    """Settings that a page may replace, with the values that the protocol literal gives them."""
    own = ("real_bin", "lottery_bin")  # trainings that the protocol literal does not have
    return {name: value for name, value in asdict(LITERAL).items() if not isinstance(value, dict) and name not in own}


def _chosen(value: str, name: str, known: Sequence[str], every: str) -> Sequence[str]:
    if value != every and value not in known:
        raise InputError(f"{name} is {value!r}; expected {every}, {', '.join(known)}.")
    return known if value == every else [value]
