"""Buttons of a page: open it live, see its source, edit it, report a mistake. All follow from ``repository.url``.

Without that setting of ``_config.yml`` a page offers its downloads only, so that no button leads nowhere. A chapter is
a pair of files: its source is the ``.py``, what is opened live is the ``.ipynb``. A task's page is made from a
template, which is its source.
"""

import html
import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from docutils.nodes import document
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

AFTER_THE_THEME = 600  # whose handlers for its own buttons have the priority 501
MADE_FROM = {"book/tasks/": "notebooks/task_report.py"}
ISSUE_FORM = Path(".github/ISSUE_TEMPLATE/mistake.yml")

COLAB_CELL = """\
!git clone --quiet --depth 1 --branch {branch} {url} project
%cd project/notebooks
%pip install --quiet .. myst-nb"""

HINT = """
<details class="live"><summary>Open this page live</summary>
<p>{links}: both bring the whole environment, which takes some minutes when it starts for the first time.</p>
<p><a href="{colab}">Google Colab</a> starts at once and knows nothing of this project. There, run this cell first:</p>
<div class="highlight-ipython notranslate"><div class="highlight"><pre>{cell}</pre></div></div>
</details>
"""


def check(app: Sphinx, config: Config) -> None:
    """Refuse an address that the buttons could not use."""
    url = config.html_theme_options.get("repository_url", "")
    if url and not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", url):
        raise ConfigError(
            f"repository.url in _config.yml is {url!r}; expected https://github.com/OWNER/NAME, or nothing."
        )


def source_of(page: Path, root: Path) -> str:
    """File that an author edits to change a page, both relative to the folder of the project."""
    for folder, template in MADE_FROM.items():
        if page.as_posix().startswith(folder):
            return template
    pair = page.with_suffix(".py")
    return (pair if (root / pair).is_file() else page).as_posix()


def link(text: str, url: str, icon: str, tooltip: str) -> dict[str, str]:
    """A button as the theme wants it."""
    return {"type": "link", "text": text, "url": url, "icon": icon, "tooltip": tooltip}


def group(label: str, tooltip: str, icon: str, buttons: list[dict[str, str]]) -> dict[str, Any]:
    """A menu of buttons as the theme wants it."""
    return {"type": "group", "label": label, "tooltip": tooltip, "icon": icon, "buttons": buttons}


def live(url: str, branch: str, page: str) -> list[dict[str, str]]:
    """Buttons that open a notebook where it can be run."""
    name = url.removeprefix("https://github.com/")
    binder = f"https://mybinder.org/v2/gh/{name}/{branch}?urlpath=lab/tree/{quote(page)}"
    return [
        link("Binder", binder, "_static/images/logo_binder.svg", "Open in JupyterLab on Binder"),
        link(
            "Codespaces", f"https://codespaces.new/{name}/tree/{branch}", "fab fa-github", "Open in GitHub Codespaces"
        ),
        link(
            "Colab",
            f"https://colab.research.google.com/github/{name}/blob/{branch}/{quote(page)}",
            "_static/images/logo_colab.png",
            "Open in Google Colab, which needs one more cell: see the end of the page",
        ),
    ]


def repository(url: str, branch: str, source: str, page: str, root: Path) -> list[dict[str, str]]:
    """Buttons that lead to the source of a page, to its editor, and to a form for mistakes."""
    form = {"template": ISSUE_FORM.name, "page": page} if (root / ISSUE_FORM).is_file() else {}
    mistake = urlencode({**form, "title": f"Mistake on the page {page}"})
    return [
        link("Repository", url, "fab fa-github", "The project on GitHub"),
        link("Source", f"{url}/blob/{branch}/{quote(source)}", "fas fa-code", "See what this page is made from"),
        link("Edit", f"{url}/edit/{branch}/{quote(source)}", "fas fa-pencil-alt", "Suggest a change of this page"),
        link("Mistake?", f"{url}/issues/new?{mistake}", "fas fa-lightbulb", "Report a mistake on this page"),
    ]


def add_buttons(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: document | None
) -> None:
    """Complete the buttons that the theme gives to a page that has a source."""
    if not doctree:
        return
    root, options = Path(app.srcdir), app.config.html_theme_options
    page = Path(app.env.doc2path(pagename, base=False))
    source = source_of(page, root)
    downloads = [button for button in context["header_buttons"] if button["label"] == "download-buttons"]
    if page.with_suffix(".py").as_posix() == source:
        url = f"{context['pathto']('_sources', 1)}/{source}"
        downloads[0]["buttons"].insert(1, link(".py", url, "fas fa-file", "Download the text of the notebook"))
    url, branch = options.get("repository_url"), options.get("repository_branch") or "main"
    if not url:
        return
    known = repository(url, branch, source, pagename, root)
    context["header_buttons"].insert(0, group("source-buttons", "Source of this page", "fab fa-github", known))
    if page.suffix == ".ipynb":
        launch = live(url, branch, page.as_posix())
        context["header_buttons"].insert(0, group("launch-buttons", "Open this page live", "fas fa-rocket", launch))
        links = " and ".join(f'<a href="{html.escape(one["url"])}">{one["text"]}</a>' for one in launch[:2])
        cell = html.escape(COLAB_CELL.format(url=url, branch=branch))
        context["body"] += HINT.format(links=links, colab=html.escape(launch[2]["url"]), cell=cell)


def copy_sources(app: Sphinx, failure: Exception | None) -> None:
    """Put the text of each notebook beside it, for the button that downloads it."""
    for name in app.env.found_docs if not failure and app.builder.format == "html" else ():
        pair = Path(app.env.doc2path(name)).with_suffix(".py")
        if pair.is_file():
            target = Path(app.outdir) / "_sources" / pair.relative_to(app.srcdir)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(pair, target)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", check)
    app.connect("html-page-context", add_buttons, priority=AFTER_THE_THEME)
    app.connect("build-finished", copy_sources)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
