"""Speed of the training loop, as ratios to what a user would do instead, all measured in this one run.

    python -m benchmarks.engine            # or: make bench

Every contestant trains the same networks on the same objects with one thread; a time is printed only after all of them
have reached the same loss. Then: what the processor has, how exact the fast functions are, how time grows with runs,
objects and width, and the memory of a run over 60,000 images with mini-batches. The table is saved as
``benchmarks/engine.csv``. Where the environment forces OpenBLAS to use the kernels of another processor, all is
measured twice, and the table is that of the processor's own.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from threadpoolctl import threadpool_info, threadpool_limits
from torch import Tensor
from torch.nn.functional import softplus

from benchmarks.errors import errors
from wfhelpers.core import network
from wfhelpers.core.data import load
from wfhelpers.core.strategies import SPARSE
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import BINARY, descend

M_HARD, M_SOFT, RATE, STEPS, ROUNDS = 50.0, 5.0, 0.1, 200, 5


def start_for(runs: int, width: int = 64) -> Tensor:
    return SPARSE.sample([np.random.default_rng([0, run]) for run in range(runs)], width)


def engine(draw: Draw, start: Tensor) -> Tensor:
    return descend(draw, start, BINARY(M_HARD, M_SOFT), STEPS, RATE).latent


def autograd_steps(x: Tensor, y: Tensor, w: Tensor) -> Tensor:
    """Algorithm 1 as anyone would write it in torch; works for one run and for a batch of them."""
    sign = 1 - 2 * y
    for _ in range(STEPS):
        v = torch.sigmoid(M_HARD * w).requires_grad_()
        hidden = torch.tanh(x @ v[..., 0, :, :].mT)
        loss = (softplus(torch.tanh(hidden @ v[..., 1, :, :].mT).sum(-1)) * sign).mean(-1).sum()
        (gradient,) = torch.autograd.grad(loss, v)
        soft = torch.sigmoid(M_SOFT * w)
        w = w - RATE * gradient * M_SOFT * soft * (1 - soft)
    return w


def plain_loop(draw: Draw, start: Tensor) -> Tensor:
    return torch.stack([autograd_steps(*each) for each in zip(draw.x_train, draw.y_train, start, strict=True)])


def batched_autograd(draw: Draw, start: Tensor) -> Tensor:
    return autograd_steps(draw.x_train, draw.y_train, start)


def jax_contestant(draw: Draw, start: Tensor) -> Callable[[], Tensor]:
    import jax
    import jax.numpy as jnp

    def loss(v: jax.Array, x: jax.Array, sign: jax.Array) -> jax.Array:
        hidden = jnp.tanh(x @ v[0].T)
        return (jax.nn.softplus(jnp.tanh(hidden @ v[1].T).sum(-1)) * sign).mean()

    gradient = jax.vmap(jax.grad(loss))

    @jax.jit
    def run(w: jax.Array, x: jax.Array, sign: jax.Array) -> jax.Array:
        def step(w: jax.Array, _: None) -> tuple[jax.Array, None]:
            soft = jax.nn.sigmoid(M_SOFT * w)
            return w - RATE * gradient(jax.nn.sigmoid(M_HARD * w), x, sign) * M_SOFT * soft * (1 - soft), None

        return jax.lax.scan(step, w, None, length=STEPS)[0]

    arrays = [jnp.asarray(each.numpy()) for each in (start, draw.x_train, 1 - 2 * draw.y_train)]
    return lambda: torch.from_numpy(np.array(run(*arrays)))


def products_alone(draw: Draw, start: Tensor) -> None:
    """The five products of a step, and nothing else, in the fastest way at hand: what no way of training can beat."""
    x, v = draw.x_train.numpy(), np.ascontiguousarray(start[:, 0].numpy())
    a, gradient = np.empty_like(x), np.empty_like(v)
    with threadpool_limits(1, user_api="blas"):
        for _ in range(STEPS):
            for _ in range(3):
                np.matmul(x, v, out=a)
            for _ in range(2):
                np.matmul(a.transpose(0, 2, 1), x, out=gradient)


def best_seconds(contestants: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Shortest of several times for each; the contestants take turns, so that a busy moment hits them all."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
    return {name: min(each) for name, each in times.items()}


def compare() -> pd.DataFrame:
    draw, start = Task("mnist", 1, 2, 100, 50).draw(10, seed=0), start_for(10)
    trained: dict[str, Callable[[], Tensor]] = {
        "plain torch loop, one run after another": lambda: plain_loop(draw, start),
        "all runs in one batch, autograd": lambda: batched_autograd(draw, start),
        "JAX, jit(scan(vmap(grad)))": jax_contestant(draw, start),
        "wfhelpers.core.training.descend": lambda: engine(draw, start),
    }
    losses = {
        name: network.loss(torch.sigmoid(M_HARD * run().double()), draw.x_train.double(), draw.y_train)
        for name, run in trained.items()
    }
    for name, loss in losses.items():
        torch.testing.assert_close(
            loss, losses["wfhelpers.core.training.descend"], rtol=0, atol=1e-3, msg=f"{name} differs"
        )
    seconds = best_seconds({**trained, "the five batched products alone": lambda: products_alone(draw, start)})
    gigaflop = 5 * 2 * start.shape[0] * draw.x_train.shape[1] * start.shape[-1] ** 2 * STEPS / 1e9
    made = pd.DataFrame({"seconds": seconds})
    made["GFLOP/s"] = gigaflop / made.seconds
    made["times the plain loop"] = made.seconds.iloc[0] / made.seconds
    made["times JAX"] = made.seconds.iloc[2] / made.seconds
    made["of the products alone"] = made.seconds.iloc[-1] / made.seconds
    return made.rename_axis("way")


def made_up_draw(runs: int, objects: int, width: int) -> Draw:
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(runs, objects, width, generator=generator)
    x /= x.norm(dim=-1, keepdim=True)
    y = (torch.arange(objects) % 2).float().expand(runs, objects)
    return Draw(x, y, x[:, :2], y[:, :2])


def growth() -> pd.DataFrame:
    """Exponent of time in runs, objects and width: 1 means that twice as many take twice as long."""
    sizes = {"runs": [10, 20, 40], "objects": [200, 400, 800], "width": [32, 64, 128]}
    exponents = {}
    for name, values in sizes.items():
        seconds = []
        for value in values:
            shape = {"runs": 10, "objects": 200, "width": 64} | {name: value}
            draw, start = made_up_draw(**shape), start_for(shape["runs"], shape["width"])
            seconds.append(best_seconds({"engine": lambda d=draw, s=start: engine(d, s)}, rounds=3)["engine"])
        exponents[name] = np.polyfit(np.log(values), np.log(seconds), 1)[0]
    return pd.DataFrame({"exponent": exponents}).rename_axis("growth with")


def memory_of_full_run() -> float:
    """Peak memory in GB, everything included, of a process that trains one run on 60,000 images, 100 at a time."""
    code = "import benchmarks.engine as engine; engine.full_run()"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1]
    )
    return float(output.stdout)


def full_run() -> None:
    """Train on as many rows as the full MNIST has (the bundled ones, repeated) and print the peak memory in GB."""
    dataset = load("mnist")
    rows = torch.from_numpy(np.resize(dataset.features, (60_000, 64)))
    labels = torch.from_numpy(np.resize(dataset.labels >= 5, 60_000).astype(np.float32))
    draw = Draw(rows[None], labels[None], rows[None, :100], labels[None, :100])
    descend(draw, start_for(1), BINARY(M_HARD, M_SOFT), 600, RATE, batch=100)
    print(peak_memory() / 1024**3)


def peak_memory() -> float:
    """The most memory that this process has had, in bytes."""
    if sys.platform == "win32":
        import psutil

        return float(psutil.Process().memory_info().peak_wset)
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


def instructions() -> set[str]:
    """Sets of instructions that the processor has, as Linux names them; empty on other systems."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return {word for line in lines if line.startswith("flags") for word in line.partition(":")[2].split()}


