"""The built site, made when there is none or when it is older than what it is made from."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
from keep import FLAGS, chromium  # noqa: E402

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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[str]:
    """Address of the site on a local server that logs nothing."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
