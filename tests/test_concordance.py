"""The concordance names every numbered item of the paper, and what it names exists and cites the item."""

import ast
import inspect
import re
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
import concordance  # noqa: E402

ENTRIES = {entry.item: entry for entry in [*concordance.paper(), *concordance.claims()]}
every_entry = pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES.keys())

# Counted in the source of the paper; in its appendices the numbers go on.
EQUATIONS = range(1, 50)
OTHERS = [
    *("Algorithm 1", "Assumption 1", "Lemma 4.1", "Lemma 4.2", "Theorem 4.3", "Lemma B.1", "Lemma B.2", "Theorem B.3"),
    *(f"Fig. {number}" for number in range(1, 11)),
    *(f"C{number}" for number in range(1, 15)),
]
APPENDIX_A = [  # in its order
    *(
        "d",
        "M_{hard}",
        "M_{soft}",
        r"\mathcal{X}",
        r"\mathcal{Y}",
        r"\mathcal{W}",
        "P_Z",
        "Z = (X, Y)",
        r"\mathcal{D}",
        r"\psi",
    ),
    *(r"\ell", "f", "F", "B_M(w)", "B'_M(w)", r"\sigma_M(w)", r"\sigma'_M(w)", r"[\nabla g(w, z)]_i", r"a \in [b, c]"),
    r"\text{diag}(a)",
]
PANELS = ["App. A", "App. B", "App. C.1", "App. C.2", "App. C.3", "App. C.4", "App. D.1"]


def named(name: str) -> object:
    """Object of a full name: the longest part that is a module, then attributes."""
    words = name.split(".")
    for length in range(len(words), 0, -1):
        try:
            found: object = import_module(".".join(words[:length]))
        except ModuleNotFoundError:
            continue
        for word in words[length:]:
            found = getattr(found, word)
        return found
    raise AssertionError(f"{name} is no part of the package")


def mentions(text: str, item: str) -> bool:
    """Whether a text cites an item: ``(5)`` or ``\\tag{5}`` for an equation, else its name."""
    if number := re.fullmatch(r"eq\. \((\d+)\)", item):
        return bool(re.search(rf"\({number[1]}\)|\\tag\{{[^}}]*\b{number[1]}\b", text))
    return bool(re.search(rf"{re.escape(item)}(?!\d)", text))


@cache
def text_of(chapter: str) -> str:
    cells = jupytext.read(ROOT / "notebooks" / f"{chapter}.py").cells
    return "\n".join(f"{cell.source}\n{cell.metadata}" for cell in cells)


@cache
def functions_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_equation_of_the_paper_occurs_once() -> None:
    counted = []
    for item in ENTRIES:
        numbers = [int(number) for number in re.findall(r"\((\d+)\)", item)]
        counted += range(numbers[0], numbers[-1] + 1) if numbers else []
    assert counted == list(EQUATIONS)


def test_every_algorithm_lemma_theorem_figure_panel_and_claim_occurs() -> None:
    assert set(OTHERS) <= ENTRIES.keys()
    places = [word for entry in ENTRIES.values() for word in (entry.item, entry.place)]
    assert [panel for panel in PANELS if panel not in places] == []


@every_entry
def test_functions_exist_and_cite_the_item(entry: concordance.Entry) -> None:
    assert entry.functions
    for name in entry.functions:
        found = named(name)
        if not re.fullmatch(r"C\d+", entry.item):  # a claim is cited by the ledger, which names the function
            assert mentions(inspect.getdoc(found) or "", entry.cited), name


@every_entry
def test_tests_are_collected_by_pytest(entry: concordance.Entry) -> None:
    assert entry.tests
    for test in entry.tests:
        file, name = test.split("::")
        assert Path(file).name.startswith("test_")
        assert name.startswith("test_")
        assert name in functions_in(file), test


@every_entry
def test_the_chapter_exists_and_cites_the_item(entry: concordance.Entry) -> None:
    assert mentions(text_of(entry.chapter), entry.cited)
    assert f"notebooks/{entry.chapter}\n" in (ROOT / "_toc.yml").read_text()


@pytest.mark.parametrize("line", concordance.notation(), ids=lambda line: line["symbol"])
def test_symbols_have_a_name_in_code(line: dict[str, str]) -> None:
    if "object" in line:
        named(f"wfhelpers.{line['object']}")
    else:
        assert line["code"]


@pytest.mark.parametrize("symbol", APPENDIX_A)
def test_every_symbol_of_appendix_a_begins_a_line(symbol: str) -> None:
    lines = [line["symbol"].removeprefix("0 < ") for line in concordance.notation()]
    assert len([line for line in lines if f"{line} ".startswith(f"{symbol} ")]) == 1
