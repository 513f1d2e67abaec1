"""The whole run with real processes, and what happens when some of them die or cannot write."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from light import pages, project, rows, save_data, start

from wfhelpers.__main__ import main
from wfhelpers.core import jobs
from wfhelpers.results.experiments import read
from wfhelpers.results.store import Store

PAGES = ["toy.npz_a-b_vs_c.ipynb", "toy.npz_a_vs_b.ipynb"]
HANG_ONCE = """import os, pathlib, time
mark = pathlib.Path({mark!r})
if not mark.exists() and {when}:
    mark.with_suffix(".part").write_text(str(os.getppid()))
    mark.with_suffix(".part").rename(mark)
    time.sleep(600)
"""


def wait_for(path: Path, seconds: float = 120) -> str:
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not come about"
        time.sleep(0.1)
    return path.read_text()


def test_workers_started_separately_give_the_rows_of_a_direct_computation(scheduler: str, tmp_path: Path) -> None:
    arguments = project(tmp_path)
    assert main([*arguments, "--scheduler", scheduler]) == 0
    assert pages(tmp_path) == PAGES
    direct = [jobs.compute(job).rows for page in read(arguments[1]).pages for job in page.jobs]
    expected = pd.concat(direct).drop(columns=["seconds", "seconds_total"])
    expected = expected.sort_values(["task", "size", "model", "run"]).reset_index(drop=True)
    pd.testing.assert_frame_equal(rows(tmp_path), expected, check_dtype=False)
    _tells_nothing_of_the_machine(nbformat.read(tmp_path / "pages" / PAGES[1], as_version=4))


def _tells_nothing_of_the_machine(page: nbformat.NotebookNode) -> None:
    injected = next(cell for cell in page.cells if "injected-parameters" in cell.metadata.get("tags", []))
    assert "store" not in injected.source
    assert "papermill" not in json.dumps([cell.metadata for cell in page.cells])
    assert set(page.metadata["wfhelpers"]) == {"jobs", "template", "code"}


def test_done_work_is_skipped_and_changed_work_redone(
    scheduler: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*project(tmp_path), "--scheduler", scheduler]
    assert main([*arguments, "--only", "a_vs_b"]) == 0
    assert pages(tmp_path) == PAGES[1:]
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "results").glob("[!.]*")}
    assert main([*arguments, "--only", "a_vs_b"]) == 0
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "results").glob("[!.]*")} == written
    assert "1 skipped" in capsys.readouterr().out

    save_data(tmp_path / "toy.npz", seed=1)
    jobs.dataset.cache_clear()
    assert main([*arguments, "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "2 changed: data" in printed
    assert "2 missing" in printed


def test_forced_work_is_compared_with_the_former(
    scheduler: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*project(tmp_path), "--scheduler", scheduler, "--only", "a_vs_b"]
    assert main(arguments) == 0
    assert main([*arguments, "--force"]) == 0
    assert "20 of 20 medians equal to 0.01" in capsys.readouterr().out

    store = Store(tmp_path / "results")
    wrong = store.get(store.records["job"].iloc[0])
    wrong.rows.loc[wrong.rows["model"] == "bin", "auc"] += 0.02
    store.add([wrong])
    assert main([*arguments, "--force"]) == 1
    assert "19 of 20 medians equal to 0.01" in capsys.readouterr().out


def test_a_killed_worker_loses_nothing(scheduler: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    arguments = project(tmp_path, HANG_ONCE.format(mark=str(mark), when="positive == 'b'"))
    run = start([*arguments, "--scheduler", scheduler])
    os.kill(int(wait_for(mark)), signal.SIGKILL)
    printed, _ = run.communicate(timeout=300)
    assert run.returncode == 0, printed
    assert pages(tmp_path) == PAGES
    assert len(rows(tmp_path)) == 2 * 2 * 10 * 2


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, scheduler: str) -> None:
    mark = tmp_path / "mark"
    # The page with three classes comes first, being the longest; the other one hangs.
    arguments = project(tmp_path, HANG_ONCE.format(mark=str(mark), when="positive == 'b'"))
    run = start([*arguments, "--workers", "1"])
    worker = int(wait_for(mark))
    assert pages(tmp_path) == PAGES[:1]
    first = (tmp_path / "pages" / PAGES[0]).stat().st_mtime_ns
    run.kill()
    run.communicate()
    _wait_for_end(worker)
    assert main([*arguments, "--scheduler", scheduler]) == 0
    assert (tmp_path / "pages" / PAGES[0]).stat().st_mtime_ns == first
    assert pages(tmp_path) == PAGES
    table = rows(tmp_path)
    assert not table.duplicated(["task", "size", "model", "run"]).any()
    assert len(table) == 2 * 2 * 10 * 2


def _wait_for_end(process: int, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while Path(f"/proc/{process}/stat").exists() and Path(f"/proc/{process}/stat").read_text().split()[2] != "Z":
        assert time.monotonic() < end, "a worker outlived its run"
        time.sleep(0.1)


def test_a_failing_notebook_is_reported_and_the_others_finish(
    scheduler: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = project(tmp_path, "if positive == 'c':\n    raise ValueError('no luck with c')")
    assert main([*arguments, "--scheduler", scheduler]) == 1
    printed = capsys.readouterr().out
    assert "ValueError: no luck with c" in printed
    assert "1 done, 0 skipped, 1 FAILED" in printed
    assert pages(tmp_path) == PAGES[1:]


def test_a_full_disk_keeps_what_is_written(scheduler: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*project(tmp_path), "--scheduler", scheduler]
    assert main([*arguments, "--only", "a_vs_b"]) == 0
    before = rows(tmp_path)
    (tmp_path / "results" / ".jobs.csv.part").symlink_to("/dev/full")
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert "No space left on device" in message
    assert pages(tmp_path) == PAGES[1:]
    pd.testing.assert_frame_equal(rows(tmp_path), before)


def test_two_runs_at_once_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = project(tmp_path)
    with Store(tmp_path / "results").lock():
        second = start(arguments)
        printed, _ = second.communicate(timeout=120)
    assert second.returncode == 2
    assert printed.count("\n") == 1
    assert "Another run is writing" in printed


@pytest.mark.parametrize("option", ["--results", "--pages"])
def test_a_folder_that_cannot_be_made_is_refused(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = project(tmp_path)
    (tmp_path / "file").touch()
    assert main([*arguments, option, str(tmp_path / "file" / "below")]) == 2
    assert "cannot be written (Not a directory)" in capsys.readouterr().err


def test_no_scheduler_is_said_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*project(tmp_path), "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "No Dask scheduler answers" in capsys.readouterr().err


def test_a_reader_who_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "wfhelpers", *project(tmp_path), "--dry-run"]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed_pipe:
        done = subprocess.run(words, stdout=closed_pipe, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (1, "")
