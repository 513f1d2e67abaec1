"""The page on all tasks, on tables whose answer is known."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from wfhelpers._support import InputError
from wfhelpers.core.strategies import MODELS
from wfhelpers.results import experiments
from wfhelpers.show import overview


def rows(aucs: dict[str, Sequence[float]], size: int = 50, protocol: str = "literal") -> pd.DataFrame:
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
    parts += [table.assign(protocol="tuned", auc=0.5) for table in parts]
    figure = overview.heat_maps(pd.concat(parts))
    titles = [axes.get_title() for axes in figure.axes[:4]]
    assert titles == ["bin − real, literal", "bin, literal", "bin − real, tuned", "bin, tuned"]
    margin, level = (axes.images[0].get_array() for axes in figure.axes[:2])
    assert margin is not None
    assert level is not None
    np.testing.assert_allclose(np.ma.filled(margin, np.nan), [[np.nan, 0.3], [0.1, np.nan]])
    np.testing.assert_allclose(np.ma.filled(level, np.nan), [[np.nan, 0.9], [0.7, np.nan]])


def test_maps_leave_open_what_has_no_results() -> None:
    figure = overview.heat_maps(rows({}).assign(negative="a", positive="b"))
    level = figure.axes[1].images[0].get_array()
    np.testing.assert_allclose(np.ma.filled(level, np.nan), [[np.nan, 0.5], [np.nan, np.nan]])
    with pytest.raises(InputError, match="no results for pairs"):
        overview.heat_maps(rows({})[:0])


def test_lines_come_in_the_order_of_cases_each_with_its_own_medians() -> None:
    parts = [
        rows({"bin": [0.6 + size / 1000] * 10, "real": [0.7] * 10}, size, protocol).sample(frac=1, random_state=0)
        for size, protocol in ((100, "tuned"), (50, "tuned"), (100, "literal"), (50, "literal"))
    ]
    table = overview.overview(pd.concat(parts))
    assert list(zip(table["size"], table["protocol"], strict=True)) == [
        *((50, "literal"), (50, "tuned"), (100, "literal"), (100, "tuned"))
    ]
    np.testing.assert_allclose(table["bin"], [0.65, 0.65, 0.7, 0.7])
    np.testing.assert_allclose(table[["real", "bin-real"]], [[0.7, 0.5]] * 4)


def test_shares_tell_best_from_alone_and_from_tied() -> None:
    wild = [0.5, 1.0] * 5
    cases = {
        "literal": [{"bin": STEADY}, {"bin": STEADY, "bin-real": STEADY}, {"bin": STEADY, "real": wild}, {}],
        "tuned": [{"real": STEADY}, {"real": STEADY}, {"real": STEADY}, {"real": STEADY, "bin-real": wild}],
    }
    parts = [rows(aucs, size, protocol) for protocol, listed in cases.items() for size, aucs in enumerate(listed)]
    found = overview.shares(overview.overview(pd.concat(parts)))
    # Where all ten are equal the first of them is named best, and bin ties with it.
    assert found.loc[("mnist", "literal")].to_dict() == {"best": 75, "alone": 50, "best or tied": 100}
    assert found.loc[("mnist", "tuned")].to_dict() == {"best": 0, "alone": 0, "best or tied": 25}


def test_pairs_are_summed_up() -> None:
    values = {("a", "b"): (0.9, 0.6), ("b", "a"): (0.7, 0.75), ("a", "c"): (0.8, 0.795)}
    parts = [
        rows({"bin": [ours] * 10, "real": [theirs] * 10}).assign(negative=negative, positive=positive)
        for (negative, positive), (ours, theirs) in values.items()
    ]
    (found,) = overview.pair_summary(pd.concat(parts)).to_dict("records")
    assert [round(value, 6) for value in found.values()] == [0.7, 0.8, 0.9, 0.005, 33.333333, 33.333333]


def test_both_orientations_lead_to_the_page(tmp_path: Path) -> None:
    (tmp_path / "e.yml").write_text("tasks: {mnist: [{negative: [1, 2], positive: 3, sizes: [20]}]}")
    found = overview.addresses(experiments.read(tmp_path / "e.yml"), "there")
    page = "there/mnist_1-2_vs_3.html"
    assert found == {("mnist", "{1,2} vs 3"): page, ("mnist", "3 vs {1,2}"): page}


def test_the_overview_has_one_line_per_case_and_leads_to_pages() -> None:
    table = overview.overview(pd.concat([rows({"bin": STEADY}, size) for size in (50, 100)]))
    assert list(table["size"]) == [50, 100]
    assert list(table["best"]) == ["bin", "bin"]
    shown = BeautifulSoup(overview.overview_html(table, {("mnist", "1 vs 2"): "page.html"}).data, "html.parser")
    lines = shown.select("tbody tr")
    assert len(lines) == 2
    assert [len(line.select("td")) for line in lines] == [len(shown.select("th button"))] * 2
    assert [link["href"] for link in shown.select("a")] == ["page.html"] * 2
    assert "http" not in str(shown)
    assert shown.select_one("div.sortable")["id"] in shown.script.text


def test_a_task_without_a_page_is_not_a_link() -> None:
    shown = BeautifulSoup(overview.overview_html(overview.overview(rows({})), {}).data, "html.parser")
    assert shown.select("a") == []
    assert shown.select("td")[1].text == "1 vs 2"
