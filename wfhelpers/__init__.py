"""Weight-free networks: the mathematics, data and figures behind the book.

These names are all that a notebook needs to train, judge and compare networks. The rest lives in rooms, each of which
imports only from those before it: ``core`` -> ``theory``, ``study`` -> ``results`` -> ``ledger`` -> ``show``. ``core``
is the paper: it alone decides results, and the hash that names a result covers it and nothing else.

Data, a task, and the objects of its runs:

>>> from wfhelpers import *
>>> load("citeseer").features.shape, load("citeseer").classes
((3312, 64), ('AI', 'Agents', 'DB', 'HCI', 'IR', 'ML'))
>>> task = Task("mnist", 1, 2, train_per_class=50, test_per_class=50)
>>> draw = task.draw(runs=3, seed=0)
>>> draw.x_train.shape
torch.Size([3, 100, 64])

Algorithm 1 from a start of your own, and what remains of it; `SQUARE` and `FREE` are for real weights:

>>> import torch
>>> start = -0.2 + 0.1 * torch.randn(3, 2, 64, 64, generator=torch.Generator().manual_seed(0))
>>> network = descend(draw, start, BINARY(M_hard=50, M_soft=5), steps=50, rate=0.01).weights
>>> network.unique(), bool((auc(network, draw) > 0.8).all())
(tensor([0., 1.]), True)
>>> laplacian_spectrum(network).shape  # of the graph of inputs, hidden nodes and outputs
torch.Size([3, 192])

The strategies of the paper under a protocol, one by one or all ten models in a table:

>>> PROTOCOLS
('literal', 'charitable', 'tuned')
>>> protocol_settings("charitable", task).bin
Training(start=Start(scale=0.1, mean=None), rate=0.01, steps=None, batch=None)
>>> list(fit("bin", draw, Settings(steps=5), seed=0))  # `fit_all` trains all five
['bin', 'bin-real']
>>> results = table(task, Settings(steps=5), runs=2, seed=0)
>>> len(results) == 2 * len(MODELS), label(MODELS[1])
(True, 'real→bin')

The claims of the paper, and who judges them on stored results:

>>> [claim.id for claim in LEDGER][:3]
['C1', 'C2', 'C3']
>>> callable(judge), callable(Store)
(True, True)
"""

from importlib.metadata import version as _version

__version__ = _version("wfhelpers")

import sys

try:
    from wfhelpers.core.data import Dataset, load
    from wfhelpers.core.evaluation import auc, table
    from wfhelpers.core.protocols import PROTOCOLS, protocol_settings
    from wfhelpers.core.spectra import laplacian_spectrum
    from wfhelpers.core.strategies import MODELS, Settings, fit, fit_all, label
    from wfhelpers.core.tasks import Draw, Task
    from wfhelpers.core.training import BINARY, FREE, SQUARE, descend
    from wfhelpers.ledger import LEDGER, judge
    from wfhelpers.results.store import Store
except ModuleNotFoundError as error:  # a checkout, run by a Python of which nobody told it
    if str(error.name).startswith("wfhelpers"):
        raise
    sentence = f"wfhelpers needs {error.name}, which {sys.executable} does not have; `make book` makes an environment, "
    sentence += r"`source .venv/bin/activate` (on Windows .venv\Scripts\activate) enters it."
    if sys.argv[:1] == ["-m"]:
        sys.exit(sentence)
    raise ModuleNotFoundError(sentence, name=error.name) from error

__all__ = ["BINARY", "FREE", "LEDGER", "MODELS", "PROTOCOLS", "SQUARE", "Dataset", "Draw", "Settings", "Store", "Task"]
__all__ += ["auc", "descend", "fit", "fit_all", "judge", "label", "laplacian_spectrum", "load", "protocol_settings"]
__all__ += ["table"]
