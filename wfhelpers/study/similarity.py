"""How alike are the networks of different strategies? Claim C10, judged by the spectra of their graphs (Fig. 5).

The rule was fixed before the first spectrum was computed (`verdicts`). A spectrum depends much on the number of edges,
so that there is a reference, too: random networks that have as many edges (`random_reference`).

Spectra are ``[strategies, runs, 3 I]``, as `wfhelpers.core.spectra.laplacian_spectrum` gives them for `edge_weights`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from scipy.stats import t as student
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.core.data import DataError
from wfhelpers.core.network import density
from wfhelpers.core.spectra import laplacian_spectrum, separation, spectral_distances
from wfhelpers.core.strategies import BINARY_MODELS, MODELS, Fitted, label
from wfhelpers.core.tasks import Task, task_series

KINDS = {"real": tuple(model for model in MODELS if model not in BINARY_MODELS), "binary": BINARY_MODELS}
"""The real and the binary network of each strategy, in the order of `wfhelpers.core.strategies.STRATEGIES`."""

FAR_APART = 2.0
"""Strategies give "highly different" networks if they lie this many times as far apart as runs of one strategy."""

SIMILAR = 0.5
"""Binary networks are "similar" if they lie at most this share of the real networks' distance apart."""


def tasks_of_figure_5(
    dataset: Any, negative: Any, positive: Any, train_per_class: int, test_per_class: int
) -> dict[str, Task]:
    """Tasks that Fig. 5 may show, by name: one of Citeseer, as its caption says, and 1 vs 2 of MNIST, as the text says.

    With a data set the one task on it instead; groups that are None are those of `wfhelpers.core.tasks.task_series`.
    """
    if dataset is None and (negative is not None or positive is not None):
        raise DataError("Groups of classes are named, but no data set; name it, too, for example mnist.")
    names = ["citeseer", "mnist"] if dataset is None else [dataset]
    series = [task_series(name, negative, positive, [train_per_class], test_per_class) for name in names]
    return {f"{task.dataset.name}, {task.title}": task for (task,) in series}


def edge_weights(fitted: Mapping[str, Fitted]) -> dict[str, Tensor]:
    """Weights ``[strategies, runs, 2, I, I]`` of the ten models, by kind, as a graph's edges carry them.

    The shared weight of ``agnostic→real`` can be negative, and then all its edges are. A graph's degrees must not be,
    so that absolute values are taken.
    """
    return {
        kind: torch.stack([fitted[model].weights.double() for model in models]).abs() for kind, models in KINDS.items()
    }


def mean_distances(spectra: Tensor) -> Tensor:
    """Mean distance between the networks of each two groups ``[groups, groups]`` of spectra ``[groups, runs, 3 I]``.

    On the diagonal: between two different runs of the group.
    """
    runs = spectra.shape[1]
    sums = _all_distances(spectra).sum((1, 3))
    pairs = torch.full_like(sums, runs * runs)
    return sums / pairs.fill_diagonal_(runs * (runs - 1))


class Interval(NamedTuple):
    """Estimate with the ends of its 95 % interval."""

    estimate: float
    low: float
    high: float


def distance_ratios(real: Tensor, binary: Tensor) -> dict[str, Interval]:
    """Three ratios of mean distances that claim C10 is judged by, from spectra ``[strategies, runs, 3 I]``.

    ``real`` and ``binary`` are the distance between strategies over that between runs of one strategy; ``binary/real``
    is the distance between strategies of binary networks over that of real ones. The intervals come from the jackknife:
    each run, which is one draw of the data for all strategies, is left out once. It works on the logarithms of the
    ratios; a distance below 1e-12 counts as 1e-12.
    """
    values = log_ratios_by_run(real, binary)
    estimate, runs = values.mean(0), len(values)
    spread = values.std(0) / runs**0.5 * float(student.ppf(0.975, runs - 1))
    ends = torch.stack([estimate, estimate - spread, estimate + spread]).exp()
    return {name: Interval(*ends[:, i].tolist()) for i, name in enumerate(RATIOS)}


