import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from wfhelpers.show import figures

# Chapters 02 and 03.


def test_step_functions_draw_every_curve_in_every_panel():
    w = np.linspace(-1, 1, 5)
    curves = pd.concat(
        pd.DataFrame({"M": M, "w": w, "step": w * M, "slope": w + M, "slope_printed": w - M}) for M in (1, 5)
    )
    panels = figures.step_functions(curves).axes
    for axes, column in zip(panels, ["step", "slope", "slope_printed"], strict=True):
        drawn = [line.get_ydata() for line in axes.lines]
        np.testing.assert_allclose(drawn, [curves.loc[curves["M"] == M, column] for M in (1, 5)])
    assert [text.get_text() for text in panels[0].get_legend().texts] == ["M = 1", "M = 5"]


def test_hard_and_soft_mark_where_the_starts_lie():
    w = np.linspace(-1, 1, 5)
    curves = pd.concat(pd.DataFrame({"name": name, "w": w, "step": w, "slope": w**2 + 1}) for name in ("hard", "soft"))
    left, right = figures.hard_and_soft(curves, {"sparse": (-0.4, 0.1)}).axes
    assert len(left.lines) == 2
    np.testing.assert_allclose(
        right.patches[0].get_extents().transformed(right.transData.inverted()).intervalx, [-0.4, 0.1]
    )
    assert right.texts[0].get_text() == "sparse"


def course(M_hard: float, M_soft: float) -> pd.DataFrame:
    """A made-up course of four runs whose median and quartiles are known: run r has the value r + step."""
    table = pd.DataFrame([(step, run) for step in (0, 10) for run in range(5)], columns=["step", "run"])
    for column in ("F_relaxed", "F_binary", "auc_relaxed", "auc_binary", "density_1", "density_2", "flip_ratio"):
        table[column] = table["run"] + table["step"] + M_soft
    return table.assign(M_hard=M_hard, M_soft=M_soft)


def test_one_descent_shows_four_measures_over_the_steps():
    one = course(50, 5).query("run == 2")
    made = figures.one_descent(one)
    assert [len(axes.lines) for axes in made.axes] == [2, 2, 2, 1]
    for axes in made.axes:
        for line in axes.lines:
            np.testing.assert_allclose(line.get_ydata(), [7, 17])
        assert axes.get_ylabel()


def test_weight_pictures_show_each_layer_at_each_step():
    states = {step: np.random.default_rng(step).integers(0, 2, (2, 4, 4)).astype(float) for step in (0, 5, 200)}
    made = figures.weight_pictures(states)
    shown = np.array([axes.images[0].get_array() for axes in made.axes]).reshape(2, 3, 4, 4)
    np.testing.assert_array_equal(shown.swapaxes(0, 1), list(states.values()))
    assert [axes.get_title() for axes in made.axes[:3]] == ["step 0", "step 5", "step 200"]


def test_starting_density_shows_medians_and_shares():
    sweep = pd.DataFrame(
        [(0.1, p, p + run / 10, run > 0) for p in (0.1, 0.5) for run in range(4)],
        columns=["scale", "density", "auc_binary", "moved"],
    )
    above, below = figures.starting_density(sweep, 64).axes
    np.testing.assert_allclose(above.lines[0].get_ydata(), [0.25, 0.65])
    np.testing.assert_allclose(below.lines[0].get_ydata(), [0.75, 0.75])
    assert above.lines[-1].get_xdata()[0] == 1 / 64


def test_convergence_has_a_column_for_each_hard_sharpness_and_quartiles_around_each_median():
    courses = pd.concat(course(M_hard, ratio * M_hard) for M_hard in (10, 50) for ratio in (1, 0.1))
    made = figures.convergence(courses)
    assert len(made.axes) == 4
    median, lower, upper = made.axes[1].lines[:3]  # the objective for M_hard = 50, M_soft = 5 comes first
    np.testing.assert_allclose(median.get_ydata(), [7, 17])
    np.testing.assert_allclose(lower.get_ydata(), [6, 16])
    np.testing.assert_allclose(upper.get_ydata(), [8, 18])
    assert (median.get_linestyle(), lower.get_linestyle()) == ("-", "--")


