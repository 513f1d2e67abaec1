import threading

import pytest
import torch

from wfhelpers.threads import one_core_a_block


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

    with one_core_a_block() as pool:
        assert list(pool.map(work, range(threads))) == [1] * threads
    assert torch.get_num_threads() == threads


def test_threads_are_given_back_after_an_error(threads):
    with pytest.raises(ZeroDivisionError), one_core_a_block() as pool:
        list(pool.map(lambda number: 1 / number, [1, 0]))
    assert torch.get_num_threads() == threads
