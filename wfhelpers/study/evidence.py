"""Measurements behind claims C5 to C8, C10 to C12, C13b and C14: one row per part, case and run, for the ledger."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from wfhelpers.core.evaluation import auc
from wfhelpers.core.spectra import laplacian_spectrum, relabel_hidden
from wfhelpers.core.strategies import STRATEGIES, Settings, first_numbers, fit_all
from wfhelpers.core.tasks import Draw, Task
from wfhelpers.core.training import descend
from wfhelpers.study import convergence, sensitivity, similarity
from wfhelpers.study.readings import training_of
from wfhelpers.theory import bounds, convex

RATES = (0.01, 0.1)  # constant rates of Fig. 3, of which the paper says no more than that: both are tried
SMALL, LARGE = (5, 10), (50, 200)  # M_hard in claim C5: the ends of chapter 03's grid around the paper's own 50
LADDER = (20, 200)  # M_hard in claim C6: the smallest at which training works, and ten times as much
SOFT_RULES: Mapping[str, Callable[[float], float]] = {
    "M_soft = M_hard": lambda M_hard: M_hard,
    "M_soft = M_hard / 10": lambda M_hard: M_hard / 10,
    "M_soft = 5": lambda M_hard: 5,
}


def sharpness_values(task: Task, settings: Settings, runs: int, seed: int) -> pd.DataFrame:
    """C5 and C6, at each of ``RATES``: what a softer slope and what a harder step do to Algorithm 1."""
    draw = task.draw(runs, seed)
    start = first_numbers("bin", settings.bin.start, draw, seed)
    tables = []
    for rate in RATES:
        ends = sharpness(draw, start, rate)
        measured = {("C5a", f"M_hard = {M}"): -softer_slope(ends, M) for M in SMALL}
        measured |= {("C5b", f"M_hard = {M}"): softer_slope(ends, M) for M in LARGE}
        for name, rule in SOFT_RULES.items():
            measured |= {(part, name): values for part, values in harder_step(ends, rule).items()}
        tables += [case_values(part, f"{case}, rate {rate}", values) for (part, case), values in measured.items()]
    return pd.concat(tables, ignore_index=True)


def remainder_values(seed: int) -> pd.DataFrame:
    """C7: what random remainders leave of their bound, for four pairs of sharpnesses."""
    pairs = ((50, 5), (10, 1), (10, 10), (200, 20))
    slacks = {f"M_hard = {hard}, M_soft = {soft}": remainder_slack(hard, soft, seed=seed) for hard, soft in pairs}
    return pd.concat([case_values("C7", case, [slack]) for case, slack in slacks.items()], ignore_index=True)


def theorem_values(kind: str, seed: int) -> pd.DataFrame:
    """C8: what random convex problems of a kind leave of Theorem 4.3's bound, at three rates."""
    slacks = [(c, *each) for c in (0.01, 0.1, 1.0) for each in enumerate(theorem_slack(kind, c, seed=seed))]
    tables = [case_values("C8", f"{kind}, c = {c}, problem {problem}", [slack]) for c, problem, slack in slacks]
    return pd.concat(tables, ignore_index=True).assign(task=kind)


def spectra_values(task: Task, settings: Settings, runs: int, seed: int) -> pd.DataFrame:
    """C10 and C12: how far the networks of strategies lie apart, and what renaming their hidden nodes changes."""
    weights = similarity.edge_weights(fit_all(task.draw(runs, seed), settings, seed))
    spectra = {kind: laplacian_spectrum(networks) for kind, networks in weights.items()}
    ratios = similarity.log_ratios_by_run(spectra["real"], spectra["binary"])
    tables = [case_values("C10a", "", ratios[:, 0].tolist()), case_values("C10b", "", ratios[:, 2].tolist())]
    rng = np.random.default_rng(seed)
    for kind, networks in weights.items():
        changes = zip(STRATEGIES, change_by_relabelling(networks, rng).tolist(), strict=True)
        tables += [case_values("C12", f"{strategy}, {kind}", change) for strategy, change in changes]
    return pd.concat(tables, ignore_index=True)


def sign_values(task: Task, runs: int, seed: int) -> pd.DataFrame:
    """C11: AUC that weights of either sign have over nonnegative ones, under every protocol."""
    aucs = sensitivity.nonnegativity_aucs(task, runs, seed)
    gain = (aucs["free"] - aucs["nonnegative"]).groupby(level="start")
    # For real networks the protocol charitable is the literal one.
    starts = {"literal": "literal", "charitable": "literal", "tuned": "tuned"}
    tables = [case_values("C11", "", gain.get_group(start)).assign(protocol=name) for name, start in starts.items()]
    return pd.concat(tables, ignore_index=True)


def shared_weight_values(task: Task, settings: Settings, runs: int, seed: int) -> pd.DataFrame:
    """C14: AUC of the best shared weight minus that of the worst, both chosen by their medians."""
    aucs = sensitivity.shared_weight_aucs(task, settings, runs, seed)
    best, worst = aucs.median().idxmax(), aucs.median().idxmin()
    return case_values("C14", "", aucs[best] - aucs[worst])


def time_values(task: Task, settings: Settings, runs: int, seed: int) -> pd.DataFrame:
    """C13b: how many times as many objects one of bin and real must see as the other until both have the same AUC."""
    return case_values("C13b", "", np.abs(factor_to_same_auc(task.draw(runs, seed), settings, seed)))


