"""The binary networks that Algorithm 1 found, one by one: which connections remained in a run, and their AUC."""

from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from wfhelpers._support import InputError
from wfhelpers.core.evaluation import auc
from wfhelpers.core.jobs import Job
from wfhelpers.core.tasks import Draw
from wfhelpers.results.experiments import read
from wfhelpers.results.store import Store, results_folder


@dataclass(frozen=True)
class StoredNetwork:
    """A network ``[2, I, I]`` of weights 0 and 1 with its job, its run, and the AUC that is stored for it."""

    job: Job
    run: int
    weights: Tensor
    stored_auc: float

    @property
    def draw(self) -> Draw:
        """Training and test objects of its run."""
        return self.job.task.draw(self.job.runs, self.job.seed)[self.run]

    @property
    def auc(self) -> float:
        """Area under the ROC curve on the test objects, computed again from the weights."""
        return float(auc(self.weights[None], self.draw))


def load(
    task: str, protocol: str, size: int, orientation: str = "given", run: int = 0, folder: str | Path | None = None
) -> StoredNetwork:
    """Network that Algorithm 1 found on a task in one run.

    ``task`` is the name of its page, such as ``mnist_1_vs_2``; ``folder`` is that of the results, with
    ``experiments.yml`` beside it.
    """
    folder = Path(folder or results_folder())
    pages = {page.name: page.jobs for page in read(folder.absolute().with_name("experiments.yml")).pages}
    if task not in pages:
        raise InputError(f"There is no task {task!r}; expected one of {', '.join(sorted(pages))}.")
    jobs = {(job.protocol, job.size, job.orientation): job for job in pages[task]}
    if (protocol, size, orientation) not in jobs:
        known = (", ".join(sorted({str(key[place]) for key in jobs})) for place in range(3))
        raise InputError("{} has no such case; expected a protocol of {}, a size of {}, {}.".format(task, *known))
    job = jobs[protocol, size, orientation]
    if not 0 <= run < job.runs:
        raise InputError(f"run is {run}; expected 0 to {job.runs - 1}.")
    store = Store(folder)
    if store.state(job) != "done":
        raise InputError(f"The networks of {task} are {store.state(job)}; `wfhelpers reproduce` makes them.")
    rows = store.get(job.name).rows.query("model == 'bin'").set_index("run")
    return StoredNetwork(job, run, store.networks(job.name)[run], float(rows["auc"][run]))
