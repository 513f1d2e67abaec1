"""The ledger: fourteen claims of the paper, each with a rule fixed beforehand, judged on the committed results.

A claim has parts. A part is a comparison that is made in many cases (a task at a size, say), with one number a run.
In a case, the mean over runs has a t interval, widened by Bonferroni's rule to hold for all cases of the line at once.
A case *supports* the part if its interval lies on the claimed side of a threshold, *contradicts* it if it lies on the
other side, and is a *tie* otherwise. The verdict follows from the three counts alone (`verdict`).

``python -m wfhelpers.ledger`` prints the ledger; `LEDGER` states the rules, and `judge` applies them.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata
from scipy.stats import t as student

from wfhelpers._support import InputError
from wfhelpers.core.jobs import ORIENTATIONS, PROTOCOLS, group_name
from wfhelpers.core.strategies import MODELS, OURS, REST
from wfhelpers.results import measurements
from wfhelpers.results.experiments import read
from wfhelpers.results.store import Store, results_folder
from wfhelpers.study.sensitivity import LITTLE
from wfhelpers.study.similarity import FAR_APART, SIMILAR

VERDICTS = ("reproduced", "partly", "not reproduced", "cannot be decided")
COMPARABLE = 5.0
"""Run times are comparable if one is at most this many times the other."""

Values = pd.DataFrame
"""One row a (protocol, orientation, dataset, task, case, run) with its ``value``."""


@dataclass(frozen=True)
class Part:
    """One comparison of a claim.

    Attributes
    ----------
    id
        Name of the part, such as C2a.
    hypothesis
        What the claim says about every case, in words.
    measure
        What the number of a case is.
    needed
        Share of the cases that must support the part; with ``all_but`` the number of cases that need not.
    values
        Makes the numbers from the rows of all tasks; None if they are in ``results/evidence.csv``.
    threshold, above
        A case supports the part if its whole interval lies above (else below) the threshold.
    theorem
        Whether a single contradiction refutes the part.
    """

    id: str
    hypothesis: str
    measure: str
    needed: float = 1.0
    all_but: int = 0
    values: Callable[[pd.DataFrame], Values] | None = None
    threshold: float = 0.0
    above: bool = True
    theorem: bool = False

    def least(self, cases: int) -> float:
        """Number of cases, of so many, that must support the part."""
        return self.needed * cases - self.all_but

    @property
    def rule(self) -> str:
        """The rule in words."""
        side = "above" if self.above else "below"
        if self.theorem:
            share = "every case; one contradiction refutes it"
        elif self.all_but:
            share = f"all cases but {self.all_but}"
        else:
            share = {1.0: "all cases", 0.5: "half of the cases", 0.0: "one case"}[self.needed]
        return f"{self.measure} {side} {self.threshold:.2g} in {share}"


@dataclass(frozen=True)
class Claim:
    """A claim of the paper: a heading, its words, their place, its parts, and the page that shows the evidence.

    ``same_for_all`` says why the protocol does not matter, where it does not.
    """

    id: str
    short: str
    words: str
    place: str
    parts: tuple[Part, ...]
    page: str
    same_for_all: str = ""


# Numbers from the rows of all tasks


def lead(ours: Sequence[str], others: Sequence[str]) -> Callable[[pd.DataFrame], Values]:
    """AUC of the best of some models minus that of the best of others, run by run; the best has the highest median."""

    def values(rows: pd.DataFrame) -> Values:
        keys, aucs = _by_model(rows, "auc")
        sides = [aucs[:, [MODELS.index(model) for model in side]] for side in (ours, others)]
        best = [_of_highest_median(side) for side in sides]
        return _long(keys, best[0] - best[1])

    return values


def factor_of_run_time(rows: pd.DataFrame) -> Values:
    """Natural logarithm of the larger of the factors between the run times of bin and of real, and bin and lottery."""
    keys, seconds = _by_model(rows, "seconds_total")
    logs = np.log(seconds)
    apart = [np.abs(logs[:, MODELS.index("bin")] - logs[:, MODELS.index(model)]) for model in ("real", "lottery")]
    return _long(keys, np.maximum(*apart))


def gain_with_difficulty(rows: pd.DataFrame) -> Values:
    """Spearman's correlation, over all cases, of what fine-tuning adds with how hard the task is: one a run.

    How hard: one minus the median AUC of bin. What it adds: AUC of bin→real minus that of bin.
    """
    made = []
    for (protocol, orientation), group in rows.groupby(["protocol", "orientation"], sort=False):
        _, aucs = _by_model(group, "auc")
        hard = 1 - np.median(aucs[:, MODELS.index("bin")], axis=-1)
        gains = aucs[:, MODELS.index("bin-real")] - aucs[:, MODELS.index("bin")]
        for run in range(gains.shape[1]):
            same = {"protocol": protocol, "orientation": orientation, "dataset": "", "task": "", "case": "all tasks"}
            made.append({**same, "run": run, "value": _spearman(hard, gains[:, run])})
    return pd.DataFrame(made)


def loss_by_overfitting(rows: pd.DataFrame) -> Values:
    """AUC that fine-tuning loses where it lowers the objective on the training objects; zero in the other cases."""
    keys, aucs = _by_model(rows, "auc")
    _, losses = _by_model(rows, "train_loss")
    tuned, plain = MODELS.index("bin-real"), MODELS.index("bin")
    fits_better = np.median(losses[:, tuned], axis=-1) < np.median(losses[:, plain], axis=-1)
    return _long(keys, np.where(fits_better[:, None], aucs[:, plain] - aucs[:, tuned], 0.0))


def _by_model(rows: pd.DataFrame, column: str) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Cases, and one column of the rows as an array ``[cases, models, runs]``."""
    keys = ["protocol", "orientation", "dataset", "task", "size"]
    wide = rows.pivot(index=keys, columns=["model", "run"], values=column)
    runs = rows["run"].nunique()
    values = wide[[(model, run) for model in MODELS for run in range(runs)]].to_numpy()
    return wide.index.to_frame(index=False), values.reshape(len(wide), len(MODELS), runs)


