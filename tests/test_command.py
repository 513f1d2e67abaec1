"""The command ``wfhelpers``: its verbs, what it says about mistakes, and what it says is stale."""

import re
from pathlib import Path

import pytest

from wfhelpers.__main__ import main
from wfhelpers.results.measurements import Measurement
from wfhelpers.results.tables import TABLES

VERBS = ("reproduce", "measure", "tune", "ledger", "status")


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


def test_the_ledger_is_printed_in_short_and_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger"]) == 0
    short = said(capsys).splitlines()
    assert short[0].split()[-3:] == ["literal", "charitable", "tuned"]
    assert [line.split()[0] for line in short[1:]] == [f"C{number}" for number in range(1, 15)]
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
