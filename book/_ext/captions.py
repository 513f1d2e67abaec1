"""Captions of figures, written in the text: a markdown cell right after the cell that draws.

::

    :::{caption} fig-name
    :alt: What a reader who cannot see the figure must know,
      on as many indented lines as it takes.

    Fig. 2 of the paper: ...
    :::

Without a name and a caption it gives its alt text to all images of the cell. Before Sphinx parses a notebook, such a
cell becomes metadata of the cell that draws, which is where MyST-NB looks for captions. One that does not follow a code
cell is left as it is, and reported as an unknown directive.
"""

import json
import re
from typing import Any

from sphinx.application import Sphinx

BLOCK = re.compile(
    r":::\{caption\} ?(?P<name>\S*)\n:alt: (?P<alt>[^\n]+(?:\n +[^\n]+)*)(?:\n\n(?P<caption>.+))?\n:::\s*", re.S
)


def parse(source: str) -> dict[str, Any] | None:
    """What a cell says about the figure above it, as MyST-NB wants it, or None if it is not a caption."""
    found = BLOCK.fullmatch(source)
    if not found:
        return None
    figure = {key: found[key] for key in ("name", "caption") if found[key]}
    return {"image": {"alt": " ".join(found["alt"].split())}} | ({"figure": figure} if figure else {})


def move_captions(notebook: dict[str, Any]) -> None:
    """Hand every caption of a notebook to the cell above, in place."""
    cells: list[dict[str, Any]] = []
    for cell in notebook["cells"]:
        said = parse("".join(cell["source"])) if cell["cell_type"] == "markdown" else None
        if said and cells and cells[-1]["cell_type"] == "code":
            cells[-1]["metadata"].setdefault("mystnb", {}).update(said)
        else:
            cells.append(cell)
    notebook["cells"] = cells


def read_source(app: Sphinx, docname: str, content: list[str]) -> None:
    """Move the captions of a page that is a notebook."""
    if app.env.doc2path(docname).endswith(".ipynb"):
        notebook = json.loads(content[0])
        move_captions(notebook)
        content[0] = json.dumps(notebook)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", read_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