def main() -> None:
    torch.set_num_threads(1)
    comparison = compare()
    has = [each for each in ("avx2", "fma", "avx512f", "avx512_bf16", "amx_tile") if each in instructions()]
    kernels = {each["architecture"] for each in threadpool_info() if each.get("internal_api") == "openblas"}
    print(f"processor: {' '.join(has) or 'unknown'}; OpenBLAS multiplies as for {', '.join(sorted(kernels))}")
    print(
        f"\n10 runs x 200 objects x {STEPS} steps, width 64, one thread, best of {ROUNDS}; all reached the same loss\n"
    )
    print(comparison.round({"seconds": 3, "GFLOP/s": 0}).round(2).to_string())
    print(f"\n{errors().map('{:.1e}'.format).to_string()}")
    print(f"\n{growth().round(2).to_string()}")
    print(f"\npeak memory of a run over 60,000 images, 100 at a time: {memory_of_full_run():.2f} GB")
    comparison.round(3).to_csv(Path(__file__).with_suffix(".csv"))
    if forced := os.environ.get("OPENBLAS_CORETYPE"):
        print(f"\nOPENBLAS_CORETYPE={forced} chose the kernels. The same with those that OpenBLAS chooses by itself:\n")
        sys.stdout.flush()
        free = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
        subprocess.run([sys.executable, "-m", "benchmarks.engine"], env=free, check=True, cwd=Path(__file__).parents[1])


if __name__ == "__main__":
    main()
