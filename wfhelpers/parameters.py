"""Refuse a papermill parameter that the notebook does not know.

papermill only warns about an unknown name and then runs with the defaults: a misspelt ``-p rusn 100`` would give a page
that answers another question. A notebook guards itself with its second code cell::

    from wfhelpers import parameters

    parameters.check()

The known names and the types of their values are read from the first code cell (tagged ``parameters``), so that they
are written down once.
"""

import ast
import difflib
from collections.abc import Sequence

from wfhelpers._support import InputError

INJECTED_MARK = "# Parameters"  # papermill starts the cell that it injects with this comment


class ParameterError(InputError):
    """A notebook was given a parameter that it does not have, or a value of the wrong type."""


def check() -> None:
    """Compare the cell that papermill injected with the parameters cell before it.

    Outside IPython, and where nothing was injected, there is nothing to check.
    """
    cells = _executed_cells()
    if len(cells) > 1 and cells[1].startswith(INJECTED_MARK):
        compare(declared=cells[0], injected=cells[1])


def compare(declared: str, injected: str) -> None:
    """Check that ``injected`` assigns only names that ``declared`` assigns, each a value of the same type.

    Both are Python source. A default that is not a literal, or ``None``, accepts any value; a float accepts an integer.
    """
    defaults = _assignments(declared)
    for name, value in _assignments(injected).items():
        if name not in defaults:
            raise ParameterError(_unknown(name, list(defaults)))
        if not _fits(value, defaults[name]):
            raise ParameterError(_unfit(name, value, defaults[name]))


def at_least(name: str, value: float, least: float) -> None:
    """Refuse a number below ``least``."""
    if not value >= least:
        raise ParameterError(f"The parameter {name!r} is {value!r}; expected {least} or more.")


def one_of(name: str, value: str, choices: Sequence[str]) -> None:
    """Refuse a word that is none of ``choices``."""
    if value not in choices:
        raise ParameterError(f"The parameter {name!r} is {value!r}; expected one of {', '.join(choices)}.")


def _executed_cells() -> Sequence[str]:
    """Sources of the cells that this kernel has executed; none outside IPython."""
    try:
        from IPython import get_ipython
    except ImportError:
        return []
    shell = get_ipython()
    return [] if shell is None else [str(cell) for cell in shell.user_ns["In"][1:]]


def _assignments(source: str) -> dict[str, object]:
    """Names that the top level of ``source`` assigns, with their values; ``...`` where a value is not a literal."""
    found: dict[str, object] = {}
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets, value = [statement.target], statement.value
        else:
            continue
        found |= {target.id: _literal(value) for target in targets if isinstance(target, ast.Name)}
    return found


def _literal(value: ast.expr) -> object:
    try:
        return ast.literal_eval(value)
    except ValueError:
        return ...


def _fits(value: object, default: object) -> bool:
    """Whether ``value`` may stand where ``default`` stood."""
    if value is ... or default is ... or default is None or type(value) is type(default):
        return True
    return (type(default), type(value)) in {(float, int), (tuple, list)}


def _unknown(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"This notebook has no parameter {name!r}{hint}; it knows {', '.join(known) or 'none'}."


def _unfit(name: str, value: object, default: object) -> str:
    kind = f"a value of type {type(default).__name__}"
    hint = f"; papermill takes it as -y '{{{name}: ...}}'" if isinstance(default, list | tuple | dict) else ""
    return f"The parameter {name!r} was given {value!r}, but it takes {kind} such as its default {default!r}{hint}."
