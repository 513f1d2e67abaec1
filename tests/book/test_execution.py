"""How the book executes its pages, on books of a page or two: nothing stale, nothing twice, several at once."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

EXTENSIONS = Path(__file__).parents[2] / "book" / "_ext"
TOOL = Path(sys.executable).with_name("jupyter-book")

COUNT = """\
from pathlib import Path
print(Path("wfhelpers/number").read_text())
with Path("count").open("a") as file:
    file.write("x")
"""
PAGE = f"""\
---
jupytext: {{text_representation: {{extension: .md, format_name: myst}}}}
kernelspec: {{name: python3, display_name: Python 3, language: python}}
---
# One page

```{{code-cell}} ipython3
{COUNT}
```
"""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book of one page, which shows a number of the package and counts how often it was executed."""
    local = ", ".join(f"{name}: {EXTENSIONS}" for name in ("fresh_execution", "parallel_execution"))
    config = f"{{execute: {{execute_notebooks: cache}}, sphinx: {{local_extensions: {{{local}}}}}}}"
    (tmp_path / "_config.yml").write_text(config)
    (tmp_path / "_toc.yml").write_text("{format: jb-book, root: page}")
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "wfhelpers").mkdir()
    (tmp_path / "wfhelpers" / "number").write_text("first-number")
    return tmp_path


def build(book: Path) -> tuple[str, int, str]:
    """What the first page shows, how often pages were executed so far, and what the build said."""
    built = subprocess.run([TOOL, "build", "-W", book], check=True, capture_output=True, text=True)
    return (book / "_build" / "html" / "page.html").read_text(), len((book / "count").read_text()), built.stdout


def test_cache_lasts_until_the_package_changes(book: Path) -> None:
    shown, executions, _ = build(book)
    assert "first-number" in shown
    assert executions == 1
    assert build(book)[1] == 1
    (book / "wfhelpers" / "number").write_text("second-number")
    shown, executions, _ = build(book)
    assert "second-number" in shown
    assert executions == 2


def test_notebooks_are_executed_once_before_they_are_read(book: Path) -> None:
    for name in ("one", "two"):
        cells = [nbformat.v4.new_markdown_cell(f"# {name}"), nbformat.v4.new_code_cell(f"{COUNT}# {name}")]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), book / f"{name}.ipynb")
    (book / "_toc.yml").write_text("{format: jb-book, root: page, chapters: [{file: one}, {file: two}]}")
    _, executions, said = build(book)
    assert executions == 3
    assert said.count("Using cached notebook") == 2
    assert "first-number" in (book / "_build" / "html" / "two.html").read_text()
