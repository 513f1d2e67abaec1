import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t, wasserstein_distance
from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.core.spectra import laplacian_spectrum
from wfhelpers.core.strategies import MODELS, STRATEGIES, Fitted, strategy_of
from wfhelpers.study.similarity import (
    KINDS,
    RATIOS,
    _random_reference,
    beyond_density,
    beyond_table,
    distance_and_density,
    distance_ratios,
    edge_weights,
    mean_distances,
    pair_table,
    separation,
    shuffled_edges,
    spectral_distances,
    spectrum_table,
    typical_size,
)

few = settings(max_examples=15, deadline=None)


def random_spectra(seed: int, *shape: int) -> Tensor:
    return torch.from_numpy(np.random.default_rng(seed).random(shape)).sort(-1).values


def binary_networks(seed: int, *leading: int, width: int = 6, density: float = 0.3) -> Tensor:
    return torch.from_numpy((np.random.default_rng(seed).random((*leading, 2, width, width)) < density).astype(float))


def test_edges_stand_by_kind_in_the_order_of_strategies_and_are_not_negative() -> None:
    weights = {model: torch.full((3, 2, 4, 4), float(number)) for number, model in enumerate(MODELS)}
    weights["agnostic-real"] = -weights["agnostic-real"]
    found = edge_weights({model: Fitted(value, torch.ones(3), torch.ones(3)) for model, value in weights.items()})
    assert [strategy_of(model) for kind in ("real", "binary") for model in KINDS[kind]] == [*STRATEGIES, *STRATEGIES]
    for kind, models in KINDS.items():
        assert found[kind].shape == (5, 3, 2, 4, 4)
        assert found[kind][:, 0, 0, 0, 0].tolist() == [MODELS.index(model) for model in models]


def literal_distance(first: Tensor, second: Tensor) -> float:
    return float(np.sqrt(np.mean((first.numpy() - second.numpy()) ** 2)))


def literal_means(spectra: Tensor) -> tuple[float, float]:
    """Mean distance within and between groups, pair by pair."""
    networks = list(itertools.product(range(spectra.shape[0]), range(spectra.shape[1])))
    within, between = [], []
    for a, b in itertools.combinations(networks, 2):
        (within if a[0] == b[0] else between).append(literal_distance(spectra[a], spectra[b]))
    return float(np.mean(within)), float(np.mean(between))


@few
@given(st.integers(0, 2**32 - 1))
def test_spectral_distances_against_numpy_and_transport(seed: int) -> None:
    first, second = np.sort(np.random.default_rng(seed).random((2, 3, 7)), axis=-1)
    found = spectral_distances(torch.from_numpy(first), torch.from_numpy(second)).numpy()
    for i, j in itertools.product(range(3), range(3)):
        assert found[i, j] == pytest.approx(np.sqrt(np.mean((first[i] - second[j]) ** 2)), abs=1e-12)
        assert found[i, j] >= wasserstein_distance(first[i], second[j]) - 1e-12


def test_separation_against_literal_means_and_all_permutations() -> None:
    """With 3 groups and 3 runs all 6^3 permutations can be counted; the seeded sample must come close."""
    rng = np.random.default_rng(5)
    values = rng.random((3, 3, 4)) + 0.1 * np.arange(3)[:, None, None]
    within, between = literal_means(torch.from_numpy(values))
    orders = list(itertools.permutations(range(3)))
    reached = 0
    for chosen in itertools.product(orders, repeat=3):
        swapped = np.stack([values[list(order), run] for run, order in enumerate(chosen)], axis=1)
        chance_within, chance_between = literal_means(torch.from_numpy(swapped))
        reached += chance_between - chance_within >= between - within - 1e-12
    found = separation(torch.from_numpy(values), permutations=4000, seed=0)
    assert found[:2] == pytest.approx((within, between), abs=1e-12)
    assert 0.05 < reached / 6**3 < 0.5
    assert found.p_value == pytest.approx(reached / 6**3, abs=0.03)


def test_separation_tells_apart_what_is_apart() -> None:
    rng = np.random.default_rng(0)
    apart = torch.from_numpy(rng.random((3, 8, 5)) + np.arange(3)[:, None, None])
    assert separation(apart, permutations=99, seed=0).p_value == 1 / 100
    assert separation(apart, permutations=99, seed=0) == separation(apart, permutations=99, seed=0)