def _of_highest_median(aucs: NDArray[np.float64]) -> NDArray[np.float64]:
    best = np.median(aucs, axis=-1).argmax(axis=1)
    chosen: NDArray[np.float64] = aucs[np.arange(len(aucs)), best]
    return chosen


def _long(keys: pd.DataFrame, values: NDArray[np.float64]) -> Values:
    runs = values.shape[1]
    made = keys.loc[keys.index.repeat(runs)].reset_index(drop=True)
    made["case"] = made.pop("size").map("{} a class".format)
    return made.assign(run=np.tile(np.arange(runs), len(keys)), value=values.ravel())


def _spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    return float(np.corrcoef(rankdata(x), rankdata(y))[0, 1])


# The ledger

_BINARY = ("real-bin", "lottery-bin", "random-bin", "agnostic")
_AUC = "lead in AUC"
_START_FREE = "A statement about one step and its gradient: no start and no rate enter."

LEDGER = (
    Claim(
        "C1",
        "bin or bin→real is best in all but one cases",
        "bin or bin→real achieves the best performance in all but one cases",
        "Results",
        (Part("C1", "bin or bin→real is ahead of the other eight models", _AUC, 1, 1, lead(OURS, REST)),),
        "05_strategies",
    ),
    Claim(
        "C2",
        "Weight-free networks often beat flexible ones",
        "weight-free networks so often outperform fine-tuned, more flexible models",
        "Results, Sec. 1",
        (
            Part("C2a", "bin is ahead of real and of lottery", _AUC, 0.5, 0, lead(["bin"], ["real", "lottery"])),
            Part("C2b", "bin is ahead of bin→real", _AUC, 0.5, 0, lead(["bin"], ["bin-real"])),
            Part("C2c", "bin is ahead of the other binary networks", _AUC, 0.5, 0, lead(["bin"], _BINARY)),
        ),
        "05_strategies",
    ),
    Claim(
        "C3",
        "bin beats weight-agnostic search and pruning",
        "the method produces better networks than weight-agnostic search and than pruning",
        "Results",
        (
            Part("C3a", "bin is ahead of agnostic", _AUC, 1, 0, lead(["bin"], ["agnostic", "agnostic-real"])),
            Part("C3b", "bin is ahead of lottery", _AUC, 1, 0, lead(["bin"], ["lottery", "lottery-bin"])),
        ),
        "05_strategies",
    ),
    Claim(
        "C4",
        "random→bin is consistently better than random",
        "random→bin performs consistently better than random",
        "footnote, Sec. 5",
        (Part("C4", "random→bin is ahead of random", _AUC, 1, 0, lead(["random-bin"], ["random"])),),
        "05_strategies",
    ),
    Claim(
        "C5",
        "A soft slope hurts small M_hard, helps large",
        "M_soft << M_hard may hurt when M_hard is small, and consistently helps when it is large",
        "Remarks, Fig. 3",
        (
            Part("C5a", "with M_hard of 5 or 10, a softer slope ends at a higher F", "rise of F", 0),
            Part("C5b", "with M_hard of 50 or 200, a softer slope ends at a lower F", "fall of F"),
        ),
        "03_algorithm",
    ),
    Claim(
        "C6",
        "A larger M_hard is harder, and rounds better",
        "a larger M_hard is harder to optimize, but rounds with less error",
        "Remarks",
        (
            Part("C6a", "M_hard of 200 rounds with less error than 20", "fall of the error in F"),
            Part("C6b", "M_hard of 200 reaches a higher F than 20", "rise of F"),
        ),
        "03_algorithm",
    ),
    Claim(
        "C7",
        "Lemma 2: a step's remainder is at most G C",
        "Lemma 2: the remainder of a step is at most G C long",
        "Sec. 4, App. B",
        (Part("C7", "no remainder is longer than G C", "share of G C to spare", theorem=True),),
        "04_convergence_bound",
        _START_FREE,
    ),
    Claim(
        "C8",
        "Theorem 1: the gap shrinks like (1 + log T)/T",
        "Theorem 1: the gap shrinks like (1 + log T)/T",
        "Sec. 4, App. B",
        (Part("C8", "no gap exceeds the bound", "log10 of bound over gap", theorem=True),),
        "04_convergence_bound",
        "A theorem about every convex function and every start: the protocols' starts are only some of them.",
    ),
    Claim(
        "C9",
        "Fine-tuning helps on hard tasks, and overfits",
        "fine-tuning the weights may help on hard tasks, and may hurt by overfitting",
        "Discussion",
        (
            Part("C9a", "it adds more where the task is harder", "rank correlation", 0, 0, gain_with_difficulty),
            Part("C9b", "it fits better and tests worse in some case", "loss of AUC", 0, 0, loss_by_overfitting),
        ),
        "05_strategies",
    ),
    Claim(
        "C10",
        "Real networks differ, architectures are similar",
        "strategies give highly different real networks but spectrally similar architectures",
        "Discussion, Fig. 5",
        (
            Part(
                "C10a",
                "real networks of two strategies lie far apart",
                "log of distance between strategies over within",
                threshold=float(np.log(FAR_APART)),
            ),
            Part(
                "C10b",
                "their binary networks lie at most half as far apart",
                "log of binary over real distance",
                threshold=float(np.log(SIMILAR)),
                above=False,
            ),
        ),
        "06_spectra",
    ),
    Claim(
        "C11",
        "Nonnegative weights cost little",
        "nonnegative weights do not compromise the performance significantly, in most cases",
        "footnote, Sec. 5",
        (
            Part(
                "C11",
                "weights of either sign gain little",
                "gain in AUC",
                0.5,
                threshold=LITTLE,
                above=False,
            ),
        ),
        "07_sensitivity",
    ),
    Claim(
        "C12",
        "The spectrum ignores how nodes are numbered",
        "the spectrum solves the relabelling ambiguity of hidden nodes",
        "footnote, Sec. 5",
        (
            Part(
                "C12",
                "renamed hidden nodes leave the spectrum as it is",
                "largest change of an eigenvalue",
                threshold=1e-6,
                above=False,
                theorem=True,
            ),
        ),
        "06_spectra",
    ),
    Claim(
        "C13",
        "bin takes about as long as the others",
        "the run time of bin is comparable to the others'",
        "Results",
        (
            Part(
                "C13",
                "bin is within a factor of 5 of real and of lottery",
                "log of the factor",
                values=factor_of_run_time,
                threshold=float(np.log(COMPARABLE)),
                above=False,
            ),
        ),
        "05_strategies",
    ),
    Claim(
        "C14",
        "The value of a shared weight matters much",
        "shared-weight networks are very sensitive to the value of the shared weight",
        "Sec. 1",
        (Part("C14", "the best value is well ahead of the worst", "spread of AUC", 0.5, threshold=LITTLE),),
        "07_sensitivity",
    ),
)
"""The claims of the paper, in order. The rules were fixed before the first result was computed."""


