"""Figures of the chapter on data. A data set has no strategy's colour: black, light blue and grey lines."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from wfhelpers.show.figures import SMALL, panels

_LIGHT_BLUE = "#56B4E9"


def digit_preparation(images: NDArray[np.uint8], mean: NDArray[np.float32], maximum: NDArray[np.float32]) -> Figure:
    """Digits ``[n, 28, 28]`` on their way to inputs ``[n, 64]``, one per column: cropped, mean- or max-pooled."""
    stages: dict[str, NDArray[Any]] = {"28 × 28": images, "cropped": images[:, 2:26, 2:26]}
    stages |= {"mean": mean.reshape(-1, 8, 8), "max": maximum.reshape(-1, 8, 8)}
    picture, grid = panels(len(stages), len(images))
    for row, (stage, digits) in zip(grid, stages.items(), strict=True):
        for axes, digit in zip(row, digits, strict=True):
            axes.imshow(digit, cmap="gray_r")
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set(visible=True, color="#BBBBBB")
        row[0].set_ylabel(stage, rotation=0, ha="right", va="center", fontsize="small")
    for axes in grid[0]:
        axes.add_patch(Rectangle((1.5, 1.5), 24, 24, fill=False, edgecolor=_LIGHT_BLUE))
    return picture


def abstracts_and_features(words: NDArray[np.float64], features: NDArray[np.float32], topics: Sequence[str]) -> Figure:
    """Abstracts as words (left, a dot where a word occurs) and as features (right); rows are papers, class by class."""
    labels = ("word (most frequent first)", "feature (principal component)")
    titles = ("before: words that occur", "after: 64 features")
    picture, ((left, right),) = panels(1, 2, x=labels, y="paper, by class", titles=titles, height=4.2, sharey=True)
    left.imshow(words, cmap="gray_r", aspect="auto", interpolation="nearest")
    shade = right.imshow(features, cmap="PuOr", vmin=-0.5, vmax=0.5, aspect="auto", interpolation="nearest")
    firsts = [i for i, topic in enumerate(topics) if i == 0 or topics[i - 1] != topic]
    middles = [(begin + end - 1) / 2 for begin, end in pairwise([*firsts, len(topics)])]
    left.set_yticks(middles, [topics[i] for i in firsts])
    for axes in (left, right):
        for first in firsts[1:]:
            axes.axhline(first - 0.5, color=_LIGHT_BLUE, linewidth=0.8)
    picture.colorbar(shade, ax=right, label="value (unit norm)")
    return picture


def explained_variance(shares: NDArray[np.float64]) -> Figure:
    """Share of the variance that the first principal components hold together, over their number."""
    picture, ((axes,),) = panels(x="principal components kept", y="share of variance (%)", height=2.4)
    together = 100 * np.cumsum(shares)
    axes.plot(np.arange(1, len(shares) + 1), together, color="black")
    axes.plot(len(shares), together[-1], "o", color="black")
    axes.set(ylim=(0, 100), xlim=(0, None))
    return picture


def feature_spread(features: Mapping[str, NDArray[np.float32]]) -> Figure:
    """Distribution of single features (left) and of the sum of an object's features (right), one line per data set."""
    labels, titles = ("feature (unit norm)", "sum of an object's features"), ("single features", "sums over an object")
    picture, ((left, right),) = panels(1, 2, x=labels, y=("density (log scale)", "density"), titles=titles)
    lines = (("black", "-"), (_LIGHT_BLUE, "-"), ("#777777", "--"))
    for (name, x), (colour, line) in zip(features.items(), lines, strict=False):
        style: dict[str, Any] = {"color": colour, "linestyle": line, "label": name, "histtype": "step"}
        left.hist(x.ravel(), bins=40, density=True, log=True, **style)
        right.hist(x.sum(axis=1), bins=40, density=True, **style)
    right.legend(**SMALL)
    return picture


def class_means(features: NDArray[np.float32], labels: NDArray[Any], classes: Sequence[Any]) -> Figure:
    """Mean of each feature over each class, minus its mean over all classes: what tells the classes apart."""
    means = np.stack([features[labels == chosen].mean(axis=0) for chosen in classes])
    contrast = means - means.mean(axis=0)
    limit = np.abs(contrast).max()
    picture, ((axes,),) = panels(x="feature", y="class", height=max(1.8, 0.28 * len(classes) + 0.9))
    shade = axes.imshow(contrast, cmap="PuOr", vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest")
    axes.set_yticks(range(len(classes)), [str(chosen) for chosen in classes])
    picture.colorbar(shade, ax=axes, label="mean, compared with all")
    return picture
