"""The ledger: fourteen claims of the paper, each with a rule fixed beforehand, and the only judge of them.

A claim has parts. A part is a comparison that is made in many cases (a task at a size, say), with one number per run.
In a case, the mean over runs has a t interval, widened by Bonferroni's rule to hold for all cases of the line at once.
A case *supports* the part if its interval lies on the claimed side of a threshold, *contradicts* it if it lies on the
other side, and is a *tie* otherwise. The verdict follows from the three counts alone (`verdict`).

`LEDGER` states the rules, `judge` applies them to all results and `judge_few` to the few cases of a chapter.

>>> LEDGER[3].words, [part.rule for part in LEDGER[3].parts]
('random→bin performs consistently better than random', ['lead in AUC above 0 in all cases'])
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from wfhelpers._support import InputError
from wfhelpers.core.jobs import ORIENTATIONS
from wfhelpers.core.protocols import PROTOCOLS
from wfhelpers.core.strategies import OURS, REST
from wfhelpers.results.store import Store, results_folder
from wfhelpers.study.intervals import side
from wfhelpers.study.leads import ANY, CASE, factor_of_run_time, gain_with_difficulty, lead, loss_by_overfitting

VERDICTS = ("reproduced", "partly", "not reproduced", "cannot be decided")

LITTLE = 0.05
"""Difference of AUC that counts as little, for claims C11 and C14 alike."""

FAR_APART = 2.0
"""Strategies give "highly different" networks if they lie this many times as far apart as runs of one strategy."""

SIMILAR = 0.5
"""Binary networks are "similar" if they lie at most this share of the real networks' distance apart."""

COMPARABLE = 5.0
"""Run times are comparable if one is at most this many times the other."""

Values = pd.DataFrame
"""One row per part, case and run with its ``value``: the columns of `wfhelpers.study.leads`."""


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
    computed_by, test
        Dotted name of the function that computes the numbers, and pytest's name of the test of that function.
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
    computed_by: str = field(kw_only=True)
    test: str = field(kw_only=True)

    def least(self, cases: int) -> float:
        """Number of cases, of so many, that must support the part."""
        return self.needed * cases - self.all_but

    @property
    def rule(self) -> str:
        """The rule in words."""
        where = "above" if self.above else "below"
        if self.theorem:
            share = "every case; one contradiction refutes it"
        elif self.all_but:
            share = f"all cases but {self.all_but}"
        else:
            share = {1.0: "all cases", 0.5: "half of the cases", 0.0: "one case"}[self.needed]
        return f"{self.measure} {where} {self.threshold:.2g} in {share}"


@dataclass(frozen=True)
class Claim:
    """A claim of the paper: a heading, where the paper has it, the page with the evidence, its words and its parts.

    ``same_for_all`` says why the protocol does not matter, where it does not.
    """

    id: str
    short: str
    place: str
    page: str
    words: str
    parts: tuple[Part, ...]
    same_for_all: str = ""


def _by(function: str, test: str) -> Any:
    """Function of `wfhelpers.study` that computes the numbers of a part, and its test."""
    module = function.split(".")[0]
    return {"computed_by": f"wfhelpers.study.{function}", "test": f"tests/study/test_{module}.py::{test}"}


_LEAD = _by("leads.lead", "test_a_lead_is_that_of_the_best_over_the_best_run_by_run")
_AUC = "lead in AUC"
_SLOPE = _by("evidence.softer_slope", "test_a_softer_slope_is_compared_run_by_run")
_STEP = _by("evidence.harder_step", "test_a_harder_step_is_judged_by_rounding_and_by_the_objective_reached")
_RATIOS = _by("similarity.log_ratios_by_run", "test_distance_ratios_against_a_literal_jackknife")
_REAL, _BINARY = ("real", "lottery"), ("real-bin", "lottery-bin", "random-bin", "agnostic")