def test_rounding_shows_every_setting_in_every_panel():
    finals = pd.DataFrame(
        [(setting, M, -M, 1 / M, run / M) for setting in ("one", "other") for M in (10, 50) for run in range(3)],
        columns=["setting", "M_hard", "F_relaxed", "F_error", "auc_error"],
    )
    made = figures.rounding(finals)
    assert [len(axes.lines) for axes in made.axes] == [6, 6, 6]
    np.testing.assert_allclose(made.axes[2].lines[0].get_ydata(), [0.1, 0.02])
    assert [text.get_text() for text in made.legends[0].texts] == ["one", "other"]
    assert [text.get_text() for text in made.axes[0].get_xticklabels()] == ["10", "50"]


# Chapter 01


def test_digits_are_shown_in_four_stages() -> None:
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (3, 28, 28), dtype=np.uint8)
    mean, maximum = rng.random((2, 3, 64), dtype=np.float32)
    axes = np.array(figures.digit_preparation(images, mean, maximum).axes).reshape(4, 3)
    for stage, pictures in enumerate((images, images[:, 2:-2, 2:-2], mean.reshape(3, 8, 8), maximum.reshape(3, 8, 8))):
        for column in range(3):
            assert np.array_equal(axes[stage, column].images[0].get_array(), pictures[column])


def test_papers_are_labelled_at_the_middle_of_their_class() -> None:
    made = figures.abstracts_and_features(np.eye(5), np.eye(5, dtype=np.float32), ["AI", "AI", "AI", "DB", "DB"])
    left, right, _ = made.axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["AI", "DB"]
    assert left.get_yticks().tolist() == [1, 3.5]
    assert [line.get_ydata()[0] for line in right.lines] == [2.5]


def test_variance_is_summed_up_in_percent() -> None:
    curve, end = figures.explained_variance(np.array([0.2, 0.1, 0.05])).axes[0].lines
    assert np.allclose(curve.get_ydata(), [20, 30, 35])
    assert np.allclose([*end.get_xdata(), *end.get_ydata()], [3, 35])


def test_spread_has_one_line_a_data_set() -> None:
    sets = {name: np.random.default_rng(0).standard_normal((20, 4)).astype(np.float32) for name in ("one", "two")}
    left, right = figures.feature_spread(sets).axes
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["one", "two"]
    assert len(left.patches) == len(right.patches) == 2


def test_class_means_are_compared_with_the_mean_over_classes() -> None:
    features = np.array([[0, 1], [0, 3], [4, 2]], dtype=np.float32)
    made = figures.class_means(features, np.array(["a", "a", "b"]), ("a", "b"))
    assert np.allclose(made.axes[0].images[0].get_array(), [[-2, 0], [2, 0]])
    assert [label.get_text() for label in made.axes[0].get_yticklabels()] == ["a", "b"]


# Chapter 04.


def test_bound_on_a_line_draws_what_was_measured_and_both_bounds():
    decaying = pd.DataFrame({"T": [1, 10], "gap": [3.0, 2.0], "printed": [4.0, 1.0], "average_bound": [9.0, 8.0]})
    constant = pd.DataFrame({"T": [10, 20], "average_gap": [0.5, 0.4], "average_bound": [0.7, 0.6]})
    left, right = figures.bound_on_a_line(decaying, constant).axes
    assert [list(line.get_ydata()) for line in left.lines] == [[3, 2], [4, 1], [9, 8]]
    assert [list(line.get_ydata()) for line in right.lines] == [[0.5, 0.4], [0.7, 0.6]]
    assert (left.get_xlabel(), left.get_yscale()) == ("steps T", "log")


def test_bounds_against_gaps_shades_the_half_in_which_a_bound_is_violated():
    decaying = pd.DataFrame({"c": [0.1, 1.0], "gap": [1.0, 2.0], "printed": [0.5, 8.0]})
    constant = pd.DataFrame({"gradients": ["full"], "average_gap": [0.5], "average_bound": [2.0]})
    left, right = figures.bounds_against_gaps(decaying, constant).axes
    assert [text.get_text() for text in left.get_legend().texts] == ["c = 0.1", "c = 1"]
    assert [(*line.get_xdata(), *line.get_ydata()) for line in left.lines[:2]] == [(1, 0.5), (2, 8)]
    assert (*right.lines[0].get_xdata(), *right.lines[0].get_ydata()) == (0.5, 2)
    diagonal, shade = left.lines[2], left.collections[0].get_paths()[0]
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())
    assert shade.contains_point((1.9, 0.6))
    assert not shade.contains_point((1.0, 8.0))


