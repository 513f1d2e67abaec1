"""Execute the chapters that the cache does not hold side by side, before Sphinx reads them one after another.

Each gets one thread: chapters do many small computations, for which two processes of one thread beat one of two. What
a chapter prints does not depend on it. A line per chapter says how long it took. A chapter that fails here is executed
again when it is read, and reported then.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from unittest.mock import patch

from captions import move_captions
from jupyter_cache import get_cache
from jupyter_cache.base import JupyterCacheAbstract, ProjectNb
from jupyter_cache.executors.utils import ExecutionResult, create_cache_bundle, single_nb_execution
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.matching import Matcher

ONE_THREAD = {"OMP_NUM_THREADS": "1"}  # read by torch and by the BLAS of numpy when a kernel imports them
ERRORS_ONLY = ["--log-level=40"]  # a kernel warns that it talks over TCP, which here never leaves the machine


def fill_cache(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Execute the notebooks among the pages to be read, as many at once as there are cores."""
    if app.config.nb_execution_mode != "cache":
        return
    as_they_are = Matcher(app.config.nb_execution_excludepatterns)
    paths = [env.doc2path(name, base=False) for name in docnames]
    notebooks = [path for path in paths if path.endswith(".ipynb") and not as_they_are(path)]
    cache = get_cache(str(Path(app.outdir).parent / ".jupyter_cache"))
    listed = [cache.add_nb_to_project(str(Path(app.srcdir) / path)).uri for path in notebooks]
    chapters = [chapter for uri in listed if not _is_cached(cache, chapter := cache.get_project_notebook(uri))]

    def execute(chapter: ProjectNb) -> ExecutionResult:
        folder, timeout = str(Path(chapter.uri).parent), app.config.nb_execution_timeout
        return single_nb_execution(chapter.nb, folder, timeout, allow_errors=False, extra_arguments=ERRORS_ONLY)

    started = time.monotonic()
    with patch.dict(os.environ, ONE_THREAD), ThreadPoolExecutor(os.cpu_count()) as pool:
        under_way = {pool.submit(execute, chapter): chapter for chapter in chapters}
        for number, done in enumerate(as_completed(under_way), start=1):
            chapter = under_way[done]
            failed = done.exception() or done.result().err
            if not failed:
                bundle = create_cache_bundle(chapter, None, None, done.result().time, None)
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
            took = "failed" if failed else f"{done.result().time:4.0f} s"
            print(f"[{number:2}/{len(chapters)}] {Path(chapter.uri).stem:24} {took}", flush=True)
    if chapters:
        print(f"Chapters executed in {time.monotonic() - started:.0f} s; writing {len(docnames)} pages.", flush=True)


def _is_cached(cache: JupyterCacheAbstract, chapter: ProjectNb) -> bool:
    """Whether the cache holds a chapter as it is when Sphinx reads it: with its captions moved."""
    move_captions(chapter.nb)
    try:
        cache.match_cache_notebook(chapter.nb)
    except KeyError:
        return False
    return True


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("env-before-read-docs", fill_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
