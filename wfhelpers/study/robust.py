"""Is a verdict robust to the analysis? The same values, judged by other methods; and the ten models, by their ranks.

Every method gets one value per unordered task, or knows to which task a value belongs. Sizes of a task share their
test objects and nest their training objects, orientations share both: to count them as independent would promise more
than the data hold. The methods answer with the same words: *ahead* or *behind* if zero is excluded at 95 %,
*equivalent* if differences beyond a region around zero are, *undecided* otherwise. The judge is `wfhelpers.ledger`.
"""

import warnings
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from wfhelpers._support import InputError
from wfhelpers.study.leads import unordered

LEVEL = 0.05
ROPE = 0.01
"""Region of practical equivalence: a difference of AUC that is no larger does not count."""

TOO_FEW = "too few tasks"
FAILED = "did not converge"
_LEAST, _LEAST_FOR_RANKS = 3, 6  # tasks; with fewer than six no signed ranks reach 5 %
METHODS = ("interval", "wilcoxon", "bayesian", "mixed")
"""Columns of `table` with the word of each method; the first is a t interval over tasks."""

_SAMPLES = 50_000
_ITERATIONS = 2_000
_DECIMALS = 9  # values that differ by less differ by rounding alone


class Interval(NamedTuple):
    """Mean over tasks with its 95 % interval; ``note`` says what a reader must know."""

    word: str
    estimate: float
    lower: float
    upper: float
    note: str = ""


class SignedRank(NamedTuple):
    """Word and p-value, against zero, of Wilcoxon's signed-rank test."""

    word: str
    p: float


class Posterior(NamedTuple):
    """Probabilities that the difference on a new task is mostly below, within or above the region of equivalence."""

    word: str
    below: float
    within: float
    above: float


def interval(values: pd.DataFrame, rope: float = ROPE) -> Interval:
    """Mean of the tasks' means, and its t interval."""
    means = task_means(values)
    if len(means) < _LEAST:
        return Interval(TOO_FEW, float(means.mean()), np.nan, np.nan)
    return _by_reach(float(means.mean()), float(stats.sem(means)), len(means), rope)


def wilcoxon(values: pd.DataFrame, rope: float = ROPE) -> SignedRank:
    """Signed-rank test over task means: against zero, and against either end of the region of equivalence.

    Means are *equivalent* if the test puts them both above its lower and below its upper end, each at 2.5 %.
    """
    means = task_means(values)
    if len(means) < _LEAST_FOR_RANKS:
        return SignedRank(TOO_FEW, np.nan)
    p = 1.0 if not means.any() else float(stats.wilcoxon(means).pvalue)
    inside = [_one_sided(means + rope, "greater"), _one_sided(means - rope, "less")]
    if rope > 0 and max(inside) < LEVEL / 2:
        return SignedRank("equivalent", p)
    if p >= LEVEL:
        return SignedRank("undecided", p)
    return SignedRank("ahead" if np.median(_walsh_averages(means)) > 0 else "behind", p)


def bayesian(values: pd.DataFrame, rope: float = ROPE, *, seed: int = 0) -> Posterior:
    """Bayesian signed-rank test with a region of equivalence (Benavoli et al., JMLR 18:77, 2017, Sec. 4.2).

    The distribution of differences is a Dirichlet process whose prior is one pseudo-task of weight 1/2 at zero. Of two
    tasks drawn from it, the mean lies below, within or above the region; the most probable of the three wins, and the
    posterior probability of each to win is given. A word needs 95 % of it; *ahead* is above the region, not above zero.
    """
    means = np.append(0.0, task_means(values))
    sums = np.round(means[:, None] + means, _DECIMALS)
    above, below = (np.heaviside(side * sums - 2 * rope, 0.5) for side in (1, -1))
    weights = np.random.default_rng(seed).dirichlet([0.5, *[1.0] * (len(means) - 1)], _SAMPLES)
    shares = np.array([((weights @ region) * weights).sum(1) for region in (below, 1 - below - above, above)])
    winning = shares == shares.max(0)
    wins = (winning / winning.sum(0)).mean(1)
    likely = dict(zip(("behind", "equivalent", "ahead"), wins, strict=True))
    word = next((word for word, share in likely.items() if share >= 1 - LEVEL), "undecided")
    return Posterior(TOO_FEW if len(means) <= _LEAST_FOR_RANKS else word, *map(float, wins))


