"""What names versions agrees: pyproject.toml, the locks, environment.yml and the commands that are printed."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
CONDA_NAMES = {"pytorch": "torch"}
PYTHONS = ["3.11.0", "3.11.2", "3.11.5", "3.12.0", "3.13.0", "3.14.0"]
SYSTEMS = [("linux", "posix"), ("darwin", "posix"), ("win32", "nt")]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


PROJECT = tomllib.loads(text("pyproject.toml"))
(TORCH,) = PROJECT["tool"]["uv"]["constraint-dependencies"]


def needs(*extras: str) -> list[Requirement]:
    """Requirements of the package (under the name "") or of extras."""
    lists = {"": PROJECT["project"]["dependencies"], **PROJECT["project"]["optional-dependencies"]}
    return [Requirement(line) for extra in extras for line in lists[extra]]


def locked(name: str) -> list[Requirement]:
    """The pins of a lock: the lines that continue with hashes."""
    return [Requirement(line) for line in re.findall(r"^(\w[^\\\n]*) \\$", text(name), re.MULTILINE)]


def pins_for(python: str, system: tuple[str, str], lock: str = "requirements.lock") -> dict[str, str]:
    """Version of every package that pip takes from the lock on a Python and a system."""
    machine = {"python_full_version": python, "python_version": python.rpartition(".")[0], "sys_platform": system[0]}
    machine |= {"os_name": system[1], "platform_python_implementation": "CPython", "implementation_name": "cpython"}
    found: dict[str, str] = {}
    for pin in locked(lock):
        if pin.marker is None or pin.marker.evaluate({**machine}):
            (exact,) = pin.specifier
            assert pin.name not in found, f"{pin.name} is pinned twice for Python {python} on {system[0]}"
            found[pin.name] = exact.version
    return found


def conda() -> dict[str, str]:
    """Bounds of environment.yml by the name that pip knows."""
    listed = yaml.safe_load(text("environment.yml"))["dependencies"]
    by_pip = next(entry["pip"] for entry in listed if isinstance(entry, dict))
    assert "-e ." in by_pip
    lines = [entry for entry in listed if isinstance(entry, str)] + [entry for entry in by_pip if entry != "-e ."]
    bounds = [Requirement(line) for line in lines]
    return {CONDA_NAMES.get(bound.name, bound.name): str(bound.specifier) for bound in bounds}


def test_environment_equals_project() -> None:
    wanted = {need.name: str(need.specifier) for need in needs("", "book", "test", "lab")}
    wanted |= {"python": str(SpecifierSet(PROJECT["project"]["requires-python"])), "pip": ""}
    assert conda() == wanted


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system[0])
@pytest.mark.parametrize("python", PYTHONS)
def test_every_requirement_is_pinned_once_and_within_its_bounds(python: str, system: tuple[str, str]) -> None:
    pins = pins_for(python, system) | {"torch": TORCH.removeprefix("torch==")}
    for need in needs("", *PROJECT["project"]["optional-dependencies"]):
        version = pins[canonicalize_name(need.name)]
        assert need.specifier.contains(version, prereleases=True), f"{version} is outside of {need}"


@pytest.mark.parametrize("python", ["3.11.0", "3.14.0"])
def test_benchmarks_add_to_the_lock_and_change_nothing_of_it(python: str) -> None:
    pins, more = pins_for(python, SYSTEMS[0]), pins_for(python, SYSTEMS[0], "benchmarks/requirements.lock")
    assert {name for name in more if pins.get(name, more[name]) != more[name]} == set()
    for line in PROJECT["dependency-groups"]["bench"]:
        assert Requirement(line).specifier.contains(more[Requirement(line).name])


@pytest.mark.parametrize("name", ["requirements.lock", "benchmarks/requirements.lock"])
def test_a_lock_has_exact_versions_and_hashes_and_names_no_host_and_no_build(name: str) -> None:
    assert len(locked(name)) > 5
    for pin in locked(name):
        (exact,) = pin.specifier
        assert exact.operator == "=="
        assert "+" not in exact.version, f"{pin} cannot be installed everywhere"
    entries = re.split(r"^(?=\w)", text(name), flags=re.MULTILINE)[1:]
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
    assert "://" not in text(name)


def test_torch_and_its_cuda_packages_are_not_in_the_lock() -> None:
    heavy = re.compile(r"torch$|triton|nvidia|cuda")
    assert [pin.name for pin in locked("requirements.lock") if heavy.match(pin.name)] == []


@pytest.mark.parametrize("page", ["README.md", "book/reproduce.md"])
def test_the_printed_installation_names_the_pinned_torch(page: str) -> None:
    assert set(re.findall(r"torch==[\d.]+\d", text(page))) == {TORCH}


def test_the_python_versions_are_those_that_are_tried() -> None:
    tried = yaml.safe_load(text(".github/workflows/check.yml"))["jobs"]["unit"]["strategy"]["matrix"]["include"]
    offered = [
        f"3.{minor}" for minor in range(30) if f"3.{minor}" in SpecifierSet(PROJECT["project"]["requires-python"])
    ]
    assert (
        sorted(job["python"] for job in tried if job["system"] == "ubuntu-latest")
        == offered
        == [f"3.{m}" for m in (11, 12, 13, 14)]
    )
    assert {job["system"] for job in tried} == {"ubuntu-latest", "macos-latest", "windows-latest"}
