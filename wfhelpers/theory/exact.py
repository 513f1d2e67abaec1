"""The true optimum of the binary problem for a small network: what Algorithm 1 of the paper aims at.

There are ``2^(2 I^2)`` binary networks of width I (4.3e9 for I = 4), but most compute the same as others. The score is
a sum over outputs, so that the order of outputs does not matter; nor does the order of hidden nodes, nor a hidden node
without inputs or without an output. What is left to choose, and what is searched here without a gap (5.1e6 networks
for I = 4):

* a set of different, nonempty subsets of the inputs, each with a number of copies: the hidden nodes, at most I in all;
* for each output, how many copies of each it adds up, in any order of outputs, where some output takes all copies.
"""

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from wfhelpers._support import InputError, one_core_a_block, progress
from wfhelpers.core import network

LARGEST_WIDTH = 4

BLOCK = 2**18
"""Numbers that a core works on at a time: 2 MB, few enough for its cache."""

OBJECTS_A_PRODUCT = 128
"""Objects whose factors are multiplied; a factor is at most ``1 + e^4``, so that the product stays below 1e224."""

TIE = 1e-12
"""Losses as close as this are equal: rounding must not decide which network is returned."""


class Optimum(NamedTuple):
    """Best of all binary networks (`best_binary`)."""

    loss: float
    """Its objective F, eq. (12): no binary network has a lower one."""
    weights: Tensor
    """Its weights ``[2, I, I]`` in {0, 1}, float64. Among equals, one with the fewest hidden nodes."""
    checked: int
    """Number of networks whose loss was computed."""
    covered: int
    """Number of networks that these stand for: all ``2^(2 I^2)``."""


class _Family(NamedTuple):
    """All networks whose hidden nodes come in given numbers of copies."""

    copies: tuple[int, ...]
    """Copies of each kind of hidden node."""
    sums: list[tuple[int, ...]]
    """What an output can add up: how many copies of each kind."""
    outputs: list[tuple[int, ...]]
    """Choices of one of ``sums`` for each output, without regard to order."""


class _Block(NamedTuple):
    """Part of a family: every one of ``kinds`` with every one of ``outputs``."""

    family: _Family
    kinds: Tensor
    """Subsets of the inputs that the hidden nodes read, one a kind, ``[sets, kinds]``."""
    outputs: Tensor
    """Some of the family's ``outputs``."""


def best_binary(x: Tensor, y: Tensor, width: int) -> Optimum:
    """Global minimum of F, eq. (12), over all binary networks of a width of at most 4.

    Parameters
    ----------
    x
        Objects ``[n, I]``.
    y
        Their labels ``[n]`` in {0, 1}.
    width
        Width I of the network, which is the number of columns of ``x``.
    """
    _check(x, y, width)
    x = x.double()
    subsets = torch.tensor(list(product([0.0, 1.0], repeat=width))[1:], dtype=x.dtype)
    hidden = torch.tanh(subsets @ torch.cat([x[y == 0], x[y == 1]]).mT)
    negative = int((y == 0).sum())

    def best_of(block: _Block) -> tuple[float, int]:
        losses = _losses(block.family, hidden[block.kinds], block.outputs, negative).flatten()
        least = float(losses.min())
        return least, int((losses <= least + TIE).nonzero()[0])

    blocks = [block for family in _families(width) for block in _blocks(family, len(subsets), len(x))]
    best, found = torch.inf, (blocks[0], 0)
    with one_core_a_block() as pool:
        results = zip(blocks, pool.map(best_of, blocks), strict=True)
        for block, (least, place) in progress(results, f"all networks of width {width}", len(blocks)):
            if least < best - TIE:
                best, found = least, (block, place)
    weights = _weights(subsets, *found)
    checked = sum(len(block.kinds) * len(block.outputs) for block in blocks)
    return Optimum(float(network.loss(weights, x, y)), weights, checked, 2 ** (2 * width**2))