def case_values(part: str, case: str, values: Iterable[float]) -> pd.DataFrame:
    """Values of one case, one per run, as `wfhelpers.ledger.judge_few` takes them."""
    values = list(values)
    return pd.DataFrame({"part": part, "case": case, "run": range(len(values)), "value": values})


def sharpness(draw: Draw, start: Tensor, rate: float) -> pd.DataFrame:
    """Algorithm 1 from one start for every (M_hard, M_soft) that C5 and C6 need: its ends, one row per pair and run."""
    pairs = {(M_hard, ratio * M_hard) for M_hard in (*SMALL, *LARGE) for ratio in (1, 0.1)}
    pairs |= {(M_hard, rule(M_hard)) for M_hard in LADDER for rule in SOFT_RULES.values()}
    exact = (draw.to(torch.float64), start.double())  # a sharp step amplifies rounding errors
    return convergence.ends(convergence.follow_grid(*exact, sorted(pairs), 200, rate, every=200))


def softer_slope(ends: pd.DataFrame, M_hard: float) -> "pd.Series[float]":
    """How much lower ``M_soft = M_hard / 10`` brings the loss of the binary network than ``M_soft = M_hard``."""
    return _at(ends, M_hard, M_hard)["F_binary"] - _at(ends, M_hard, M_hard / 10)["F_binary"]


def harder_step(ends: pd.DataFrame, rule: Callable[[float], float]) -> dict[str, "pd.Series[float]"]:
    """What the larger M_hard of ``LADDER`` does in each run: how much less rounding errs, how much worse F is."""
    low, high = (_at(ends, M_hard, rule(M_hard)) for M_hard in LADDER)
    error_low, error_high = ((end["F_relaxed"] - end["F_binary"]).abs() for end in (low, high))
    return {"C6a": error_low - error_high, "C6b": high["F_relaxed"] - low["F_relaxed"]}


def factor_to_same_auc(draw: Draw, settings: Settings, seed: int) -> NDArray[np.float64]:
    """Logarithm, one per run, of how many times as many objects bin sees as real until its test AUC is as high.

    The level is that which both reach: the lower of their two medians at the end, less 0.01. A run that never reaches
    it counts as if it did at the end. Objects seen are updates times objects per update, so that no clock is asked.
    """
    paths = [_auc_path(model, draw, settings, seed) for model in ("bin", "real")]
    level = min(float(np.median(aucs[-1])) for _, aucs in paths) - 0.01
    first = [np.where(aucs >= level, seen[:, None], seen[-1]).min(axis=0) for seen, aucs in paths]
    factors: NDArray[np.float64] = np.log(first[0] / first[1])
    return factors


def _auc_path(model: str, draw: Draw, settings: Settings, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Objects seen at fifty moments of a training, and the test AUC of every run then ``[moments, runs]``."""
    start, parametrization, options = training_of(model, draw, settings, seed)
    every, aucs = max(1, options["steps"] // 50), list[NDArray[np.float64]]()

    def watch(_: int, w: Tensor) -> None:
        aucs.append(auc(parametrization.extract(w), draw).numpy())

    descend(draw, start, parametrization, **options, watch=watch, every=every)
    moments = np.maximum(np.arange(len(aucs)) * every, 1)  # the start costs as much as one update
    return moments * float(options["batch"] or draw.x_train.shape[1]), np.stack(aucs)


def _at(ends: pd.DataFrame, M_hard: float, M_soft: float) -> pd.DataFrame:
    same = np.isclose(ends["M_hard"], M_hard) & np.isclose(ends["M_soft"], M_soft)
    return ends[same].set_index("run")


def remainder_slack(M_hard: float, M_soft: float, *, steps: int = 100_000, seed: int = 0) -> float:
    """Share of the bound ``G C`` of eq. (9) that the longest of many random remainders leaves; negative if it fails."""
    rng = np.random.default_rng(seed)
    gradient, w = torch.from_numpy(rng.normal(size=(2, steps, 3)))
    rate = torch.from_numpy(10 ** rng.uniform(-3, 2, size=(steps, 1)))
    r = bounds.remainder(gradient, w / M_soft, rate, M_hard, M_soft)
    longest = float((r.norm(dim=-1) / gradient.norm(dim=-1)).max())
    return 1 - longest / bounds.remainder_constant(M_hard, M_soft)


def theorem_slack(kind: str, c: float, *, problems: int = 40, T: int = 1000, seed: int = 0) -> NDArray[np.float64]:
    """Logarithm to base 10 of Theorem 4.3's bound over the gap, with full gradients, rates c/t; negative: it fails."""
    rng = np.random.default_rng(seed)
    batch = convex.random_problem(kind, batch=(problems,), samples=20, width=5, rng=rng)
    starts = torch.from_numpy(rng.normal(size=(problems, 5))) * 2 / 50
    table = bounds.survey(batch, starts, bounds.decaying_rates(c, T), 50, 5)
    slack: NDArray[np.float64] = np.log10(table["printed"].to_numpy() / table["gap"].clip(lower=1e-300).to_numpy())
    return slack


def change_by_relabelling(weights: Tensor, rng: np.random.Generator) -> Tensor:
    """Largest change of an eigenvalue ``[...]`` when the hidden nodes of networks ``[..., 2, I, I]`` are renamed."""
    order = torch.from_numpy(rng.permutation(weights.shape[-1]))
    return (laplacian_spectrum(relabel_hidden(weights, order)) - laplacian_spectrum(weights)).abs().amax(-1)