def test_separation_is_honest_without_a_difference() -> None:
    """Under the null hypothesis p is at most 0.1 in about a tenth of all cases."""
    p_values = [
        separation(torch.from_numpy(np.random.default_rng(seed).random((3, 5, 4))), permutations=99, seed=seed).p_value
        for seed in range(200)
    ]
    assert 8 <= sum(p <= 0.1 for p in p_values) <= 34


@pytest.mark.parametrize("shape", [(1, 5, 6), (3, 1, 6), (5, 6)])
def test_separation_refuses_bad_shapes(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="at least 2 groups and 2 runs"):
        separation(torch.rand(shape), seed=0)


def test_separation_refuses_no_permutations() -> None:
    with pytest.raises(InputError, match="needs at least 1"):
        separation(torch.rand(2, 2, 3), permutations=0, seed=0)


def test_mean_distances_pair_by_pair() -> None:
    spectra = random_spectra(0, 3, 4, 5)
    found = mean_distances(spectra)
    for i, j in itertools.product(range(3), range(3)):
        pairs = [(a, b) for a, b in itertools.product(range(4), range(4)) if i != j or a != b]
        expected = np.mean([literal_distance(spectra[i, a], spectra[j, b]) for a, b in pairs])
        assert float(found[i, j]) == pytest.approx(expected, abs=1e-12)


def literal_ratios(real: Tensor, binary: Tensor) -> np.ndarray:
    (real_within, real_between), (binary_within, binary_between) = literal_means(real), literal_means(binary)
    return np.array([real_between / real_within, binary_between / binary_within, binary_between / real_between])


def test_distance_ratios_against_a_literal_jackknife() -> None:
    runs = 5
    real, binary = random_spectra(1, 3, runs, 6), random_spectra(2, 3, runs, 6) / 2
    logs = []
    for run in range(runs):
        kept = [other for other in range(runs) if other != run]
        logs.append(np.log(literal_ratios(real[:, kept], binary[:, kept])))
    error = np.sqrt((runs - 1) / runs * np.sum((np.array(logs) - np.mean(logs, axis=0)) ** 2, axis=0))
    centre = literal_ratios(real, binary)
    reach = np.exp(t.ppf(0.975, runs - 1) * error)
    found = distance_ratios(real, binary)
    assert found.index.tolist() == list(RATIOS)
    assert found.columns.tolist() == ["estimate", "low", "high"]
    expected = np.stack([centre, centre / reach, centre * reach], axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@few
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 10))
def test_ratios_do_not_depend_on_the_unit_of_distance(seed: int, factor: float) -> None:
    real, binary = random_spectra(seed, 3, 4, 5), random_spectra(seed + 1, 3, 4, 5)
    before, after = distance_ratios(real, binary), distance_ratios(factor * real, factor * binary)
    np.testing.assert_allclose(after, before, rtol=1e-8)
    stretched = distance_ratios(factor * real, binary)
    np.testing.assert_allclose(stretched.loc[RATIOS[0]], before.loc[RATIOS[0]], rtol=1e-8)
    np.testing.assert_allclose(stretched.loc[RATIOS[2]] * factor, before.loc[RATIOS[2]], rtol=1e-8)


def test_equal_networks_have_ratio_zero_or_one_and_no_error() -> None:
    same = torch.ones(3, 4, 5, dtype=torch.float64)
    found = distance_ratios(random_spectra(0, 3, 4, 5), same)
    assert found.loc["binary: between / within"].tolist() == [1, 1, 1]
    assert found.loc["between: binary / real", "high"] < 1e-9


@pytest.mark.parametrize(
    ("real", "binary"), [((3, 2, 6), (3, 2, 6)), ((1, 4, 6), (1, 4, 6)), ((3, 4, 6), (3, 5, 6)), ((4, 6), (4, 6))]
)
def test_ratios_refuse_too_little(real: tuple[int, ...], binary: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"at least 2 strategies and 3 runs, but they got \["):
        distance_ratios(torch.rand(real), torch.rand(binary))


def test_spectrum_table_shows_medians_over_runs() -> None:
    """Run r of strategy s has the spectrum ``0, 0, 2, ..., 19`` plus r, except for its zeros; s only adds to it."""
    base = torch.cat([torch.zeros(2), torch.arange(2, 20)]).double()
    values = torch.stack([(base + run) * (base > 0) for run in range(3)]) * torch.arange(1, 6)[:, None, None]
    table = spectrum_table({"real": values, "binary": values})
    assert len(table) == 10
    assert table.loc["lottery"].tolist() == [2, 6, 12, 22, 32, 40]  # strategy 2, median run 1, at 2, 5, 10, 15 and 19


