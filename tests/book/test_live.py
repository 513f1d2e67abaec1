"""Buttons that lead to the repository: each names a file that is there, and without a repository there are none."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[2]
TOOL = Path(sys.executable).with_name("jupyter-book")
URL, BRANCH = "https://github.com/somebody/a-fork", "main"


def page_files() -> list[Path]:
    """Sources of all pages in the table of contents, relative to the project."""
    toc = (ROOT / "_toc.yml").read_text()
    names = re.findall(r"(?:file|root): (\S+)", toc)
    written = [path for name in names for path in ROOT.glob(f"{name}.*") if path.suffix in (".md", ".ipynb")]
    made = [path for pattern in re.findall(r"glob: (\S+)", toc) for path in ROOT.glob(f"{pattern}.ipynb")]
    return [path.relative_to(ROOT) for path in (*written, *made)]


def make_book(folder: Path, url: str) -> subprocess.CompletedProcess[str]:
    """Build a book with the pages of this one, each of a title only, for a repository at an address."""
    for part in ("_ext", "_static"):
        shutil.copytree(ROOT / "book" / part, folder / "book" / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "book" / "references.bib", folder / "book")
    shutil.copy(ROOT / "_toc.yml", folder)
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    config["repository"]["url"] = url
    config["execute"]["execute_notebooks"] = "off"
    config["sphinx"]["config"]["extensions"].remove("products")  # there are no results to offer
    (folder / "_config.yml").write_text(yaml.safe_dump(config))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for path in page_files():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            (folder / path).write_text(f"# {path.stem}\n")
        else:
            cells = [nbformat.v4.new_markdown_cell(f"# {path.stem}")]
            nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), folder / path)
            if (ROOT / path).with_suffix(".py").exists():
                shutil.copy((ROOT / path).with_suffix(".py"), folder / path.parent)
    return subprocess.run([TOOL, "build", folder], capture_output=True, text=True, check=False)


def buttons(page: BeautifulSoup) -> dict[str, str]:
    """Text and target of each button in the header of a page."""
    found = page.select(".header-article a.btn, .header-article-items a.btn")
    return {button.get_text(strip=True): str(button["href"]) for button in found}


@pytest.fixture(scope="module")
def fork(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Site of a book whose repository is known."""
    folder = tmp_path_factory.mktemp("fork")
    built = make_book(folder, URL)
    assert built.returncode == 0, built.stderr
    return folder / "_build" / "html"


@pytest.mark.parametrize("path", page_files(), ids=str)
def test_every_button_of_a_fork_names_a_file_that_is_there(fork: Path, path: Path) -> None:
    page = BeautifulSoup((fork / path.with_suffix(".html")).read_text(), "html.parser")
    shown = buttons(page)
    made = path.parts[1] == "tasks"
    source = (
        "notebooks/task_report.py" if made else str(path.with_suffix(".py") if path.parts[0] == "notebooks" else path)
    )
    assert (ROOT / source).is_file()
    assert shown["Repository"] == URL
    assert shown["Source"] == f"{URL}/blob/{BRANCH}/{source}"
    assert shown["Edit"] == f"{URL}/edit/{BRANCH}/{source}"
    mistake = urlsplit(shown["Mistake?"])
    asked = parse_qs(mistake.query)
    assert mistake.path == "/somebody/a-fork/issues/new"
    assert str(path.with_suffix("")) in asked["title"][0]
    assert all((ROOT / ".github" / "ISSUE_TEMPLATE" / form).is_file() for form in asked.get("template", []))
    assert (path.suffix == ".ipynb") == ("Binder" in shown) == ("Colab" in shown) == ("Codespaces" in shown)
    if path.suffix == ".ipynb":
        assert (ROOT / path).is_file()
        name = f"somebody/a-fork/{BRANCH}"
        assert unquote(shown["Binder"]) == f"https://mybinder.org/v2/gh/{name}?urlpath=lab/tree/{path}"
        colab = f"https://colab.research.google.com/github/somebody/a-fork/blob/{BRANCH}/{path}"
        assert unquote(shown["Colab"]) == colab
        assert shown["Codespaces"] == f"https://codespaces.new/somebody/a-fork/tree/{BRANCH}"
        hint = page.select_one("details.live")
        assert f"git clone --quiet --depth 1 --branch {BRANCH} {URL} " in hint.get_text()
        assert {str(link["href"]) for link in hint.select("a")} == {
            shown[one] for one in ("Binder", "Codespaces", "Colab")
        }


def test_a_repository_elsewhere_is_refused_in_one_sentence(tmp_path: Path) -> None:
    built = make_book(tmp_path, "https://example.org/somebody/a-fork")
    assert built.returncode != 0
    assert "expected https://github.com/OWNER/NAME, or nothing." in built.stderr


def test_buttons_lead_to_the_repository_of_the_setting_alone(site: Path) -> None:
    url = yaml.safe_load((ROOT / "_config.yml").read_text())["repository"]["url"]
    for path in page_files():
        page = BeautifulSoup((site / path.with_suffix(".html")).read_text(), "html.parser")
        outside = [target for target in buttons(page).values() if urlsplit(target).netloc]
        assert bool(outside) == bool(url)
        assert [target for target in outside if url.removeprefix("https://github.com/") not in target] == []
        assert bool(page.select("details.live")) == (bool(url) and path.suffix == ".ipynb")


@pytest.mark.parametrize("path", page_files(), ids=str)
def test_every_page_offers_what_it_is_made_of(site: Path, path: Path) -> None:
    page = BeautifulSoup((site / path.with_suffix(".html")).read_text(), "html.parser")
    offered = [(site / path).parent / target for target in buttons(page).values()]
    files = [path, path.with_suffix(".py")] if path.parts[0] == "notebooks" else [path]
    for file in files:
        copies = [one for one in offered if one.name == file.name]
        assert copies
        assert copies[0].read_bytes() == (ROOT / file).read_bytes()


def test_codespaces_and_binder_find_their_environments() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    subprocess.run([*container["postCreateCommand"].split(), "--dry-run"], cwd=ROOT, check=True, capture_output=True)
    assert all((ROOT / path).is_file() for path in container["customizations"]["codespaces"]["openFiles"])
    assert "jupytext" in (ROOT / "environment.yml").read_text()
