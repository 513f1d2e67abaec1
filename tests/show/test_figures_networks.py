"""A binary network is drawn with as many lines and dots as it has connections."""

import numpy as np
import torch
from matplotlib.collections import LineCollection, PathCollection

from wfhelpers.show.figures_networks import binary_network


def test_every_connection_is_a_line_between_its_nodes_and_a_dot() -> None:
    weights = torch.zeros(2, 5, 5)
    weights[0, 3, 1] = weights[0, 3, 2] = weights[1, 4, 3] = 1
    picture = binary_network(weights, "a title")
    graph, *matrices = picture.axes
    lines = [c for c in graph.collections if isinstance(c, LineCollection)]
    assert sorted(map(tuple, lines[0].get_segments()[0].tolist())) == [(1, 0), (3, 1)]
    assert [len(each.get_segments()) for each in lines] == [2, 1]
    np.testing.assert_array_equal(lines[1].get_segments()[0], [(3, 1), (4, 2)])
    for axes, layer in zip(matrices, weights, strict=True):
        np.testing.assert_array_equal(axes.images[0].get_array(), layer)
        assert f"{int(layer.sum())} of 25 connections" in axes.get_title()
    nodes = [c for c in graph.collections if isinstance(c, PathCollection)]
    filled = [(each.get_facecolors()[:, 0] == 0).nonzero()[0].tolist() for each in nodes]
    assert filled == [[1, 2], [3], [4]]
    assert graph.get_title() == "a title"