# Judging


@dataclass(frozen=True)
class Evidence:
    """What claims are judged on: rows of all tasks with their orientation, and the table of `wfhelpers.results.measurements`."""

    rows: pd.DataFrame
    measured: pd.DataFrame

    def of(self, part: Part) -> Values:
        """Numbers of one part."""
        if part.values is not None:
            return part.values(self.rows)
        return self.measured[self.measured["part"] == part.id]


def load(folder: str | Path | None = None) -> Evidence:
    """Read the committed results."""
    folder = Path(folder) if folder else results_folder()
    stored = folder / "evidence.csv"
    if not stored.is_file():
        raise InputError(f"{stored} is missing; `python -m wfhelpers.results.measurements` makes it.")
    rows = Store(folder).rows()
    if rows.empty:
        raise InputError(f"{folder} has no results; `python -m wfhelpers.results.reproduce` makes them.")
    measured = pd.read_csv(stored, keep_default_na=False, dtype={"value": float})
    return Evidence(with_orientation(rows, folder.parent / "experiments.yml"), measured)


def with_orientation(rows: pd.DataFrame, experiments: Path) -> pd.DataFrame:
    """Rows with a column that says whether the groups stand as the list of experiments has them, or swapped."""
    given = {
        (cell.key["dataset"], *(group_name(_group(page.parameters[side])) for side in ("negative", "positive")))
        for page in read(experiments).pages
        for cell in page.cells[:1]
    }
    keys = zip(rows["dataset"], rows["negative"], rows["positive"], strict=True)
    return rows.assign(orientation=[ORIENTATIONS[0] if key in given else ORIENTATIONS[1] for key in keys])


