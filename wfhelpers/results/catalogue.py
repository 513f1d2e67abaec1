"""What the stored files hold: the data dictionary as a page, all tasks as one table, and metadata as an RO-Crate.

The one source is ``results/dictionary.yml``; a test compares it with the files, column by column and value by value.
"""

import hashlib
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from wfhelpers._support import InputError
from wfhelpers.results.store import Store

Column = dict[str, Any]
Entity = dict[str, Any]


@dataclass(frozen=True)
class Described:
    """Files of one kind: pattern of their names, what they are about, and their columns or arrays."""

    name: str
    about: str
    made_by: str
    columns: dict[str, Column]
    row: str = ""
    arrays: bool = False
    coming: bool = False

    def files(self, root: Path) -> list[Path]:
        """Files of this kind, in the order of their names."""
        folder, pattern = root / Path(self.name).parent, placeholders(Path(self.name).name)
        return sorted(path for path in folder.iterdir() if pattern.fullmatch(path.name))


def placeholders(pattern: str) -> re.Pattern[str]:
    """Regular expression of a name in which ``<word>`` stands for any word.

    >>> bool(placeholders("<dataset>_<protocol>.csv").fullmatch("mnist_tuned.csv"))
    True
    """
    return re.compile("".join("[^_]+" if part[:1] == "<" else re.escape(part) for part in re.split("(<.+?>)", pattern)))


def read(root: Path) -> list[Described]:
    """The dictionary of a project, entry by entry."""
    content = yaml.safe_load((root / "results" / "dictionary.yml").read_text(encoding="utf-8"))
    return [_described(content["shared"], **entry) for entry in content["files"]]


def _described(shared: dict[str, Column], **entry: Any) -> Described:
    arrays = "arrays" in entry
    columns = entry.pop("arrays" if arrays else "columns")
    filled = {name: own or shared[name] for name, own in columns.items()}
    return Described(**entry, columns=filled, arrays=arrays)


def words_of(column: Column) -> list[str]:
    """Words that a column may hold; a name of the package stands for the words of that constant."""
    words = column["words"]
    if isinstance(words, str):
        module, name = words.rsplit(".", 1)
        words = getattr(importlib.import_module(module), name)
    return [str(word) for word in words]


def range_of(column: Column) -> str:
    """Range of a column for people."""
    if "words" in column:
        text = ", ".join(words_of(column))
    elif "like" in column:
        text = "text" if column["like"] == ".+" else f"`{column['like']}`".replace("|", "\\|")
    else:
        low, high = column["range"]
        text = f"at least {low}" if high is None else f"{low} to {high}".replace("-", "−")
    return text + (f"; empty: {column['empty']}" if "empty" in column else "")


def page(root: Path, link: str = "[{name}](../{path})") -> Iterator[str]:
    """The dictionary in Markdown, line by line: a heading and a table per kind of file, with links to the files."""
    shown: dict[str, Described] = {}
    for entry in (entry for entry in read(root) if entry.files(root)):
        yield from ["", f"## `{Path(entry.name).name}`", "", f"{entry.about[0].upper()}{entry.about[1:]}."]
        yield (f"A row is {entry.row}. " if entry.row else "") + f"Made by `{entry.made_by}`."
        same = [name for name, other in shown.items() if other.columns == entry.columns]
        yield f"The columns are those of `{same[0]}`." if same else ""
        places = (path.relative_to(root).as_posix() for path in entry.files(root))
        yield from ["", f"Files: {', '.join(link.format(name=Path(place).name, path=place) for place in places)}", ""]
        if not same:
            yield from [f"| {'array' if entry.arrays else 'column'} | unit | meaning | range |", "|---|---|---|---|"]
            yield from (_line(name, column) for name, column in entry.columns.items() if "coming" not in column)
        shown[Path(entry.name).name] = entry


def _line(name: str, column: Column) -> str:
    shape = ", ".join("runs" if length is None else str(length) for length in column.get("shape", ()))
    kind = f"{column['dtype']} [{shape}]: " if "dtype" in column else ""
    bold = f"**{name.replace('<', '&lt;').replace('>', '&gt;')}**"  # unlike code, it does not break within a word
    return f"| {bold} | {column['unit']} | {column['meaning']} | {kind}{range_of(column)} |"


def tidy(folder: str | Path) -> pd.DataFrame:
    """All tables of tasks and pairs as one, with their ``kind`` in front: one row per network."""
    store = Store(folder)
    tables = {kind: store.rows(kind) for kind in sorted(set(store.records["kind"]), reverse=True)}
    if not tables:
        raise InputError(f"{folder} has no results; `wfhelpers reproduce` makes them.")
    rows: pd.DataFrame = pd.concat(tables, names=["kind"]).reset_index("kind").reset_index(drop=True)
    return rows


def crate(root: Path) -> Entity:
    """Metadata of the results as an RO-Crate 1.1: files with checksums, the commands that made them, whom to cite."""
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    about, software, paper, licence = _context(cited)
    inputs = [_file(root, root / "experiments.yml", "The tasks of the paper, as data", "application/yaml")]
    inputs += [_file(root, root / "results" / "dictionary.yml", "The data dictionary", "application/yaml")]
    made: dict[str, list[Entity]] = {}
    for entry in read(root):
        kind = "application/x-npz" if entry.arrays else "text/csv"
        for path in entry.files(root):
            packed = "application/gzip" if path.suffix == ".gz" else kind
            made.setdefault(entry.made_by, []).append(_file(root, path, entry.about, packed))
    actions = [
        {
            "@id": f"#{command.replace(' ', '-')}",
            "@type": "CreateAction",
            "name": command,
            "instrument": _link(software),
            "object": _link(inputs[0]),
            "result": [_link(file) for file in files],
        }
        for command, files in made.items()
    ]
    files = [*inputs, *(file for group in made.values() for file in group)]
    whole = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Results of: {cited['title']}",
        "description": "All runs, and what was measured besides. results/dictionary.yml describes each column.",
        "version": cited["version"],
        "datePublished": str(cited["date-released"]),
        "license": _link(licence),
        "author": [_link(person) for person in about],
        "citation": _link(paper),
        "hasPart": [_link(file) for file in files],
        "mentions": [_link(action) for action in actions],
    }
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    context = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "https://schema.org/sha256"}]
    return {"@context": context, "@graph": [descriptor, whole, *files, *actions, software, paper, licence, *about]}


def _context(cited: Entity) -> tuple[list[Entity], Entity, Entity, Entity]:
    """Authors, package, paper and licence, as the file of citation has them."""
    authors = [{"@id": f"#author-{n}", "@type": "Organization", **author} for n, author in enumerate(cited["authors"])]
    software = {"@id": "#wfhelpers", "@type": "SoftwareApplication", "name": "wfhelpers", "version": cited["version"]}
    (paper,) = cited["references"]
    names = [f"{author['given-names']} {author['family-names']}" for author in paper["authors"]]
    work = {"@id": paper["url"], "@type": "ScholarlyArticle", "name": paper["title"], "author": ", ".join(names)}
    spdx = f"https://spdx.org/licenses/{cited['license']}"
    return authors, software, work, {"@id": spdx, "@type": "CreativeWork", "name": cited["license"]}


def _file(root: Path, path: Path, about: str, encoding: str) -> Entity:
    content = path.read_bytes()
    return {
        "@id": path.relative_to(root).as_posix(),
        "@type": "File",
        "name": path.name,
        "description": about,
        "encodingFormat": encoding,
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _link(entity: Entity) -> dict[str, str]:
    return {"@id": entity["@id"]}
