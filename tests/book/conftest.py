"""The built site, made when there is none or when it is older than what it is made from."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build" / "html"
SOURCES = [
    "_config.yml",
    "_toc.yml",
    "book/**/*",
    "notebooks/*.ipynb",
    "wfhelpers/**/*",
    "results/**/*",
    "tests/**/*.py",
]


def newest_source() -> float:
    paths = [path for pattern in SOURCES for path in ROOT.glob(pattern)]
    return max(path.stat().st_mtime for path in paths if path.is_file() and "__pycache__" not in path.parts)


@pytest.fixture(scope="session")
def site() -> Path:
    """Folder of the site; the build fails on any warning."""
    index = SITE / "index.html"
    if not index.exists() or index.stat().st_mtime < newest_source():
        tool = Path(sys.executable).with_name("jupyter-book")
        command = [tool, "build", ".", "-W", "-n", "--keep-going", "--all"]
        built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
        index.touch()
    return SITE