def test_mirror_potential_draws_one_curve_a_ratio_and_the_factor():
    potentials = pd.DataFrame({"ratio": [0.1, 0.1, 1.0, 1.0], "v": [0, 1, 0, 1], "potential": [2.0, 3.0, 5.0, 7.0]})
    factors = pd.DataFrame({"ratio": [0.1, 0.9], "factor": [0.7, 2.5]})
    left, right = figures.mirror_potential(potentials, factors).axes
    assert [list(line.get_ydata()) for line in left.lines] == [[2, 3], [5, 7]]
    assert [text.get_text() for text in left.get_legend().texts] == ["0.1", "1"]
    assert list(right.lines[0].get_ydata()) == [0.7, 2.5]


def test_flip_price_sets_the_simulated_weights_on_the_curve_of_their_size():
    curves = pd.DataFrame({"w": [0.1, 0.1, 0.5, 0.5], "M_soft": [1, 5, 1, 5], "price": [0.4, 0.2, 2.0, 0.9]})
    runs = pd.DataFrame({"w": [0.5, 0.1], "M_soft": [5, 1], "price": [0.91, 0.41]})
    (axes,) = figures.flip_price(curves, runs).axes
    assert [list(line.get_ydata()) for line in axes.lines] == [[0.4, 0.2], [0.41], [2.0, 0.9], [0.91]]
    assert axes.lines[0].get_color() == axes.lines[1].get_color() != axes.lines[2].get_color()


# Chapter 05.


def ten_models(task: str, size: int) -> pd.DataFrame:
    """A made-up table of five runs: the median of model number m is m / 10 and its run time 10 ** m seconds."""
    names = [f"{strategy}-{kind}" for strategy in figures.COLOURS for kind in figures.MARKERS]
    rows = [
        {"model": name, "run": run, "auc": m / 10 + (run - 2) / 100, "seconds_total": 10.0**m * (1 + (run - 2) / 10)}
        for m, name in enumerate(names)
        for run in range(5)
    ]
    table = pd.DataFrame(rows).assign(task=task, size=size)
    return table.assign(strategy=table["model"].str.split("-").str[0], kind=table["model"].str.split("-").str[1])


def drawn_bars(axes) -> np.ndarray:
    """Points that axes show with error bars: x, y and the ends of the vertical bar."""
    found = []
    for container in axes.containers:
        point, _, bars = container.lines
        low, high = bars[-1].get_segments()[0][:, 1]
        found.append([point.get_xdata()[0], point.get_ydata()[0], low, high])
    return np.array(found)


def test_runtime_and_auc_draws_medians_and_quartiles_of_all_models():
    results = pd.concat([ten_models(task, size) for task in ("a vs b", "c vs d") for size in (10, 20, 30)])
    references = results.groupby(["task", "size"])["auc"].max()
    made = figures.runtime_and_auc(results, references)
    assert len(made.axes) == 6
    for axes in made.axes:
        m = np.arange(10)
        expected = np.stack([10.0**m, m / 10, m / 10 - 0.01, m / 10 + 0.01], 1)
        np.testing.assert_allclose(drawn_bars(axes), expected, rtol=1e-12, atol=1e-12)
        assert next(iter(axes.lines)).get_ydata() == [0.92, 0.92]
        assert axes.get_xscale() == "log"
    colours = [container.lines[0].get_color() for container in made.axes[0].containers]
    assert colours == [colour for colour in figures.COLOURS.values() for _ in range(2)]
    assert len(made.legends[0].texts) == 8
    assert [axes.get_title().split()[0] for axes in made.axes[:3]] == ["10", "20", "30"]
    assert [axes.get_ylabel() for axes in made.axes[::3]] == ["a vs b\nAUC", "c vs d\nAUC"]