def cases(values: Values, part: Part) -> pd.DataFrame:
    """Mean over runs of every case with its interval, and whether it supports or contradicts the part (1, 0, -1).

    The intervals of one table hold together with a confidence of 95 %: each has the level 1 - 0.05 / cases. A single
    number, which is exact, is its own interval.
    """
    keys = ["protocol", "orientation", "dataset", "task", "case"]
    groups = values.groupby(keys, sort=False)["value"]
    table = groups.agg(["mean", "std", "count"]).reset_index()
    free = (table["count"] - 1).clip(lower=1)
    reach = student.ppf(1 - 0.025 / len(table), free) * table["std"].fillna(0.0) / np.sqrt(table["count"])
    table = table.assign(lower=table["mean"] - reach, upper=table["mean"] + reach)
    over = (table["lower"] > part.threshold).astype(int) - (table["upper"] < part.threshold).astype(int)
    return table.assign(side=over if part.above else -over).drop(columns=["std", "count"])


def verdict(supporting: int, contradicting: int, total: int, part: Part) -> str:
    """Word for the counts of a part.

    *Reproduced* if enough cases support it (at least one in any case). *Partly* if at least half as many do, and more
    than contradict it; never for a theorem. *Not reproduced* if so many contradict it that, even with all ties, too few
    would be left. *Cannot be decided* otherwise.
    """
    least = part.least(total)
    if part.theorem and contradicting:
        return "not reproduced"
    if supporting >= max(least, 1):
        return "reproduced"
    if not part.theorem and supporting >= max(least / 2, 1) and supporting > contradicting:
        return "partly"
    if contradicting > total - max(least, 1):
        return "not reproduced"
    return "cannot be decided"


def together(verdicts: Sequence[str]) -> str:
    """Verdict on a claim from those on its parts: theirs if they agree, else *partly* if one is (partly) reproduced."""
    if len(set(verdicts)) == 1:
        return verdicts[0]
    if "reproduced" in verdicts or "partly" in verdicts:
        return "partly"
    return "not reproduced"


def judge(results: Evidence) -> pd.DataFrame:
    """The ledger as a table: a row a (part, protocol, orientation), ``both`` being all cases.

    ``estimate`` is the mean over the cases, with an interval over tasks that is widened to hold for all rows of the
    table at once (over the runs where there are fewer than three tasks). Exact numbers, one a case, have no interval:
    their range stands in its place.
    """
    lines = []
    for claim in LEDGER:
        for part in claim.parts:
            lines += [line | {"claim": claim.id, "evidence": claim.page} for line in _judged(part, results.of(part))]
    columns = ["claim", "part", "protocol", "orientation", "cases", "supporting", "contradicting"]
    table = pd.DataFrame(lines)
    level = 1 - 0.025 / len(table)
    intervals = [_interval(chosen, level) for chosen in table.pop("values")]
    table[["estimate", "lower", "upper"]] = pd.DataFrame(intervals, index=table.index)
    return table[[*columns, "estimate", "lower", "upper", "verdict", "evidence"]]


