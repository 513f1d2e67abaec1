"""A binary network as a picture: the connections that are left, as a graph and as two matrices."""

from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from torch import Tensor

from wfhelpers.show.figures import COLOURS, panels

_LAYERS = ("inputs to hidden", "hidden to outputs")


def binary_network(weights: Tensor, title: str = "") -> Figure:
    """Network ``[2, I, I]`` of weights 0 and 1: a line per connection, upwards, and a dot per connection in a matrix.

    Nodes without a connection are hollow. Lines are fainter where there are many.
    """
    shape: dict[str, Any] = {"width": 7.2, "height": 3.4, "width_ratios": [2, 1, 1]}
    named: dict[str, Any] = {"x": ("node", "input", "hidden node"), "y": ("", "hidden node", "output")}
    picture, ((graph, *matrices),) = panels(1, 3, **named, titles=("", *_LAYERS), **shape)
    layers = weights.numpy() > 0
    width = layers.shape[-1]
    for level, layer in enumerate(layers):
        above, below = np.nonzero(layer)
        lines = [[(float(start), level), (float(end), level + 1.0)] for start, end in zip(below, above, strict=True)]
        faint = min(0.8, max(0.03, 60 / (len(lines) + 1)))
        graph.add_collection(LineCollection(lines, color=COLOURS["bin"], lw=0.6, alpha=faint))
    used = [layers[0].any(0), layers[0].any(1) | layers[1].any(0), layers[1].any(1)]
    for level, connected in enumerate(used):
        face = np.where(connected, "black", "white")
        graph.scatter(np.arange(width), np.full(width, level), s=10, c=face, ec="black", lw=0.4, zorder=3)
    graph.set_yticks(range(3), ["inputs", "hidden", "outputs"])
    for axes, layer in zip(matrices, layers, strict=True):
        axes.imshow(layer, cmap="Greys", vmin=0, vmax=1, interpolation="nearest")
        axes.set_title(f"{axes.get_title()}\n{layer.sum():,} of {layer.size:,} connections", fontsize="small")
    graph.set_title(title, fontsize="small")
    return picture
