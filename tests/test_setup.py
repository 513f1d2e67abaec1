"""The three places that name versions agree: pyproject.toml, requirements.lock and environment.yml."""

import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
CONDA_NAMES = {"pytorch": "torch"}
ONLY_FOR_CONDA = {"python", "pip"}


def project() -> dict[str, list[Requirement]]:
    """Requirements of the package (under the key "") and of each extra."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = {"": table["dependencies"], **table["optional-dependencies"]}
    return {extra: [Requirement(line) for line in lines] for extra, lines in lists.items()}


def locked() -> dict[str, Requirement]:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    return {canonicalize_name(pin.name): pin for pin in pins}


def conda() -> dict[str, str]:
    """Bounds of environment.yml by the name that pip knows."""
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    by_pip = next(entry["pip"] for entry in listed if isinstance(entry, dict))
    assert "-e ." in by_pip
    lines = [entry for entry in listed if isinstance(entry, str)] + [entry for entry in by_pip if entry != "-e ."]
    bounds = [Requirement(line.replace("python=", "python==")) for line in lines]
    return {CONDA_NAMES.get(bound.name, bound.name): str(bound.specifier) for bound in bounds}


def test_environment_equals_project() -> None:
    wanted = {need.name: str(need.specifier) for extra in ("", "book", "test") for need in project()[extra]}
    assert {name: bound for name, bound in conda().items() if name not in ONLY_FOR_CONDA} == wanted


def test_environment_has_the_python_that_the_lock_was_made_for() -> None:
    assert conda()["python"] == "==3.11"


def test_every_requirement_is_pinned_within_its_bounds() -> None:
    pins = locked()
    for needs in project().values():
        for need in needs:
            pin = pins[canonicalize_name(need.name)]
            (exact,) = pin.specifier
            assert exact.operator == "=="
            assert need.specifier.contains(exact.version, prereleases=True), f"{pin} is outside of {need}"


def test_every_pin_is_exact_and_names_no_build() -> None:
    for pin in locked().values():
        (exact,) = pin.specifier
        assert exact.operator == "=="
        assert "+" not in exact.version, f"{pin} cannot be installed everywhere"
