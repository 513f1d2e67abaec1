import numpy as np
import pandas as pd

from wfhelpers.show import figures_algorithm as figures


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


def test_mirror_potential_draws_one_curve_per_ratio_and_the_factor():
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
