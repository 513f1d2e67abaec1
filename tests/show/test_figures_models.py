import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from wfhelpers.core.strategies import MODELS, strategy_of
from wfhelpers.show import figures_models as figures
from wfhelpers.show.figures import COLOURS


def ten_models(task: str, size: int) -> pd.DataFrame:
    """A made-up table of five runs: the median of model number m is m / 10 and its run time 10 ** m seconds."""
    rows = [
        {"model": name, "run": run, "auc": m / 10 + (run - 2) / 100, "seconds_total": 10.0**m * (1 + (run - 2) / 10)}
        for m, name in enumerate(MODELS)
        for run in range(5)
    ]
    return pd.DataFrame(rows).assign(task=task, size=size)


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
    made = figures.runtime_and_auc(results, "task", references)
    assert len(made.axes) == 6
    for axes in made.axes:
        m = np.arange(10)
        expected = np.stack([10.0**m, m / 10, m / 10 - 0.01, m / 10 + 0.01], 1)
        np.testing.assert_allclose(drawn_bars(axes), expected, rtol=1e-12, atol=1e-12)
        assert next(iter(axes.lines)).get_ydata() == [0.92, 0.92]
        assert axes.get_xscale() == "log"
    colours = [container.lines[0].get_color() for container in made.axes[0].containers]
    assert colours == [COLOURS[strategy_of(model)] for model in MODELS]
    assert [text.get_text() for text in made.legends[0].texts][-1] == "logistic regression"
    titles = [f"{task}\n{size} per class" for task in ("a vs b", "c vs d") for size in (10, 20, 30)]
    assert [axes.get_title() for axes in made.axes] == titles
    assert {axes.get_ylabel() for axes in made.axes[::3]} == {"AUC (test)"}


def test_runtime_and_auc_of_a_task_has_a_row_for_each_protocol():
    results = pd.concat(
        ten_models("a vs b", size).assign(protocol=protocol) for size in (20, 10) for protocol in ("literal", "tuned")
    )
    made = figures.runtime_and_auc(results, "protocol")
    titles = ["literal\n10 per class", "literal\n20 per class", "tuned\n10 per class", "tuned\n20 per class"]
    assert [axes.get_title() for axes in made.axes] == titles
    assert [len(axes.containers) for axes in made.axes] == [10] * 4
    assert "logistic regression" not in [text.get_text() for text in made.legends[0].texts]


def test_protocols_compared_has_one_panel_per_protocol_and_one_group_per_task():
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
    assert labels == {1: "a, 10 per class", 0: "a, 20 per class"}


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
    assert points == [(0.3, 1, COLOURS["bin"]), (-0.1, 0, "white")]
    assert right.lines[0].get_mfc() == "white"
    assert [label.get_text() for label in left.get_yticklabels()] == ["x (4)", "y (9)"]


def test_headline_colours_each_pair_of_starts_by_its_outcome():
    leads = pd.DataFrame(
        [("t", "a", "c", 0.4, "bin ahead"), ("t", "a", "d", 0.0, "tie"), ("t", "b", "c", -0.3, "real ahead")],
        columns=["task", "bin_start", "real_start", "lead", "outcome"],
    )
    (axes,) = figures.headline(leads).axes
    assert [text.get_text() for text in axes.texts] == ["+.40", "+.00", "-.30"]
    image = axes.images[0]
    drawn = [to_hex(image.to_rgba(image.get_array()[place])).upper() for place in ((0, 0), (0, 1), (1, 0))]
    assert drawn == [COLOURS["bin"], "#DDDDDD", COLOURS["real"]]
    assert axes.texts[2].get_position() == (0, 1)
    assert image.get_array().mask.tolist() == [[False, False], [False, True]]


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
        assert points[0].get_color() == COLOURS["bin"] != points[1].get_color()


def test_standing_stacks_the_counts():
    counts = pd.DataFrame({"ahead": [1, 0], "unclear": [2, 3], "behind": [4, 5]}, index=["greedy", "linear SVM"])
    (axes,) = figures.standing(counts).axes
    drawn = [[(bar.get_x(), bar.get_width()) for bar in bars] for bars in axes.containers]
    assert drawn == [[(0, 1), (0, 0)], [(1, 2), (0, 3)], [(3, 4), (3, 5)]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["greedy", "linear SVM"]