def mixed(values: pd.DataFrame, rope: float = ROPE) -> Interval:
    """Mean and 95 % interval by a mixed model: a random effect of the task, and within a task of size and orientation.

    It is fitted by restricted maximum likelihood (``statsmodels``). Runs are averaged first: what a run brings to a
    task is then part of the task's effect. Where every case has the same runs, the mean stays exact, and so does its
    interval unless a variance is estimated as zero. The interval has Student's t for the number of tasks, where
    ``statsmodels`` has the normal distribution.
    """
    cells, found = _cells(values), interval(values, rope)
    tasks, spread = cells["task"].nunique(), float(cells["value"].std())
    if tasks < _LEAST:
        return found
    if np.ptp(cells["value"] - cells.groupby("task")["value"].transform("mean")) < 10**-_DECIMALS:
        return found._replace(note="one value per task: a t interval")
    # An effect can be told from that of the task, and from the rest, only if the other one has several levels, too.
    within = [name for name in ("case", "orientation") if cells.groupby("task")[name].nunique().max() > 1]
    fitted = _fit(cells.assign(value=cells["value"] / spread), within if len(within) == 2 else [])
    if fitted is None:
        return found._replace(word=FAILED, note=f"the mixed model {FAILED}: a t interval over tasks")
    return _by_reach(spread * float(fitted.fe_params[0]), spread * float(fitted.bse_fe[0]), tasks, rope)


def table(values_by_part: Mapping[str, pd.DataFrame], ropes: Mapping[str, float] | None = None) -> pd.DataFrame:
    """What each method concludes: one row per part and protocol, with the numbers behind it, rounded.

    ``ropes`` has the regions of equivalence of parts that are not measured in AUC (0: none). ``why`` is empty where
    all methods that have enough tasks agree, and says what tells them apart where they do not.
    """
    lines: list[dict[str, Any]] = []
    for part, values in values_by_part.items():
        rope = (ropes or {}).get(part, ROPE)
        for protocol, group in values.groupby("protocol", sort=False):
            plain, ranks = interval(group, rope), wilcoxon(group, rope)
            posterior, model = bayesian(group, rope), mixed(group, rope)
            words = dict(zip(METHODS, (plain.word, ranks.word, posterior.word, model.word), strict=True))
            numbers = {"mean": plain.estimate, "lower": plain.lower, "upper": plain.upper, "p": ranks.p}
            numbers |= {"below": posterior.below, "within": posterior.within, "above": posterior.above}
            numbers |= {"mixed_lower": model.lower, "mixed_upper": model.upper}
            line = {"part": part, "protocol": protocol, "tasks": len(task_means(group)), **words, "why": _why(words)}
            lines.append(line | {name: round(number, 3) for name, number in numbers.items()} | {"note": model.note})
    return pd.DataFrame(lines)


def task_means(values: pd.DataFrame) -> NDArray[np.float64]:
    """One mean per unordered task, in which every size and orientation counts the same."""
    means: NDArray[np.float64] = _cells(values).groupby("task")["value"].mean().round(_DECIMALS).to_numpy()
    return means


def block_ranks(rows: pd.DataFrame) -> pd.DataFrame:
    """Ranks of the models in each block, 1 for the highest mean AUC, ties sharing their mean: ``[blocks, models]``.

    A block is an unordered task, its AUC the mean over sizes, orientations and runs. Cases would be six times as many
    blocks and a critical difference smaller by the root of six, but Friedman's test wants independent blocks, and the
    cases of a task share their objects.
    """
    blocks = rows["dataset"] + ": " + rows["task"].map(unordered)
    aucs = rows.groupby([blocks.rename("block"), "model"], sort=False)["auc"].mean().round(_DECIMALS).unstack()
    return aucs.rank(axis=1, ascending=False)


def average_ranks(rows: pd.DataFrame) -> "pd.Series[float]":
    """Mean rank of each model over the blocks of `block_ranks`, the best first."""
    return block_ranks(rows).mean().sort_values(kind="stable")


def friedman(rows: pd.DataFrame) -> tuple[float, float]:
    """Friedman's statistic, corrected for ties, and its p-value: whether the models differ at all."""
    found = stats.friedmanchisquare(*block_ranks(rows).to_numpy().T)
    return float(found.statistic), float(found.pvalue)


def nemenyi(models: int, blocks: int, level: float = LEVEL) -> float:
    """Nemenyi's critical difference of two average ranks (Demšar 2006), ``q sqrt(k (k + 1) / (6 N))``.

    >>> round(nemenyi(models=4, blocks=14), 2)
    1.25
    """
    q = stats.studentized_range.ppf(1 - level, models, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(models * (models + 1) / (6 * blocks)))


def not_apart(average: "pd.Series[float]", critical: float) -> list[tuple[str, str]]:
    """First and last model of every largest group whose average ranks lie less than the critical difference apart."""
    ordered = average.sort_values(kind="stable")
    last = [int((ordered - rank < critical).to_numpy().nonzero()[0][-1]) for rank in ordered]
    starts = [0, *(i for i, (before, now) in enumerate(pairwise(last), 1) if now > before)]
    return [(str(ordered.index[i]), str(ordered.index[last[i]])) for i in starts if last[i] > i]


