"""Serve MathJax and plotly from the site itself, so that a page makes no request to another host.

Both files are taken from the installed packages at build time and land in ``_static``: ``tex-svg.js`` (MathJax draws
with the outlines that this one file holds, so that mathematics also shows from ``file://``) and ``plotly.min.js``.
"""

from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

ASSETS = {
    "sphinx-mathjax-offline": "static/mathjax/tex-svg.js",
    "plotly": "package_data/plotly.min.js",
}


def add_assets(app: Sphinx, config: Config) -> None:
    """Let Sphinx copy each asset to the site's ``_static``."""
    config.html_static_path += [str(_package_folder(package) / asset) for package, asset in ASSETS.items()]


def _package_folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"The book needs the package {package!r}: install the extra 'book'.")
    return Path(spec.origin).parent


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", add_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
