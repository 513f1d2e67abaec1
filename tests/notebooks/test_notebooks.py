"""What every notebook promises, checked without running it; `pytest --nbval notebooks` runs them."""

import ast
import re
import shlex
from pathlib import Path

import jupytext
import nbformat
import pytest
import yaml
from nbformat import NotebookNode
from papermill.cli import _resolve_type
from papermill.translators import PythonTranslator

from wfhelpers import parameters
from wfhelpers.__main__ import _parser, main

ROOT = Path(__file__).parents[2]
STEMS = sorted({path.stem for suffix in ("py", "ipynb") for path in (ROOT / "notebooks").glob(f"*.{suffix}")})
HERE = "|".join(re.escape(str(place)) for place in (ROOT, Path.home()))
MACHINE_TRACES = rf"({HERE})/|/(home|tmp|usr|Users)/|site-packages|\b0x[0-9a-f]{{6,}}"
LONGEST_CELL = 25  # lines; what is longer belongs into the package

every_notebook = pytest.mark.parametrize("stem", STEMS)


def read(stem: str) -> NotebookNode:
    return nbformat.read(ROOT / "notebooks" / f"{stem}.ipynb", as_version=4)


def code_cells(stem: str) -> list[NotebookNode]:
    return [cell for cell in read(stem).cells if cell.cell_type == "code"]


def sources(path: Path) -> list[tuple[str, str, list[str]]]:
    return [(cell.cell_type, cell.source, cell.metadata.get("tags", [])) for cell in jupytext.read(path).cells]


def texts(stem: str) -> list[str]:
    """All that the notebook printed or displayed, images left out."""
    found = []
    for output in (output for cell in code_cells(stem) for output in cell.outputs):
        found.append(output.get("text", ""))
        found += [str(value) for kind, value in output.get("data", {}).items() if not kind.startswith("image/png")]
    return found


def test_there_are_notebooks() -> None:
    assert STEMS


@every_notebook
def test_halves_of_a_pair_are_in_sync(stem: str) -> None:
    folder = ROOT / "notebooks"
    assert sources(folder / f"{stem}.py") == sources(folder / f"{stem}.ipynb")


@every_notebook
def test_every_code_cell_was_executed_once_and_in_order(stem: str) -> None:
    counts = [cell.execution_count for cell in code_cells(stem)]
    assert counts == list(range(1, len(counts) + 1))


@every_notebook
def test_no_output_is_an_error_or_a_warning(stem: str) -> None:
    outputs = [output for cell in code_cells(stem) for output in cell.outputs]
    assert [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"] == []


@every_notebook
def test_parameters_come_first_and_are_checked_next(stem: str) -> None:
    first, second, *_ = code_cells(stem)
    assert "parameters" in first.metadata.get("tags", [])
    assert "parameters.check()" in second.source


@every_notebook
def test_papermill_lists_every_parameter(stem: str) -> None:
    first = code_cells(stem)[0]
    assigned = [target.id for line in ast.parse(first.source).body for target in line.targets]  # type: ignore[attr-defined]
    assert [parameter.name for parameter in PythonTranslator.inspect(first)] == assigned


@every_notebook
def test_kernel_is_the_one_that_papermill_knows(stem: str) -> None:
    kernel = read(stem).metadata.kernelspec
    assert (kernel.name, kernel.language) == ("python3", "python")


@every_notebook
def test_cells_are_short(stem: str) -> None:
    assert [cell.source for cell in code_cells(stem) if len(cell.source.splitlines()) > LONGEST_CELL] == []


@every_notebook
def test_no_trace_of_a_machine(stem: str) -> None:
    places = [*texts(stem), str(read(stem).metadata), *(str(cell.metadata) for cell in read(stem).cells)]
    assert [place for place in places if re.search(MACHINE_TRACES, place)] == []


def commands(start: str) -> list[tuple[str, str]]:
    """Every shown command that starts so, with the file that shows it: lines of code blocks, and code in backticks."""
    written = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "book").glob("*.md"))]
    pages = {path.name: path.read_text() for path in written}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        pages[path.stem] = "\n".join(cell.source for cell in read(path.stem).cells if cell.cell_type == "markdown")
    shown = []
    for page, text in pages.items():
        prose, *fenced = re.split(r"^ *```", text, flags=re.MULTILINE)
        blocks, prose = fenced[::2], "".join([prose, *fenced[1::2]])
        lines = [line.strip() for block in blocks for line in block.replace("\\\n", " ").splitlines()]
        lines += re.findall(r"`([^`\n]+)`", prose)
        shown += [(page, line.removeprefix(".venv/bin/")) for line in lines]
    return [(page, line) for page, line in shown if line.startswith(start)]


@pytest.mark.parametrize(("page", "command"), commands("papermill notebooks/"))
def test_shown_papermill_commands_name_a_notebook_and_its_parameters(page: str, command: str) -> None:
    _, notebook, _output, *options = shlex.split(command, comments=True)
    given: dict[str, object] = {}
    while options:
        option = options.pop(0)
        if option in ("-p", "--parameters"):
            name, value = options.pop(0), options.pop(0)
            given[name] = _resolve_type(value)
        elif option in ("-y", "--parameters_yaml"):
            given |= yaml.safe_load(options.pop(0))
        else:
            pytest.fail(f"{page} shows an option that this test does not know: {option}")
    declared = code_cells(Path(notebook).stem)[0].source
    parameters.compare(declared, PythonTranslator.codify(given))


@pytest.mark.parametrize(("page", "command"), commands("wfhelpers "))
def test_shown_commands_of_the_package_are_known(page: str, command: str) -> None:
    words = shlex.split(command, comments=True)[1:]
    if "--help" in words:
        with pytest.raises(SystemExit, match="0"):
            main(words)
    else:
        _parser().parse_args(words)


@pytest.mark.parametrize(("page", "command"), commands("make "))
def test_shown_make_targets_exist(page: str, command: str) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert shlex.split(command, comments=True)[1] in targets
