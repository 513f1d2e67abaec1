"""Stored measurements: piece by piece, with a record of what made each, on toy tables and on those of the project."""

import ast
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from wfhelpers.core.tasks import Task
from wfhelpers.results import measurements, store, tables
from wfhelpers.results.measurements import Measurement
from wfhelpers.results.tables import TABLES

PACKAGE = Path(store.__file__).parents[1]


def piece(name: str, values: list[float], dataset: str = "mnist") -> pd.DataFrame:
    return pd.DataFrame({"name": name, "value": values, "word": "NA" if name == "b" else ""})


def toy(numbers: dict[str, list[float]], compute: Callable[..., pd.DataFrame] = piece) -> Measurement:
    pieces = {name: partial(compute, name, values, dataset="mnist") for name, values in numbers.items()}
    return Measurement("toy", lambda: pieces, ("study/intervals.py",), "measure toy")


def test_pieces_are_stored_in_their_order_and_recorded(tmp_path: Path) -> None:
    table = toy({"b": [0.1, 1e-9], "a": [2.0]})
    assert table.states(tmp_path) == {"b": "missing", "a": "missing"}
    assert sorted(table.make(folder=tmp_path)) == ["a", "b"]
    assert (tmp_path / "toy.csv").read_text() == "name,value,word,piece\nb,0.1,NA,b\nb,1e-09,NA,b\na,2.0,,a\n"
    records = pd.read_csv(tmp_path / "measurements.csv")
    assert list(records.columns) == list(measurements.RECORD)
    assert records[["table", "piece", "rows"]].to_numpy().tolist() == [["toy", "a", 1], ["toy", "b", 2]]
    assert measurements.stored("toy", tmp_path).to_numpy().tolist() == [
        ["b", 0.1, "NA"],
        ["b", 1e-9, "NA"],
        ["a", 2.0, ""],
    ]
    assert table.states(tmp_path) == {"b": "done", "a": "done"}
    assert table.make(folder=tmp_path) == []


def test_a_table_of_one_piece_has_no_column_for_it(tmp_path: Path) -> None:
    table = toy({"only": [0.5]})
    table.make(folder=tmp_path)
    assert (tmp_path / "toy.csv").read_text() == "name,value,word\nonly,0.5,\n"
    assert table.states(tmp_path) == {"only": "done"}


def test_a_state_says_what_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy({"a": [1.0], "b": [2.0]}).make(folder=tmp_path)
    assert toy({"a": [1.0], "b": [3.0]}).states(tmp_path) == {"a": "done", "b": "changed: settings"}
    with monkeypatch.context() as patched:
        patched.setattr(measurements, "code_of", lambda *places: "other code")
        assert set(toy({"a": [1.0], "b": [2.0]}).states(tmp_path).values()) == {"changed: code"}
    with monkeypatch.context() as patched:
        patched.setattr(measurements, "dataset", lambda name: Task("citeseer", "DB", "IR", 9, 9).dataset)
        assert set(toy({"a": [1.0], "b": [2.0]}).states(tmp_path).values()) == {"changed: data"}
    lines = (tmp_path / "toy.csv").read_text().splitlines()
    (tmp_path / "toy.csv").write_text("\n".join(lines[:-1]) + "\n" + lines[1] + "\n")
    assert toy({"a": [1.0], "b": [2.0]}).states(tmp_path) == {"a": "changed: rows", "b": "missing"}


def test_only_what_is_stale_is_computed_and_the_rest_stays_digit_for_digit(tmp_path: Path) -> None:
    toy({"a": [1.0], "b": [2.0], "gone": [3.0]}).make(folder=tmp_path)
    text = (tmp_path / "toy.csv").read_text().replace("a,1.0,", "a,1.000,")
    (tmp_path / "toy.csv").write_text(text)
    assert toy({"new": [0.0], "a": [1.0], "b": [5.0]}).make(folder=tmp_path) == ["new", "b"]
    assert (tmp_path / "toy.csv").read_text().splitlines()[1:] == ["new,0.0,,new", "a,1.000,,a", "b,5.0,NA,b"]
    assert set(pd.read_csv(tmp_path / "measurements.csv")["piece"]) == {"new", "a", "b"}
    assert len(toy({"new": [0.0], "a": [1.0], "b": [5.0]}).make(force=True, folder=tmp_path)) == 3