def _cells(values: pd.DataFrame) -> pd.DataFrame:
    """Means over runs, one row per unordered task (of a data set), case and orientation."""
    if values.empty:
        raise InputError("There are no values to judge; expected a row per case and run.")
    task = values["dataset"] + ": " + values["task"].map(unordered)
    return values.assign(task=task).groupby(["task", "case", "orientation"])["value"].mean().reset_index()


def _by_reach(mean: float, error: float, tasks: int, rope: float) -> Interval:
    """Interval of a mean with a standard error, and the word for it."""
    reach = float(stats.t.ppf(1 - LEVEL / 2, tasks - 1) * error)
    lower, upper = mean - reach, mean + reach
    if rope > 0 and -rope <= lower and upper <= rope:
        word = "equivalent"
    else:
        word = "ahead" if lower > 0 else "behind" if upper < 0 else "undecided"
    return Interval(word, mean, lower, upper)


def _why(words: Mapping[str, str]) -> str:
    """What tells methods apart that do not give the same word."""
    plain, ranks, posterior, model = (words[method] for method in METHODS)
    reasons = {
        "the mixed model did not converge": model == FAILED,
        "sizes or orientations of a task differ more than tasks do, which widens the mixed model's interval": (
            model not in (plain, FAILED)
        ),
        "ranks see how many tasks differ, a mean by how much": ranks not in (plain, TOO_FEW),
        "the Bayesian test asks for leads beyond the region, the signed-rank test for leads beyond zero": (
            posterior != ranks and ranks in ("ahead", "behind")
        ),
        "the two tests on ranks need different amounts of evidence": (
            posterior != ranks and ranks in ("equivalent", "undecided")
        ),
    }
    return "; ".join(reason for reason, holds in reasons.items() if holds)


def _one_sided(means: NDArray[np.float64], alternative: str) -> float:
    rounded = np.round(means, _DECIMALS)
    return float(stats.wilcoxon(rounded, alternative=alternative).pvalue) if rounded.any() else 1.0


def _walsh_averages(means: NDArray[np.float64]) -> NDArray[np.float64]:
    return (means[:, None] + means)[np.triu_indices(len(means))] / 2


def _fit(cells: pd.DataFrame, within: list[str]) -> Any:
    """Fitted mixed model of statsmodels, or None if the search found no optimum."""
    try:
        from statsmodels.regression.mixed_linear_model import MixedLM, MixedLMParams, VCSpec
    except ImportError as error:
        raise InputError("A mixed model needs statsmodels; install the extra `book` of wfhelpers.") from error
    one = np.ones((len(cells), 1))
    groups = [group for _, group in cells.groupby("task")]  # `_cells` has them in this order
    levels = [[pd.get_dummies(group[name], dtype=float) for group in groups] for name in within]
    labels = [[[f"{name} {level}" for level in each] for each in own] for name, own in zip(within, levels, strict=True)]
    effects = VCSpec(within, labels, [[each.to_numpy() for each in own] for own in levels]) if within else None
    model = MixedLM(cells["value"].to_numpy(), one, groups=cells["task"].to_numpy(), exog_re=one, exog_vc=effects)
    ratios = _variance_ratios(cells, within)
    inside = min(ratios) > 0
    task, *others = ratios if inside else np.maximum(ratios, 0.1)
    start = MixedLMParams.from_components(
        np.array([cells["value"].mean()]), np.array([[task]]), vcomp=np.array(others) if within else None
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a variance of zero is an answer; a search that fails is told by its result
        # Gradients vanish where a variance is zero, so that a search that follows them stops too early there.
        for method in ("lbfgs", "nm") if inside else ("nm",):
            try:
                fitted = model.fit(start, reml=True, method=[method], maxiter=_ITERATIONS)
            except np.linalg.LinAlgError:
                continue
            if fitted.converged and np.isfinite(fitted.bse_fe[0]):
                return fitted
    return None


def _variance_ratios(cells: pd.DataFrame, within: list[str]) -> list[float]:
    """Variances of the task's effect and of those within it over that of the rest, by analysis of variance.

    Where none is negative, and every task has the same cases, this is where the restricted likelihood is highest.
    """
    by_task, tasks = cells.groupby("task")["value"], cells["task"].nunique()
    middle, size = by_task.transform("mean"), len(cells) / tasks
    rest, free = cells["value"] - middle, float(len(cells) - tasks)
    squares, levels = [], []
    for name in within:
        levels.append(cells.groupby("task")[name].nunique().mean())
        effect = cells.groupby(["task", name])["value"].transform("mean") - middle
        squares.append(float((effect**2).sum()) / (tasks * (levels[-1] - 1)))
        rest, free = rest - effect, free - tasks * (levels[-1] - 1)
    noise = float((rest**2).sum()) / free
    variances = [float(by_task.mean().var()) - (sum(squares) - (len(within) - 1) * noise) / size]
    variances += [(square - noise) * level / size for square, level in zip(squares, levels, strict=True)]
    return [variance / max(noise, 10**-_DECIMALS) for variance in variances]