# fmt: off
LEDGER = (
    Claim("C1", "bin or bin→real is best in all but one cases", "Results", "05_strategies",
          "bin or bin→real achieves the best performance in all but one cases",
          (Part("C1", "bin or bin→real is ahead of the other eight models", _AUC, 1, 1, lead(OURS, REST), **_LEAD),)),
    Claim("C2", "Weight-free networks often beat flexible ones", "Results, Sec. 1", "05_strategies",
          "weight-free networks so often outperform fine-tuned, more flexible models",
          (Part("C2a", "bin is ahead of real and of lottery", _AUC, 0.5, 0, lead(["bin"], _REAL), **_LEAD),
           Part("C2b", "bin is ahead of bin→real", _AUC, 0.5, 0, lead(["bin"], ["bin-real"]), **_LEAD),
           Part("C2c", "bin is ahead of the other binary networks", _AUC, 0.5, 0, lead(["bin"], _BINARY), **_LEAD))),
    Claim("C3", "bin beats weight-agnostic search and pruning", "Results", "05_strategies",
          "the method produces better networks than weight-agnostic search and than pruning",
          (Part("C3a", "bin is ahead of agnostic", _AUC, 1, 0, lead(["bin"], ["agnostic", "agnostic-real"]), **_LEAD),
           Part("C3b", "bin is ahead of lottery", _AUC, 1, 0, lead(["bin"], ["lottery", "lottery-bin"]), **_LEAD))),
    Claim("C4", "random→bin is consistently better than random", "footnote, Sec. 5", "05_strategies",
          "random→bin performs consistently better than random",
          (Part("C4", "random→bin is ahead of random", _AUC, 1, 0, lead(["random-bin"], ["random"]), **_LEAD),)),
    Claim("C5", "A soft slope hurts small M_hard, helps large", "Remarks, Fig. 3", "03_algorithm",
          "M_soft << M_hard may hurt when M_hard is small, and consistently helps when it is large",
          (Part("C5a", "with M_hard of 5 or 10, a softer slope ends at a higher F", "rise of F", 0, **_SLOPE),
           Part("C5b", "with M_hard of 50 or 200, a softer slope ends at a lower F", "fall of F", **_SLOPE))),
    Claim("C6", "A larger M_hard is harder, and rounds better", "Remarks", "03_algorithm",
          "a larger M_hard is harder to optimize, but rounds with less error",
          (Part("C6a", "M_hard of 200 rounds with less error than 20", "fall of the error in F", **_STEP),
           Part("C6b", "M_hard of 200 reaches a higher F than 20", "rise of F", **_STEP))),
    Claim("C7", "Lemma 4.2: a step's remainder is at most G C", "Sec. 4, App. B", "04_convergence_bound",
          "Lemma 4.2: the remainder of a step is at most G C long",
          (Part("C7", "no remainder is longer than G C", "share of G C to spare", theorem=True,
                **_by("evidence.remainder_slack", "test_remainders_leave_the_share_that_the_sharp_constant_says")),),
          "A statement about one step and its gradient: no start and no rate enter."),
    Claim("C8", "Theorem 4.3: the gap shrinks like (1 + log T)/T", "Sec. 4, App. B", "04_convergence_bound",
          "Theorem 4.3: the gap shrinks like (1 + log T)/T",
          (Part("C8", "no gap exceeds the bound", "log10 of bound over gap", theorem=True,
                **_by("evidence.theorem_slack", "test_theorem_1_fails_at_small_rates_and_holds_at_large_ones")),),
          "A theorem about every convex function and every start: the protocols' starts are only some of them."),
    Claim("C9", "Fine-tuning helps on hard tasks, and overfits", "Discussion", "05_strategies",
          "fine-tuning the weights may help on hard tasks, and may hurt by overfitting",
          (Part("C9a", "it adds more where the task is harder", "rank correlation", 0, 0, gain_with_difficulty,
                **_by("leads.gain_with_difficulty", "test_gain_with_difficulty_is_spearmans_correlation")),
           Part("C9b", "it fits better and tests worse in some case", "loss of AUC", 0, 0, loss_by_overfitting,
                **_by("leads.loss_by_overfitting", "test_overfitting_counts_only_where_the_objective_falls")))),
    Claim("C10", "Real networks differ, architectures are similar", "Discussion, Fig. 5", "06_spectra",
          "strategies give highly different real networks but spectrally similar architectures",
          (Part("C10a", "real networks of two strategies lie far apart",
                "log of distance between strategies over within", threshold=float(np.log(FAR_APART)), **_RATIOS),
           Part("C10b", "their binary networks lie at most half as far apart", "log of binary over real distance",
                threshold=float(np.log(SIMILAR)), above=False, **_RATIOS))),
    Claim("C11", "Nonnegative weights cost little", "footnote, Sec. 5", "07_sensitivity",
          "nonnegative weights do not compromise the performance significantly, in most cases",
          (Part("C11", "weights of either sign gain little", "gain in AUC", 0.5, threshold=LITTLE, above=False,
                **_by("sensitivity.nonnegativity_aucs", "test_orientation_decides_what_nonnegative_weights_cost")),)),
    Claim("C12", "The spectrum ignores how nodes are numbered", "footnote, Sec. 5", "06_spectra",
          "the spectrum solves the relabelling ambiguity of hidden nodes",
          (Part("C12", "renamed hidden nodes leave the spectrum as it is", "largest change of an eigenvalue",
                threshold=1e-6, above=False, theorem=True,
                **_by("evidence.change_by_relabelling", "test_relabelled_networks_have_the_same_spectrum")),)),
    Claim("C13", "bin takes about as long as the others", "Results", "05_strategies",
          "the run time of bin is comparable to the others'",
          (Part("C13", "bin is within a factor of 5 of real and of lottery", "log of the factor",
                values=factor_of_run_time, threshold=float(np.log(COMPARABLE)), above=False,
                **_by("leads.factor_of_run_time", "test_the_factor_of_run_time_is_the_larger_one_either_way")),)),
    Claim("C14", "The value of a shared weight matters much", "Sec. 1", "07_sensitivity",
          "shared-weight networks are very sensitive to the value of the shared weight",
          (Part("C14", "the best value is well ahead of the worst", "spread of AUC", 0.5, threshold=LITTLE,
                **_by("sensitivity.shared_weight_aucs", "test_shared_weights_share_one_architecture_per_run")),)),
)
# fmt: on
"""The claims of the paper, in order. The rules were fixed before the full grid was computed."""


