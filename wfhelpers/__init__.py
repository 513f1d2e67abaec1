"""Weight-free networks: the mathematics, data and figures behind the book.

The names below are all that a notebook needs to train, judge and compare networks. The rest lives in rooms, each of
which imports only from those before it::

    core  ->  theory, study  ->  results  ->  ledger  ->  show

``core`` is the paper: it alone decides results, and the hash that names a result covers it and nothing else.
"""

from wfhelpers._processor import choose_blas_kernels

choose_blas_kernels()  # before anything loads the library

from wfhelpers.core.data import Dataset, load  # noqa: E402
from wfhelpers.core.evaluation import auc, table  # noqa: E402
from wfhelpers.core.protocols import PROTOCOLS, protocol_settings  # noqa: E402
from wfhelpers.core.spectra import laplacian_spectrum  # noqa: E402
from wfhelpers.core.strategies import MODELS, Settings, fit, fit_all, label  # noqa: E402
from wfhelpers.core.tasks import Draw, Task  # noqa: E402
from wfhelpers.core.training import BINARY, FREE, SQUARE, descend  # noqa: E402

__version__ = "0.1.0"

__all__ = [
    "BINARY",
    "FREE",
    "MODELS",
    "PROTOCOLS",
    "SQUARE",
    "Dataset",
    "Draw",
    "Settings",
    "Task",
    "auc",
    "descend",
    "fit",
    "fit_all",
    "label",
    "laplacian_spectrum",
    "load",
    "protocol_settings",
    "table",
]