def _families(width: int) -> list[_Family]:
    """Every way to make copies, the fewest hidden nodes first."""
    families = []
    for kinds in range(width + 1):
        for copies in product(range(1, width + 1), repeat=kinds):
            if sum(copies) <= width:
                sums = list(product(*(range(number + 1) for number in copies)))
                choices = combinations_with_replacement(range(len(sums)), width)
                # A copy that no output needs belongs to a family with fewer of them.
                outputs = [c for c in choices if tuple(map(max, zip(*(sums[i] for i in c), strict=True))) == copies]
                families.append(_Family(copies, sums, outputs))
    return sorted(families, key=lambda family: sum(family.copies))


def _blocks(family: _Family, subsets: int, objects: int) -> Iterator[_Block]:
    """Split a family into blocks."""
    kinds = torch.tensor(list(combinations(range(subsets), len(family.copies))), dtype=torch.long)
    outputs = torch.tensor(family.outputs)
    together = max(1, BLOCK // objects)
    for some_outputs in torch.split(outputs, together):
        for some_kinds in torch.split(kinds, max(1, together // len(some_outputs))):
            yield _Block(family, some_kinds, some_outputs)


def _losses(family: _Family, hidden: Tensor, outputs: Tensor, negative: int) -> Tensor:
    """F of every choice of hidden nodes ``hidden [kinds, d, n]`` with every choice of ``outputs``.

    The first ``negative`` objects have y = 0, the others y = 1. A logarithm is slow, so that softplus is summed as the
    logarithm of a product, ``sum log(1 + e^z) = log prod (1 + e^z)``, over so few objects that none overflows.
    """
    sums = torch.tensor(family.sums, dtype=hidden.dtype)
    times = one_hot(outputs, len(sums)).sum(1).to(hidden.dtype)
    factors = (times @ torch.tanh(sums @ hidden)).exp_().add_(1)
    return (_log_product(factors[..., :negative]) - _log_product(factors[..., negative:])) / hidden.shape[-1]


def _log_product(factors: Tensor) -> Tensor:
    """``sum_n log(factor_n)`` over the last axis."""
    groups = range(0, factors.shape[-1], OBJECTS_A_PRODUCT)
    logs = [factors[..., start : start + OBJECTS_A_PRODUCT].prod(-1).log_() for start in groups]
    return torch.stack(logs).sum(0) if logs else torch.zeros(factors.shape[:-1], dtype=factors.dtype)


def _weights(subsets: Tensor, block: _Block, place: int) -> Tensor:
    """Weights of the network at a place of a block."""
    width = subsets.shape[-1]
    kinds, outputs = (choice.tolist() for choice in (block.kinds, block.outputs))
    subset, output = kinds[place // len(outputs)], outputs[place % len(outputs)]
    weights = torch.zeros(2, width, width, dtype=subsets.dtype)
    start = 0
    for kind, copies in enumerate(block.family.copies):
        weights[0, start : start + copies] = subsets[subset[kind]]
        for row, chosen in enumerate(output):
            weights[1, row, start : start + block.family.sums[chosen][kind]] = 1
        start += copies
    return weights


def _check(x: Tensor, y: Tensor, width: int) -> None:
    if x.ndim != 2 or not len(x) or y.shape != x.shape[:1]:
        raise InputError(
            "The exact optimum needs objects [n, I] and labels [n] with n of at least 1, "
            f"but x has the shape {list(x.shape)} and y {list(y.shape)}."
        )
    if width != x.shape[1]:
        raise InputError(f"A network is as wide as its objects, but width = {width} and x has {x.shape[1]} columns.")
    if not 1 <= width <= LARGEST_WIDTH:
        raise InputError(
            f"The exact optimum is found for widths 1 to {LARGEST_WIDTH}, but width = {width}, with "
            f"{2.0 ** min(2 * width**2, 1000):.1g} networks to choose from: take fewer features."
        )
    if not torch.isfinite(x).all():
        raise InputError("The objects must be finite, but some entries of x are NaN or infinite: remove those objects.")
    if not ((y == 0) | (y == 1)).all():
        raise InputError(f"Labels must be 0 or 1, but y holds {sorted(set(y.tolist()) - {0, 1})[:3]}.")
