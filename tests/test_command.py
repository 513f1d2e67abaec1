"""The command ``wfhelpers``: its verbs, what it says about mistakes, and what it says is stale."""

import re
from pathlib import Path

import pandas as pd
import pytest

from wfhelpers.__main__ import main
from wfhelpers.results import catalogue
from wfhelpers.results.measurements import Measurement
from wfhelpers.results.tables import TABLES

VERBS = ("reproduce", "measure", "tune", "ledger", "networks", "describe", "fetch", "status")


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert ended.value.code == 0
    assert f"Example: wfhelpers {verb}" in said(capsys)


def test_the_help_lists_all_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    listed = said(capsys)
    assert all(re.search(rf"^ +{verb}\b", listed, re.MULTILINE) for verb in VERBS)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["measure", "nonsense"], "There is no table 'nonsense'"),
        (["tune", "nonsense"], "There is no table 'trials_nonsense'"),
        (["ledger", "--results", "/nowhere"], "evidence.csv is missing; `wfhelpers measure evidence` makes it"),
        (["reproduce", "nowhere.yml", "--dry-run"], "nowhere.yml cannot be read"),
        (["reproduce", "--only", "nonsense", "--dry-run"], "--only 'nonsense' matches nothing"),
    ],
)
def test_a_mistake_is_said_in_one_sentence(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(tmp=tmp_path) for word in words]) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert (printed.err.count("\n"), printed.out) == (1, "")


def test_workers_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["reproduce", "--workers", "none"])
    assert "'none' is not a whole number of at least 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["networks", "mnist_1_vs_2", "--picture", "a.doc"], ["describe", "--tidy", "/no/a.csv"]]
)
def test_a_file_that_cannot_be_written_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert "file in a folder that exists" in capsys.readouterr().err


def test_all_tasks_are_written_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "all.csv.gz"
    assert main(["describe", "--tidy", str(path)]) == 0
    assert len(pd.read_csv(path, dtype=str)) == len(catalogue.tidy("results"))


def test_the_ledger_is_printed_in_short_and_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger"]) == 0
    short = said(capsys).splitlines()
    assert short[0].split()[-3:] == ["literal", "charitable", "tuned"]
    assert [line.split()[0] for line in short[1:]] == [f"C{number}" for number in range(1, 16)]
    assert main(["ledger", "--all"]) == 0
    assert {"C2a", "C10b"} <= set(said(capsys).split())


def test_status_names_everything_stored_and_counts_what_is_stale(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def states(self: Measurement) -> dict[str, str]:
        return {"a": "done", "b": "changed: code"} if self.name in ("trials_mnist", "evidence") else {"a": "done"}

    monkeypatch.setattr(Measurement, "states", states)
    monkeypatch.setattr("wfhelpers.results.reproduce.Run.states", lambda self: {"jobs": ["missing"], "pages": ["done"]})
    assert main(["status"]) == 0
    lines = said(capsys).splitlines()
    assert [line.split()[0] for line in lines[1:9]] == [*TABLES, "jobs", "pages"]
    assert lines[1].split() == ["trials_mnist", "1", "1", "1", "changed:", "code", "wfhelpers", "tune", "mnist"]
    assert lines[3].split() == ["trials_peers", "1", "0"]
    assert lines[-2].endswith("wfhelpers tune comes first.")
    assert lines[-1] == "3 to do."
