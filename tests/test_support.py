import io
import os
import pty
import subprocess
import sys
import termios
import threading
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
import torch
from nbclient import NotebookClient

from wfhelpers._support import SWITCH, InputError, one_core_per_block, progress

LOOP = "for _ in progress(range(3), 'counting'): time.sleep(0.2)"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _switched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SWITCH, raising=False)


def outputs(*sources: str, person: bool) -> list[list[dict]]:
    """Stored outputs of a notebook with these cells, run by a person's front end or by a program."""
    preamble = "import time\nfrom wfhelpers._support import progress"
    cells = [nbformat.v4.new_code_cell(source) for source in (preamble, *sources)]
    client = NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=60, allow_errors=True)
    client.create_kernel_manager()
    with client.setup_kernel():
        client.kc.allow_stdin = person
        for index, cell in enumerate(cells):
            client.execute_cell(cell, index)
    return [cell.outputs for cell in cells[1:]]


def texts(stored: list[dict]) -> list[str]:
    return [output.get("text", output.get("ename")) for output in stored]


@pytest.mark.parametrize("make", [list, iter])
def test_yields_every_item_in_order(make: Callable) -> None:
    assert list(progress(make([3, 1, 2]), "counting", total=3)) == [3, 1, 2]


def test_terminal_shows_the_bar_and_wipes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    list(progress(iter("abc"), "counting", total=3))
    assert "counting:   0%" in screen.getvalue()
    assert "0/3" in screen.getvalue()
    assert screen.getvalue().endswith("\r")
    assert screen.getvalue().split("\r")[-2].strip() == ""


def test_log_file_and_switch_get_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    log, screen = io.StringIO(), Terminal()
    monkeypatch.setattr(sys, "stderr", log)
    list(progress(range(3), "counting"))
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv(SWITCH, "off")
    list(progress(range(3), "counting"))
    assert (log.getvalue(), screen.getvalue()) == ("", "")


def test_real_terminal_without_ipython(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    checks = "import sys; assert 'IPython' not in sys.modules"
    script.write_text(f"import time\nfrom wfhelpers._support import progress\n{LOOP}\n{checks}\nprint('done')")
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (24, 80))
    os.set_blocking(ours, False)
    run = subprocess.run([sys.executable, script], stdout=subprocess.PIPE, stderr=its, check=True, text=True)
    shown = os.read(ours, 10_000)
    os.close(its)
    os.close(ours)
    assert b"counting:" in shown
    assert run.stdout == "done\n"


def test_program_stores_no_trace_and_loses_no_print() -> None:
    alone, between = outputs(LOOP, f"print('before')\n{LOOP}\nprint('after')", person=False)
    assert alone == []
    assert "".join(texts(between)) == "before\nafter\n"


def test_person_saves_no_trace() -> None:
    alone, printing, breaking, failing = outputs(
        LOOP,
        f"{LOOP}\nprint('after')",
        "for _ in progress(range(3), 'counting'): break\nprint('after')",
        f"{LOOP}; 1 / 0",
        person=True,
    )
    assert alone == []
    assert texts(printing) == texts(breaking) == ["after\n"]
    assert texts(failing) == ["ZeroDivisionError"]


def test_broken_loop_let_go_of_later_clears_nothing() -> None:
    failing = "loop = progress(range(3), 'counting')\nfor _ in loop: 1 / 0"
    unfinished, later = outputs(failing, "print('kept')\ndel loop", person=True)
    assert "counting:   0%" in texts(unfinished)[0]  # a person sees the bar while it runs
    assert "kept\n" in texts(later)


def test_a_notebook_shows_the_sentence_alone():
    class MadeUpError(InputError):
        """Made for this test."""

    assert MadeUpError("Give two.")._render_traceback_() == ["MadeUpError: Give two."]


@pytest.fixture(params=[1, 2])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def test_as_many_workers_as_torch_had_threads_each_computing_alone(threads):
    everyone_is_here = threading.Barrier(threads, timeout=60)

    def work(_: int) -> int:
        everyone_is_here.wait()
        return torch.get_num_threads()

    with one_core_per_block() as pool:
        assert list(pool.map(work, range(threads))) == [1] * threads
    assert torch.get_num_threads() == threads


def test_threads_are_given_back_after_an_error(threads):
    with pytest.raises(ZeroDivisionError), one_core_per_block() as pool:
        list(pool.map(lambda number: 1 / number, [1, 0]))
    assert torch.get_num_threads() == threads
