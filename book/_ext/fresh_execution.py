"""Forget executed notebooks when the package, its data or an installed version changed.

jupyter-cache knows a notebook by its cells alone: without this, editing a helper that a chapter imports would leave the
old numbers in the book.
"""

import hashlib
import shutil
from importlib.metadata import distributions
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

READ_BY_NOTEBOOKS = ["wfhelpers/**/*", "results/**/*", "experiments.yml"]
STAMP = "made_with.sha256"


def digest(root: Path) -> str:
    """Hash of all that an executed notebook depends on besides its own cells."""
    found = hashlib.sha256()
    paths = {path for pattern in READ_BY_NOTEBOOKS for path in root.glob(pattern)}
    for path in sorted(path for path in paths if path.is_file() and "__pycache__" not in path.parts):
        found.update(path.relative_to(root).as_posix().encode())
        found.update(path.read_bytes())
    for version in sorted(f"{installed.name}=={installed.version}" for installed in distributions()):
        found.update(version.encode())
    return found.hexdigest()


def clear_old_cache(app: Sphinx) -> None:
    """Remove the execution cache that was made with other code, data or versions."""
    cache = Path(app.outdir).parent / ".jupyter_cache"
    stamp, now = cache / STAMP, digest(Path(app.srcdir))
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != now:
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        stamp.write_text(now, encoding="utf-8")


def outdated_pages(app: Sphinx, env: BuildEnvironment, added: set[str], *_: set[str]) -> set[str]:
    """All pages, where the stored ones were made with other code, data or versions."""
    now = digest(Path(app.srcdir))
    before, env.wfhelpers_digest = getattr(env, "wfhelpers_digest", None), now  # type: ignore[attr-defined]
    return set() if before == now else env.found_docs - added


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", clear_old_cache)
    app.connect("env-get-outdated", outdated_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
