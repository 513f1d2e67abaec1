"""The explorer: what it embeds and shows without a script, against what pandas says about the same rows.

What the script draws from these numbers is checked in tests/book/test_browser.py.
"""

import json
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from wfhelpers._support import InputError
from wfhelpers.core.strategies import BINARY_MODELS, MODELS, label, strategy_of
from wfhelpers.show.explorer import Explorer
from wfhelpers.show.figures import COLOURS

CASES = list(product(("mnist", "citeseer"), ("10 vs 2", "{a,<b>} vs c"), (50, 100), ("literal", "charitable")))
SHOWN = ("mnist", "10 vs 2", 50, "literal")


def made_up(lowest: float = 0.3) -> pd.DataFrame:
    """Results of ten models over seven runs in 16 cases."""
    rng = np.random.default_rng(3)
    names = pd.DataFrame(
        [(*case, model, run) for case in CASES for model in MODELS for run in range(7)],
        columns=["dataset", "task", "size", "protocol", "model", "run"],
    )
    aucs, seconds = rng.uniform(lowest, 1, len(names)), 10 ** rng.uniform(-3.5, 0.5, len(names))
    return names.assign(auc=aucs.round(5), seconds_total=seconds.round(5))


ROWS = made_up()


def chosen(rows: pd.DataFrame, case: tuple[object, ...], model: str) -> pd.DataFrame:
    wanted = (rows["model"] == model).to_numpy()
    for column, choice in zip(("dataset", "task", "size", "protocol"), case, strict=True):
        wanted = wanted & (rows[column] == choice).to_numpy()
    return rows[wanted]


def piece(**options: object) -> BeautifulSoup:
    return BeautifulSoup(Explorer(ROWS, SHOWN, **options)._repr_html_(), "html.parser")


def data(rows: pd.DataFrame) -> dict[str, Any]:
    """What the script gets to see."""
    shown = BeautifulSoup(Explorer(rows, SHOWN)._repr_html_(), "html.parser")
    return json.loads(shown.find(id="explorer-data").text)


@pytest.fixture(scope="module")
def embedded() -> dict[tuple[str, ...], list[Any]]:
    cases = data(ROWS)["cases"]
    assert len(cases) == len(CASES)
    return {tuple(case[:4]): case[4:] for case in cases}


@pytest.mark.parametrize("case", CASES)
def test_embedded_numbers_are_those_of_the_table(embedded, case: tuple[str, str, int, str]) -> None:
    runs, best, *models = embedded[tuple(map(str, case))]
    assert runs == 7
    assert MODELS[best] == max(MODELS, key=lambda model: chosen(ROWS, case, model)["auc"].median())
    for model, six in zip(MODELS, models, strict=True):
        expected = chosen(ROWS, case, model)[["auc", "seconds_total"]].quantile([0.25, 0.5, 0.75])
        np.testing.assert_allclose(six[:3], 1000 * expected["auc"], atol=0.5 + 1e-9)
        np.testing.assert_allclose(six[3:], expected["seconds_total"], rtol=0.005)


def test_lists_have_single_classes_and_small_sizes_first() -> None:
    lists = [list(dict.fromkeys(column)) for column in zip(*(case[:4] for case in data(ROWS)["cases"]), strict=True)]
    assert lists == [["citeseer", "mnist"], ["10 vs 2", "{a,<b>} vs c"], ["50", "100"], ["literal", "charitable"]]


def test_a_run_that_took_no_time_still_has_a_place() -> None:
    first = data(ROWS.assign(seconds_total=0.0))["cases"][0]
    assert first[6][3:] == [1e-5] * 3


def test_the_best_is_found_before_rounding() -> None:
    close = ROWS.assign(auc=0.5).where(ROWS["model"] != "agnostic", ROWS.assign(auc=0.5001))
    assert {case[5] for case in data(close)["cases"]} == {MODELS.index("agnostic")}


def test_the_table_shows_the_medians() -> None:
    shown = piece()
    for model in MODELS:
        line = shown.find(id=f"explorer-line-{model}")
        name, *cells = [cell.text.strip() for cell in line.find_all(["th", "td"])]
        runs = chosen(ROWS, SHOWN, model)
        low, middle, high = runs["auc"].quantile([0.25, 0.5, 0.75])
        assert name == label(model)
        assert cells[:2] == [f"{middle:.3f}", f"{low:.3f}–{high:.3f}"]
        assert float(cells[2]) == pytest.approx(runs["seconds_total"].median(), rel=0.005)


def test_models_look_as_in_every_figure() -> None:
    shown = piece()
    for model in MODELS:
        marker = shown.find(id=f"explorer-line-{model}").find(["circle", "rect"])
        assert marker.name == ("rect" if model in BINARY_MODELS else "circle")
        assert marker["fill"] == COLOURS[strategy_of(model)]


def test_the_case_that_is_shown_first_is_named() -> None:
    assert data(ROWS)["shown"] == [str(choice) for choice in SHOWN]
    assert "mnist, 10 vs 2, 50 objects per class, literal" in piece().find("noscript").text


def test_a_task_with_a_page_leads_to_it() -> None:
    shown = piece(pages={SHOWN[:2]: "there/page.html"})
    assert json.loads(shown.find(id="explorer-data").text)["pages"] == {"mnist, 10 vs 2": "there/page.html"}


def test_piece_stands_alone_and_can_be_used_without_a_mouse() -> None:
    html = Explorer(ROWS, SHOWN)._repr_html_()
    assert "http" not in html
    assert " src=" not in html
    assert "<b>" not in html  # names of classes are data, not markup
    assert html == Explorer(ROWS, SHOWN)._repr_html_()
    labelled = [label["for"] for label in piece().find_all("label")]
    assert labelled == [select["id"] for select in piece().find_all("select")]
    assert len(labelled) == 4


def test_every_identifier_belongs_to_its_own_piece() -> None:
    found = [str(tag["id"]) for tag in piece(element_id="other").find_all(id=True)]
    assert len(set(found)) == len(found)
    assert all(name.startswith("other") for name in found)


def test_a_case_without_results_is_refused() -> None:
    with pytest.raises(InputError, match=r"no results for \('mnist', '1 vs 7', 50, 'literal'\); expected data set"):
        Explorer(ROWS, ("mnist", "1 vs 7", 50, "literal"))
    with pytest.raises(InputError, match="no results at all"):
        Explorer(ROWS[:0], SHOWN)
