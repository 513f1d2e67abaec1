import itertools

import networkx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components, laplacian
from sklearn.decomposition import PCA
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.core import spectra
from wfhelpers.core.spectra import (
    adjacency,
    laplacian_spectrum,
    quartile_bands,
    spectral_map,
)

few = settings(max_examples=25, deadline=None)


def random_networks(seed: int, *leading: int, width: int, density: float, binary: bool) -> Tensor:
    rng = np.random.default_rng(seed)
    shape = (*leading, 2, width, width)
    kept = rng.random(shape) < density
    return torch.from_numpy(kept * (1.0 if binary else rng.normal(size=shape) ** 2))


networks = st.builds(
    random_networks,
    st.integers(0, 2**32 - 1),
    width=st.integers(1, 8),
    density=st.sampled_from([0.0, 0.1, 0.3, 1.0]),
    binary=st.booleans(),
)


def reference_spectrum(weights: Tensor) -> np.ndarray:
    """Generalized problem ``L v = lambda D v`` with scipy's Laplacian.

    scipy drops loops: from ``L = D - A``, where they cancel, but from the degrees, too. So its ``normed=True`` is
    another matrix; loops have to be added to the degrees by hand.
    """
    matrix = adjacency(weights).numpy()
    unnormalized, degrees = laplacian(matrix, normed=False, return_diag=True)
    return eigh(unnormalized, np.diag(degrees + matrix.diagonal()), eigvals_only=True)


def test_adjacency_wires_outputs_to_hidden_to_inputs() -> None:
    weights = torch.tensor([[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]])
    expected = [
        [1, 0, 5, 6, 0, 0],
        [0, 1, 7, 8, 0, 0],
        [5, 7, 1, 0, 1, 2],
        [6, 8, 0, 1, 3, 4],
        [0, 0, 1, 3, 1, 0],
        [0, 0, 2, 4, 0, 1],
    ]
    assert adjacency(weights).tolist() == expected


def test_spectrum_of_one_node_a_layer_by_hand() -> None:
    """A path of three nodes with loops has degrees 2, 3, 2; without the first edge it falls apart."""
    weights = torch.tensor([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])[..., None, None]
    expected = [[0, 1 / 2, 7 / 6], [0, 0, 1], [0, 0, 0]]
    torch.testing.assert_close(laplacian_spectrum(weights), torch.tensor(expected, dtype=torch.float64))


@few
@given(networks)
def test_spectrum_against_scipy(weights: Tensor) -> None:
    np.testing.assert_allclose(laplacian_spectrum(weights), reference_spectrum(weights), atol=1e-10)


@few
@given(networks)
def test_spectrum_against_networkx(weights: Tensor) -> None:
    """networkx counts a loop once in the degree, as we do."""
    graph = networkx.from_numpy_array(adjacency(weights).numpy())
    expected = networkx.normalized_laplacian_spectrum(graph)
    np.testing.assert_allclose(laplacian_spectrum(weights), expected, atol=1e-10)


@few
@given(networks)
def test_spectrum_with_blocks_of_ones_against_networkx(weights: Tensor) -> None:
    """The other reading of the footnote's 1: each layer is wired to itself, loops included."""
    width = weights.shape[-1]
    graph = networkx.from_numpy_array(adjacency(weights).numpy())
    for layer in range(3):
        nodes = range(layer * width, (layer + 1) * width)
        graph.add_weighted_edges_from((i, j, 1.0) for i, j in itertools.combinations(nodes, 2))
    expected = networkx.normalized_laplacian_spectrum(graph)
    np.testing.assert_allclose(laplacian_spectrum(weights, torch.ones(width, width)), expected, atol=1e-10)


@few
@given(networks)
def test_spectrum_lies_in_zero_to_two_and_counts_components(weights: Tensor) -> None:
    spectrum = laplacian_spectrum(weights)
    assert spectrum.dtype == torch.float64
    assert (spectrum.diff() >= 0).all()
    assert spectrum[0] >= 0
    assert spectrum[-1] < 2
    if (weights == weights.round()).all():  # a real weight can be so small that its component is all but cut off
        components, _ = connected_components(adjacency(weights).numpy(), directed=False)
        assert int((spectrum < 1e-10).sum()) == components


