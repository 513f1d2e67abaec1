"""The network as a graph: the spectrum of its normalized Laplacian (Sec. 5, "Laplacian spectra", Fig. 5 and App. D).

A network of width I is a graph with 3 I nodes (outputs, hidden, inputs), whose edges carry the weights. Its spectrum
does not depend on how the nodes are named, so that networks can be compared although their hidden nodes are relabelled.

Weights are ``[..., 2, I, I]`` and spectra ``[..., 3 I]``, in float64. The leading axes are models, runs, anything.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from wfhelpers._support import InputError


def adjacency(weights: Tensor, diagonal: Tensor | None = None) -> Tensor:
    """Block adjacency matrix ``[..., 3 I, 3 I]`` of the footnote in Sec. 5.

    The nodes stand in the order outputs, hidden, inputs::

        A = [ 1     W_2    0  ]
            [ W_2^T  1    W_1 ]
            [ 0     W_1^T  1  ]

    The paper prints the last row as ``[W_1^T 0, 1]``, with which A would not be symmetric: a misprint. Its "1" is read
    as the identity, a loop of weight one at each node; ``diagonal [I, I]`` puts another block there.
    """
    _check_weights(weights)
    first, second = weights.double().unbind(-3)
    block = torch.eye(first.shape[-1]) if diagonal is None else diagonal
    one = block.double().expand_as(first)
    none = torch.zeros_like(first)
    rows = ([one, second, none], [second.mT, one, first], [none, first.mT, one])
    return torch.cat([torch.cat(row, -1) for row in rows], -2)


def laplacian_spectrum(weights: Tensor, diagonal: Tensor | None = None) -> Tensor:
    """Eigenvalues of the normalized Laplacian ``L = 1 - D^(-1/2) A D^(-1/2)``, ascending, ``[..., 3 I]``.

    ``D`` holds the row sums of `adjacency`, loops included, so that a node without edges has degree one and no division
    by zero arises. All eigenvalues lie in [0, 2); as many are zero as the graph has connected components.
    ``diagonal`` is that of `adjacency`.
    """
    matrix = adjacency(weights, diagonal)
    scale = matrix.sum(-1).rsqrt()
    matrix = -scale[..., :, None] * matrix * scale[..., None, :]
    matrix.diagonal(dim1=-2, dim2=-1).add_(1)
    eigenvalues: Tensor = torch.linalg.eigvalsh(matrix)
    return eigenvalues.clamp(0, 2)  # a zero may come out as -1e-17


def relabel_hidden(weights: Tensor, order: Tensor) -> Tensor:
    """Return the same network with its hidden nodes renamed: rows of ``w1`` and columns of ``w2`` in another order."""
    first, second = weights.unbind(-3)
    return torch.stack([first[..., order, :], second[..., :, order]], -3)


def quartile_bands(spectra: Tensor, dim: int = 0) -> Tensor:
    """Lower quartile, median and upper quartile of each eigenvalue over the runs in axis ``dim``, as ``[3, ...]``."""
    return torch.quantile(spectra, torch.tensor([0.25, 0.5, 0.75], dtype=spectra.dtype), dim=dim)


class SpectralMap(NamedTuple):
    """Spectra as points of a plane (`spectral_map`)."""

    points: Tensor
    """Coordinates ``[..., 2]`` along the first two principal components."""
    explained: Tensor
    """Share of the variance that each of the two shows, ``[2]``."""


def spectral_map(spectra: Tensor) -> SpectralMap:
    """Project all spectra ``[..., 3 I]`` together to their first two principal components (last plot of Fig. 5).

    A component's sign is free: it is chosen so that the eigenvalue that weighs most counts positively.
    """
    pooled = spectra.reshape(-1, spectra.shape[-1])
    if len(pooled) < 3:
        raise InputError(
            f"A map of spectra got {len(pooled)} of them, but needs at least 3 to be a plane: add networks."
        )
    centred = pooled - pooled.mean(0)
    _, singular, components = torch.linalg.svd(centred, full_matrices=False)
    plane = components[:2]
    heaviest = plane.gather(1, plane.abs().argmax(1, keepdim=True))
    points = centred @ (plane * heaviest.sign()).mT
    variance = singular.square()
    explained = variance[:2] / variance.sum().clamp_min(torch.finfo(variance.dtype).tiny)
    return SpectralMap(points.reshape(*spectra.shape[:-1], 2), explained)


def spectral_distances(first: Tensor, second: Tensor) -> Tensor:
    """Root mean square difference of the sorted eigenvalues, each of ``[m, 3 I]`` against each of ``[n, 3 I]``.

    It is the Euclidean distance, of which the map shows the largest part, divided by ``sqrt(3 I)``: an average
    displacement of an eigenvalue, on a scale from 0 to 2, which does not grow with the network.
    """
    return (first[:, None] - second[None]).square().mean(-1).sqrt()


class Separation(NamedTuple):
    """How far groups of networks lie apart (`separation`)."""

    within: float
    """Mean distance between two runs of the same group."""
    between: float
    """Mean distance between two networks of different groups."""
    p_value: float
    """Chance of a ``between - within`` at least as large if the group made no difference."""


def separation(spectra: Tensor, *, permutations: int = 999, seed: int) -> Separation:
    """Distances within and between groups of spectra ``[groups, runs, 3 I]``, with a permutation test.

    A run is one draw of the data, which all groups share. If the group made no difference, the networks of one run
    could swap their groups. The test does so at random, run by run, and counts how often ``between - within`` gets as
    large as it is: ``p = (1 + count) / (1 + permutations)``.
    """
    groups, runs = _check_groups(spectra)
    if permutations < 1:
        raise InputError(f"A permutation test got permutations = {permutations}, but needs at least 1.")
    pooled = spectra.reshape(groups * runs, -1)
    distances = spectral_distances(pooled, pooled)
    within, between = _means(distances, torch.arange(groups).repeat_interleave(runs)[None], groups)
    observed = float(between - within)
    shuffled = np.random.default_rng(seed).permuted(
        np.broadcast_to(np.arange(groups)[:, None], (permutations, groups, runs)), axis=1
    )
    chance_within, chance_between = _means(distances, torch.from_numpy(shuffled).reshape(permutations, -1), groups)
    rounding = 1e-12  # a permutation that only renames groups reaches the same value
    count = int((chance_between - chance_within >= observed - rounding).sum())
    return Separation(float(within), float(between), (1 + count) / (1 + permutations))


def _means(distances: Tensor, group: Tensor, groups: int) -> tuple[Tensor, Tensor]:
    """Mean distance of pairs within and between groups, for each row of ``group [permutations, networks]``."""
    member = torch.nn.functional.one_hot(group, groups).to(distances.dtype)
    pairs_within = member.sum(1).square().sum(1) - member.shape[1]  # a network is no pair with itself
    pairs = member.shape[1] * (member.shape[1] - 1)
    total_within = ((distances @ member) * member).sum((1, 2))
    return total_within / pairs_within, (distances.sum() - total_within) / (pairs - pairs_within)


def _check_weights(weights: Tensor) -> None:
    if weights.ndim < 3 or weights.shape[-3] != 2 or weights.shape[-2] != weights.shape[-1]:
        raise InputError(
            f"A network's weights must have the shape [..., 2, I, I], but they have {list(weights.shape)}."
        )
    if not torch.isfinite(weights).all():
        raise InputError("A graph's edges must have finite weights, but some are NaN or infinite: check the training.")
    if (weights < 0).any():
        raise InputError(
            f"A graph's edges must not be negative, but the smallest weight is {float(weights.min()):g}: "
            "take the weights of a network that was trained with nonnegative ones."
        )


def _check_groups(spectra: Tensor) -> tuple[int, int]:
    if spectra.ndim != 3 or spectra.shape[0] < 2 or spectra.shape[1] < 2:
        raise InputError(
            "Groups of spectra must have the shape [groups, runs, 3 I], with at least 2 groups and 2 runs, "
            f"but they have {list(spectra.shape)}."
        )
    return spectra.shape[0], spectra.shape[1]
