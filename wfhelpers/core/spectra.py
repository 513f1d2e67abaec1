"""The network as a graph: the spectrum of its normalized Laplacian (Sec. 5, "Laplacian spectra", Fig. 5 and App. D).

A network of width I is a graph with 3 I nodes (outputs, hidden, inputs), whose edges carry the weights. Its spectrum
does not depend on how the nodes are named, so that networks can be compared although their hidden nodes are relabelled.

Weights are ``[..., 2, I, I]`` and spectra ``[..., 3 I]``, in float64. The leading axes are models, runs, anything.
"""

from typing import NamedTuple

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
        raise InputError(f"A map of spectra got {len(pooled)} of them, but needs at least 3: add networks.")
    centred = pooled - pooled.mean(0)
    _, singular, components = torch.linalg.svd(centred, full_matrices=False)
    plane = components[:2]
    heaviest = plane.gather(1, plane.abs().argmax(1, keepdim=True))
    points = centred @ (plane * heaviest.sign()).mT
    variance = singular.square()
    explained = variance[:2] / variance.sum().clamp_min(torch.finfo(variance.dtype).tiny)
    return SpectralMap(points.reshape(*spectra.shape[:-1], 2), explained)


def _check_weights(weights: Tensor) -> None:
    if weights.ndim < 3 or weights.shape[-3] != 2 or weights.shape[-2] != weights.shape[-1]:
        raise InputError(f"Weights must have the shape [..., 2, I, I], but they have {list(weights.shape)}.")
    if not torch.isfinite(weights).all():
        raise InputError("A graph's edges must have finite weights, but some are NaN or infinite: check the training.")
    if (weights < 0).any():
        raise InputError(
            f"A graph's edges must not be negative, but the smallest weight is {float(weights.min()):g}: "
            "take the weights of a network that was trained with nonnegative ones."
        )
