import numpy as np

from wfhelpers.show import figures_data as figures


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


def test_spread_has_one_line_per_data_set() -> None:
    sets = {name: np.random.default_rng(0).standard_normal((20, 4)).astype(np.float32) for name in ("one", "two")}
    left, right = figures.feature_spread(sets).axes
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["one", "two"]
    assert len(left.patches) == len(right.patches) == 2


def test_class_means_are_compared_with_the_mean_over_classes() -> None:
    features = np.array([[0, 1], [0, 3], [4, 2]], dtype=np.float32)
    made = figures.class_means(features, np.array(["a", "a", "b"]), ("a", "b"))
    assert np.allclose(made.axes[0].images[0].get_array(), [[-2, 0], [2, 0]])
    assert [label.get_text() for label in made.axes[0].get_yticklabels()] == ["a", "b"]
