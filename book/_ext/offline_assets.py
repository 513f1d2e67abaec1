"""Serve MathJax from the site itself, so that a page makes no request to another host.

One file of an installed package lands in ``_static`` at build time, ``tex-svg.js``. It holds the outlines of letters,
so that mathematics also shows from ``file://``.
"""

from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

PACKAGE, ASSET = "sphinx-mathjax-offline", "static/mathjax/tex-svg.js"


def add_asset(app: Sphinx, config: Config) -> None:
    """Let Sphinx copy the file to the site's ``_static``."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"The book needs the package {PACKAGE!r}: install the extra 'book'.")
    config.html_static_path.append(str(Path(spec.origin).parent / ASSET))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", add_asset)
    # Jupyter Book sets this value for an extension that would fetch comments from another host; here nothing reads it.
    app.add_config_value("comments_config", {}, "html")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