def log_ratios_by_run(real: Tensor, binary: Tensor) -> Tensor:
    """Logarithms of the ratios of `distance_ratios` as one number a run, ``[runs, 3]``: pseudo-values of the jackknife.

    Their mean is that of all runs together; a t interval of their mean is the jackknife's.
    """
    if real.ndim != 3 or len(real) < 2 or real.shape[1] < 3 or real.shape != binary.shape:
        raise InputError(
            "Ratios of distances need real and binary spectra [strategies, runs, 3 I] of one shape, with at least 2 "
            f"strategies and 3 runs, but they got {list(real.shape)} and {list(binary.shape)}."
        )
    runs = real.shape[1]
    distances = torch.stack([_all_distances(real), _all_distances(binary)])
    everything = _log_ratios(distances)
    left_out = []
    for run in range(runs):
        kept = [other for other in range(runs) if other != run]
        left_out.append(_log_ratios(distances[:, :, kept][..., kept]))
    influence = torch.stack(left_out) - torch.stack(left_out).mean(0)
    return everything - (runs - 1) * influence


RATIOS = {
    "real": "real: between / within",
    "binary": "binary: between / within",
    "binary/real": "between: binary / real",
}
"""What the ratios of `distance_ratios` are called in tables."""


def ratio_table(spectra: Mapping[str, Tensor]) -> pd.DataFrame:
    """Table of `distance_ratios` with their 95 % intervals, from the spectra of each kind."""
    ratios = distance_ratios(spectra["real"], spectra["binary"])
    return pd.DataFrame.from_dict({RATIOS[name]: ratio._asdict() for name, ratio in ratios.items()}, orient="index")


def judge(spectra: Mapping[str, Tensor]) -> dict[str, float | str]:
    """Two ratios that decide and the verdicts that follow, from the spectra of each kind: a row of a table."""
    ratios = distance_ratios(spectra["real"], spectra["binary"])
    return {RATIOS[name]: ratios[name].estimate for name in ("real", "binary/real")} | verdicts(ratios)


def separation_table(spectra: Mapping[str, Tensor], seed: int) -> pd.DataFrame:
    """Table of `wfhelpers.core.spectra.separation`, with 999 permutations, a row a kind."""
    return pd.DataFrame.from_dict(
        {kind: separation(values, seed=seed)._asdict() for kind, values in spectra.items()}, orient="index"
    )


def spectrum_table(spectra: Mapping[str, Tensor]) -> pd.DataFrame:
    """Medians over runs for each model: the number of zeros, and eigenvalues at some places of the spectrum."""
    rows = {}
    for kind, values in spectra.items():
        nodes = values.shape[-1]
        places = {f"at {share}": round(nodes * share) for share in (0.1, 0.25, 0.5, 0.75)} | {"largest": nodes - 1}
        for model, runs in zip(KINDS[kind], values, strict=True):
            middle = runs.quantile(0.5, dim=0)
            zeros = (runs < 1e-6).double().sum(-1).quantile(0.5)
            rows[label(model)] = {"zeros": int(zeros)} | {name: float(middle[at]) for name, at in places.items()}
    return pd.DataFrame.from_dict(rows, orient="index")


def verdicts(ratios: Mapping[str, Interval]) -> dict[str, str]:
    """Judge the two halves of claim C10 and the claim: ``holds``, ``fails`` or ``undecided``.

    A half is undecided if its interval contains the threshold, `FAR_APART` or `SIMILAR`. The claim holds if both halves
    do, and fails if one does.
    """
    different = _side(ratios["real"], FAR_APART)
    similar = -_side(ratios["binary/real"], SIMILAR)
    words = {1: "holds", 0: "undecided", -1: "fails"}
    halves = {"real networks differ": different, "binary ones are similar": similar, "C10": min(different, similar)}
    return {name: words[side] for name, side in halves.items()}


def shuffled_edges(weights: Tensor, rng: np.random.Generator) -> Tensor:
    """Random network with the same weights in each layer, at random places: a binary network keeps its densities."""
    layers = rng.permuted(weights.flatten(-2).numpy(), axis=-1)
    return torch.from_numpy(layers).reshape(weights.shape)


