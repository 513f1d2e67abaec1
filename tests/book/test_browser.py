"""The built site as a reader meets it: a real Chromium, from a server and from the file, on a desk and on a phone."""

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page
from visitor import PHONE, Visitor, names

from wfhelpers.core.binarize import soft_step, soft_step_slope
from wfhelpers.core.strategies import MODELS
from wfhelpers.results import experiments
from wfhelpers.results.store import Store
from wfhelpers.show import overview
from wfhelpers.show.explorer import Explorer
from wfhelpers.show.slider import NEGLIGIBLE, StepSlider, flat_share

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]

READABLE = 4.5  # contrast that WCAG 2 asks of text, level AA

COLOURS = """() => {
  // The start of every piece of text in the article, its colour and the colour of what lies behind it.
  const solid = colour => {
    const parts = colour.match(/[\\d.]+/g).map(Number);
    return parts.length < 4 || parts[3] > 0.99 ? parts : null;
  };
  const behind = element => {
    for (; element; element = element.parentElement) {
      const colour = solid(getComputedStyle(element).backgroundColor);
      if (colour) return colour;
    }
    return [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.querySelector("article.bd-article"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const text = texts.currentNode.textContent.trim(), element = texts.currentNode.parentElement;
    if (text && element.checkVisibility() && !element.closest("svg, .headerlink, style, script"))
      found.push([text.slice(0, 40), solid(getComputedStyle(element).color) ?? [0, 0, 0], behind(element)]);
  }
  return found;
}"""


@pytest.fixture(params=["server", "file"])
def address(request: pytest.FixtureRequest, site: Path, server: str) -> str:
    """Where the reader opens the site."""
    return server if request.param == "server" else site.as_uri()


def test_pages_are_whole_and_alone(browser: Browser, site: Path, address: str) -> None:
    visitor = Visitor(browser, address)
    for name in names(site):
        page = visitor.open(name)
        formulas = page.locator("article .math").count()
        assert page.locator("article mjx-container").count() >= formulas, f"{name}: mathematics is not drawn"
        assert page.locator("mjx-merror").count() == 0, f"{name}: a formula is wrong"
        for image in page.locator("article img").all():
            image.scroll_into_view_if_needed()
            image.evaluate("image => image.decode()")
            assert image.evaluate("image => image.naturalWidth") > 0, f"{name}: an image does not load"
    assert visitor.errors == []
    assert visitor.outside == []
    visitor.page.close()


def test_the_verdict_fits_one_screen(browser: Browser, server: str) -> None:
    page = Visitor(browser, server, viewport={"width": 1280, "height": 900}).open("book/intro.html")
    page.locator(".landing img").evaluate("image => image.decode()")
    ledger_and_figure = page.locator(".landing").bounding_box()
    assert ledger_and_figure
    assert ledger_and_figure["y"] + ledger_and_figure["height"] <= 900
    assert page.locator(".landing table.ledger").evaluate("table => table.scrollWidth <= table.clientWidth")
    page.close()


