import numpy as np
import pandas as pd

from wfhelpers.core.strategies import BINARY_MODELS, MODELS, STRATEGIES, strategy_of
from wfhelpers.show import figures_spectra as figures
from wfhelpers.show.figures import COLOURS, MARKERS


def test_network_graph_draws_every_edge_from_its_input_to_its_output():
    layers = np.zeros((2, 3, 3))
    layers[0, 2, 1] = layers[1, 0, 2] = 1  # input 1 to hidden 2, hidden 2 to output 0
    graph, matrix = figures.network_graph({"bin": layers}, np.eye(9)).axes
    edges = [(tuple(line.get_xdata()), tuple(line.get_ydata())) for line in graph.lines]
    assert edges == [((0, 1), (1, 2)), ((1, 2), (2, 0))]
    lonely = np.array([nodes.get_facecolors()[:, 0] > 0.5 for nodes in graph.collections])
    assert np.array_equal(~lonely, [[False, True, False], [False, False, True], [True, False, False]])
    assert np.array_equal(matrix.images[0].get_array(), np.eye(9))


def made_up(seed: int) -> figures.Spectra:
    rng = np.random.default_rng(seed)
    return figures.Spectra(MODELS, rng.random((10, 3, 6)), rng.random((10, 4, 2)), np.array([0.5, 0.2]))


def test_spectra_show_the_median_of_each_model_between_its_quartiles():
    shown = {"one": made_up(0), "other": made_up(1)}
    grid = np.array(figures.spectra_and_maps(shown).axes).reshape(2, 3)
    for (real, binary, _), spectra in zip(grid, shown.values(), strict=True):
        assert len(real.lines) == len(binary.lines) == 5 * 3
        for model, (low, median, high) in zip(MODELS, spectra.bands, strict=True):
            axes = binary if model in BINARY_MODELS else real
            drawn = [line.get_ydata() for line in axes.lines if line.get_color() == COLOURS[strategy_of(model)]]
            np.testing.assert_array_equal(drawn, [median, low, high])
    assert [axes.get_title() for axes in grid[1]] == [
        "other\nreal networks",
        "binary networks",
        "map, 50 % + 20 % of variance",
    ]


def test_maps_show_each_network_with_its_marker_and_colour():
    shown = {"one": made_up(0), "other": made_up(1)}
    for plane, spectra in zip(figures.spectra_and_maps(shown).axes[2::3], shown.values(), strict=True):
        drawn = {(line.get_marker(), line.get_markeredgecolor()): line.get_xydata() for line in plane.lines}
        for model, points in zip(MODELS, spectra.points, strict=True):
            kind = "binary" if model in BINARY_MODELS else "real"
            np.testing.assert_array_equal(drawn[MARKERS[kind], COLOURS[strategy_of(model)]], points)


def test_distance_maps_print_every_distance():
    matrices = {kind: np.arange(25).reshape(5, 5) / scale for kind, scale in (("real", 10), ("binary", 20))}
    made = figures.distance_maps({"a task": matrices}, STRATEGIES)
    for axes, matrix in zip(made.axes, matrices.values(), strict=False):
        assert [text.get_text() for text in axes.texts] == [f"{value:.2f}" for value in matrix.ravel()]
        assert axes.images[0].get_clim() == (0, 2.4)


def test_distance_against_density_colours_the_pairs_of_one_strategy():
    pairs = pd.DataFrame(
        [("bin", "real", 2.0, 0.1, 0.2), ("real", "random", 5.0, 0.3, 0.4)],
        columns=["first", "second", "density_ratio", "distance", "random_distance"],
    )
    left, right = figures.distance_against_density({"a task": pairs}, "bin").axes
    for axes, column in ((left, "density_ratio"), (right, "random_distance")):
        others, special = axes.lines[:2]
        assert special.get_xydata().tolist() == [[pairs[column][0], 0.1]]
        assert others.get_xydata().tolist() == [[pairs[column][1], 0.3]]
        assert special.get_color() == COLOURS["bin"]
