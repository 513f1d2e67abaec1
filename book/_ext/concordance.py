"""The concordance: ``concordance.yml`` and the ledger as tables in which functions, tests and chapters are links.

``{concordance} paper`` shows the items of the paper, ``claims`` those of the ledger, ``notation`` the symbols of
App. A, and ``tests`` the source of every test that the first two name. Sphinx resolves the links: a name that does not
exist fails the build.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from wfhelpers.ledger import LEDGER

DATA = Path(__file__).parents[1] / "concordance.yml"


@dataclass(frozen=True)
class Entry:
    """One line: an item of the paper or a claim, and where it is computed, tested and shown.

    ``functions`` are full names, ``tests`` are names as pytest takes them; docstrings and chapter call it ``cited``.
    """

    item: str
    shown: str
    functions: tuple[str, ...]
    tests: tuple[str, ...]
    chapter: str
    place: str = ""
    cited: str = ""

    @property
    def anchor(self) -> str:
        """Name of the line in links: ``eq-5``, ``fig-3``, ``c1``."""
        words = "".join(letter if letter.isalnum() else " " for letter in self.item.lower()).split()
        return "-".join(words)


def paper() -> list[Entry]:
    """The numbered items of the paper, in its order."""
    return [
        Entry(
            item=line["item"],
            shown=f"${line['formula']}$" if "formula" in line else line["about"],
            functions=tuple(f"wfhelpers.{name}" for name in line["functions"]),
            tests=tuple(f"tests/{name}" for name in line["tests"]),
            chapter=line["chapter"],
            place=line["place"],
            cited=line.get("cited", line["item"]),
        )
        for line in yaml.safe_load(DATA.read_text(encoding="utf-8"))["paper"]
    ]


def claims() -> list[Entry]:
    """The claims of the ledger, each with what computes its parts and tests them."""
    return [
        Entry(
            item=claim.id,
            shown=claim.short,
            functions=_unique(part.computed_by for part in claim.parts),
            tests=_unique(part.test for part in claim.parts),
            chapter=claim.page,
            place=claim.place,
            cited=claim.id,
        )
        for claim in LEDGER
    ]


def notation() -> list[dict[str, str]]:
    """The symbols of App. A: ``symbol``, ``meaning``, and ``code`` or ``object``, its name in the package."""
    lines: list[dict[str, str]] = yaml.safe_load(DATA.read_text(encoding="utf-8"))["notation"]
    return lines


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _function(name: str) -> str:
    return f"{{py:obj}}`{name.removeprefix('wfhelpers.')} <{name}>`"


def _line(entry: Entry) -> list[str]:
    tests = [f"{{ref}}`{test.split('::')[1]} <{test.split('::')[1]}>`" for test in entry.tests]
    place = f"<br>{entry.place}" if entry.place else ""
    return [
        f'<b id="{entry.anchor}">{entry.item}</b>{place}',
        entry.shown,
        "<br>".join([*map(_function, entry.functions), *tests]),
        f"{{doc}}`/notebooks/{entry.chapter}`",
    ]


def _table(head: list[str], widths: str, lines: Iterable[list[str]]) -> Iterator[str]:
    yield from ["````{list-table}", ":header-rows: 1", f":widths: {widths}", ":class: concordance", ""]
    for cells in [head, *lines]:
        for number, cell in enumerate(cells):
            yield ("* - " if number == 0 else "  - ") + cell
    yield "````"


def _sources() -> Iterator[str]:
    for test in sorted({test for entry in [*paper(), *claims()] for test in entry.tests}):
        file, name = test.split("::")
        yield from ["", f"({name})=", f"```{{literalinclude}} /{file}", f":pyobject: {name}", f":caption: {test}"]
        yield "```"


def _symbol(line: dict[str, str]) -> list[str]:
    name = _function(f"wfhelpers.{line['object']}") if "object" in line else line["code"]
    return [f"${line['symbol']}$", line["meaning"], name]


class Concordance(SphinxDirective):
    """Directive ``{concordance}``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the table as MyST, and let Sphinx parse it."""
        self.env.note_dependency(str(DATA))
        columns, widths = ["what it says", "function, and its test", "chapter"], "12 43 32 13"
        lines = {
            "paper": lambda: _table(["paper", *columns], widths, map(_line, paper())),
            "claims": lambda: _table(["claim", *columns], widths, map(_line, claims())),
            "notation": lambda: _table(["symbol", "meaning", "in code"], "20 50 30", map(_symbol, notation())),
            "tests": _sources,
        }[self.arguments[0]]()
        content = nodes.container()
        self.state.nested_parse(StringList(list(lines), source=str(DATA)), 0, content)
        return content.children


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("concordance", Concordance)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
