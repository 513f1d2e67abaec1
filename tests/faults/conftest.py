"""A Dask cluster as an administrator starts it: a scheduler and two workers, each by its own command."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client

ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("cluster")
    place = ["--scheduler-file", str(folder / "scheduler.json")]
    local = ["--host", "127.0.0.1"]
    commands = [["scheduler", *local, "--port", "0", "--no-dashboard", *place]]
    commands += [["worker", *local, "--nthreads", "1", "--no-dashboard", *place] for _ in range(2)]
    processes = [_dask(words, folder) for words in commands]
    try:
        with Client(scheduler_file=str(folder / "scheduler.json"), timeout="60s") as client:
            client.wait_for_workers(2, timeout=60)
            yield str(client.scheduler.address)
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(30)


def _dask(words: list[str], folder: Path) -> "subprocess.Popen[bytes]":
    log = (folder / "log").open("ab")
    return subprocess.Popen([sys.executable, "-m", "dask", *words], cwd=folder, stdout=log, stderr=log, env=ENVIRONMENT)
