"""What is printed works: every block of commands in the README and its kin, in a fresh shell after `make book`.

A command that takes long runs with small parameters instead, as `SMALLER` says; every other one runs as it is printed.
"""

import os
import re
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.commands
ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "book/reproduce.md", "CONTRIBUTING.md"]
INSTALLATION = "pip install"  # tried by `tools/any_python` and by the workflow, which install nothing otherwise

ONE_TEST = "-k 'test_every_room_is_known or errata'"  # a test, and the notebook that is executed fastest
SMALLER = {
    "make unit": f'make unit ARGS="{ONE_TEST}"',
    "make test": f'make test ARGS="{ONE_TEST}"',
    "make check": "make check NOTEBOOK=errata",
    "make test-browser": 'make test-browser ARGS="--collect-only -q"',  # Chromium need not be there
    "pytest --doctest-modules wfhelpers tests": f"pytest --doctest-modules wfhelpers tests {ONE_TEST}",
    "pytest --nbval notebooks": "pytest --nbval notebooks/errata.ipynb",
    "make reproduce": "make reproduce ARGS=--dry-run",
    "make reproduce ARGS=--force": 'make reproduce ARGS="--force --dry-run"',
    'make reproduce ARGS="--only mnist_1_vs_2"': 'make reproduce ARGS="--only mnist_1_vs_2 --dry-run"',
    'make reproduce ARGS="--scheduler tcp://HOST:PORT"': 'make reproduce ARGS="--scheduler tcp://HOST:PORT --dry-run"',
    'make any-python ARGS="python3.12 python3.13"': 'make -n any-python ARGS="python3.12 python3.13"',
    "jupyter-book build .": "make book",  # the same, unless there is nothing to build
}
FEWER_RUNS = " -p runs 2"
"""Added to the commands that run chapter 5, whose networks take longest."""

CHAPTER = """\
# %% tags=["parameters"]
number = 1

# %%
print(number)
"""


def blocks() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for found in re.finditer(r"^( *)```bash\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL):
            line = text[: found.start()].count("\n") + 2
            yield f"{page}:{line}", "\n".join(each.removeprefix(found[1]) for each in found[2].splitlines())


BLOCKS = dict(blocks())
COMMANDS = [re.sub(r"\s+#.*", "", line).strip() for block in BLOCKS.values() for line in block.splitlines()]
SERVERS = {"make serve": "ARGS={port}", "make lab": "ARGS='--no-browser --allow-root --ServerApp.token= --port={port}'"}


def smaller(line: str, folder: Path) -> str:
    command = re.sub(r"\s+#.*", "", line).strip()
    command = SMALLER.get(command, command).replace("notebooks/NAME", str(folder / "NAME"))
    return command + FEWER_RUNS * command.startswith("papermill notebooks/05")


@pytest.fixture(scope="module")
def shell(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, str], Path]]:
    """Surroundings of a fresh shell: an empty home, and no trace of the environment that runs the tests."""
    folder = tmp_path_factory.mktemp("shell")
    here = str(Path(sys.executable).parent)
    path = os.pathsep.join(entry for entry in os.environ["PATH"].split(os.pathsep) if entry != here)
    surroundings = {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", "COVERAGE_FILE": str(folder / "coverage")}
    (folder / "NAME.py").write_text(CHAPTER, encoding="utf-8")
    before = set(ROOT.iterdir())
    mine = ROOT / "my.csv"
    if mine not in before:
        wine = "from sklearn.datasets import load_wine; load_wine(as_frame=True).frame.rename("
        wine += f"columns={{'target': 'label'}}).to_csv({str(mine)!r}, index=False)"
        subprocess.run([sys.executable, "-c", wine], check=True)
    yield surroundings, folder
    for path_made in set(ROOT.iterdir()) - before:
        if path_made.suffix in (".csv", ".ipynb"):
            path_made.unlink()


@pytest.mark.parametrize("place", [place for place, block in BLOCKS.items() if block.strip() not in SERVERS])
def test_a_printed_block_of_commands_works(place: str, shell: tuple[dict[str, str], Path]) -> None:
    surroundings, folder = shell
    lines = [smaller(line, folder) for line in BLOCKS[place].splitlines() if not line.startswith(INSTALLATION)]
    command = ["bash", "-e", "-c", "\n".join(lines)]
    done = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, "\n".join([*lines, done.stdout[-3000:], done.stderr[-3000:]])


@pytest.mark.parametrize("command", SERVERS)
def test_a_printed_server_answers(command: str, shell: tuple[dict[str, str], Path]) -> None:
    assert any(command in (ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    words = shlex.split(f"{command} {SERVERS[command].format(port=port)}")
    with subprocess.Popen(words, cwd=ROOT, env=shell[0], start_new_session=True) as server:
        try:
            assert answers(f"http://localhost:{port}/", server)
        finally:
            os.killpg(server.pid, 15)


def answers(address: str, server: "subprocess.Popen[bytes]") -> bool:
    for _ in range(600):
        try:
            with urllib.request.urlopen(address) as page:
                return page.status == 200
        except (urllib.error.URLError, ConnectionError):
            if server.poll() is not None:
                return False
            time.sleep(0.2)
    return False


def test_every_smaller_command_stands_for_a_printed_one() -> None:
    assert set(SMALLER) - set(COMMANDS) == {"make unit"} - set(COMMANDS)


def test_a_python_without_the_environment_says_what_to_do(tmp_path: Path) -> None:
    """As a system's own Python would run it: without the packages of the environment."""
    base = sys._base_executable  # type: ignore[attr-defined]
    command = [base, "-I", "-c", "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); sys.argv[0] = '-m'"]
    command[-1] += "; sys.path[:] = [p for p in sys.path if 'site-packages' not in p and 'dist-packages' not in p]"
    command[-1] += "; runpy.run_module('wfhelpers', run_name='__main__')"
    done = subprocess.run([*command, str(ROOT)], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "source .venv/bin/activate" in done.stderr


def test_the_wheel_works_in_an_empty_environment() -> None:
    """What it depends on is borrowed here; `tools/any_python` lets pip bring it."""
    borrowed = next(path for path in sys.path if path.endswith("site-packages"))
    done = subprocess.run(
        [ROOT / "tools" / "try_wheel", borrowed], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "The wheel works" in done.stdout
