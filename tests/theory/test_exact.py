from collections import Counter
from itertools import product
from math import comb, prod

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.core import network
from wfhelpers.theory import exact
from wfhelpers.theory.exact import best_binary


def objects(seed: int, width: int, number: int) -> tuple[Tensor, Tensor]:
    """Features of both signs and of different sizes, and labels that depend on them a little."""
    rng = np.random.default_rng(seed)
    x = rng.normal(rng.normal(size=width), np.exp(rng.normal(size=width)), size=(number, width))
    y = x @ rng.normal(size=width) + rng.normal(size=number) > 0
    return torch.from_numpy(x), torch.from_numpy(y.astype(int))


def all_networks(width: int) -> Tensor:
    number = 2 * width**2
    bits = torch.arange(2**number)[:, None] >> torch.arange(number) & 1
    return bits.double().reshape(-1, 2, width, width)


def literal_loss(weights: Tensor, x: Tensor, y: Tensor) -> float:
    """Equations (11) and (12), term by term."""
    total = 0.0
    for features, label in zip(x.tolist(), y.tolist(), strict=True):
        hidden = [np.tanh(np.dot(row, features)) for row in weights[0].tolist()]
        outputs = [np.tanh(np.dot(row, hidden)) for row in weights[1].tolist()]
        total += np.log(1 + np.exp(sum(outputs))) * (1 - 2 * label)
    return total / len(x)


@pytest.mark.parametrize("width", [1, 2])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), number=st.integers(1, 12))
def test_small_optimum_against_brute_force(width: int, seed: int, number: int) -> None:
    x, y = objects(seed, width, number)
    found = best_binary(x, y, width)
    assert found.loss == pytest.approx(min(literal_loss(w, x, y) for w in all_networks(width)), abs=1e-12)
    assert literal_loss(found.weights, x, y) == pytest.approx(found.loss, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_optimum_of_width_three_against_brute_force(seed: int) -> None:
    x, y = objects(seed, width=3, number=15)
    found = best_binary(x, y, 3)
    losses = torch.cat([network.loss(block, x, y) for block in all_networks(3).split(2**15)])
    assert found.loss == pytest.approx(float(losses.min()), abs=1e-12)
    assert float(network.loss(found.weights, x, y)) == found.loss
    assert literal_loss(found.weights, x, y) == pytest.approx(found.loss, abs=1e-12)


def what_it_computes(weights: Tensor) -> frozenset:
    """Name of a network that is free of the order of its nodes: what each output adds up, and how often."""
    first, second = weights.int().tolist()
    outputs = [Counter(tuple(first[j]) for j, on in enumerate(row) if on and any(first[j])) for row in second]
    return frozenset(Counter(frozenset(output.items()) for output in outputs).items())


@pytest.mark.parametrize("width", [1, 2])
def test_checks_every_different_network_once(width: int) -> None:
    x, y = objects(0, width, 4)
    found = best_binary(x, y, width)
    assert found.checked == len({what_it_computes(weights) for weights in all_networks(width)})
    assert found.covered == len(all_networks(width))


def number_of_networks(width: int) -> int:
    """Different networks by inclusion and exclusion: of each way to make copies, those that no smaller one covers."""

    def up_to(copies: tuple[int, ...]) -> int:
        return comb(prod(number + 1 for number in copies) + width - 1, width)

    total = 0
    for copies in product(range(width + 1), repeat=width):
        if sum(copies) <= width and list(copies) == sorted(copies, key=lambda number: number == 0):  # zeros last
            kinds = [number for number in copies if number]
            fewer = product([0, 1], repeat=len(kinds))
            exactly = sum((-1) ** sum(f) * up_to(tuple(np.subtract(kinds, f).tolist())) for f in fewer)
            total += comb(2**width - 1, len(kinds)) * exactly
    return total


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_number_of_checked_networks(width: int) -> None:
    x, y = objects(0, width, 1)
    assert best_binary(x, y, width).checked == number_of_networks(width)


def test_optimum_of_width_four() -> None:
    """No random network, no neighbour of the optimum, and none of width three on fewer features is better."""
    x, y = objects(1, width=4, number=10)
    found = best_binary(x, y, 4)
    rng = np.random.default_rng(0)
    density = rng.random((20_000, 1, 1, 1))
    random = torch.from_numpy((rng.random((20_000, 2, 4, 4)) < density).astype(float))
    flips = torch.eye(32, dtype=torch.float64).reshape(32, 2, 4, 4)
    neighbours = (found.weights - flips).abs()
    assert found.loss <= float(network.loss(random, x, y).min()) + 1e-12
    assert found.loss <= float(network.loss(neighbours, x, y).min()) + 1e-12
    assert float(network.loss(found.weights, x, y)) == found.loss
    assert found.covered == 2**32


def test_optimum_of_width_four_includes_width_three() -> None:
    """A network of width three, padded with zeros, computes the same."""
    x, y = objects(2, width=3, number=10)
    small = best_binary(x, y, 3)
    large = best_binary(torch.cat([x, torch.zeros(10, 1)], 1), y, 4)
    assert large.loss <= small.loss + 1e-12


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), order=st.permutations(range(3)))
def test_order_of_features_and_objects_does_not_matter(seed: int, order: list[int]) -> None:
    x, y = objects(seed, width=3, number=9)
    shuffled = torch.from_numpy(np.random.default_rng(seed).permutation(9))
    assert best_binary(x[shuffled][:, order], y[shuffled], 3).loss == pytest.approx(
        best_binary(x, y, 3).loss, abs=1e-12
    )


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_has_a_known_optimum(label: int) -> None:
    """Of positive features, no edge gives the lowest score and every edge the highest."""
    x = torch.rand(300, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))  # several products
    found = best_binary(x, torch.full((300,), label), 3)
    assert torch.equal(found.weights, torch.full((2, 3, 3), float(label), dtype=torch.float64))


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = objects(2, width=3, number=40)
    expected = best_binary(x, y, 3)
    monkeypatch.setattr(exact, "BLOCK", 1000)
    monkeypatch.setattr(exact, "OBJECTS_PER_PRODUCT", 7)
    found = best_binary(x, y, 3)
    assert (found.loss, found.checked) == (expected.loss, expected.checked)
    assert torch.equal(found.weights, expected.weights)