def test_protocols_compared_has_a_panel_a_protocol_and_a_group_a_task():
    tables = [
        ten_models(task, 10).assign(protocol=protocol) for protocol in ("literal", "tuned") for task in ("a vs b", "c")
    ]
    shuffled = pd.concat(tables).sort_values(["protocol", "task", "auc"], ascending=[True, True, False])
    made = figures.protocols_compared(shuffled, pd.Series({"a vs b": 0.9, "c": 0.8}))
    assert [axes.get_title() for axes in made.axes] == ["literal", "tuned"]
    for axes in made.axes:
        bars = drawn_bars(axes)
        np.testing.assert_allclose(bars[:, 1], np.tile(np.arange(10) / 10, 2), atol=1e-12)
        np.testing.assert_array_equal(np.round(bars[:, 0]), np.repeat([0, 1], 10))
        assert [collection.get_segments()[0][0, 1] for collection in axes.collections[:1]] == [0.9]


def test_contribution_of_weights_draws_every_interval():
    margins = pd.DataFrame(
        {"task": ["a", "a"], "size": [10, 20], "margin": [0.1, -0.2], "lower": [0.0, -0.3], "upper": [0.3, 0.1]}
    ).set_index(["task", "size"])
    (axes,) = figures.contribution_of_weights(margins).axes
    points, _, (bars,) = axes.containers[0].lines
    np.testing.assert_allclose(points.get_xdata(), [0.1, -0.2])
    np.testing.assert_allclose([segment[:, 0] for segment in bars.get_segments()], [[0.0, 0.3], [-0.3, 0.1]])
    labels = {label.get_position()[1]: label.get_text() for label in axes.get_yticklabels()}
    assert labels == {1: "a, 10 a class", 0: "a, 20 a class"}


# Chapter 06.

STRATEGIES = tuple(figures.COLOURS)


def test_network_graph_draws_every_edge_from_its_input_to_its_output():
    layers = np.zeros((2, 3, 3))
    layers[0, 2, 1] = layers[1, 0, 2] = 1  # input 1 to hidden 2, hidden 2 to output 0
    graph, matrix = figures.network_graph({"bin": layers}, np.eye(9)).axes
    edges = [(tuple(line.get_xdata()), tuple(line.get_ydata())) for line in graph.lines]
    assert edges == [((0, 1), (1, 2)), ((1, 2), (2, 0))]
    lonely = np.array([nodes.get_facecolors()[:, 0] > 0.5 for nodes in graph.collections])
    assert np.array_equal(~lonely, [[False, True, False], [False, False, True], [True, False, False]])
    assert np.array_equal(matrix.images[0].get_array(), np.eye(9))


def test_laplacian_spectra_draw_the_median_of_each_strategy_between_its_quartiles():
    bands = {kind: np.random.default_rng(seed).random((3, 5, 6)) for seed, kind in enumerate(("real", "binary"))}
    made = figures.laplacian_spectra({"a task": bands}, STRATEGIES)
    for axes, band in zip(made.axes, bands.values(), strict=True):
        for strategy, low, median, high in zip(STRATEGIES, *band, strict=True):
            drawn = [line.get_ydata() for line in axes.lines if line.get_color() == figures.COLOURS[strategy]]
            np.testing.assert_array_equal(drawn, [median, low, high])
    assert {text.get_text() for text in made.legends[0].texts} == set(STRATEGIES)


def test_spectral_maps_show_each_network_with_its_marker_and_colour():
    points = {kind: np.random.default_rng(seed).random((5, 4, 2)) for seed, kind in enumerate(("real", "binary"))}
    for axes in figures.spectral_maps({"one": points, "other": points}, STRATEGIES).axes:
        found = {(line.get_marker(), line.get_markeredgecolor()): line.get_xydata() for line in axes.lines}
        for kind, places in points.items():
            for strategy, expected in zip(STRATEGIES, places, strict=True):
                np.testing.assert_array_equal(found[figures.MARKERS[kind], figures.COLOURS[strategy]], expected)


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
        assert special.get_color() == figures.COLOURS["bin"]


# Chapter 07.


def test_start_maps_show_the_median_and_the_share_of_each_start():
    grid = pd.DataFrame(
        [
            ("t", mean, scale, run, scale + run / 10, run > 0)
            for mean in (-1, 0)
            for scale in (0.1, 0.3)
            for run in (0, 1, 2, 3)
        ],
        columns=["task", "mean", "scale", "run", "auc", "trains"],
    )
    left, right = figures.start_maps(grid).axes
    np.testing.assert_allclose(left.images[0].get_array(), [[0.25, 0.25], [0.45, 0.45]])
    assert {text.get_text() for text in right.texts} == {"0.75"}
    assert [label.get_text() for label in left.get_yticklabels()] == ["0.1", "0.3"]


