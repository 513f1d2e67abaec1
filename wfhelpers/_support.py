"""What every room may use: the refusal of wrong input, a progress bar, one core per block of work, stable hashes.

The bar is shown where somebody watches, and only there:

* in a terminal, on standard error; it wipes itself at the end;
* in a notebook that a person runs. At the end it clears the output of its cell, what the cell printed before included,
  so that nothing of it is saved: print after the loop, not before it.

A notebook that a program runs (jupyter-book, papermill, nbconvert, nbval) has no bar at all, nor has a log file.
The environment variable ``WFHELPERS_PROGRESS=off`` turns it off everywhere.
"""

import ast
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

import torch
from tqdm import tqdm

Item = TypeVar("Item")
Result = TypeVar("Result")

SWITCH = "WFHELPERS_PROGRESS"


class InputError(ValueError):
    """Input that cannot be used; its message is one sentence: what was wrong, what was expected, what to do."""

    def _render_traceback_(self) -> list[str]:
        """Show the sentence alone: IPython calls this instead of printing frames that say nothing to the user."""
        return [f"{type(self).__name__}: {self}"]


def progress(iterable: Iterable[Item], label: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items while a bar counts them; ``total`` is their number, where ``iterable`` does not know it."""
    request = _kernel_request()
    watched = _somebody_types(request) if request else sys.stderr.isatty()
    if not watched or os.environ.get(SWITCH) == "off":
        yield from iterable
        return
    try:
        # ASCII, since not every font has the block characters at one width.
        yield from tqdm(iterable, desc=label, total=total, leave=False, ascii=True, file=sys.stderr)
    finally:
        # After an error the loop is let go of only later, while another cell runs: that one's output is not ours.
        if request and request == _kernel_request():
            _clear_cell_output()


def _kernel_request() -> dict[str, Any] | None:
    """Message that the Jupyter kernel around us is working on, or None outside of a kernel."""
    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython

    kernel = getattr(get_ipython(), "kernel", None)
    return kernel.get_parent("shell") if kernel else None


def _somebody_types(request: dict[str, Any]) -> bool:
    """Tell a person's notebook from a program's: only a front end for people offers to answer ``input()``."""
    return bool(request.get("content", {}).get("allow_stdin", False))


def _clear_cell_output() -> None:
    from IPython.display import clear_output

    clear_output()  # type: ignore[no-untyped-call]


@contextmanager
def one_core_per_block() -> Iterator[Executor]:
    """Threads that each work on their own block, as many as torch would use.

    Blocks are too small to share: the cores would mostly wait for each other, and for twenty times as long where
    another process wants them, too. And a block that is computed by one core has the same bits on one core and on two.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with _blas().limit(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
            yield pool
    finally:
        torch.set_num_threads(threads)


@lru_cache
def _blas() -> Any:
    import scipy.linalg  # noqa: F401  # its BLAS must be there to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def side_by_side(work: Callable[[Item], Result], items: Iterable[Item], label: str) -> list[Result]:
    """``work`` of every item, in order: as many at a time as torch has threads, a core each, while a bar counts."""
    todo = list(items)
    with one_core_per_block() as pool:
        return list(progress(pool.map(work, todo), label, total=len(todo)))


def canonical_code(source: str) -> str:
    """What Python source does, as text that is the same on every version of Python.

    Comments, docstrings, layout and imports do not count.
    """
    return _canonical(ast.parse(source))


def short_hash(value: Any) -> str:
    """First twelve digits of the sha256 of a value's canonical JSON."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _canonical(node: Any) -> str:
    if isinstance(node, list):
        kept = [each for each in node if not _says_nothing(each)]
        return f"[{','.join(map(_canonical, kept))}]"
    if not isinstance(node, ast.AST):
        return f"{type(node).__name__} {node!r}"
    if isinstance(node, ast.JoinedStr):  # of which Python 3.12.1 may have an empty part
        node.values = [part for part in node.values if getattr(part, "value", None) != ""]
    # An empty field is left out: later versions of Python have fields of which earlier ones know nothing.
    fields = [(name, value) for name, value in ast.iter_fields(node) if value is not None and value != []]
    return f"{type(node).__name__}({','.join(f'{name}={_canonical(value)}' for name, value in fields)})"


def _says_nothing(node: Any) -> bool:
    """Whether a statement is an import or only a string."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, ast.Import | ast.ImportFrom)
