"""The three numbers that speak for a comparison, or against it: counts of medians, an effect, and single cases.

They are made from margins: one row per case and run (the columns of `wfhelpers.study.leads`) with a ``value`` that is
positive where the comparison comes out as claimed. The word that follows from them is the ledger's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from wfhelpers.core.strategies import label
from wfhelpers.study.intervals import holm, median_interval
from wfhelpers.study.leads import CASE, lead, unordered

LEAST_TASKS = 6
"""Tasks that an exact 95 % interval of a median needs; with fewer of them, it is one over runs."""


@dataclass(frozen=True)
class Numbers:
    """What speaks for a comparison.

    ``ahead``, ``equal`` and ``behind`` count the cases by the paper's criterion, their medians over runs. ``estimate``
    is the median over tasks of their mean margins, with its interval. ``supporting`` and ``contradicting`` count the
    cases after Holm's correction, ``contradicting`` also those in which all runs are exactly equal.
    """

    cases: int
    ahead: int
    equal: int
    behind: int
    estimate: float
    lower: float
    upper: float
    supporting: int
    contradicting: int

    def __str__(self) -> str:
        counts = f"+{self.ahead} ={self.equal} −{self.behind} of {self.cases}"
        parts = (counts, f"{self.lower:+.2g} to {self.upper:+.2g}", f"Holm +{self.supporting} −{self.contradicting}")
        return "; ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)


def cases(margins: pd.DataFrame) -> pd.DataFrame:
    """One row per case: the paper's criterion, the mean margin over runs with its interval, and its side after Holm.

    ``criterion`` is the median margin, or the difference of medians where the margins come with it. ``side`` is 1 or -1
    where the mean margin differs from zero at a level of 5 % for all cases of the table together; ``tied`` marks a
    case in which it is zero in every run. Repeated rows count once.
    """
    groups = _once(margins).groupby(list(CASE), sort=False)
    table = groups["value"].agg(["mean", "std", "count", "median"]).reset_index()
    criterion = groups["criterion"].first().to_numpy() if "criterion" in margins else table["median"]
    spread, free = table["std"].fillna(0.0), (table["count"] - 1).clip(lower=1)
    error = spread / np.sqrt(table["count"])
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.nan_to_num((table["mean"] / error).to_numpy(), nan=0.0)  # NaN: zero in every run
    significant = holm(2 * stdtr(free.to_numpy(), -np.abs(t))) < 0.05
    reach = stdtrit(free, 0.975) * error
    table = table.assign(criterion=criterion, spread=spread, tied=(t == 0) & (spread == 0).to_numpy())
    table = table.assign(lower=table["mean"] - reach, upper=table["mean"] + reach)
    table["side"] = np.where(significant, np.sign(table["mean"]), 0).astype(int)
    return table.drop(columns=["std", "count", "median"])


def numbers(margins: pd.DataFrame, table: pd.DataFrame, *, exact: bool = False) -> Numbers:
    """Numbers from margins and their `cases`; the interval of ``exact`` margins, one per case, is their range."""
    sign = np.sign(table["criterion"].round(9))
    ahead, equal, behind = (int((sign == one).sum()) for one in (1, 0, -1))
    against = int(((table["side"] == -1) | table["tied"]).sum())
    value = margins["value"]
    effect = (float(value.median()), float(value.min()), float(value.max())) if exact else _effect(margins)
    return Numbers(len(table), ahead, equal, behind, *effect, int((table["side"] == 1).sum()), against)


def _effect(margins: pd.DataFrame) -> tuple[float, float, float]:
    """Median over tasks of their mean margins, in which sizes and orientations count alike, and its interval."""
    margins = _once(margins)
    task = margins["dataset"] + " " + margins["task"].map(unordered)
    unit = task if task.nunique() >= LEAST_TASKS else margins["run"].astype(str)
    means = margins.assign(unit=unit).groupby(["unit", *CASE])["value"].mean().groupby("unit").mean()
    return median_interval(means.round(9).to_numpy())


def _once(margins: pd.DataFrame) -> pd.DataFrame:
    return margins.drop_duplicates([*CASE, "run"])


def compare(rows: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """Lead in AUC of one model over another at the level of tasks: one row per pair, protocol and data set."""
    lines = []
    for one, other in pairs:
        for (protocol, dataset), margins in lead([one], [other])(rows).groupby(["protocol", "dataset"], sort=False):
            found = numbers(margins, cases(margins))
            where = {"lead": f"{label(one)} over {label(other)}", "protocol": protocol, "dataset": dataset}
            lines.append({**where, **vars(found)})
    return pd.DataFrame(lines)


def runs_to_decide(table: pd.DataFrame, needed: int, runs: int) -> float:
    """Number of runs, about, after which so many `cases` would contradict that fewer than ``needed`` are left.

    Infinite where too few cases are behind: then only other tasks decide.
    """
    against = (table["side"] == -1) | table["tied"]
    lacking = len(table) - needed + 1 - int(against.sum())
    behind = table[(table["mean"] < 0) & ~against]
    if lacking > len(behind):
        return np.inf
    strict = stdtrit(runs, 1 - 0.025 / len(table))
    wanted = np.sort((strict * behind["spread"] / behind["mean"]) ** 2)[max(lacking, 1) - 1]
    return float(np.ceil(wanted / 10) * 10)
