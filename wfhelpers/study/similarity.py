"""How alike are the networks of different strategies? The spectra of their graphs (Fig. 5), by which C10 is judged.

Spectra are ``[strategies, runs, 3 I]``, as `wfhelpers.core.spectra.laplacian_spectrum` gives them for `edge_weights`.
They depend much on the number of edges, so that there is a reference: random networks that have as many edges.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from scipy.special import stdtrit
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.core.network import density
from wfhelpers.core.spectra import laplacian_spectrum
from wfhelpers.core.strategies import BINARY_MODELS, MODELS, Fitted, label

KINDS = {"real": tuple(model for model in MODELS if model not in BINARY_MODELS), "binary": BINARY_MODELS}
"""The real and the binary network of each strategy, in the order of `wfhelpers.core.strategies.STRATEGIES`."""


def edge_weights(fitted: Mapping[str, Fitted]) -> dict[str, Tensor]:
    """Weights ``[strategies, runs, 2, I, I]`` of the ten models, by kind, as a graph's edges carry them."""
    # Absolute values: a degree must not be negative, as the shared weight of agnostic→real can be.
    weights = {kind: torch.stack([fitted[model].weights for model in models]) for kind, models in KINDS.items()}
    return {kind: values.double().abs() for kind, values in weights.items()}


def spectral_distances(first: Tensor, second: Tensor) -> Tensor:
    """Root mean square difference of the sorted eigenvalues, each of ``[m, 3 I]`` against each of ``[n, 3 I]``."""
    return (first[:, None] - second[None]).square().mean(-1).sqrt()


def mean_distances(spectra: Tensor) -> Tensor:
    """Mean distance ``[groups, groups]`` between networks of two groups; on the diagonal, of two runs of one group."""
    runs = spectra.shape[1]
    sums = _all_distances(spectra).sum((1, 3))
    pairs = torch.full_like(sums, runs * runs)
    return sums / pairs.fill_diagonal_(runs * (runs - 1))


class Separation(NamedTuple):
    """Mean distances of two runs of one group and of two groups, and the p-value of `separation`."""

    within: float
    between: float
    p_value: float


def separation(spectra: Tensor, *, permutations: int = 999, seed: int) -> Separation:
    """Distances within and between groups of spectra ``[groups, runs, 3 I]``, with a permutation test.

    If the group made no difference, the networks of a run, which is one draw of the data, could swap their groups: at
    random, they do so ``permutations`` times, and the p-value says how often ``between - within`` is as large then.
    """
    if spectra.ndim != 3 or min(spectra.shape[:2]) < 2:
        shape = list(spectra.shape)
        raise InputError(f"Spectra are {shape}; expected [groups, runs, 3 I] with at least 2 groups and 2 runs.")
    groups, runs = spectra.shape[:2]
    if permutations < 1:
        raise InputError(f"A permutation test got permutations = {permutations}, but needs at least 1.")
    distances = _all_distances(spectra).reshape(groups * runs, -1)
    within, between = _means(distances, torch.arange(groups).repeat_interleave(runs)[None], groups)
    ordered = np.broadcast_to(np.arange(groups)[:, None], (permutations, groups, runs))
    shuffled = np.random.default_rng(seed).permuted(ordered, axis=1)
    chance_within, chance_between = _means(distances, torch.from_numpy(shuffled).reshape(permutations, -1), groups)
    reached = chance_between - chance_within >= between - within - 1e-12  # renamed groups give the same, rounding apart
    return Separation(float(within), float(between), (1 + int(reached.sum())) / (1 + permutations))


def _means(distances: Tensor, group: Tensor, groups: int) -> tuple[Tensor, Tensor]:
    """Mean distance of pairs within and between groups, for each row of ``group [permutations, networks]``."""
    member = torch.nn.functional.one_hot(group, groups).to(distances.dtype)
    pairs_within = member.sum(1).square().sum(1) - member.shape[1]  # a network is not paired with itself
    pairs = member.shape[1] * (member.shape[1] - 1)
    total_within = ((distances @ member) * member).sum((1, 2))
    return total_within / pairs_within, (distances.sum() - total_within) / (pairs - pairs_within)


def distance_ratios(real: Tensor, binary: Tensor) -> pd.DataFrame:
    """Three ratios of mean distances, two of which C10 is judged by, with 95 % intervals: one row per name in `RATIOS`.

    The jackknife of their logarithms leaves out each run once. A distance below 1e-12 counts as 1e-12.
    """
    values = log_ratios_by_run(real, binary)
    estimate, runs = values.mean(0), len(values)
    reach = values.std(0) / runs**0.5 * float(stdtrit(runs - 1, 0.975))
    ends = torch.stack([estimate, estimate - reach, estimate + reach], 1).exp()
    return pd.DataFrame(ends.numpy(), index=list(RATIOS), columns=["estimate", "low", "high"])