@few
@given(networks, st.randoms(use_true_random=False))
def test_relabelled_nodes_have_the_same_spectrum(weights: Tensor, random: object) -> None:
    width = weights.shape[-1]
    hidden, inputs, outputs = (torch.tensor(random.sample(range(width), width)) for _ in range(3))
    renamed = spectra.relabel_hidden(weights, hidden)
    renamed = torch.stack([renamed[0][:, inputs], renamed[1][outputs]])
    torch.testing.assert_close(laplacian_spectrum(renamed), laplacian_spectrum(weights), atol=1e-10, rtol=0)


@few
@given(networks, st.randoms(use_true_random=False))
def test_renaming_hidden_nodes_keeps_what_the_network_computes(weights: Tensor, random: object) -> None:
    width = weights.shape[-1]
    order = torch.tensor(random.sample(range(width), width))
    first, second = spectra.relabel_hidden(weights, order)
    torch.testing.assert_close(second @ first, weights[1] @ weights[0])


def test_many_networks_in_one_call() -> None:
    weights = random_networks(0, 3, 4, width=5, density=0.3, binary=False)
    together = laplacian_spectrum(weights)
    assert together.shape == (3, 4, 15)
    for model, run in itertools.product(range(3), range(4)):
        torch.testing.assert_close(together[model, run], laplacian_spectrum(weights[model, run]), atol=1e-12, rtol=0)


def test_float32_weights_give_float64_spectra() -> None:
    weights = random_networks(0, width=5, density=0.3, binary=True)
    assert torch.equal(laplacian_spectrum(weights.float()), laplacian_spectrum(weights))


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (-torch.ones(2, 3, 3), "must not be negative, but the smallest weight is -1"),
        (torch.full((2, 3, 3), torch.nan), "some are NaN or infinite"),
        (torch.full((2, 3, 3), torch.inf), "some are NaN or infinite"),
        (torch.ones(3, 3), r"shape \[\.\.\., 2, I, I\], but they have \[3, 3\]"),
        (torch.ones(2, 3, 4), r"shape \[\.\.\., 2, I, I\], but they have \[2, 3, 4\]"),
    ],
)
def test_bad_weights_are_refused(weights: Tensor, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        laplacian_spectrum(weights)


def test_quartile_bands_against_numpy() -> None:
    values = torch.from_numpy(np.random.default_rng(0).random((4, 10, 6)))
    for dim in (0, 1):
        expected = np.percentile(values, [25, 50, 75], axis=dim)
        np.testing.assert_allclose(quartile_bands(values, dim), expected, atol=1e-15)


def test_spectral_map_against_sklearn() -> None:
    values = torch.from_numpy(np.random.default_rng(0).random((4, 10, 6)))
    found, reference = spectral_map(values), PCA(2)
    points = reference.fit_transform(values.reshape(40, 6))
    np.testing.assert_allclose(found.points.abs().reshape(40, 2), abs(points), atol=1e-12)
    np.testing.assert_allclose(found.explained, reference.explained_variance_ratio_, atol=1e-12)


@few
@given(st.integers(0, 2**32 - 1))
def test_spectral_map_has_a_fixed_sign(seed: int) -> None:
    """Mirrored spectra give the mirrored map: nothing but the data decides which way it points."""
    values = torch.from_numpy(np.random.default_rng(seed).random((12, 5)))
    order = torch.from_numpy(np.random.default_rng(seed).permutation(12))
    torch.testing.assert_close(spectral_map(values[order]).points, spectral_map(values).points[order])
    torch.testing.assert_close(spectral_map(-values).points, -spectral_map(values).points)


def test_spectral_map_of_points_in_a_plane_keeps_distances() -> None:
    rng = np.random.default_rng(0)
    values = torch.from_numpy(rng.random((9, 2)) @ rng.random((2, 12)))
    found = spectral_map(values)
    assert float(found.explained.sum()) == pytest.approx(1)
    on_the_map = torch.cdist(found.points, found.points) / 12**0.5
    torch.testing.assert_close(on_the_map, torch.cdist(values, values) / 12**0.5, atol=1e-7, rtol=0)


def test_spectral_map_of_equal_spectra_is_one_point() -> None:
    found = spectral_map(torch.ones(5, 6, dtype=torch.float64))
    assert found.points.abs().max() == 0
    assert found.explained.tolist() == [0, 0]


def test_spectral_map_refuses_two_points() -> None:
    with pytest.raises(InputError, match="got 2 of them, but needs at least 3"):
        spectral_map(torch.rand(2, 6))
