"""One thread a block: how work on many small tensors is spread over the cores."""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager

import torch


@contextmanager
def one_core_a_block() -> Iterator[Executor]:
    """Threads that each work on their own block, as many as torch would use.

    Blocks are too small to share: the cores would mostly wait for each other, and for twenty times as long where
    another process wants them, too. And a block that is computed by one core has the same bits on one core and on two.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with ThreadPoolExecutor(threads) as pool:
            yield pool
    finally:
        torch.set_num_threads(threads)
