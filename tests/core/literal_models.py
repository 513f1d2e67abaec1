"""The ten models of Sec. 5 once more, from the text alone, in plain numpy: one run and one network at a time.

Nothing of the package is used but the numbers in `Settings` and the rule that seeds a run. Everything is computed in
double precision; starts are rounded to single precision, since these are the numbers that the engine begins with.
"""

from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def sigmoid(value: Array) -> Array:
    return 1 / (1 + np.exp(-value))


class Run:
    """Training and test objects of one run, and the settings of a protocol."""

    def __init__(self, x_train: Any, y_train: Any, x_test: Any, y_test: Any, settings: Any, seed: int, number: int):
        self.x, self.y, self.x_test, self.y_test = (
            np.asarray(each, float) for each in (x_train, y_train, x_test, y_test)
        )
        self.settings, self.seed, self.number, self.width = settings, seed, number, self.x.shape[1]

    def models(self) -> dict[str, Array]:
        """Weights ``[2, I, I]`` of the ten models."""
        parts = (self.real, self.lottery, self.bin, self.random, self.agnostic)
        found: dict[str, Array] = {}
        for number, part in enumerate(parts):
            found |= part(np.random.default_rng([self.seed, number, self.number]))
        return found

    # The classifier, its objective and its gradient.

    def sums(self, w: Array, x: Array) -> Array:
        """Eq. (11) without its softplus: the sum over the outer units."""
        return np.tanh(np.tanh(x @ w[0].T) @ w[1].T).sum(1)

    def loss(self, w: Array) -> float:
        """Eq. (12), in nine decimals: networks that differ by rounding alone tie."""
        psi = np.logaddexp(0, self.sums(w, self.x))
        return round(float(np.mean(psi * (1 - 2 * self.y))), 9)

    def gradient(self, w: Array, chosen: NDArray[np.int64]) -> Array:
        """Chain rule through eq. (11) and (12) for some objects."""
        x, y = self.x[chosen], self.y[chosen]
        a = np.tanh(x @ w[0].T)
        b = np.tanh(a @ w[1].T)
        outer = ((1 - 2 * y) * sigmoid(b.sum(1)))[:, None] * (1 - b**2)
        inner = (outer @ w[1]) * (1 - a**2)
        return np.stack([inner.T @ x, outer.T @ a]) / len(chosen)

    # Training.

    def sample(self, start: Any, rng: np.random.Generator) -> Array:
        mean = start.scale * NormalDist().inv_cdf(1 / self.width) if start.mean is None else start.mean
        return rng.normal(mean, start.scale, (2, self.width, self.width)).astype(np.float32).astype(float)

    def batches(self, training: Any) -> Iterator[NDArray[np.int64]]:
        """Objects of every update, in their order and from the beginning again, as Algorithm 1 takes them."""
        steps = getattr(training, "steps", None) or self.settings.steps
        size = getattr(training, "batch", None) or self.settings.batch or len(self.x)
        for step in range(steps):
            yield np.arange(step * size, (step + 1) * size) % len(self.x)

    def train_real(self, training: Any, u: Array, mask: Array | float = 1.0) -> Array:
        """Eq. (2) for nonnegative weights ``w = u^2``; what is no larger than 1e-24 is zero and stays so."""
        for chosen in self.batches(training):
            u = np.where(np.abs(u) > 1e-12, u, 0)
            u = u - training.rate * self.gradient(u**2 * mask, chosen) * mask * 2 * u
        return np.where(np.abs(u) > 1e-12, u, 0) ** 2 * mask

    def train_binary(self, training: Any, w: Array) -> Array:
        """Algorithm 1."""
        M_hard, M_soft = self.settings.M_hard, self.settings.M_soft
        factor = 1 if self.settings.unscaled_slope else M_soft
        for chosen in self.batches(training):
            soft = sigmoid(M_soft * w)
            w = w - training.rate * self.gradient(sigmoid(M_hard * w), chosen) * factor * soft * (1 - soft)
        return (w >= 0).astype(float)

    # The strategies, in the words of Sec. 5.

    def cuts(self, w: Array) -> Iterator[Array]:
        """``B_infinity(w - xi)`` for the 10th, ..., 100th percentile; a pruned weight stays pruned."""
        for percentile in range(10, 101, 10):
            yield ((w >= np.percentile(w, percentile)) & (w > 0)).astype(float)

    def cut(self, w: Array) -> Array:
        """Eq. (13)."""
        return min(self.cuts(w), key=self.loss)

    def trained_again(self, name: str, train: Callable[[Any], Array], main: Array) -> Array:
        """Network to cut: the real one, or one trained for that alone where the settings say so."""
        own = getattr(self.settings, name, None)
        return main if own is None else train(own)

    def real(self, rng: np.random.Generator) -> dict[str, Array]:
        def train(training: Any) -> Array:
            return self.train_real(training, self.sample(training.start, rng))

        w = train(self.settings.real)
        return {"real": w, "real-bin": self.cut(self.trained_again("real_bin", train, w))}

    def lottery(self, rng: np.random.Generator) -> dict[str, Array]:
        def train(training: Any) -> Array:
            start = self.sample(training.start, rng)
            sequence = [self.train_real(training, start)]
            for _ in range(self.settings.lottery_rounds - 1):
                kept = self.cut(sequence[-1])
                again = self.settings.lottery_retrain
                sequence.append(self.train_real(training, start, kept) if again else sequence[-1] * kept)
            return min(sequence, key=self.loss)

        w = train(self.settings.lottery)
        return {"lottery": w, "lottery-bin": self.cut(self.trained_again("lottery_bin", train, w))}

    def bin(self, rng: np.random.Generator) -> dict[str, Array]:
        training, fine = self.settings.bin, self.settings.bin_real
        architecture = self.train_binary(training, self.sample(training.start, rng))
        return {"bin": architecture, "bin-real": self.train_real(fine, self.sample(fine.start, rng), architecture)}

    def random(self, rng: np.random.Generator) -> dict[str, Array]:
        w = self.sample(self.settings.random, rng) ** 2
        return {"random": w, "random-bin": self.cut(w)}

    def agnostic(self, rng: np.random.Generator) -> dict[str, Array]:
        best_loss, best, best_shared = np.inf, np.zeros(()), 1.0
        shared = self.settings.shared
        for _ in range(self.settings.agnostic_architectures):
            w = rng.normal(0, 1, (2, self.width, self.width)).astype(np.float32).astype(float) ** 2
            drawn = rng.normal(shared.mean or 0, shared.scale, self.settings.agnostic_shared_weights)
            for architecture in self.cuts(w):
                for u in drawn.astype(np.float32).astype(float):
                    loss = self.loss(u * architecture)
                    if loss < best_loss:
                        best_loss, best, best_shared = loss, architecture, float(u)
        if self.settings.agnostic_fresh_weight:
            best_shared = float(np.float32(rng.normal(shared.mean or 0, shared.scale)))
        return {"agnostic": best, "agnostic-real": best_shared * best}

    # Judging.

    def auc(self, w: Array, *, train: bool = False) -> float:
        """Share of pairs in the right order; a tie, also one up to the tenth decimal, counts half."""
        x, y = (self.x, self.y) if train else (self.x_test, self.y_test)
        sums = self.sums(w, x).round(10)
        difference = sums[y == 1][:, None] - sums[y == 0]
        return float(((difference > 0) + 0.5 * (difference == 0)).mean())