@dataclass(frozen=True)
class Evidence:
    """What claims are judged on: the rows of all tasks, and the table ``results/evidence.csv``."""

    rows: pd.DataFrame
    measured: pd.DataFrame

    def values(self, part: Part) -> Values:
        """Numbers of one part."""
        values = part.values(self.rows) if part.values else self.measured[self.measured["part"] == part.id]
        if values.empty:
            raise InputError(f"There is no evidence on {part.id}; `wfhelpers measure evidence` makes it.")
        return values


def load(folder: str | Path | None = None) -> Evidence:
    """Read the committed results."""
    folder = Path(folder) if folder else results_folder()
    stored = folder / "evidence.csv"
    if not stored.is_file():
        raise InputError(f"{stored} is missing; `wfhelpers measure evidence` makes it.")
    rows = Store(folder).rows()
    if rows.empty:
        raise InputError(f"{folder} has no results; `wfhelpers reproduce` makes them.")
    return Evidence(rows, pd.read_csv(stored, keep_default_na=False, dtype={"value": float}))


def values_from_rows(rows: pd.DataFrame, part_ids: Iterable[str]) -> Values:
    """Numbers of some parts or claims from rows of `wfhelpers.core.evaluation.table`, for `judge_few`."""
    rows = rows.assign(**{column: "" for column in ("protocol", "orientation", "dataset") if column not in rows})
    tables = []
    for part in _chosen(part_ids):
        if part.values is None:
            raise InputError(f"{part.id} is not judged on rows of tasks; `judge` has its verdict.")
        tables.append(part.values(rows).assign(part=part.id))
    return pd.concat(tables, ignore_index=True)


def cases(values: Values, part: Part) -> pd.DataFrame:
    """Mean over runs of every case with its interval, and whether it supports or contradicts the part (1, 0, -1).

    The intervals of one table hold together with a confidence of 95 %: each has the level 1 - 0.05 / cases. A single
    number, which is exact, is its own interval.
    """
    table = values.groupby(list(CASE), sort=False)["value"].agg(["mean", "std", "count"]).reset_index()
    free = (table["count"] - 1).clip(lower=1)
    reach = stdtrit(free, 1 - 0.025 / len(table)) * table["std"].fillna(0.0) / np.sqrt(table["count"])
    table = table.assign(lower=table["mean"] - reach, upper=table["mean"] + reach)
    over = side(table["lower"], table["upper"], part.threshold)
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


def judge(evidence: Evidence) -> pd.DataFrame:
    """The ledger as a table: one row per part, protocol and orientation, ``both`` being all cases.

    ``estimate`` is the mean over the cases, with an interval over tasks that is widened to hold for all rows of the
    table at once (over the runs where there are fewer than three tasks). Exact numbers, one per case, have no interval:
    their range stands in its place.

    >>> judged = judge(load())
    >>> judged[judged["part"] == "C12"]["verdict"].unique().tolist()
    ['reproduced']
    """
    lines = []
    for claim in LEDGER:
        for part in claim.parts:
            lines += [
                line | {"claim": claim.id, "evidence": claim.page} for line in _lines(part, evidence.values(part))
            ]
    columns = ["claim", "part", "protocol", "orientation", "cases", "supporting", "contradicting"]
    table = pd.DataFrame(lines)
    intervals = [_interval(chosen, 1 - 0.025 / len(table)) for chosen in table.pop("values")]
    table[["estimate", "lower", "upper"]] = pd.DataFrame(intervals, index=table.index)
    return table[[*columns, "estimate", "lower", "upper", "verdict", "evidence"]]


