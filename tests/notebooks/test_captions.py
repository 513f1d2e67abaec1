"""Captions stand in the text after their figures, and jupytext finds nothing to change in a pair."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = sorted((ROOT / "book" / "tasks").glob("*.ipynb"))
BIN = Path(sys.executable).parent

_spec = importlib.util.spec_from_file_location("captions", ROOT / "book" / "_ext" / "captions.py")
assert _spec
assert _spec.loader
captions = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(captions)


def draws(cell: nbformat.NotebookNode) -> bool:
    """Whether the output of a cell has an image."""
    return any(kind.startswith("image/") for output in cell.get("outputs", []) for kind in output.get("data", {}))


@pytest.mark.parametrize("path", [*CHAPTERS, *PAGES], ids=lambda path: path.stem)
def test_every_figure_has_a_caption_cell_and_every_caption_a_figure(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    for cell, following in zip(cells, [*cells[1:], nbformat.v4.new_raw_cell()], strict=True):
        said = captions.parse(following.source) if following.cell_type == "markdown" else None
        assert draws(cell) == bool(said), f"{cell.source}\n---\n{following.source}"
        if path in CHAPTERS and said and path.stem != "task_report":
            assert set(said["figure"]) == {"name", "caption"}


def test_names_of_figures_are_unique() -> None:
    sources = [cell.source for path in CHAPTERS for cell in nbformat.read(path, as_version=4).cells]
    names = Counter(re.findall(r"^:::\{caption\} (\S+)", "\n".join(sources), re.MULTILINE))
    assert names
    assert names.most_common(1)[0][1] == 1


def test_cell_headers_are_short() -> None:
    headers = [
        line for path in CHAPTERS for line in path.with_suffix(".py").read_text().splitlines() if line[:4] == "# %%"
    ]
    assert [line for line in headers if len(line) > 60] == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            ":::{caption} a\n:alt: One\n  two.\n\nThree\n\n4.\n:::",
            ("One two.", {"name": "a", "caption": "Three\n\n4."}),
        ),
        (":::{caption}\n:alt: One.\n:::\n", ("One.", None)),
        (":::{caption} fig-a\n\nThree.\n:::", None),
        (":::{caption} fig-a\n:alt: One.\n\nThree.\n", None),
        ("Text.\n\n:::{caption}\n:alt: One.\n:::", None),
    ],
)
def test_a_caption_is_read_or_left_to_be_reported(
    source: str, expected: tuple[str, dict[str, str] | None] | None
) -> None:
    said = captions.parse(source)
    assert (said and (said["image"]["alt"], said.get("figure"))) == expected


@pytest.mark.parametrize("newer", [".py", ".ipynb"])
def test_sync_of_a_clean_clone_changes_nothing(newer: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    folder = tmp_path / "notebooks"
    shutil.copytree(ROOT / "notebooks", folder, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__"))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for path in folder.iterdir():
        os.utime(path, (10**9 + (path.suffix == newer), 10**9 + (path.suffix == newer)))
    notebooks = sorted(str(path.relative_to(tmp_path)) for path in folder.glob("*.ipynb"))
    subprocess.run([BIN / "jupytext", "--sync", *notebooks], cwd=tmp_path, check=True, capture_output=True)
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] != after[name]] == []


def test_nbconvert_executes_a_chapter_from_any_folder(tmp_path: Path) -> None:
    chapter = "errata"  # a short one that reads stored results
    command = [BIN / "jupyter", "nbconvert", "--to", "notebook", "--execute", ROOT / "notebooks" / f"{chapter}.ipynb"]
    subprocess.run([*command, "--output-dir", tmp_path], cwd=tmp_path, check=True, capture_output=True)
    made = nbformat.read(tmp_path / f"{chapter}.ipynb", as_version=4)
    counts = [cell.execution_count for cell in made.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
