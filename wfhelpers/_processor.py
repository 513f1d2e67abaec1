"""What the processor can do, and a hint to the library of matrix products that does not know it."""

import os
from pathlib import Path

_AVX512 = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}


def instructions() -> set[str]:
    """Sets of instructions that the processor has, as Linux names them; empty on other systems."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return {word for line in lines if line.startswith("flags") for word in line.partition(":")[2].split()}


def choose_blas_kernels() -> None:
    """Let OpenBLAS use AVX-512 where the processor has it, unless the user has chosen for himself.

    OpenBLAS takes the newest processors of AMD for older ones, and multiplies matrices at half of their speed. It looks
    at this variable when it is loaded, so that this must be done before scipy is imported; later it does nothing.
    """
    if instructions() >= _AVX512:
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
