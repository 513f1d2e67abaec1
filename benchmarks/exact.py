"""Speed of the exact search, as a ratio to trying every network, both measured in this one run.

    python benchmarks/exact.py

At width 3 both must find the same loss before a time is printed. At width 4 nobody can wait for brute force; its time
is what it needs for a network at width 3 times the number of networks, which is too kind to it.
"""

import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from wfhelpers.core import network
from wfhelpers.theory.exact import best_binary

OBJECTS, ROUNDS = 200, 3


def objects(width: int) -> tuple[Tensor, Tensor]:
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.normal(rng.normal(size=width), 1, size=(OBJECTS, width)))
    return x, torch.arange(OBJECTS) % 2


def brute_force(x: Tensor, y: Tensor, width: int) -> float:
    number = 2 * width**2
    best = torch.inf
    for block in torch.arange(2**number).split(2**12):
        weights = (block[:, None] >> torch.arange(number) & 1).to(x.dtype).reshape(-1, 2, width, width)
        best = min(best, float(network.loss(weights, x, y).min()))
    return best


def seconds(run: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    small, large = objects(3), objects(4)
    optimum = best_binary(*small, 3)
    if abs(optimum.loss - brute_force(*small, 3)) > 1e-12:
        raise SystemExit("The exact search and brute force disagree: no time is worth printing.")
    search, brute = seconds(lambda: best_binary(*small, 3)), seconds(lambda: brute_force(*small, 3))
    wide = best_binary(*large, 4)
    searched, kindest = seconds(lambda: best_binary(*large, 4)), brute / optimum.covered * wide.covered
    print(f"width  networks  checked  search (s)  brute force (s)  times as fast   ({OBJECTS} objects)")
    print(
        f"3      {optimum.covered:.1e}   {optimum.checked:.1e}  {search:<10.3f}  {brute:<15.1f}  {brute / search:.0f}"
    )
    print(
        f"4      {wide.covered:.1e}   {wide.checked:.1e}  {searched:<10.3f}  {kindest:<15.0f}  {kindest / searched:.0f}"
    )


if __name__ == "__main__":
    main()
