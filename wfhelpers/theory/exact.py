"""The true optimum of the binary problem for a small network: what Algorithm 1 of the paper aims at.

There are ``2^(2 I^2)`` binary networks of width I (4.3e9 for I = 4), but most compute the same as others. The score is
a sum over outputs, so that the order of outputs does not matter; nor does the order of hidden nodes, nor a hidden node
without inputs or without an output. What remains is searched completely (5.1e6 networks for I = 4):

* a set of different, nonempty subsets of the inputs, each with a number of copies: the hidden nodes, at most I in all;
* for each output, how many copies of each it adds up, in any order of outputs, where some output takes all copies.
"""

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from wfhelpers._support import InputError, side_by_side
from wfhelpers.core import network

LARGEST_WIDTH = 4

BLOCK = 2**18  # numbers that a core works on at a time: 2 MB, few enough for its cache
OBJECTS_PER_PRODUCT = 128  # a factor is at most 1 + e^4, so that a product of so many stays below 1e224
TIE = 1e-12  # losses as close as this are equal: rounding must not decide which network is returned


class Optimum(NamedTuple):
    """Best of all binary networks, one with the fewest hidden nodes among equals."""

    loss: float  # F, eq. (12)
    weights: Tensor  # [2, I, I] in {0, 1}, float64
    checked: int  # networks whose losses were computed
    covered: int  # networks for which these stand, all 2^(2 I^2)


class _Block(NamedTuple):
    """Networks that are checked at once: each of the choices ``kinds`` with each of the choices ``outputs``."""

    copies: tuple[int, ...]  # of each kind of hidden node
    sums: list[tuple[int, ...]]  # what an output can add up: how many copies of each kind
    kinds: Tensor  # subsets of the inputs that the hidden nodes read, one per kind, [choices, kinds]
    outputs: Tensor  # one of `sums` for each output, without regard to order, [choices, I]


def best_binary(x: Tensor, y: Tensor, width: int) -> Optimum:
    """Global minimum of F, eq. (12), over all binary networks of a width I of at most 4.

    ``x`` holds objects ``[n, I]`` and ``y`` their labels ``[n]`` in {0, 1}.
    """
    _check(x, y, width)
    x = x.double()
    subsets = torch.tensor(list(product([0.0, 1.0], repeat=width))[1:], dtype=x.dtype)
    hidden = torch.tanh(subsets @ torch.cat([x[y == 0], x[y == 1]]).mT)
    negative = int((y == 0).sum())

    def best_of(block: _Block) -> tuple[float, int]:
        losses = _losses(block, hidden[block.kinds], negative).flatten()
        least = float(losses.min())
        return least, int((losses <= least + TIE).nonzero()[0])

    blocks = list(_blocks(width, len(x)))
    best, chosen = torch.inf, (blocks[0], 0)
    results = side_by_side(best_of, blocks, f"all networks of width {width}")
    for block, (least, place) in zip(blocks, results, strict=True):
        if least < best - TIE:
            best, chosen = least, (block, place)
    weights = _weights(subsets, *chosen)
    checked = sum(len(block.kinds) * len(block.outputs) for block in blocks)
    return Optimum(float(network.loss(weights, x, y)), weights, checked, 2 ** (2 * width**2))


def _blocks(width: int, objects: int) -> Iterator[_Block]:
    """All networks that have to be checked, the fewest hidden nodes first."""
    together = max(1, BLOCK // objects)
    numbers = [copies for kinds in range(width + 1) for copies in product(range(1, width + 1), repeat=kinds)]
    for copies in sorted((copies for copies in numbers if sum(copies) <= width), key=sum):
        sums = list(product(*(range(number + 1) for number in copies)))
        choices = combinations_with_replacement(range(len(sums)), width)
        # A copy that no output needs occurs with fewer copies.
        outputs = [c for c in choices if tuple(map(max, zip(*(sums[i] for i in c), strict=True))) == copies]
        kinds = torch.tensor(list(combinations(range(2**width - 1), len(copies))), dtype=torch.long)
        for some_outputs in torch.split(torch.tensor(outputs), together):
            for some_kinds in torch.split(kinds, max(1, together // len(some_outputs))):
                yield _Block(copies, sums, some_kinds, some_outputs)


def _losses(block: _Block, hidden: Tensor, negative: int) -> Tensor:
    """Loss F, eq. (12), of every network of a block, ``hidden [choices, kinds, n]`` being its hidden nodes.

    The first ``negative`` objects have y = 0, the others y = 1. A logarithm is slow, so that softplus is summed as the
    logarithm of a product, ``sum log(1 + e^z) = log prod (1 + e^z)``, over so few objects that none overflows.
    """
    sums = torch.tensor(block.sums, dtype=hidden.dtype)
    times = one_hot(block.outputs, len(sums)).sum(1).to(hidden.dtype)
    # 1 + e^z, where z = sum_i tanh(sum_j w2_ij tanh(sum_k w1_jk x_k)), eq. (11)
    factors = (times @ torch.tanh(sums @ hidden)).exp_().add_(1)
    # F = (sum_{y = 0} log(1 + e^z) - sum_{y = 1} log(1 + e^z)) / n
    return (_log_product(factors[..., :negative]) - _log_product(factors[..., negative:])) / hidden.shape[-1]


def _log_product(factors: Tensor) -> Tensor:
    """``sum_n log(factor_n)`` over the last axis."""
    groups = range(0, factors.shape[-1], OBJECTS_PER_PRODUCT)
    logs = [factors[..., start : start + OBJECTS_PER_PRODUCT].prod(-1).log_() for start in groups]
    return torch.stack(logs).sum(0) if logs else torch.zeros(factors.shape[:-1], dtype=factors.dtype)


def _weights(subsets: Tensor, block: _Block, place: int) -> Tensor:
    """Weights of the network at a place of a block."""
    width = subsets.shape[-1]
    kinds, outputs = (choice.tolist() for choice in (block.kinds, block.outputs))
    subset, output = kinds[place // len(outputs)], outputs[place % len(outputs)]
    weights, start = torch.zeros(2, width, width, dtype=subsets.dtype), 0
    for kind, copies in enumerate(block.copies):
        weights[0, start : start + copies] = subsets[subset[kind]]
        for row, chosen in enumerate(output):
            weights[1, row, start : start + block.sums[chosen][kind]] = 1
        start += copies
    return weights


def _check(x: Tensor, y: Tensor, width: int) -> None:
    if x.ndim != 2 or not len(x) or y.shape != x.shape[:1]:
        shapes = f"x has the shape {list(x.shape)} and y {list(y.shape)}"
        raise InputError(f"The exact optimum needs objects [n, I] and labels [n] with n of at least 1, but {shapes}.")
    if width != x.shape[1]:
        raise InputError(f"A network is as wide as its objects, but width = {width} and x has {x.shape[1]} columns.")
    if not 1 <= width <= LARGEST_WIDTH:
        networks = f"{2.0 ** min(2 * width**2, 1000):.1g} networks to choose from"
        widths = f"widths 1 to {LARGEST_WIDTH}, but width = {width}"
        raise InputError(f"The exact optimum is found for {widths}, with {networks}: take fewer features.")
    if not torch.isfinite(x).all():
        raise InputError("The objects must be finite, but some entries of x are NaN or infinite: remove those objects.")
    if not ((y == 0) | (y == 1)).all():
        raise InputError(f"Labels must be 0 or 1, but y holds {sorted(set(y.tolist()) - {0, 1})[:3]}.")
