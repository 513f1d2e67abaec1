"""A stored network is found by task, protocol, size, orientation and run, and gives its stored AUC again."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score

from wfhelpers.__main__ import main
from wfhelpers._support import InputError
from wfhelpers.core import network
from wfhelpers.core.jobs import compute
from wfhelpers.core.protocols import protocol_settings
from wfhelpers.core.strategies import fit
from wfhelpers.results import experiments, networks
from wfhelpers.results.store import Store

ROOT = Path(__file__).parents[2]
TASK, RUNS = "mnist_1_vs_2", 3
TEXT = f"""defaults:
  {{sizes: [20, 30], test_per_class: 20, runs: {RUNS}, protocol: charitable, settings: {{steps: 20}}}}
tasks:
  mnist:
    - {{negative: 1, positive: 2}}
"""
STORED = sorted((ROOT / "results").glob("*_networks.npz"))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, torch.Tensor]]:
    """A small folder of results, and the networks of each job as they were trained."""
    root = tmp_path_factory.mktemp("project")
    (root / "experiments.yml").write_text(TEXT, encoding="utf-8")
    (page,) = experiments.read(root / "experiments.yml").pages
    found = {}
    for job in page.jobs:
        Store(root / "results").add([compute(job)])
        settings = replace(protocol_settings(job.protocol, job.task), **dict(job.settings))
        found[job.name] = fit("bin", job.task.draw(RUNS, job.seed), settings, job.seed, timed=True)["bin"].weights
    bits = {name: weights.numpy().astype(np.uint8).reshape(RUNS, -1) for name, weights in found.items()}
    packed = {name: np.packbits(each, axis=1) for name, each in bits.items()}
    np.savez_compressed(root / "results" / "mnist_charitable_networks.npz", **packed)
    return root / "results", found


@pytest.fixture(autouse=True)
def _reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read networks as they are stored, where the store itself does not yet."""

    def stored(self: Store, name: str) -> torch.Tensor:
        packed = np.load(self.folder / "mnist_charitable_networks.npz")[name]
        return torch.from_numpy(np.unpackbits(packed, axis=1).reshape(len(packed), 2, 64, 64)).float()

    if not hasattr(Store, "networks"):
        monkeypatch.setattr(Store, "networks", stored, raising=False)


@pytest.mark.parametrize("size", [20, 30])
@pytest.mark.parametrize("orientation", ["given", "swapped"])
@pytest.mark.parametrize("run", range(RUNS))
def test_a_network_is_the_trained_one_and_gives_its_auc_again(
    trained: tuple[Path, dict[str, torch.Tensor]], size: int, orientation: str, run: int
) -> None:
    folder, weights = trained
    found = networks.load(TASK, "charitable", size, orientation, run, folder=folder)
    assert (found.job.size, found.job.orientation) == (size, orientation)
    assert torch.equal(found.weights, weights[found.job.name][run])
    assert found.auc == pytest.approx(found.stored_auc, abs=1e-5)
    scores = network.presum(found.weights.double(), found.draw.x_test[0].double()).round(decimals=10)
    assert found.auc == pytest.approx(roc_auc_score(found.draw.y_test[0], scores))


def test_another_run_gives_another_auc(trained: tuple[Path, dict[str, torch.Tensor]]) -> None:
    found = [networks.load(TASK, "charitable", 20, run=run, folder=trained[0]) for run in range(RUNS)]
    assert not torch.equal(found[0].weights, found[1].weights)
    other = networks.StoredNetwork(found[0].job, 0, found[1].weights, found[0].stored_auc)
    assert len({round(each.auc, 6) for each in (*found, other)}) > 1


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"task": "mnist_1_vs_9"}, "There is no task 'mnist_1_vs_9'; expected one of mnist_1_vs_2"),
        ({"protocol": "best"}, "expected a protocol of charitable, a size of 20, 30, given, swapped"),
        ({"size": 99}, "expected a protocol of"),
        ({"orientation": "up"}, "expected a protocol of"),
        ({"run": 3}, "run is 3; expected 0 to 2"),
        ({"run": -1}, "run is -1; expected 0 to 2"),
    ],
)
def test_a_mistake_is_said_in_one_sentence(
    trained: tuple[Path, dict[str, torch.Tensor]], wrong: dict[str, object], words: str
) -> None:
    choice = {"task": TASK, "protocol": "charitable", "size": 20, "run": 0, "folder": trained[0]} | wrong
    with pytest.raises(InputError, match=words.replace("(", r"\(")) as caught:
        networks.load(**choice)
    assert "\n" not in str(caught.value)


def test_the_command_prints_both_aucs_and_draws(
    trained: tuple[Path, dict[str, torch.Tensor]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "network.png"
    choice = [TASK, "--protocol", "charitable", "--size", "20", "--orientation", "swapped", "--run", "1"]
    assert main(["networks", *choice, "--results", str(trained[0]), "--picture", str(picture)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("2 vs 1, charitable, 20 per class, run 1: ")
    found = networks.load(TASK, "charitable", 20, "swapped", 1, folder=trained[0])
    assert second == f"AUC {found.stored_auc:.4f} as stored, {found.stored_auc:.4f} computed again"
    assert picture.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.skipif(not STORED, reason="no networks are stored yet")
@pytest.mark.parametrize("page", ["mnist_1_vs_2", "mnist_4_vs_9", "citeseer_DB_vs_IR", "citeseer_AI-ML_vs_DB-IR"])
@pytest.mark.parametrize("protocol", ["charitable", "tuned"])
def test_stored_networks_of_the_project_give_their_aucs_again(page: str, protocol: str) -> None:
    for size, orientation, run in ((50, "given", 0), (150, "swapped", 7)):
        found = networks.load(page, protocol, size, orientation, run, folder=ROOT / "results")
        assert found.weights.unique().tolist() in ([0, 1], [0], [1])
        assert found.auc == pytest.approx(found.stored_auc, abs=1e-5)