def test_ranked_effects_are_hollow_where_the_interval_contains_zero():
    effects = pd.DataFrame(
        [("x", "bin", 0.3, 0.1, 0.5), ("x", "lead", 0.2, -0.1, 0.4), ("y", "lottery", -0.1, -0.3, 0.1)],
        columns=["choice", "model", "effect", "lower", "upper"],
    )
    ranked = pd.DataFrame({"choice": ["x", "y"], "model": ["bin", "lottery"], "gap": ["4", "9"]})
    left, right = figures.ranked_effects(effects, ranked, "lead").axes
    points = [(line.get_xdata()[0], line.get_ydata()[0], line.get_mfc()) for line in left.lines[:2]]
    assert points == [(0.3, 1, figures.COLOURS["bin"]), (-0.1, 0, "white")]
    assert right.lines[0].get_mfc() == "white"
    assert [label.get_text() for label in left.get_yticklabels()] == ["x (4)", "y (9)"]


def test_headline_colours_each_pair_of_starts_by_its_outcome():
    leads = pd.DataFrame(
        [("t", "a", "c", 0.4, "bin ahead"), ("t", "a", "d", 0.0, "tie"), ("t", "b", "c", -0.3, "real ahead")],
        columns=["task", "bin_start", "real_start", "lead", "outcome"],
    )
    (axes,) = figures.headline(leads).axes
    assert [text.get_text() for text in axes.texts] == ["+.40", "+.00", "-.30"]
    assert [to_hex(patch.get_facecolor()).upper() for patch in axes.patches] == list(figures.OUTCOMES.values())
    assert axes.texts[2].get_position() == (0, 1)


# The verdict.


@pytest.mark.parametrize("stacked", [False, True])
def test_leads_are_ordered_and_counted_by_side(stacked):
    cases = pd.DataFrame(
        [("p", 0.3, 0.1, 0.5, 1), ("p", -0.2, -0.3, -0.1, -1), ("p", 0.1, -0.1, 0.3, 0), ("q", 0.2, 0.1, 0.3, 1)],
        columns=["protocol", "mean", "lower", "upper", "side"],
    )
    first, second = figures.leads(cases, stacked=stacked).axes
    assert first.get_title().replace("\n", " ") == "p: 1 ahead, 1 tied, 1 behind"
    assert second.get_title().replace("\n", " ") == "q: 1 ahead, 0 tied, 0 behind"
    points = {bars.get_label(): bars.lines[0].get_xydata().tolist() for bars in first.containers}
    assert points == {"ahead": [[2, 0.3]], "tied": [[1, 0.1]], "behind": [[0, -0.2]]}


# Reference points.


def test_reference_points_show_every_model_of_every_task():
    table = pd.DataFrame(
        [
            (task, model, place / 10 + offset / 100 + shift)
            for shift, task in enumerate(("a vs b", "b vs a", "c vs d", "d vs c"))
            for place, model in enumerate(("bin", "greedy", "linear SVM"))
            for offset in (-1, 0, 1)
        ],
        columns=["task", "model", "auc"],
    )
    made = figures.reference_points(table, ["bin", "greedy"])
    assert [axes.get_title() for axes in made.axes] == ["a vs b", "b vs a", "c vs d", "d vs c"]
    for shift, axes in enumerate(made.axes):
        points = [container.lines[0] for container in axes.containers]
        np.testing.assert_allclose([float(p.get_xdata()[0]) - shift for p in points], [0, 0.1, 0.2], atol=1e-12)
        assert [p.get_ydata()[0] for p in points] == [0, 1, 2]
        assert [p.get_marker() for p in points] == ["s", "s", "o"]
        assert points[0].get_color() == figures.COLOURS["bin"] != points[1].get_color()


def test_standing_stacks_the_counts():
    counts = pd.DataFrame({"ahead": [1, 0], "unclear": [2, 3], "behind": [4, 5]}, index=["greedy", "linear SVM"])
    (axes,) = figures.standing(counts).axes
    drawn = [[(bar.get_x(), bar.get_width()) for bar in bars] for bars in axes.containers]
    assert drawn == [[(0, 1), (0, 0)], [(1, 2), (0, 3)], [(3, 4), (3, 5)]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["greedy", "linear SVM"]