@few
@given(st.integers(0, 2**32 - 1))
def test_shuffled_edges_keep_the_weights_of_each_layer(seed: int) -> None:
    weights = binary_networks(seed, 3) * torch.from_numpy(np.random.default_rng(seed).random((3, 2, 6, 6)))
    before = weights.clone()
    found = shuffled_edges(weights, np.random.default_rng(seed))
    assert torch.equal(found.flatten(-2).sort().values, weights.flatten(-2).sort().values)
    assert not torch.equal(found, weights)
    assert torch.equal(weights, before)


def test_random_reference_is_random_where_there_is_a_choice() -> None:
    """Full and empty layers leave no choice, a single edge only its place: the reference is the network's spectrum."""
    full, empty, single = torch.ones(2, 6, 6), torch.zeros(2, 6, 6), torch.zeros(2, 6, 6)
    single[0, 2, 3] = 1
    fixed = torch.stack([full, empty, single])
    found = _random_reference(fixed, networks=4, seed=0)
    torch.testing.assert_close(found, laplacian_spectrum(fixed).expand(4, 3, 18), atol=1e-12, rtol=0)
    found = _random_reference(binary_networks(0), networks=4, seed=0)
    assert torch.equal(found, _random_reference(binary_networks(0), networks=4, seed=0))
    assert all(not torch.equal(a, b) for a, b in itertools.combinations(found, 2))


def test_beyond_density_is_small_for_random_networks_and_large_for_a_hub() -> None:
    random = binary_networks(0, 20, width=12)
    hub = torch.zeros(2, 12, 12)
    hub[0, 0] = hub[1, :, 0] = 1  # one hidden node with all edges, eleven with none
    assert typical_size(beyond_density(random, seed=0)) < 0.1
    assert typical_size(beyond_density(hub[None], seed=0)) > 0.25
    expected = laplacian_spectrum(hub) - _random_reference(hub, networks=3, seed=1).mean(0)
    torch.testing.assert_close(beyond_density(hub, networks=3, seed=1), expected)


def test_typical_size_is_the_median_of_root_mean_squares() -> None:
    differences = torch.tensor([[[3.0, 4.0], [0.0, 0.0], [1.0, -1.0], [2.0, 2.0]]], dtype=torch.float64)
    assert typical_size(differences).tolist() == [1.5]  # of 12.5 ** 0.5, 0, 1 and 2


def test_beyond_table_finds_the_model_with_a_hub() -> None:
    weights = binary_networks(0, 5, 4, width=12, density=0.2)
    weights[2] = 0
    weights[2, :, 0, 0] = weights[2, :, 1, :, 0] = 1
    table = beyond_table(weights, seed=0)
    assert table["network"].idxmax() == "bin"
    assert (table["random network"] < 0.15).all()
    assert table["network"]["bin"] > 0.25


def test_distance_and_density_pair_by_pair() -> None:
    weights = torch.stack([binary_networks(0, 3, density=0.2), binary_networks(1, 3, density=0.7)])
    table = distance_and_density(weights, ["real", "bin"], seed=3)
    spectra = laplacian_spectrum(weights).flatten(0, 1)
    random = _random_reference(weights, networks=1, seed=3)[0].flatten(0, 1)
    shares = weights.flatten(0, 1).mean((1, 2, 3))
    for row, (i, j) in zip(table.itertuples(), itertools.combinations(range(6), 2), strict=True):
        assert (row.first, row.second) == ("real" if i < 3 else "bin", "real" if j < 3 else "bin")
        assert row.density_ratio == pytest.approx(float(max(shares[i], shares[j]) / min(shares[i], shares[j])))
        assert row.distance == pytest.approx(literal_distance(spectra[i], spectra[j]), abs=1e-12)
        assert row.random_distance == pytest.approx(literal_distance(random[i], random[j]), abs=1e-12)
    means = pair_table(table, "bin")
    inner = table[(table["first"] == "real") & (table["second"] == "real")]
    assert means["distance"]["without bin"] == pytest.approx(inner["distance"].mean())
    outer = table.drop(inner.index)
    gap = (outer["distance"] - outer["random_distance"]).abs().mean()
    assert means["off the line"]["with bin"] == pytest.approx(gap)
