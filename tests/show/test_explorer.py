"""The explorer: what it embeds and draws, against what pandas says about the same rows."""

import json
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from wfhelpers._support import InputError
from wfhelpers.core.strategies import BINARY_MODELS, MODELS, label, strategy_of
from wfhelpers.show.explorer import FLOORS, Explorer, summaries
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


@pytest.fixture(scope="module")
def embedded() -> dict[str, dict[str, dict[str, dict[str, list[list[float]]]]]]:
    return json.loads(piece().find(id="explorer-data").text)["cases"]


@pytest.mark.parametrize("case", CASES)
def test_embedded_numbers_are_those_of_the_table(embedded, case: tuple[str, str, int, str]) -> None:
    dataset, task, size, protocol = case
    runs, best, *models = embedded[dataset][task][str(size)][protocol]
    assert runs == 7
    assert MODELS[best] == max(MODELS, key=lambda model: chosen(ROWS, case, model)["auc"].median())
    for model, six in zip(MODELS, models, strict=True):
        expected = chosen(ROWS, case, model)[["auc", "seconds_total"]].quantile([0.25, 0.5, 0.75])
        np.testing.assert_allclose(six[:3], 1000 * expected["auc"], atol=0.5 + 1e-9)
        np.testing.assert_allclose(six[3:], expected["seconds_total"], rtol=0.005)


def test_lists_have_single_classes_and_small_sizes_first() -> None:
    found = summaries(ROWS)
    assert list(found["mnist"]) == ["10 vs 2", "{a,<b>} vs c"]
    assert list(found["mnist"]["10 vs 2"]) == ["50", "100"]
    assert list(found["mnist"]["10 vs 2"]["50"]) == ["literal", "charitable"]


def test_a_run_that_took_no_time_still_has_a_place() -> None:
    found = summaries(ROWS.assign(seconds_total=0.0))
    assert found["mnist"]["10 vs 2"]["50"]["literal"][2][3:] == [1e-5] * 3


def test_the_best_is_found_before_rounding() -> None:
    close = ROWS.assign(auc=0.5).where(ROWS["model"] != "agnostic", ROWS.assign(auc=0.5001))
    assert summaries(close)["mnist"]["10 vs 2"]["50"]["literal"][1] == MODELS.index("agnostic")


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


@pytest.mark.parametrize("lowest", [0.2, 0.6, 0.8, 0.95])
def test_points_stand_where_the_axes_say(lowest: float) -> None:
    rows = made_up(lowest)
    shown = BeautifulSoup(Explorer(rows, SHOWN)._repr_html_(), "html.parser")
    picture = shown.find("svg", attrs={"role": "img"})
    texts = {text.text: text for text in picture.find_all("text")}
    floor = float(shown.find(id="explorer-tick-0").text)
    bottom, top = (float(shown.find(id=f"explorer-tick-{i}")["y"]) - 5 for i in (0, 5))
    left, right = (float(texts[tick]["x"]) for tick in ("0.001", "1"))
    lowers = [chosen(rows, SHOWN, model)["auc"].quantile(0.25) for model in MODELS]
    assert floor == max(each for each in FLOORS if each <= min(lowers) + 0.0005)
    for model in MODELS:
        place = shown.find(id=f"explorer-{model}").find("g")["transform"]
        x, y = (float(number) for number in re.findall(r"[\d.]+", str(place)))
        runs = chosen(rows, SHOWN, model)
        seconds = 10 ** (-3 + 3 * (x - left) / (right - left))
        auc = floor + (1 - floor) * (bottom - y) / (bottom - top)
        assert seconds == pytest.approx(runs["seconds_total"].median(), rel=0.01)
        assert auc == pytest.approx(runs["auc"].median(), abs=0.001)


def test_bars_reach_to_the_quartiles() -> None:
    shown = piece()
    bottom, top = (float(shown.find(id=f"explorer-tick-{i}")["y"]) - 5 for i in (0, 5))
    for model in MODELS:
        bars = str(shown.find(id=f"explorer-{model}").find("path")["d"])
        low, high = (float(part) for part in re.fullmatch(r".*M[\d.]+ ([\d.]+)V([\d.]+)", bars).groups())
        expected = chosen(ROWS, SHOWN, model)["auc"].quantile([0.25, 0.75])
        np.testing.assert_allclose([(bottom - y) / (bottom - top) for y in (low, high)], expected, atol=0.001)


def test_models_look_as_in_every_figure() -> None:
    shown = piece()
    for model in MODELS:
        marker = shown.find(id=f"explorer-{model}").find(["circle", "rect"])
        assert marker.name == ("rect" if model in BINARY_MODELS else "circle")
        assert marker["fill"] == COLOURS[strategy_of(model)]


def test_the_chosen_case_is_selected_and_said() -> None:
    shown = piece()
    assert [option.text for option in shown.find_all("option", selected=True)] == [str(choice) for choice in SHOWN]
    medians = {model: chosen(ROWS, SHOWN, model)["auc"].median() for model in MODELS}
    best = max(medians, key=lambda model: medians[model])
    said = shown.find(id="explorer-words").text
    assert f"7 runs: the highest median AUC is {medians[best]:.3f} ({label(best)})" in said


def test_a_task_with_a_page_leads_to_it() -> None:
    with_page = piece(pages={SHOWN[:2]: "there/page.html"}).find(id="explorer-page")
    assert with_page["href"] == "there/page.html"
    assert not with_page.has_attr("hidden")
    assert piece().find(id="explorer-page").has_attr("hidden")


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
