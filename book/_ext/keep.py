"""The built site as one file to keep: ``python book/_ext/keep.py pdf`` prints it, ``zip`` packs it.

The PDF has all pages in the order of the table of contents. Chromium draws each, with its mathematics and its figures;
what it drew goes into one document, where links from page to page become links inside of it, and is printed once. The
headings become bookmarks. The zip has the site as it is; ``index.html`` opens from the file.
"""

import html
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup
from playwright.sync_api import Browser, sync_playwright

SITE = Path(__file__).parents[2] / "_build" / "html"
NAME = "wfhelpers-book"
LEFT_OUT = {".buildinfo", ".nojekyll"}  # notes of Sphinx for itself
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--allow-file-access-from-files"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the same bytes for the same site
PAPER_WIDTH = 718  # pixels of CSS between the margins of A4
MARGIN = {"top": "14mm", "bottom": "16mm", "left": "10mm", "right": "10mm"}
FOOTER = '<div style="width: 100%; text-align: center; font-size: 8px"><span class="pageNumber"></span></div>'

# The article as it is drawn, without what only a screen has. Names get the number of the page, so that they are unique.
TAKE = """async ([root, places]) => {
  await window.MathJax?.startup?.promise;
  const own = places[location.href.slice(root.length).split("#")[0]];
  const article = document.querySelector("article.bd-article");
  const screenOnly = "script, noscript, button, .headerlink, .viewcode-link, details.hide.above-input";
  for (const one of article.querySelectorAll(screenOnly)) one.remove();
  for (const one of article.querySelectorAll("details")) one.open = true;
  for (const one of article.querySelectorAll("details.hide > summary, details.live")) one.remove();
  for (const image of article.querySelectorAll("img")) [image.src, image.loading] = [image.src, "eager"];
  const inside = name => `${own}--${name}`;
  for (const link of article.querySelectorAll("a[href]")) {
    const [file, fragment] = link.href.split("#");
    if (!file.startsWith(root)) continue;
    const place = places[file.slice(root.length)];
    if (place) link.setAttribute("href", `#${place}${fragment ? `--${fragment}` : ""}`);
    else link.removeAttribute("href");  // leads to a file that is not printed
  }
  for (const style of article.querySelectorAll("style"))
    style.textContent = style.textContent.replace(
      /#([\\w-]+)/g, (all, name) => document.getElementById(name) ? `#${inside(name)}` : all);
  for (const one of article.querySelectorAll("*")) {
    if (one.id) one.id = inside(one.id);
    for (const {name, value} of [...one.attributes])
      if (/^(for|aria-(labelledby|describedby|controls))$/.test(name))
        one.setAttribute(name, value.split(" ").map(inside).join(" "));
      else if (name === "xlink:href" && value[0] === "#") one.setAttribute(name, `#${inside(value.slice(1))}`);
      else if (value.includes("url(#")) one.setAttribute(name, value.replaceAll("url(#", `url(#${inside("")}`));
  }
  return [article.innerHTML, [...document.querySelectorAll("head style")].map(style => style.outerHTML).join("")];
}"""

# What is wider than the paper is drawn smaller.
FIT = """() => {
  const wide = "h1, h2, h3, h4, h5, table, pre, mjx-container[display], .output > div, svg";
  for (const box of document.querySelectorAll(wide)) {
    const room = box.parentElement.clientWidth, width = Math.max(box.scrollWidth, box.getBoundingClientRect().width);
    if (room && width > room + 1) box.style.zoom = room / width;
  }
}"""

STYLE = """
  html, body { font-size: 11px; background: #fff; scroll-padding: 0; overflow: visible; height: auto; }
  nav.parts, section.page:not(:last-child) { break-after: page; }
  section.page h1 { margin-top: 0; }
  /* A bookmark loses the space where its heading is broken, and has a heading twice that touches the page before. */
  h1, h2, h3, h4, h5 { white-space: nowrap; width: max-content; line-height: 1.4 !important; }
  mjx-container [data-c] { stroke: none; }  /* printers draw a line of no width as thin as they can */
  figcaption, figcaption * { color: #333 !important; }
  nav.parts ul { list-style: none; padding-left: 1.5em; columns: 2; }
  nav.parts p { margin: 0.8em 0 0.2em; font-weight: 600; break-after: avoid; }
  h1, h2, h3, h4, h5, figcaption { break-after: avoid; }
  figure, img, svg, .admonition-title, tr { break-inside: avoid; }
  figure figcaption { break-before: avoid; }
  pre { white-space: pre-wrap !important; overflow-wrap: anywhere; }
  img { max-width: 100%; max-height: 240mm; object-fit: contain; }
  table.ledger, .bd-article table { display: table; overflow: visible !important; max-width: none !important; }
  .cell_output .output.text_html, .output { overflow: visible !important; max-height: none !important; }
  .bd-article table.concordance { min-width: 0; }
"""


