from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

from wfhelpers.core.strategies import MODELS, label
from wfhelpers.show import figures_robust
from wfhelpers.show.figures import model_style
from wfhelpers.study import robust

EVEN = pd.Series(dict(zip(MODELS, range(1, 11), strict=True)), dtype=float)
CLOSE = pd.Series(dict(zip(MODELS, np.linspace(5.4, 5.6, 10), strict=True)))
TWO_GROUPS = pd.Series(dict(zip(MODELS, [2.0, 2.1, 2.2, 2.3, 2.4, 8.1, 8.2, 8.3, 8.4, 10.0], strict=True)))


def labels(axes) -> dict[str, str]:
    """Label and number beside it, by model."""
    found = {}
    for text in axes.texts:
        one, other = text.get_text().split()
        name, number = (other, one) if one[0].isdigit() else (one, other)
        found[name] = number
    return found


def test_ranks_are_drawn_where_they_are_and_labelled_in_the_books_colours() -> None:
    picture = figures_robust.critical_differences({"tuned": TWO_GROUPS.sample(frac=1, random_state=0)}, 32)
    (axes,) = picture.axes
    points = {line.get_xdata()[0]: line for line in axes.lines if len(line.get_xdata()) == 1}
    assert set(points) == set(TWO_GROUPS)
    for model, rank in TWO_GROUPS.items():
        style = model_style(str(model))
        assert (points[rank].get_color(), points[rank].get_marker()) == (style["color"], style["marker"])
    assert labels(axes) == {label(str(model)): f"{rank:.1f}" for model, rank in TWO_GROUPS.items()}
    assert f"{robust.nemenyi(10, 32):.2f}" in axes.get_title(loc="left")


@pytest.mark.parametrize("ranks", [EVEN, CLOSE, TWO_GROUPS], ids=["even", "close", "two groups"])
def test_bars_join_the_models_that_do_not_differ(ranks: pd.Series) -> None:
    (axes,) = figures_robust.critical_differences({"tuned": ranks}, 32).axes
    bars = [each.get_segments()[0][:, 0] for each in axes.collections if each.get_linewidth()[0] > 2]
    expected = [[ranks[first], ranks[last]] for first, last in robust.not_apart(ranks, robust.nemenyi(10, 32))]
    np.testing.assert_allclose(bars, expected, atol=0.1)


def test_no_label_covers_another_or_leaves_the_figure() -> None:
    ranks = {"literal": EVEN, "charitable": CLOSE, "tuned": TWO_GROUPS}
    picture = figures_robust.critical_differences(ranks, 32)
    FigureCanvasAgg(picture).draw()
    boxes = [text.get_window_extent() for axes in picture.axes for text in [*axes.texts, *axes.get_xticklabels()]]
    boxes += [axes.title.get_window_extent() for axes in picture.axes]
    assert not [1 for one, other in combinations(boxes, 2) if one.width and other.width and one.overlaps(other)]
    width, height = picture.canvas.get_width_height()
    assert all(box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height for box in boxes)


def test_every_word_has_its_sign_and_its_colour() -> None:
    lines = [("C1", "literal", "ahead", "behind", "equivalent", "undecided"), ("C2", "literal", *["too few tasks"] * 4)]
    lines.append(("C1", "tuned", *["ahead"] * 3, "did not converge"))
    picture = figures_robust.words(pd.DataFrame(lines, columns=["part", "protocol", *robust.METHODS]))
    first, second = picture.axes
    assert [text.get_text() for text in first.texts] == ["+", "−", "=", "?", "", "", "", ""]
    assert [text.get_text() for text in second.texts] == ["+", "+", "+", "×"], "C2 has no values under tuned"
    (image,) = first.images
    colours = [to_hex(colour) for colour in image.to_rgba(image.get_array())[0]]
    assert len(set(colours)) == 4
    said = dict(
        zip([text.get_text() for text in picture.legends[0].texts], picture.legends[0].get_patches(), strict=True)
    )
    assert [
        to_hex(said[word].get_facecolor()) for word in ("+ ahead", "− behind", "= equivalent", "? undecided")
    ] == colours
    assert [axes.get_title() for axes in picture.axes] == ["literal", "tuned"]
