"""The book in one file: the PDF has every chapter and no blank page, the zip is the site and opens from a file."""

import zipfile
from pathlib import Path

import keep
import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser
from pypdf import PdfReader
from pypdf.generic import Destination
from visitor import Visitor


def titles(site: Path) -> list[str]:
    """Heading of each page, in the order of the table of contents."""
    pages = [site / file for _, pages in keep.contents(site) for file, _ in pages]
    headings = [
        BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select_one("article h1") for page in pages
    ]
    for heading in headings:
        heading.select_one(".headerlink").extract()
    return [" ".join(heading.get_text().split()) for heading in headings]


@pytest.fixture(scope="module")
def printed(browser: Browser, site: Path, tmp_path_factory: pytest.TempPathFactory) -> PdfReader:
    path = tmp_path_factory.mktemp("print") / "book.pdf"
    keep.pdf(browser, site, path)
    assert [file.name for file in path.parent.iterdir()] == ["book.pdf"]
    return PdfReader(path)


@pytest.mark.browser
def test_bookmarks_are_the_chapters_in_order(site: Path, printed: PdfReader) -> None:
    chapters = [mark for mark in printed.outline if isinstance(mark, Destination)]
    assert [chapter.title for chapter in chapters[1:]] == titles(site)
    numbers = [printed.get_destination_page_number(chapter) for chapter in chapters]
    assert numbers == sorted(set(numbers))
    for chapter, number in zip(chapters, numbers, strict=True):
        assert chapter.title in " ".join(printed.pages[number].extract_text().split())


@pytest.mark.browser
def test_no_printed_page_is_blank(printed: PdfReader) -> None:
    for number, page in enumerate(printed.pages, start=1):
        words = page.extract_text().split()
        assert words[-1:] == [str(number)], "the foot of a page has its number"
        drawn = [part for part in page["/Resources"].get("/XObject", {}).values() if part["/Subtype"] == "/Image"]
        assert words[:-1] or drawn, f"page {number} is blank"


@pytest.mark.browser
def test_links_inside_of_the_book_stay_inside(printed: PdfReader) -> None:
    links = [one.get_object() for page in printed.pages for one in page.get("/Annots", [])]
    outside = [link["/A"]["/URI"] for link in links if "/URI" in link.get("/A", {})]
    assert [address for address in outside if not address.startswith("http")] == []
    assert len(links) > 2 * len(outside)


@pytest.fixture(scope="module")
def unpacked(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder in which a reader unpacked the zip."""
    folder = tmp_path_factory.mktemp("zip")
    keep.pack(site, folder / "book.zip")
    target = folder / "a folder of müller & co"
    zipfile.ZipFile(folder / "book.zip").extractall(target)
    return target / keep.NAME


def test_the_zip_is_the_site(site: Path, unpacked: Path) -> None:
    def files(folder: Path) -> dict[str, bytes]:
        found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        return {name: content for name, content in found.items() if name not in keep.LEFT_OUT}

    assert files(unpacked) == files(site)


def test_the_same_site_gives_the_same_zip(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name
        (folder / "sub").mkdir(parents=True)
        (folder / "sub" / "page.html").write_text("page")
        (folder / "index.html").write_text("index")
        keep.pack(folder, tmp_path / f"{name}.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


@pytest.mark.browser
def test_the_unpacked_zip_opens_from_a_file(browser: Browser, unpacked: Path) -> None:
    visitor = Visitor(browser, unpacked.as_uri())
    page = visitor.open("index.html")
    page.wait_for_url("**/book/intro.html")
    page.get_by_role("navigation").get_by_role("link", name="Data", exact=True).first.click()
    page.wait_for_url("**/notebooks/01_data.html")
    page.wait_for_selector("article mjx-container")
    assert (
        page.locator("article figure img").first.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    )
    assert visitor.errors == []
    assert visitor.outside == []
    page.close()
