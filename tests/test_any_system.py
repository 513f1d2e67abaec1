"""Nothing needs a certain system, and the environment is made with a Python that suits."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [
    path for folder in ("wfhelpers", "benchmarks", "book/_ext", "data") for path in (ROOT / folder).rglob("*.py")
]

# What others import is loaded first: on Windows they do without, here they need not.
WITHOUT_UNIX = """
import importlib, os, sys
names = sys.argv[1:]
for name in names:
    importlib.import_module(name)
for name in names:
    sys.modules.pop(name)
for module in ("fcntl", "resource", "termios", "pwd", "grp"):
    sys.modules[module] = None
del os.fork
for name in names:
    importlib.import_module(name)
"""


def module_name(path: Path) -> str:
    place = path.relative_to(ROOT).with_suffix("")
    return place.name if "_ext" in place.parts else ".".join(place.parts).removesuffix(".__init__")


def test_every_module_is_imported_without_what_only_unix_has() -> None:
    names = sorted(module_name(path) for path in SOURCES)
    assert len(names) > 50
    surroundings = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "book" / "_ext")])}
    command = [sys.executable, "-c", WITHOUT_UNIX, *names]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def without_encoding(source: str) -> list[int]:
    """Lines that read or write a text in whatever encoding the system has."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or any(word.arg == "encoding" for word in node.keywords):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = ast.unparse(node.func).rpartition(".")[0]
        mode = next((a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)), "r")
        texts = called in ("read_text", "write_text")
        if texts or (called == "open" and "b" not in mode and owner not in ("os", "PIL.Image", "tarfile", "gzip")):
            found.append(node.lineno)
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_texts_are_read_and_written_with_their_encoding(path: Path) -> None:
    assert without_encoding(path.read_text(encoding="utf-8")) == []


def test_a_missing_encoding_is_found() -> None:
    assert without_encoding("a.read_text()\nopen(b)\nopen(b, 'rb')\nc.open(encoding='utf-8')\nwrite_text(x)") == [
        1,
        2,
        5,
    ]


def interpreter(folder: Path, name: str, suits: bool) -> Path:
    """A stand-in for a Python: it answers whether it suits and who it is, and says when an environment is asked for."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"""#!/bin/sh
case "$2" in
  *ensurepip*) exit {0 if suits else 1} ;;
  *_base_executable*) echo "{path}" ;;
  venv) echo "asked {path.name}"; exit 7 ;;
  *) echo "{path.name}" ;;
esac
""")
    path.chmod(0o755)
    return path


def environment(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """What `tools/environment` does in a project where nothing is installed, with the Pythons of ``my bin`` alone."""
    (folder / "tools").mkdir()
    for name in ("tools/environment", "pyproject.toml", "requirements.lock"):
        (folder / name).write_bytes((ROOT / name).read_bytes())
    (folder / "commands").mkdir()
    for name in ("sh", "cat", "cksum", "dirname", "find", "rm", "sed", "tr"):
        (folder / "commands" / name).symlink_to(str(shutil.which(name)))
    path = os.pathsep.join([str(folder / "my bin"), str(folder / "commands")])
    command = [str(folder / "commands" / "sh"), str(folder / "tools" / "environment"), *words]
    return subprocess.run(command, env={"PATH": path}, capture_output=True, text=True, check=False)


only_posix = pytest.mark.skipif(os.name != "posix", reason="`make` and its scripts are for Linux and macOS")


@only_posix
@pytest.mark.parametrize(
    ("there", "taken"),
    [
        ({"python3": True, "python3.14": True}, "python3"),
        ({"python3": False, "python3.12": True, "python3.11": True}, "python3.12"),
        ({"python3": False, "python3.14": False, "python3.13": True}, "python3.13"),
    ],
)
def test_the_first_suitable_python_is_taken(there: dict[str, bool], taken: str, tmp_path: Path) -> None:
    for name, suits in there.items():
        interpreter(tmp_path / "my bin", name, suits)
    done = environment(tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (7, [f"asked {taken}"])


@only_posix
def test_a_named_python_is_taken_or_refused_in_one_sentence(tmp_path: Path) -> None:
    good = interpreter(tmp_path / "my bin", "good", suits=True)
    bad = interpreter(tmp_path / "my bin", "bad", suits=False)
    (tmp_path / "one").mkdir()
    assert environment(tmp_path / "one", str(good)).stdout.splitlines()[-1] == "asked good"
    (tmp_path / "two").mkdir()
    done = environment(tmp_path / "two", str(bad))
    assert done.returncode == 2
    assert done.stderr.startswith(f"{bad} is not a Python 3.11 to 3.14 with the module venv")
    assert done.stderr.count("\n") == 1


@only_posix
def test_without_any_suitable_python_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    interpreter(tmp_path / "my bin", "python3", suits=False)
    done = environment(tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("No Python 3.11 to 3.14 with the module venv was found; install one")
    assert done.stderr.count("\n") == 1
