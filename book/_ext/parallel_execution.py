"""Execute the chapters that the cache does not hold side by side, before Sphinx reads them one after another.

Each gets one thread: chapters do many small computations, for which two processes of one thread beat one of two. What
a chapter prints does not depend on it. A chapter that fails here is executed again when it is read, and reported then.
"""

import os
from pathlib import Path
from unittest.mock import patch

from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.matching import Matcher

ONE_THREAD = {"OMP_NUM_THREADS": "1"}  # read by torch and by the BLAS of numpy when a kernel imports them


def fill_cache(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Execute the notebooks among the pages to be read, where there are several."""
    if app.config.nb_execution_mode != "cache":
        return
    as_they_are = Matcher(app.config.nb_execution_excludepatterns)
    paths = [env.doc2path(name, base=False) for name in docnames]
    notebooks = [path for path in paths if path.endswith(".ipynb") and not as_they_are(path)]
    cache = get_cache(str(Path(app.outdir).parent / ".jupyter_cache"))
    listed = [cache.add_nb_to_project(str(Path(app.srcdir) / path)).uri for path in notebooks]
    if len(cache.list_unexecuted(listed)) > 1:
        with patch.dict(os.environ, ONE_THREAD):
            executor = load_executor("local-parallel", cache)
            executor.run_and_cache(filter_uris=listed, timeout=app.config.nb_execution_timeout)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("env-before-read-docs", fill_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