def judge_few(values: Values, part_ids: Iterable[str]) -> dict[str, str]:
    """Verdicts on some parts (or on all parts of some claims) from a few cases alone, under one protocol.

    ``values`` has the columns of `wfhelpers.study.leads`; of those that tell cases apart only the needed ones.
    ``partly: +2 −1 of 4`` says that of four cases two support the part and one contradicts it.
    """
    values = values.assign(**{column: "" for column in CASE if column not in values})
    found = {}
    for part in _chosen(part_ids):
        own = values[values["part"] == part.id]
        if own.empty:
            raise InputError(f"There are no values of {part.id}; expected some in the column 'part'.")
        line = _counted(part, own)
        counts = f"+{line['supporting']} −{line['contradicting']} of {line['cases']}".replace(" ", "\N{NO-BREAK SPACE}")
        found[f"{part.id}: {part.hypothesis}"] = f"{line['verdict']}: {counts}"
    return found


def by_claim(ledger: pd.DataFrame, orientation: str = "both") -> pd.DataFrame:
    """Verdict on each claim, one row per claim, under each protocol, one column per protocol."""
    verdicts: dict[str, dict[str, str]] = {protocol: {} for protocol in PROTOCOLS}
    for claim in LEDGER:
        rows = ledger[(ledger["claim"] == claim.id) & ledger["orientation"].isin([orientation, ANY])]
        for protocol in PROTOCOLS:
            verdicts[protocol][claim.id] = together(rows[rows["protocol"].isin([protocol, ANY])]["verdict"].tolist())
    return pd.DataFrame(verdicts)


def _chosen(part_ids: Iterable[str]) -> list[Part]:
    """Parts with these ids, or of the claims with these ids."""
    wanted = set(part_ids)
    parts = [part for claim in LEDGER for part in claim.parts if {claim.id, part.id} & wanted]
    unknown = wanted - {claim.id for claim in LEDGER} - {part.id for claim in LEDGER for part in claim.parts}
    if unknown:
        raise InputError(f"Unknown claim {min(unknown)!r}; expected C1 to C14, or a part such as C2a.")
    return parts


def _lines(part: Part, values: Values) -> list[dict[str, object]]:
    lines = []
    for protocol in (protocol for protocol in (*PROTOCOLS, ANY) if protocol in set(values["protocol"])):
        under = values[values["protocol"] == protocol]
        groups = {name: group for name in (*ORIENTATIONS, ANY) if len(group := under[under["orientation"] == name])}
        if len(groups) > 1:
            groups["both"] = under
        for orientation, chosen in groups.items():
            where = {"part": part.id, "protocol": protocol, "orientation": orientation}
            lines.append({**where, **_counted(part, chosen), "values": chosen})
    return lines


def _counted(part: Part, values: Values) -> dict[str, object]:
    """How many cases there are, how many support the part and contradict it, and the verdict that follows."""
    sides = cases(values, part)["side"]
    supporting, contradicting = int((sides == 1).sum()), int((sides == -1).sum())
    word = verdict(supporting, contradicting, len(sides), part)
    return {"cases": len(sides), "supporting": supporting, "contradicting": contradicting, "verdict": word}


def _interval(values: Values, level: float) -> tuple[float, float, float]:
    """Mean and t interval over what may be taken as independent: tasks, in either orientation, else runs."""
    if (values["run"] == 0).all():
        exact = values["value"]
        return float(exact.mean()), float(exact.min()), float(exact.max())
    tasks = values["dataset"] + values["task"].map(lambda title: " vs ".join(sorted(title.split(" vs "))))
    means = values.groupby(tasks if tasks.nunique() >= 3 else values["run"])["value"].mean().to_numpy()
    reach = float(stdtrit(len(means) - 1, level) * means.std(ddof=1) / np.sqrt(len(means)))
    return float(means.mean()), float(means.mean() - reach), float(means.mean() + reach)
