"""The style that all figures share."""

import io

import numpy as np
import pandas as pd
import PIL.Image
import pytest

from wfhelpers.core.strategies import MODELS
from wfhelpers.show import figures


def test_labels_stand_at_the_edge_of_the_table_of_panels() -> None:
    picture, grid = figures.panels(2, 3, x="below", y="left", width=4, height=3)
    assert grid.shape == (2, 3)
    assert [axes.get_xlabel() for axes in grid.flat] == [""] * 3 + ["below"] * 3
    assert [axes.get_ylabel() for axes in grid.flat] == ["left", "", ""] * 2
    assert picture.get_size_inches().tolist() == [4, 3]


def test_several_labels_and_titles_belong_to_the_axes_one_by_one() -> None:
    _, grid = figures.panels(1, 2, x=("a", "b"), y=("", "c"), titles=("d", "e"))
    assert [(axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) for axes in grid.flat] == [
        ("a", "", "d"),
        ("b", "c", "e"),
    ]


@pytest.mark.parametrize("dpi", [50, 100])
def test_a_notebook_gets_a_png(dpi: int) -> None:
    picture, _ = figures.panels(width=4, height=3)
    assert PIL.Image.open(io.BytesIO(figures.png(picture, dpi))).size == (4 * dpi, 3 * dpi)
    assert PIL.Image.open(io.BytesIO(picture._repr_png_())).size == (4 * 144, 3 * 144)


def test_ten_models_look_different() -> None:
    looks = [figures.model_style(model) for model in MODELS]
    assert len({(look["color"], look["marker"]) for look in looks}) == 10
    assert figures.model_style("bin") | {"marker": "o"} == figures.model_style("bin-real")


def test_bars_reach_to_the_quartiles() -> None:
    _, ((axes,),) = figures.panels()
    figures.draw_quartiles(axes, 3.0, pd.Series([1.0, 2.0, 4.0, 8.0, 16.0]), figures.model_style("bin"))
    point, _, (across, up) = axes.containers[0].lines
    assert point.get_xydata().tolist() == [[3, 4]]
    assert across.get_segments()[0].tolist() == [[3, 4], [3, 4]]
    assert up.get_segments()[0].tolist() == [[3, 2], [3, 8]]


def test_the_legend_names_every_strategy_and_kind() -> None:
    picture, _ = figures.panels()
    figures.legend_of_models(picture)
    names = [text.get_text() for text in picture.legends[0].texts]
    assert names == [*figures.COLOURS, "binary network", "real network"]


def test_a_heat_map_writes_into_each_cell_in_an_ink_that_can_be_read() -> None:
    table = pd.DataFrame([[0.0, 1.0], [np.nan, 0.2]], index=["a", "b"], columns=[1, 2])
    _, ((axes,),) = figures.panels()
    image = figures.heat_map(axes, table, table.map("{:.1f}".format), cmap="Greys", vmin=0, vmax=1)
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan), table)
    written = {text.get_position(): (text.get_text(), text.get_color()) for text in axes.texts}
    assert written == {(0, 0): ("0.0", "black"), (1, 0): ("1.0", "white"), (1, 1): ("0.2", "black")}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2"]