def random_reference(weights: Tensor, *, networks: int = 5, seed: int) -> Tensor:
    """Spectra ``[networks, ..., 3 I]`` of random networks that have the same densities (`shuffled_edges`)."""
    rng = np.random.default_rng(seed)
    return torch.stack([laplacian_spectrum(shuffled_edges(weights, rng)) for _ in range(networks)])


def beyond_density(weights: Tensor, *, networks: int = 5, seed: int) -> Tensor:
    """Spectra of binary networks minus what their densities explain, the mean spectrum of `random_reference`."""
    return laplacian_spectrum(weights) - random_reference(weights, networks=networks, seed=seed).mean(0)


def typical_size(differences: Tensor) -> Tensor:
    """Root mean square of each difference of spectra ``[..., runs, 3 I]``, of which the median over runs ``[...]``."""
    return differences.square().mean(-1).sqrt().quantile(0.5, dim=-1)


def distance_and_density(weights: Tensor, names: Sequence[str], seed: int) -> pd.DataFrame:
    """Each pair of the binary networks ``[groups, runs, 2, I, I]``: how far apart, and how different in density.

    Columns: ``first`` and ``second``, the names of the groups; ``density_ratio``, the larger density over the smaller;
    ``distance`` of the spectra; ``random_distance`` of two random networks with these densities. The ratio to a network
    without edges is infinite, that of two such networks NaN.
    """
    groups, runs = weights.shape[:2]
    spectra = laplacian_spectrum(weights).flatten(0, 1)
    random = random_reference(weights, networks=1, seed=seed)[0].flatten(0, 1)
    densities = density(weights).mean(-1).flatten().log()
    name = np.repeat(np.array(names), runs)
    i, j = np.triu_indices(groups * runs, 1)
    return pd.DataFrame(
        {
            "first": name[i],
            "second": name[j],
            "density_ratio": (densities[i] - densities[j]).abs().exp(),
            "distance": spectral_distances(spectra, spectra)[i, j],
            "random_distance": spectral_distances(random, random)[i, j],
        }
    )


def pair_table(pairs: pd.DataFrame, strategy: str) -> pd.DataFrame:
    """Means over the pairs of `distance_and_density`, for those with networks of a strategy and those without."""
    concerned = (pairs["first"] == strategy) | (pairs["second"] == strategy)
    measures = pd.DataFrame(
        {
            "distance": pairs["distance"],
            "if edges were random": pairs["random_distance"],
            "off the line": (pairs["distance"] - pairs["random_distance"]).abs(),
        }
    )
    return measures.groupby(np.where(concerned, f"with {strategy}", f"without {strategy}")).mean()


def beyond_table(weights: Tensor, seed: int) -> pd.DataFrame:
    """Typical size of `beyond_density` for each binary model, and for random networks with as many edges."""
    random = shuffled_edges(weights, np.random.default_rng([seed, 1]))  # not one of those that it is compared with
    return pd.DataFrame(
        {
            "network": typical_size(beyond_density(weights, seed=seed)),
            "random network": typical_size(beyond_density(random, seed=seed)),
        },
        index=[label(model) for model in BINARY_MODELS],
    )


def _all_distances(spectra: Tensor) -> Tensor:
    """Distance of each network to each: ``[groups, runs, groups, runs]``."""
    groups, runs = spectra.shape[:2]
    pooled = spectra.flatten(0, 1)
    return spectral_distances(pooled, pooled).reshape(groups, runs, groups, runs)


def _log_ratios(distances: Tensor) -> Tensor:
    """Logarithms of the ratios of `distance_ratios` from distances ``[2, groups, runs, groups, runs]``."""
    groups, runs = distances.shape[1:3]
    same = distances.diagonal(dim1=1, dim2=3).sum((1, 2, 3))
    within = (same / (groups * runs * (runs - 1))).clamp_min(1e-12).log()
    between = ((distances.sum((1, 2, 3, 4)) - same) / (groups * (groups - 1) * runs**2)).clamp_min(1e-12).log()
    return torch.cat([between - within, between[1:] - between[:1]])


def _side(interval: Interval, threshold: float) -> int:
    """1 where the whole interval lies at or above the threshold, -1 where it lies at or below, else 0."""
    return int(interval.low >= threshold) - int(interval.high <= threshold)
