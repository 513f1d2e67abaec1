"""A helper that changed must not leave old numbers in the book: proved on a book of one page."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

CONFIG = f"""\
execute: {{execute_notebooks: cache}}
sphinx: {{local_extensions: {{fresh_execution: {ROOT / "book" / "_ext"}}}}}
"""
PAGE = """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3, language: python}
---
# One page

```{code-cell} ipython3
from pathlib import Path
print(Path("wfhelpers/number").read_text())
with Path("count").open("a") as file:
    file.write("x")
```
"""


def test_cache_lasts_until_the_package_changes(tmp_path: Path) -> None:
    (tmp_path / "_config.yml").write_text(CONFIG)
    (tmp_path / "_toc.yml").write_text("{format: jb-book, root: page}")
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "wfhelpers").mkdir()

    def build(number: str) -> tuple[str, int]:
        """What the page shows, and how often it was executed so far."""
        (tmp_path / "wfhelpers" / "number").write_text(number)
        tool = Path(sys.executable).with_name("jupyter-book")
        subprocess.run([tool, "build", "-W", tmp_path], check=True, capture_output=True)
        return (tmp_path / "_build" / "html" / "page.html").read_text(), len((tmp_path / "count").read_text())

    first, executions = build("first-number")
    assert "first-number" in first
    assert executions == 1
    assert build("first-number")[1] == 1
    second, executions = build("second-number")
    assert "second-number" in second
    assert executions == 2
