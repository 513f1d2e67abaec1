"""What the book offers to take away: all tables as downloads with their dictionary, and how to cite it.

``{products} tables`` shows the data dictionary, ``{products} citation`` how to cite. The folder ``tables`` of the site
has every stored file, all tasks as one tidy file, and everything as one zip, which is an RO-Crate.
"""

import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from wfhelpers.results import catalogue

ROOT = Path(__file__).parents[2]
FOLDER, TIDY, ZIP = "tables", "all_tasks.csv.gz", "results.zip"
LINK = f'<a href="../{FOLDER}/{{name}}">{{name}}</a>'


def published(root: Path = ROOT) -> list[Path]:
    """Stored files that the site offers: tables and arrays, their dictionary, and the list of experiments."""
    files = [path for entry in catalogue.read(root) for path in entry.files(root)]
    return [*files, root / "results" / "dictionary.yml", root / "experiments.yml"]


def publish(folder: Path, root: Path = ROOT) -> None:
    """Fill the folder of downloads."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in published(root):
        shutil.copyfile(path, folder / path.name)
    catalogue.tidy(root / "results").to_csv(folder / TIDY, index=False, compression={"method": "gzip", "mtime": 0})
    with zipfile.ZipFile(folder / ZIP, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ro-crate-metadata.json", json.dumps(catalogue.crate(root), indent=1, ensure_ascii=False))
        for path in published(root):
            archive.write(path, path.relative_to(root).as_posix())


def citation(root: Path = ROOT) -> Iterator[str]:
    """How to cite this work and the paper, in Markdown, from the file that citation tools read."""
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    authors, year = " and ".join(author["name"] for author in cited["authors"]), str(cited["date-released"])[:4]
    yield f"{authors[0].upper()}{authors[1:]} ({year}). *{cited['title']}*, version {cited['version']}."
    fields = {"author": f"{{{authors}}}", "title": cited["title"], "version": cited["version"], "year": year}
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    yield from ["", "```bibtex", "@software{wfhelpers,", *lines, "}", "```", ""]


class Products(SphinxDirective):
    """Directive ``{products}``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write Markdown, and let Sphinx parse it."""
        for source in ("results/dictionary.yml", "CITATION.cff"):
            self.env.note_dependency(str(ROOT / source))
        lines = {"tables": lambda: catalogue.page(ROOT, LINK), "citation": citation}[self.arguments[0]]()
        text = StringList(list(lines), source=str(ROOT / "results" / "dictionary.yml"))
        content = nodes.container()
        self.state.nested_parse(text, 0, content, match_titles=True)
        return content.children


def add_downloads(app: Sphinx, error: Exception | None) -> None:
    """Put the downloads beside the pages."""
    if error is None and app.builder.format == "html":
        publish(Path(app.outdir) / FOLDER)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("products", Products)
    app.connect("build-finished", add_downloads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