def judge_few(rows: pd.DataFrame, claims: Sequence[str]) -> dict[str, str]:
    """Verdicts on some claims, part by part, from a few cases alone: rows of `evaluation.table` under one protocol.

    ``partly: +2 −1 of 4`` says that of four cases two support the part and one contradicts it.
    """
    rows = rows.assign(protocol="", orientation="", dataset="")  # a title tells the tasks apart
    found = {}
    for part in (part for claim in LEDGER if claim.id in claims for part in claim.parts):
        if part.values is None:
            raise InputError(f"{part.id} is not judged on rows of tasks; `judge` has its verdict.")
        line = _counted(part, part.values(rows))
        counts = f"+{line['supporting']} −{line['contradicting']} of {line['cases']}".replace(" ", "\N{NO-BREAK SPACE}")
        found[f"{part.id}: {part.hypothesis}"] = f"{line['verdict']}: {counts}"
    return found


def by_claim(ledger: pd.DataFrame, orientation: str = "both") -> pd.DataFrame:
    """Verdict on each claim, a row each, under each protocol, a column each."""
    made: dict[str, dict[str, str]] = {}
    for claim in LEDGER:
        rows = ledger[(ledger["claim"] == claim.id) & ledger["orientation"].isin([orientation, measurements.ANY])]
        for protocol in PROTOCOLS:
            chosen = rows[rows["protocol"].isin([protocol, measurements.ANY])]
            made.setdefault(protocol, {})[claim.id] = together(chosen["verdict"].tolist())
    return pd.DataFrame(made)


def _judged(part: Part, values: Values) -> list[dict[str, object]]:
    lines = []
    for protocol in (protocol for protocol in (*PROTOCOLS, measurements.ANY) if protocol in set(values["protocol"])):
        under = values[values["protocol"] == protocol]
        sides = [side for side in (*ORIENTATIONS, measurements.ANY) if side in set(under["orientation"])]
        turned: Mapping[str, pd.DataFrame] = {side: under[under["orientation"] == side] for side in sides}
        if len(sides) > 1:
            turned = {**turned, "both": under}
        for orientation, chosen in turned.items():
            where = {"part": part.id, "protocol": protocol, "orientation": orientation}
            lines.append({**where, **_counted(part, chosen), "values": chosen})
    return lines


def _counted(part: Part, values: Values) -> dict[str, object]:
    """How many cases there are, how many support the part and contradict it, and the verdict that follows."""
    side = cases(values, part)["side"]
    supporting, contradicting = int((side == 1).sum()), int((side == -1).sum())
    word = verdict(supporting, contradicting, len(side), part)
    return {"cases": len(side), "supporting": supporting, "contradicting": contradicting, "verdict": word}


def _interval(values: Values, level: float) -> tuple[float, float, float]:
    """Mean and t interval over what may be taken as independent: tasks, whichever way round, else runs."""
    if (values["run"] == 0).all():
        exact = values["value"]
        return float(exact.mean()), float(exact.min()), float(exact.max())
    tasks = values["dataset"] + values["task"].map(lambda title: " vs ".join(sorted(title.split(" vs "))))
    means = values.groupby(tasks if tasks.nunique() >= 3 else values["run"])["value"].mean().to_numpy()
    reach = float(student.ppf(level, len(means) - 1) * means.std(ddof=1) / np.sqrt(len(means)))
    return float(means.mean()), float(means.mean() - reach), float(means.mean() + reach)


def _group(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def main(words: Sequence[str] | None = None) -> None:
    """Print the ledger."""
    parser = argparse.ArgumentParser(prog="python -m wfhelpers.ledger", description=__doc__)
    parser.add_argument("--results", default=None, help="folder of results (that of the project)")
    parser.add_argument("--all", action="store_true", help="every part, protocol and orientation with its numbers")
    options = parser.parse_args(words)
    ledger = judge(load(options.results))
    if options.all:
        print(ledger.drop(columns="evidence").round(3).to_string(index=False))
    else:
        marks = by_claim(ledger)
        marks.insert(0, "the paper says", [claim.words for claim in LEDGER])
        print(marks.to_string())


if __name__ == "__main__":
    main()
