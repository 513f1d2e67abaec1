"""The page on all tasks, on tables whose answer is known."""

import numpy as np
import pandas as pd
from bs4 import BeautifulSoup

from wfhelpers import overview
from wfhelpers.strategies import MODELS


def rows(aucs: dict[str, list[float]], size: int = 50, protocol: str = "literal") -> pd.DataFrame:
    """Rows of the ten models, at 0.5 where no values are given."""
    return pd.DataFrame(
        [
            {"dataset": "mnist", "protocol": protocol, "task": "1 vs 2", "negative": "1", "positive": "2"}
            | {"size": size, "model": model, "run": run, "auc": value}
            for model in MODELS
            for run, value in enumerate(aucs.get(model, [0.5] * 10))
        ]
    )


STEADY = [0.9 + run / 1000 for run in range(10)]


def test_heat_maps_show_bin_and_its_margin() -> None:
    parts = []
    for negative, positive, value in (("a", "b", 0.9), ("b", "a", 0.7)):
        table = rows({"bin": [value] * 10, "real": [0.6] * 10})
        parts.append(table.assign(negative=negative, positive=positive))
    figure = overview.heat_maps(pd.concat(parts), "literal")
    margin, level = (axes.images[0].get_array() for axes in figure.axes[:2])
    assert margin is not None
    assert level is not None
    np.testing.assert_allclose(np.ma.filled(margin, np.nan), [[np.nan, 0.3], [0.1, np.nan]])
    np.testing.assert_allclose(np.ma.filled(level, np.nan), [[np.nan, 0.9], [0.7, np.nan]])


def test_the_overview_has_a_line_a_case_and_leads_to_pages() -> None:
    table = overview.overview(pd.concat([rows({"bin": STEADY}, size) for size in (50, 100)]))
    assert list(table["size"]) == [50, 100]
    assert list(table["best"]) == ["bin", "bin"]
    shown = BeautifulSoup(overview.overview_html(table, {("mnist", "1 vs 2"): "page.html"}).data, "html.parser")
    lines = shown.select("tbody tr")
    assert len(lines) == 2
    assert [len(line.select("td")) for line in lines] == [len(shown.select("th button"))] * 2
    assert [link["href"] for link in shown.select("a")] == ["page.html"] * 2
    assert "http" not in str(shown)
