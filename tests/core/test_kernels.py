"""The fast functions of training in single precision, against exact ones in double precision."""

import numpy as np
import pytest

from benchmarks.errors import fast_against_exact
from wfhelpers.core import kernels


def test_the_compiled_tanh_is_off_by_little_and_flat_where_the_exact_one_is():
    x = np.concatenate([np.linspace(-12, 12, 1_000_001), 10.0 ** np.arange(-30, 30)]).astype(np.float32)
    exact, fast = np.tanh(x.astype(np.float64)), x.copy()
    kernels.tanh_(fast)
    assert np.abs(fast - exact).max() < 4e-7
    np.testing.assert_allclose(fast, exact, rtol=4e-7)
    assert np.abs(fast).max() == 1
    flat = np.abs(x) >= 9.02
    np.testing.assert_array_equal(fast[flat], np.sign(x[flat]))
    np.testing.assert_array_equal(exact[flat].astype(np.float32), fast[flat])


def test_the_compiled_tanh_keeps_what_is_not_a_number():
    x = np.array([np.nan, np.inf, -np.inf, 0.0], dtype=np.float32)
    kernels.tanh_(x)
    np.testing.assert_array_equal(x, np.array([np.nan, 1, -1, 0], dtype=np.float32))


@pytest.mark.parametrize("name", fast_against_exact())
def test_every_fast_function_is_close_to_the_exact_one(name):
    fast, exact = fast_against_exact()[name]
    assert fast.dtype == np.float32
    assert np.abs(fast - exact).max() < 5e-7
    assert np.abs(fast - exact).max() < 1e-3 * np.abs(exact).max(), "so small numbers would pass in any case"