def test_a_failing_piece_does_not_lose_the_others(tmp_path: Path) -> None:
    def fail(name: str, values: list[float], dataset: str) -> pd.DataFrame:
        if name == "bad":
            raise ArithmeticError("no luck")
        return piece(name, values)

    numbers = {"a": [1.0], "b": [2.0], "bad": [3.0]}
    with pytest.raises(ArithmeticError):
        toy(numbers, fail).make(folder=tmp_path)
    assert toy(numbers, fail).states(tmp_path)["bad"] == "missing"
    done = [name for name, state in toy(numbers, fail).states(tmp_path).items() if state == "done"]
    assert sorted(measurements.stored("toy", tmp_path)["name"]) == done


KILLED = """import sys, time
from pathlib import Path
from test_measurements import piece, toy

def hang(name, values, dataset):
    if name == "slow":
        Path(sys.argv[1], "mark").touch()
        time.sleep(600)
    return piece(name, values)

toy({"a": [1.0], "b": [2.0], "slow": [3.0]}, hang).make(folder=Path(sys.argv[1]))
"""


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "OMP_NUM_THREADS": "1"}
    run = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], env=environment)
    end = time.monotonic() + 60
    while not (tmp_path / "mark").exists() or not (tmp_path / "measurements.csv").exists():
        assert time.monotonic() < end
        time.sleep(0.1)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    table = toy({"a": [1.0], "b": [2.0], "slow": [3.0]})
    # A piece that another function computes has other settings, so that only the records tell what was stored.
    recorded = pd.read_csv(tmp_path / "measurements.csv")["piece"].tolist()
    assert "slow" not in recorded
    assert set(measurements.stored("toy", tmp_path)["name"]) >= set(recorded)
    table.make(folder=tmp_path)
    assert (tmp_path / "toy.csv").read_text().splitlines()[1:] == ["a,1.0,,a", "b,2.0,NA,b", "slow,3.0,,slow"]


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_a_table_names_all_code_that_makes_it(table: Measurement) -> None:
    named = {place for place in table.made_by if not place.startswith("results/")}
    for place in named:
        assert imported(PACKAGE / place) <= named
    functions = {_function(each) for each in table.pieces().values()}
    rooms = {function.__module__.removeprefix("wfhelpers.").replace(".", "/") + ".py" for function in functions}
    assert {room for room in rooms if not room.startswith(("core/", "results/"))} <= named


def _function(piece: "partial[pd.DataFrame]") -> Callable[..., pd.DataFrame]:
    inner = piece.args[0] if piece.args and callable(piece.args[0]) else piece.func
    return inner  # type: ignore[no-any-return]


def imported(path: Path) -> set[str]:
    """Modules of theory and study that a module imports, as paths."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("wfhelpers."):
            place = node.module.removeprefix("wfhelpers.").replace(".", "/")
            candidates = [f"{place}.py", *(f"{place}/{alias.name}.py" for alias in node.names)]
            found |= {name for name in candidates if (PACKAGE / name).is_file()}
    return {name for name in found if name.startswith(("study/", "theory/"))}


def test_evidence_of_an_orientation_is_measured_on_the_task_in_that_orientation() -> None:
    for name, each in tables._evidence_pieces().items():
        if "task" in each.keywords:
            groups = each.keywords["task"].title.split(" vs ")
            assert name.split(", ", 3)[-1].endswith(" vs ".join(groups if "given" in name else groups[::-1]))
            assert ("given" in name) == (each.args[2] == "given")


def test_stored_evidence_differs_between_orientations() -> None:
    evidence = measurements.stored("evidence")
    turned = evidence[evidence["orientation"] != "any"]
    pair = turned["task"].map(lambda title: " vs ".join(sorted(title.split(" vs "))))
    for part in ("C5b", "C6a", "C10a", "C11", "C14"):
        groups = turned[turned["part"] == part].assign(task=pair).groupby(["protocol", "dataset", "task", "case"])
        same = [
            set(group[group["orientation"] == "given"]["value"])
            == set(group[group["orientation"] == "swapped"]["value"])
            for _, group in groups
            if group["value"].any()  # where nothing moves from a dense start, all values are zero
        ]
        assert same
        assert not any(same), part