def log_ratios_by_run(real: Tensor, binary: Tensor) -> Tensor:
    """Logarithms of the ratios of `distance_ratios` per run, ``[runs, 3]``: pseudo-values of the jackknife."""
    if real.ndim != 3 or len(real) < 2 or real.shape[1] < 3 or real.shape != binary.shape:
        raise InputError(
            "Ratios of distances need real and binary spectra [strategies, runs, 3 I] of one shape, with at least 2 "
            f"strategies and 3 runs, but they got {list(real.shape)} and {list(binary.shape)}."
        )
    runs = real.shape[1]
    distances = torch.stack([_all_distances(real), _all_distances(binary)])
    others = [[other for other in range(runs) if other != run] for run in range(runs)]
    left_out = torch.stack([_log_ratios(distances[:, :, kept][..., kept]) for kept in others])
    return _log_ratios(distances) - (runs - 1) * (left_out - left_out.mean(0))


RATIOS = ("real: between / within", "binary: between / within", "between: binary / real")
"""Distance between strategies over that between runs of one strategy, for real and for binary networks; distance
between strategies of binary networks over that of real ones."""


def spectrum_table(spectra: Mapping[str, Tensor]) -> pd.DataFrame:
    """Medians over runs for each model: the number of zeros, and eigenvalues at some places of the spectrum."""
    rows = {}
    for kind, values in spectra.items():
        nodes = values.shape[-1]
        places = {f"at {share}": round(nodes * share) for share in (0.1, 0.25, 0.5, 0.75)} | {"largest": nodes - 1}
        for model, runs in zip(KINDS[kind], values, strict=True):
            middle, zeros = runs.quantile(0.5, dim=0), (runs < 1e-6).double().sum(-1).quantile(0.5)
            rows[label(model)] = {"zeros": int(zeros)} | {name: float(middle[at]) for name, at in places.items()}
    return pd.DataFrame.from_dict(rows, orient="index")


def shuffled_edges(weights: Tensor, rng: np.random.Generator) -> Tensor:
    """Random network with the same weights in each layer, at random places: a binary network keeps its densities."""
    return torch.from_numpy(rng.permuted(weights.flatten(-2).numpy(), axis=-1)).reshape(weights.shape)


def _random_reference(weights: Tensor, *, networks: int = 5, seed: int) -> Tensor:
    """Spectra ``[networks, ..., 3 I]`` of random networks that have the same densities (`shuffled_edges`)."""
    rng = np.random.default_rng(seed)
    return torch.stack([laplacian_spectrum(shuffled_edges(weights, rng)) for _ in range(networks)])


def beyond_density(weights: Tensor, *, networks: int = 5, seed: int) -> Tensor:
    """Spectra of binary networks minus what their densities explain, the mean of ``_random_reference``."""
    return laplacian_spectrum(weights) - _random_reference(weights, networks=networks, seed=seed).mean(0)


def typical_size(differences: Tensor) -> Tensor:
    """Root mean square of each difference of spectra ``[..., runs, 3 I]``, of which the median over runs ``[...]``."""
    return differences.square().mean(-1).sqrt().quantile(0.5, dim=-1)


def distance_and_density(weights: Tensor, names: Sequence[str], seed: int) -> pd.DataFrame:
    """Each pair of the binary networks ``[groups, runs, 2, I, I]``: how far apart, and how different in density.

    ``density_ratio`` is the larger density over the smaller one, infinite if a network has no edges and NaN if both
    have none; ``random_distance`` is that of two random networks with these densities.
    """
    groups, runs = weights.shape[:2]
    spectra = laplacian_spectrum(weights).flatten(0, 1)
    random = _random_reference(weights, networks=1, seed=seed)[0].flatten(0, 1)
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
    measures = pairs[["distance", "random_distance"]].set_axis(["distance", "if edges were random"], axis=1)
    measures["off the line"] = (pairs["distance"] - pairs["random_distance"]).abs()
    return measures.groupby(np.where(concerned, f"with {strategy}", f"without {strategy}")).mean()


def beyond_table(weights: Tensor, seed: int) -> pd.DataFrame:
    """Typical size of `beyond_density` for each binary model, and for random networks with as many edges."""
    random = shuffled_edges(weights, np.random.default_rng([seed, 1]))  # not one of those that it is compared with
    networks = {"network": weights, "random network": random}
    sizes = {name: typical_size(beyond_density(values, seed=seed)) for name, values in networks.items()}
    return pd.DataFrame(sizes, index=list(map(label, BINARY_MODELS)))


def _all_distances(spectra: Tensor) -> Tensor:
    """Distance of each network to each: ``[groups, runs, groups, runs]``."""
    pooled = spectra.flatten(0, 1)
    return spectral_distances(pooled, pooled).reshape(*spectra.shape[:2], *spectra.shape[:2])


def _log_ratios(distances: Tensor) -> Tensor:
    """Logarithms of the ratios of `distance_ratios` from distances ``[2, groups, runs, groups, runs]``."""
    groups, runs = distances.shape[1:3]
    group = torch.arange(groups).repeat_interleave(runs)[None]
    means = [torch.cat(_means(each.reshape(groups * runs, -1), group, groups)) for each in distances]
    within, between = torch.stack(means, 1).clamp_min(1e-12).log()
    return torch.cat([between - within, between[1:] - between[:1]])
