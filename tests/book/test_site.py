"""The built pages: nothing broken, nothing missing, nothing from elsewhere, nothing that does not belong there."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup, Tag

ROOT = Path(__file__).parents[2]
LOADED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "video": "src", "link": "href"}
NAVIGATION_ONLY = {"canonical", "next", "prev", "search", "index", "author", "license"}
SPHINX_OWN = {".buildinfo", ".nojekyll"}


@cache
def parsed(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(path: Path) -> frozenset[str]:
    return frozenset(str(tag[key]) for tag in parsed(path).find_all(True) for key in ("id", "name") if tag.get(key))


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, BeautifulSoup]:
    """Every page of the site by its path."""
    return {
        str(path.relative_to(site)): parsed(path)
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
    }


def article(page: BeautifulSoup) -> Tag:
    return page.select_one("article.bd-article") or page


def references(page: BeautifulSoup) -> Iterator[str]:
    """Targets of all links and of all that the page loads."""
    for tag in page.find_all(["a", *LOADED]):
        target = tag.get(LOADED.get(tag.name, "href"))
        if target:
            yield str(target)


def test_every_page_of_the_table_of_contents_is_there(pages: dict[str, BeautifulSoup]) -> None:
    listed = re.findall(r"(?:file|root): (\S+)", (ROOT / "_toc.yml").read_text())
    assert {f"{name}.html" for name in [*listed, "index"]} <= pages.keys()


def test_no_unresolved_reference_is_shown(pages: dict[str, BeautifulSoup]) -> None:
    assert [name for name, page in pages.items() if "???" in page.get_text()] == []


def test_internal_links_lead_somewhere(site: Path, pages: dict[str, BeautifulSoup]) -> None:
    broken = []
    for name, page in pages.items():
        for target in references(page):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            aim = (site / name).parent / unquote(parts.path) if parts.path else site / name
            if not aim.exists() or (parts.fragment and unquote(parts.fragment) not in anchors(aim.resolve())):
                broken.append((name, target))
    assert broken == []


def test_every_image_has_a_text_that_says_what_it_shows(pages: dict[str, BeautifulSoup]) -> None:
    images = [(name, image) for name, page in pages.items() for image in article(page).find_all("img")]
    assert images
    # Without a text of its own, Sphinx writes the path of the file.
    assert [
        (name, image) for name, image in images if not image.get("alt", "").strip() or "_images/" in image["alt"]
    ] == []


def test_nothing_is_loaded_from_another_host(pages: dict[str, BeautifulSoup]) -> None:
    outside = []
    for name, page in pages.items():
        for tag in page.find_all(list(LOADED)):
            target = urlsplit(str(tag.get(LOADED[tag.name]) or ""))
            if target.netloc and not NAVIGATION_ONLY & set(tag.get("rel") or []):
                outside.append((name, str(tag)))
    assert outside == []


def test_nothing_hidden_is_published(site: Path) -> None:
    published = [path.relative_to(site) for path in site.rglob("*") if path.is_file()]
    assert [path for path in published if any(part[0] == "." and part not in SPHINX_OWN for part in path.parts)] == []
    assert not {path.parts[0] for path in published} & {
        "tests",
        "wfhelpers",
        "results",
        "README.html",
        "CONTRIBUTING.html",
    }


def test_no_page_tells_where_it_was_built(pages: dict[str, BeautifulSoup]) -> None:
    assert [name for name, page in pages.items() if str(ROOT) in str(page)] == []


def test_every_module_of_the_package_is_described(pages: dict[str, BeautifulSoup]) -> None:
    paths = [path for path in (ROOT / "wfhelpers").rglob("*.py") if path.stem == "__init__" or path.stem[0] != "_"]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths]
    described = anchors(ROOT / "_build" / "html" / "book" / "api.html")
    assert [name for name in names if f"module-{name}" not in described] == []


def test_every_line_of_the_concordance_leads_to_code_a_test_and_a_chapter(pages: dict[str, BeautifulSoup]) -> None:
    table, claims, _ = pages["book/concordance.html"].select("table.concordance")
    for line in [*table.select("tbody tr"), *claims.select("tbody tr")]:
        targets = " ".join(str(link["href"]) for link in line.select("a"))
        assert "api.html#wfhelpers." in targets
        assert "concordance_tests.html#test-" in targets
        assert "notebooks/" in targets


def test_the_tests_of_the_concordance_are_shown_as_they_are(pages: dict[str, BeautifulSoup]) -> None:
    blocks = pages["book/concordance_tests.html"].select("div.literal-block-wrapper")
    assert blocks
    for block in blocks:
        file = str(block.select_one("span.caption-text").get_text()).split("::")[0]
        assert block.select_one("pre").get_text().strip() in (ROOT / file).read_text()


def test_every_work_that_the_paper_cites_is_listed(pages: dict[str, BeautifulSoup]) -> None:
    entries = (ROOT / "book" / "references.bib").read_text().count("\n@")
    assert len(pages["book/bibliography.html"].select("div.citation")) == entries
