"""The law of the rooms: core imports nothing else of the package, and rooms import downwards only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "wfhelpers"
BELOW = {
    "_support": set(),
    "core": {"_support"},
    "theory": {"_support", "core"},
    "study": {"_support", "core", "theory"},
    "results": {"_support", "core", "theory", "study"},
    "ledger": {"_support", "core", "theory", "study", "results"},
    "show": {"_support", "core", "theory", "study", "results", "ledger"},
    "parameters": {"_support"},
    "__init__": {"_support", "core", "theory", "study", "results", "ledger"},
    "__main__": {"_support", "core", "theory", "study", "results", "ledger", "show"},
}
"""What each room, and each module beside the rooms, may import; itself always."""

LARGEST = 400


def room_of(module: Path) -> str:
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(source: str) -> Iterator[str]:
    """Rooms of the package that a source imports, also inside of functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "an import says from where it comes"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, *rest = name.split(".")
            if first == "wfhelpers":
                yield rest[0] if rest else "__init__"


def broken(room: str, source: str) -> set[str]:
    """Rooms that a module of a room imports although it may not; the package's version is nobody's room."""
    return set(imported_rooms(source)) - BELOW[room] - {room, "__version__"}


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_import_downwards_only(module: Path) -> None:
    assert not broken(room_of(module), module.read_text(encoding="utf-8"))


def test_core_imports_nothing_else_of_the_package() -> None:
    for module in (PACKAGE / "core").rglob("*.py"):
        assert set(imported_rooms(module.read_text(encoding="utf-8"))) <= {"core", "_support"}, module


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("core", "from wfhelpers.study import intervals"),
        ("core", "def f():\n    from wfhelpers.show.figures import figure"),
        ("study", "import wfhelpers.results.store"),
        ("results", "from wfhelpers import ledger"),
        ("ledger", "from wfhelpers.show import figures"),
        ("theory", "from wfhelpers.study.intervals import side"),
        ("core", "import wfhelpers"),
    ],
)
def test_a_broken_law_is_found(room: str, line: str) -> None:
    assert broken(room, line)


def test_every_room_is_known() -> None:
    assert {room_of(module) for module in MODULES} == set(BELOW)


def test_modules_and_the_whole_stay_small() -> None:
    lines = {module: len(module.read_text(encoding="utf-8").splitlines()) for module in MODULES}
    assert sum(lines.values()) < 9000
    assert sum(count for module, count in lines.items() if room_of(module) == "core") < 2100
    assert {str(m): count for m, count in lines.items() if room_of(m) != "show" and count > LARGEST} == {}


def test_the_top_offers_the_twenty_names_that_a_notebook_author_needs() -> None:
    import wfhelpers

    wanted = "load Dataset Task Draw Settings PROTOCOLS protocol_settings MODELS label BINARY SQUARE FREE descend fit"
    wanted += " fit_all auc table laplacian_spectrum Store LEDGER judge"
    assert set(wfhelpers.__all__) == set(wanted.split())
    assert all(hasattr(wfhelpers, name) for name in wfhelpers.__all__)