def chromium() -> str:
    """Path of the browser."""
    found = [shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")]
    program = next(filter(None, found), None)
    if not program:
        raise SystemExit("Printing needs Chromium: install the package 'chromium', then try again.")
    return program


def contents(site: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    """Parts of the book in the order of its table of contents, each with the paths and titles of its pages."""
    start = site / "book" / "intro.html"
    page = BeautifulSoup(start.read_text(encoding="utf-8"), "html.parser")
    parts = [("", [("book/intro.html", page.h1.find(string=True, recursive=False).strip())])]
    for heading in page.select("nav.bd-links p.caption"):
        links = heading.find_next_sibling("ul").select("a.reference.internal")
        files = [(start.parent / str(link["href"])).resolve().relative_to(site.resolve()).as_posix() for link in links]
        titles = [link.get_text(strip=True) for link in links]
        parts.append((heading.get_text(strip=True), list(zip(files, titles, strict=True))))
    return parts


def _whole(browser: Browser, site: Path) -> Iterator[str]:
    """The document with all pages, in pieces."""
    parts = contents(site)
    places = {file: f"page-{number}" for number, file in enumerate(file for _, pages in parts for file, _ in pages)}
    first = BeautifulSoup((site / "book" / "intro.html").read_text(encoding="utf-8"), "html.parser")
    title = first.select_one(".navbar-brand").get_text(" ", strip=True)
    yield '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
    yield f"<title>{html.escape(title)}</title>"
    for sheet in first.select('link[rel~="stylesheet"]'):
        yield f'<link rel="stylesheet" href="{(site / "book" / str(sheet["href"]).split("?")[0]).resolve().as_uri()}">'
    page, styles, articles = browser.new_page(color_scheme="light"), "", []
    for file, place in places.items():
        page.goto((site / file).as_uri())
        article, style = page.evaluate(TAKE, [site.as_uri() + "/", places])
        articles.append(f'<section class="page" id="{place}">{article}</section>')
        styles = max(styles, style, key=len)
    page.close()
    yield f'{styles}<style>{STYLE}</style></head><body><article class="bd-article"><h1>{html.escape(title)}</h1>'
    yield '<nav class="parts">'
    for part, pages in parts:
        links = [f'<li><a href="#{places[file]}">{html.escape(name)}</a></li>' for file, name in pages]
        yield f"<p>{html.escape(part)}</p><ul>{''.join(links)}</ul>"
    yield "</nav>"
    yield from articles
    yield "</article></body></html>"


def pdf(browser: Browser, site: Path, target: Path) -> None:
    """Print the site."""
    whole = target.with_suffix(".html")
    whole.write_text("".join(_whole(browser, site)), encoding="utf-8")
    page = browser.new_page(viewport={"width": PAPER_WIDTH, "height": 1000})
    page.emulate_media(media="print", color_scheme="light")
    page.goto(whole.as_uri())
    page.evaluate("Promise.all([...document.images].map(image => image.decode()))")
    page.evaluate(FIT)
    looks = {"display_header_footer": True, "header_template": "<span></span>", "footer_template": FOOTER}
    page.pdf(path=target, format="A4", margin=MARGIN, print_background=True, outline=True, tagged=True, **looks)
    page.close()
    whole.unlink()


def pack(site: Path, target: Path) -> None:
    """Pack the site; the same site gives the same bytes."""
    files = sorted(path for path in site.rglob("*") if path.is_file() and path.name not in LEFT_OUT)
    with zipfile.ZipFile(target, "w") as archive:
        for path in files:
            entry = zipfile.ZipInfo(f"{NAME}/{path.relative_to(site).as_posix()}", EARLIEST)
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    if sys.argv[1:] not in (["pdf"], ["zip"]):
        raise SystemExit("What is to be made? python book/_ext/keep.py pdf | zip")
    made = SITE.parent / f"{NAME}.{sys.argv[1]}"
    if sys.argv[1] == "zip":
        pack(SITE, made)
    else:
        with sync_playwright() as playwright:
            pdf(playwright.chromium.launch(executable_path=chromium(), args=FLAGS), SITE, made)
    print(f"The book is {made.relative_to(Path.cwd())}" if made.is_relative_to(Path.cwd()) else f"The book is {made}")
