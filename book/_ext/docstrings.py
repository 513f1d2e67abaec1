"""Two mercies for those who write docstrings.

* An object of another module may be named in short: `Dataset` or `data.Dataset` for `wfhelpers.data.Dataset`.
* The docstring of a constant or a property may have a colon in its first line. Napoleon would read what stands before
  it as a type.
"""

from docutils.nodes import document
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

BEFORE_NAPOLEON = 400  # its handler has the default priority of 500


def search_whole_package(app: Sphinx, doctree: document) -> None:
    """Ask Sphinx to look for a name in all modules, once it is not found in the current one."""
    for reference in doctree.findall(pending_xref):
        if (reference["refdomain"], reference["reftype"]) == ("py", "obj"):
            reference["refspecific"] = True


def keep_colon(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Put an empty comment first: Napoleon looks for a type in the first line alone."""
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-read", search_whole_package)
    app.connect("autodoc-process-docstring", keep_colon, priority=BEFORE_NAPOLEON)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