def test_search_finds_a_page_and_leads_to_it(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address)
    page = visitor.open("book/intro.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("papermill")
    page.keyboard.press("Enter")
    hit = page.locator("#search-results li a", has_text="How to reproduce it").first
    hit.click()
    page.wait_for_url("**/book/reproduce.html*")
    assert "papermill" in page.locator("article").inner_text()
    assert visitor.errors == []
    assert visitor.outside == []
    page.close()


def test_phone_never_scrolls_sideways(browser: Browser, site: Path, server: str) -> None:
    visitor = Visitor(browser, server, viewport=PHONE)
    wide = [
        name
        for name in names(site)
        if visitor.open(name).evaluate("document.documentElement.scrollWidth") > PHONE["width"]
    ]
    assert wide == []
    visitor.page.close()


def luminance(colour: list[float]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [value / 255 for value in colour[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: list[float], other: list[float]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_both_modes(browser: Browser, site: Path, server: str, scheme: str) -> None:
    visitor = Visitor(browser, server, color_scheme=scheme)
    for name in names(site):
        texts = visitor.open(name).evaluate(COLOURS)
        assert texts
        assert (luminance(texts[0][2]) < 0.2) == (scheme == "dark")
        faint = [(text, colour, ground) for text, colour, ground in texts if contrast(colour, ground) < READABLE]
        assert faint == [], name
    visitor.page.close()


def test_figures_keep_a_light_ground_in_dark_mode(browser: Browser, site: Path, server: str) -> None:
    visitor = Visitor(browser, server, color_scheme="dark")
    for name in names(site):
        for image in visitor.open(name).locator("article .cell_output img, article figure img").all():
            ground = image.evaluate("image => getComputedStyle(image).backgroundColor.match(/\\d+/g).map(Number)")
            assert luminance(ground) > 0.9, name
    visitor.page.close()


def test_slider_of_chapter_2_follows_the_keyboard(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address)
    page = visitor.open("notebooks/02_binarization.html")
    page.get_by_label("Sharpness M").focus()
    for key, sharpness in (("", 20), ("End", 200), ("Home", 1), ("ArrowRight", 2)):
        if key:
            page.keyboard.press(key)
        check_slider(page, sharpness)
    assert visitor.errors == []
    page.close()


@pytest.mark.parametrize("sharpness", [0.003, 0.5, 5, 1000])
def test_slider_shows_the_step_and_its_slope(browser: Browser, sharpness: float) -> None:
    page = browser.new_page()
    page.set_content(StepSlider([sharpness])._repr_html_())
    check_slider(page, sharpness)
    page.close()


def check_slider(page: Page, sharpness: float) -> None:
    """Compare the words and both curves with what the package computes."""
    flat = f"slope below {NEGLIGIBLE:g} on {100 * flat_share(sharpness):.0f} % of [−1, 1]"
    assert page.locator("#step-slider-words").inner_text() == (
        f"M = {sharpness:g}: highest slope {sharpness / 4:g}; {flat}"
    )
    curves = {name: page.locator(f"#step-slider-{name}").get_attribute("d") for name in ("step", "slope", "threshold")}
    points = {
        name: np.array([place.split() for place in str(curve)[1:].split("L")], dtype=float)
        for name, curve in curves.items()
    }
    w = torch.from_numpy((points["step"][:, 0] - 50) / 120 - 1)
    np.testing.assert_allclose((180 - points["step"][:, 1]) / 160, soft_step(w, sharpness), atol=0.001)
    slopes = np.log10(soft_step_slope(w, sharpness).numpy() + 1e-300)
    for name, expected in (("slope", slopes), ("threshold", np.full(len(w), np.log10(NEGLIGIBLE)))):
        np.testing.assert_allclose((180 - points[name][:, 1]) / 20 - 6, np.clip(expected, -6, 2), atol=0.005)


def test_overview_sorts_filters_and_leads_to_a_task(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address)
    page = visitor.open("notebooks/tasks_overview.html")
    lines = page.locator(".sortable tbody tr:visible")
    heading = page.get_by_role("button", name="AUC of best")
    for sign in (1, -1):
        heading.click()
        aucs = [sign * float(text) for text in lines.locator("td:nth-child(6)").all_inner_texts()]
        assert len(aucs) == Store(ROOT / "results").rows().groupby(list(overview.CASE)).ngroups
        assert aucs == sorted(aucs)
    page.get_by_label("Show lines with all of these words").fill("MNIST tuned 50")
    for place, value in ((1, "mnist"), (3, "50"), (4, "tuned")):
        assert set(lines.locator(f"td:nth-child({place})").all_inner_texts()) == {value}
    assert page.locator(".sortable output").inner_text() == f"{lines.count()} of {len(aucs)} lines"
    link = lines.first.get_by_role("link")
    title = link.inner_text()
    link.click()
    page.wait_for_url("**/book/tasks/mnist_*.html")
    assert title in page.locator("article").inner_text()
    assert visitor.errors == []
    assert visitor.outside == []
    page.close()


def read_off(piece: BeautifulSoup) -> dict[str, list[list[float]]]:
    """Quartiles of the AUC and of the run time of each model that the picture shows, read off against its ticks."""
    ticks = [piece.find(id=f"explorer-tick-{place}") for place in (0, 5)]
    (floor, bottom), (ceiling, top) = ((float(tick.text), float(tick["y"]) - 5) for tick in ticks)
    decades = [(math.log10(float(tick.text)), float(tick["x"])) for tick in piece.select(".decade")]
    (low, left), (high, right) = decades[0], decades[-1]
    quartiles = {}
    for model in MODELS:
        drawn = piece.find(id=f"explorer-{model}")
        x1, y, x2, x, y1, y2 = (float(number) for number in re.findall(r"[\d.]+", drawn.path["d"]))
        assert drawn.g["transform"] == f"translate({x:.1f} {y:.1f})"
        aucs = [floor + (ceiling - floor) * (bottom - place) / (bottom - top) for place in (y1, y, y2)]
        seconds = [10 ** (low + (high - low) * (place - left) / (right - left)) for place in (x1, x, x2)]
        quartiles[model] = [aucs, seconds]
    return quartiles


def check_explorer(piece: BeautifulSoup, rows: pd.DataFrame, case: tuple[str, str, int, str]) -> None:
    """Compare picture, table and sentence with the rows of a case."""
    chosen = rows[(rows[list(overview.CASE)] == list(case)).all(axis=1)].groupby("model")
    for model, (aucs, seconds) in read_off(piece).items():
        expected = chosen.get_group(model)[["auc", "seconds_total"]].quantile([0.25, 0.5, 0.75])
        assert aucs == pytest.approx(expected["auc"].tolist(), abs=0.001)
        assert seconds == pytest.approx(expected["seconds_total"].tolist(), rel=0.015)
        low, middle, high = (f"{round(auc, 3):.3f}" for auc in expected["auc"])
        cells = [cell.text for cell in piece.find(id=f"explorer-line-{model}").find_all("td")]
        assert cells[:2] == [middle, f"{low}–{high}"]
        assert float(cells[2]) == pytest.approx(expected["seconds_total"][0.5], rel=0.006)
        markers = [piece.select_one(f"#explorer-{place} > *") for place in (f"line-{model} svg", f"{model} g")]
        assert markers[0] == markers[1]
    highest = chosen["auc"].median().max()
    dataset, task, size, protocol = case
    said = piece.find(id="explorer-words").text
    assert said.startswith(f"{dataset}, {task}, {size} training objects per class, {protocol}, ")
    assert f"the highest median AUC is {round(highest, 3):.3f} (" in said


def test_explorer_shows_the_case_that_is_chosen(browser: Browser, address: str) -> None:
    rows = Store(ROOT / "results").rows()
    pages = overview.addresses(experiments.read(ROOT / "experiments.yml"))
    visitor = Visitor(browser, address)
    page = visitor.open("notebooks/explorer.html")
    check_explorer(BeautifulSoup(page.content(), "html.parser"), rows, ("mnist", "1 vs 2", 100, "charitable"))
    for case in (("citeseer", "DB vs IR", 150, "tuned"), ("mnist", "{1,2,3} vs {4,5,6}", 50, "literal")):
        for name, choice in zip(("Data set", "Task", "Objects per class", "Protocol"), case, strict=True):
            page.get_by_label(name, exact=True).select_option(str(choice))
        check_explorer(BeautifulSoup(page.content(), "html.parser"), rows, case)
        assert page.locator("#explorer-page").get_attribute("href") == pages[case[0], case[1]]
    page.locator("#explorer-page").click()
    page.wait_for_url("**/book/tasks/mnist_1-2-3_vs_4-5-6.html")
    assert visitor.errors == []
    assert visitor.outside == []
    page.close()


@pytest.mark.parametrize(("lowest", "floor"), [(0.2, 0.0), (0.6, 0.5), (0.8, 0.75), (0.95, 0.9)])
def test_the_axis_of_the_auc_starts_where_the_lowest_model_needs_it(
    browser: Browser, lowest: float, floor: float
) -> None:
    case = ("mnist", "a, <b> vs c", 50, "tuned")
    rows = pd.DataFrame(
        [
            (*case, model, run, lowest + (1 - lowest) * (place + run) / 20, 10.0 ** (run - place))
            for place, model in enumerate(MODELS)
            for run in range(5)
        ],
        columns=[*overview.CASE, "model", "run", "auc", "seconds_total"],
    )
    page = browser.new_page()
    page.set_content(Explorer(rows.assign(seconds_total=rows["seconds_total"].clip(1e-4)), case)._repr_html_())
    shown = BeautifulSoup(page.content(), "html.parser")
    check_explorer(shown, rows.assign(seconds_total=rows["seconds_total"].clip(1e-4)), case)
    assert float(shown.find(id="explorer-tick-0").text) == floor
    assert page.locator("#explorer-page").is_hidden()
    page.close()


def test_explorer_follows_the_keyboard(browser: Browser, address: str) -> None:
    page = Visitor(browser, address).open("notebooks/explorer.html")
    said = page.locator("#explorer-words")
    protocol = page.get_by_label("Protocol", exact=True)
    protocol.focus()
    page.keyboard.press("Home")
    assert "literal" in said.inner_text()
    page.keyboard.press("End")
    assert "tuned" in said.inner_text()
    page.get_by_label("Data set", exact=True).focus()
    page.keyboard.press("Home")
    assert said.inner_text().startswith("citeseer")
    assert protocol.input_value() == "tuned"
    page.close()


def test_explorer_shows_a_table_without_javascript(browser: Browser, address: str) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(f"{address}/notebooks/explorer.html")
    assert "mnist, 1 vs 2, 100 objects per class, charitable" in page.locator("#explorer noscript").inner_text()
    assert page.locator("#explorer-live").is_hidden()
    assert page.locator("#explorer tbody tr:visible").count() == len(MODELS)
    page.close()