def test_number_of_threads_changes_no_bit_and_is_left_as_it_was() -> None:
    x, y = objects(2, width=3, number=40)
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(best_binary(x, y, 3))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert found[0].loss == found[1].loss
    assert torch.equal(found[0].weights, found[1].weights)


@pytest.mark.parametrize(("seed", "fewest"), [(0, 0), (4, 1)])
def test_equal_networks_give_one_with_fewest_hidden_nodes(seed: int, fewest: int) -> None:
    """With an empty feature, a hidden node that reads nothing else may be there or not."""
    x, y = objects(seed, width=1, number=20)
    x = torch.cat([x, torch.zeros_like(x)], 1)
    networks = all_networks(2)
    found = best_binary(x, y, 2)
    equals = networks[network.loss(networks, x, y) < found.loss + 1e-12]

    def hidden_nodes(weights: Tensor) -> Tensor:
        return (weights[..., 0, :, :].any(-1) & weights[..., 1, :, :].any(-2)).sum(-1)

    assert hidden_nodes(equals).unique().tolist() == list(range(fewest, 3))
    assert int(hidden_nodes(found.weights)) == fewest


@pytest.mark.parametrize(
    ("x", "y", "width", "sentence"),
    [
        (torch.rand(6, 5), torch.zeros(6), 5, r"widths 1 to 4, but width = 5, with 1e\+15 networks"),
        (torch.rand(6, 64), torch.zeros(6), 64, "widths 1 to 4, but width = 64"),
        (torch.rand(6, 0), torch.zeros(6), 0, "widths 1 to 4, but width = 0"),
        (torch.rand(6, 3), torch.zeros(6), 2, "width = 2 and x has 3 columns"),
        (torch.rand(6, 3), torch.zeros(5), 3, r"x has the shape \[6, 3\] and y \[5\]"),
        (torch.rand(3), torch.zeros(3), 3, r"x has the shape \[3\]"),
        (torch.rand(0, 3), torch.zeros(0), 3, "n of at least 1"),
        (torch.full((6, 3), torch.nan), torch.zeros(6), 3, "NaN or infinite"),
        (torch.rand(6, 3), torch.tensor([0, 1, 2, -1, 0, 1]), 3, r"0 or 1, but y holds \[-1, 2\]"),
        (torch.rand(1, 3), torch.tensor([torch.nan]), 3, r"0 or 1, but y holds \[nan\]"),
    ],
)
def test_bad_input_is_refused(x: Tensor, y: Tensor, width: int, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        best_binary(x, y, width)
