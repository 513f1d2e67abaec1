"""Pages for readers who listen or use the keyboard: axe finds nothing serious, on phone and desk, light and dark."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from playwright.sync_api import Browser
from visitor import PHONE, Visitor

ROOT = Path(__file__).parents[2]
DESK = {"width": 1280, "height": 900}

# One page of each kind. On large ones the slow rule about contrast is left to `test_text_is_readable_in_both_modes`,
# which looks at every page.
SMALL = [
    "book/intro.html",
    "book/bibliography.html",
    "book/reproduce.html",
    "notebooks/explorer.html",
    "book/tasks/mnist_1_vs_2.html",
    "search.html",
]
LARGE = [
    "notebooks/00_verdict.html",  # the widest tables
    "notebooks/02_binarization.html",  # a slider
    "notebooks/04b_mirror_descent.html",  # theorems and proofs
    "notebooks/07_sensitivity.html",  # outputs that unfold
    "notebooks/tasks_overview.html",  # a table to sort
    "book/concordance.html",
    "book/api.html",
    "_modules/wfhelpers/ledger.html",
]
MINOR = {"minor", "moderate"}


@pytest.mark.browser
@pytest.mark.parametrize(("scheme", "window"), [("light", PHONE), ("dark", DESK)])
def test_axe_finds_nothing_serious(browser: Browser, server: str, scheme: str, window: dict[str, int]) -> None:
    visitor = Visitor(browser, server, color_scheme=scheme, viewport=window, reduced_motion="reduce")
    found = []
    for name in [*SMALL, *LARGE]:
        rules = {} if name in SMALL else {"color-contrast": {"enabled": False}}
        checked = Axe().run(visitor.open(name), options={"resultTypes": ["violations"], "rules": rules})
        found += [
            (name, violation["id"], node["html"])
            for violation in checked.response["violations"]
            if violation["impact"] not in MINOR
            for node in violation["nodes"]
        ]
    assert found == []
    visitor.page.close()


@pytest.mark.browser
def test_the_keyboard_scrolls_what_is_wider_than_a_phone(browser: Browser, server: str) -> None:
    page = Visitor(browser, server, viewport=PHONE).open("notebooks/00_verdict.html")
    wide = page.locator("section.claim table.ledger").first
    assert wide.evaluate("table => table.scrollWidth > table.clientWidth")
    wide.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")
    page.close()


def test_no_header_of_a_table_is_empty(site: Path) -> None:
    for path in [*site.glob("book/**/*.html"), *site.glob("notebooks/*.html")]:
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        assert [header for header in page.select("article th") if not header.get_text(strip=True)] == [], path.name
