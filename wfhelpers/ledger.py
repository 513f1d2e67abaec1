"""The ledger: fifteen claims of the paper, each with a rule fixed beforehand, and the only judge of them.

A claim has parts. A part is a comparison that is made in many cases (a task at a size, say), with one margin per run:
positive where the part is right. Three numbers speak for it, and the word follows from them alone (`verdict`):

* the paper's own criterion: in how many cases the medians over runs are ahead, equal and behind;
* the effect at the level of tasks: the median over tasks of their mean margins, with its exact 95 % interval;
* the single cases: how many support and contradict the part after Holm's correction.

Adding cases that support a part never weakens its verdict. `LEDGER` states the rules, `judge` applies them to all
results and `judge_few` to the few cases of a chapter.

>>> LEDGER[3].words, [part.rule for part in LEDGER[3].parts]
('random→bin performs consistently better than random', ['lead in AUC above 0 in all cases'])
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wfhelpers._support import InputError
from wfhelpers.core.jobs import ORIENTATIONS
from wfhelpers.core.protocols import PROTOCOLS
from wfhelpers.core.strategies import OURS, REST
from wfhelpers.results.store import Store, results_folder
from wfhelpers.study.leads import (
    ANY,
    CASE,
    factor_of_run_time,
    gain_on_hard_tasks,
    lead,
    less_overfitting,
    loss_by_overfitting,
)
from wfhelpers.study.numbers import Numbers, cases, numbers, runs_to_decide

VERDICTS = ("reproduced", "by count only", "open", "equivalent", "not reproduced", "nothing trains")
"""Words, from the kindest to the paper to the least kind. *By count only*: by the paper's criterion, not beyond chance.
*Equivalent*: no difference larger than the region of practical equivalence. *Nothing trains*: all sides are equal."""

EQUIVALENT = 0.01
"""Region of practical equivalence: differences of AUC up to this size make no difference."""

LITTLE = 0.05
"""Difference of AUC that counts as little, for claims C11 and C14 alike."""

FAR_APART = 2.0
"""Strategies give "highly different" networks if they lie this many times as far apart as runs of one strategy."""

SIMILAR = 0.5
"""Binary networks are "similar" if they lie at most this share of the real networks' distance apart."""

COMPARABLE = 5.0
"""Run times are comparable if one is at most this many times the other."""

ALL, ALL_BUT_ONE, MOST, SOME, THEOREM = "all cases", "11 of 12 cases", "most cases", "one case", "every case"
"""How many cases a claim speaks of. "All but one" is meant of the twelve cases of Fig. 4: 11 of 12 at any number."""

BOTH = "both"
"""Orientation and data set of what was judged on all of them."""

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
        What the claim says about a case, in words.
    measure
        What the number of a case is.
    spoken_of
        How many cases the claim speaks of. A theorem speaks of every case, exactly: one contradiction refutes it.
    values
        Makes the numbers from the rows of all tasks; None if they are in ``results/evidence.csv``.
    threshold, above
        A number agrees with the part if it lies above (else below) the threshold.
    equivalent
        Margins up to this size make no practical difference.
    computed_by, test
        Dotted name of the function that computes the numbers, and pytest's name of the test of that function.
    """

    id: str
    hypothesis: str
    measure: str
    spoken_of: str = MOST
    values: Callable[[pd.DataFrame], Values] | None = None
    threshold: float = 0.0
    above: bool = True
    equivalent: float = 0.0
    computed_by: str = field(kw_only=True)
    test: str = field(kw_only=True)

    def needed(self, cases: int) -> int:
        """Number of cases, of so many, in which the part must be right by the paper's criterion."""
        least = {ALL: cases, THEOREM: cases, ALL_BUT_ONE: ceil(cases * 11 / 12), MOST: cases // 2 + 1, SOME: 1}
        return least[self.spoken_of]

    def margins(self, values: Values) -> Values:
        """The same table with how far each value lies on the claimed side of the threshold."""
        over = values["value"] - self.threshold
        return values.assign(value=over if self.above else -over)

    @property
    def rule(self) -> str:
        """The rule in words."""
        return f"{self.measure} {'above' if self.above else 'below'} {self.threshold:.2g} in {self.spoken_of}"


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


def _lead(id: str, hypothesis: str, spoken_of: str, ours: Sequence[str], others: Sequence[str]) -> Part:
    """Part that compares the best of some models with the best of others."""
    by = _by("leads.lead", "test_a_lead_is_that_of_the_best_over_the_best_run_by_run")
    return Part(id, hypothesis, "lead in AUC", spoken_of, lead(ours, others), equivalent=EQUIVALENT, **by)


_SLOPE = _by("evidence.softer_slope", "test_a_softer_slope_is_compared_run_by_run")
_STEP = _by("evidence.harder_step", "test_a_harder_step_is_judged_by_rounding_and_by_the_objective_reached")
_RATIOS = _by("similarity.log_ratios_by_run", "test_distance_ratios_against_a_literal_jackknife")
_REAL, _BINARY = ("real", "lottery"), ("real-bin", "lottery-bin", "random-bin", "agnostic")

# fmt: off
LEDGER = (
    Claim("C1", "bin or bin→real is best in all but one cases", "Results", "05_strategies",
          "bin or bin→real achieves the best performance in all but one cases",
          (_lead("C1", "bin or bin→real is ahead of the other eight models", ALL_BUT_ONE, OURS, REST),)),
    Claim("C2", "Weight-free networks often beat flexible ones", "Results, Sec. 1", "05_strategies",
          "weight-free networks so often outperform fine-tuned, more flexible models",
          (_lead("C2a", "bin is ahead of real and of lottery", MOST, ["bin"], _REAL),
           _lead("C2b", "bin is ahead of bin→real", MOST, ["bin"], ["bin-real"]),
           _lead("C2c", "bin is ahead of the other binary networks", MOST, ["bin"], _BINARY))),
    Claim("C3", "bin beats weight-agnostic search and pruning", "Results", "05_strategies",
          "the method produces better networks than weight-agnostic search and than pruning",
          (_lead("C3a", "bin is ahead of agnostic", MOST, ["bin"], ["agnostic", "agnostic-real"]),
           _lead("C3b", "bin is ahead of lottery", MOST, ["bin"], ["lottery", "lottery-bin"]))),
    Claim("C4", "random→bin is consistently better than random", "footnote, Sec. 5", "05_strategies",
          "random→bin performs consistently better than random",
          (_lead("C4", "random→bin is ahead of random", ALL, ["random-bin"], ["random"]),)),
    Claim("C5", "A soft slope hurts small M_hard, helps large", "Remarks, Fig. 3", "03_algorithm",
          "M_soft << M_hard may hurt when M_hard is small, and consistently helps when it is large",
          (Part("C5a", "with M_hard of 5 or 10, a softer slope ends at a higher F", "rise of F", SOME, **_SLOPE),
           Part("C5b", "with M_hard of 50 or 200, a softer slope ends at a lower F", "fall of F", ALL, **_SLOPE))),
    Claim("C6", "A larger M_hard is harder, and rounds better", "Remarks", "03_algorithm",
          "a larger M_hard is harder to optimize, but rounds with less error",
          (Part("C6a", "M_hard of 200 rounds with less error than 20", "fall of the error in F", **_STEP),
           Part("C6b", "M_hard of 200 reaches a higher F than 20", "rise of F", **_STEP))),
    Claim("C7", "Lemma 4.2: a step's remainder is at most G C", "Sec. 4, App. B", "04_convergence_bound",
          "Lemma 4.2: the remainder of a step is at most G C long",
          (Part("C7", "no remainder is longer than G C", "share of G C to spare", THEOREM,
                **_by("evidence.remainder_slack", "test_remainders_leave_the_share_that_the_sharp_constant_says")),),
          "A statement about one step and its gradient: no start and no rate enter."),
    Claim("C8", "Theorem 4.3: the gap shrinks like (1 + log T)/T", "Sec. 4, App. B", "04_convergence_bound",
          "Theorem 4.3: the gap shrinks like (1 + log T)/T",
          (Part("C8", "no gap exceeds the bound", "log10 of bound over gap", THEOREM,
                **_by("evidence.theorem_slack", "test_theorem_1_fails_at_small_rates_and_holds_at_large_ones")),),
          "A theorem about every convex function and every start: the protocols' starts are only some of them."),
    Claim("C9", "Fine-tuning helps on hard tasks, and overfits", "Discussion", "05_strategies",
          "fine-tuning the weights may help on hard tasks, and may hurt by overfitting",
          (Part("C9a", "on a hard task it raises the AUC", "gain in AUC", SOME, gain_on_hard_tasks,
                **_by("leads.gain_on_hard_tasks", "test_hard_tasks_are_those_on_which_even_the_best_model_is_low")),
           Part("C9b", "it fits better and tests worse in some case", "loss of AUC", SOME, loss_by_overfitting,
                **_by("leads.loss_by_overfitting", "test_overfitting_counts_only_where_the_objective_falls")))),
    Claim("C10", "Real networks differ, architectures are similar", "Discussion, Fig. 5", "06_spectra",
          "strategies give highly different real networks but spectrally similar architectures",
          (Part("C10a", "real networks of two strategies lie far apart",
                "log of distance between strategies over within", threshold=float(np.log(FAR_APART)), **_RATIOS),
           Part("C10b", "their binary networks lie at most half as far apart", "log of binary over real distance",
                threshold=float(np.log(SIMILAR)), above=False, **_RATIOS))),
    Claim("C11", "Nonnegative weights cost little", "footnote, Sec. 5", "07_sensitivity",
          "nonnegative weights do not compromise the performance significantly, in most cases",
          (Part("C11", "weights of either sign gain little", "gain in AUC", threshold=LITTLE, above=False,
                **_by("sensitivity.nonnegativity_aucs", "test_orientation_decides_what_nonnegative_weights_cost")),)),
    Claim("C12", "The spectrum ignores how nodes are numbered", "footnote, Sec. 5", "06_spectra",
          "the spectrum solves the relabelling ambiguity of hidden nodes",
          (Part("C12", "renamed hidden nodes leave the spectrum as it is", "largest change of an eigenvalue", THEOREM,
                threshold=1e-6, above=False,
                **_by("evidence.change_by_relabelling", "test_relabelled_networks_have_the_same_spectrum")),)),
    Claim("C13", "bin takes about as long as the others", "Results", "05_strategies",
          "the run time of bin is comparable to the others'",
          (Part("C13a", "bin is within a factor of 5 of real and of lottery", "log of the factor in run time",
                values=factor_of_run_time, threshold=float(np.log(COMPARABLE)), above=False,
                **_by("leads.factor_of_run_time", "test_the_factor_of_run_time_is_the_larger_one_either_way")),
           Part("C13b", "so it is in what it takes to reach the same AUC", "log of the factor in objects seen",
                threshold=float(np.log(COMPARABLE)), above=False,
                **_by("evidence.factor_to_same_auc", "test_the_factor_to_the_same_auc_counts_objects")))),
    Claim("C14", "The value of a shared weight matters much", "Sec. 1", "07_sensitivity",
          "shared-weight networks are very sensitive to the value of the shared weight",
          (Part("C14", "the best value is well ahead of the worst", "spread of AUC", threshold=LITTLE,
                **_by("sensitivity.shared_weight_aucs", "test_shared_weights_share_one_architecture_per_run")),)),
    Claim("C15", "Weight-free networks overfit less", "Sec. 1", "05_strategies",
          "weight-free networks are less prone to over-fitting",
          (Part("C15", "bin loses less AUC from training to test objects than real", "smaller loss of AUC", MOST,
                less_overfitting, equivalent=EQUIVALENT,
                **_by("leads.less_overfitting", "test_overfitting_is_a_fall_from_training_to_test_objects")),)),
)
# fmt: on
"""The claims of the paper, in order: the second version of the rules. The first was fixed before the first full grid
was computed, this one before the grid with thirty runs was; what changed is on the verdict page."""


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


def verdict(found: Numbers, part: Part) -> str:
    """Word that follows from the numbers of a part.

    *Reproduced*: right in as many cases as the claim speaks of, and at the level of tasks beyond chance. *By count
    only*: the former alone. Otherwise *not reproduced* if the interval lies below zero, or below what makes a practical
    difference, or if more cases contradict the part than the claim leaves out; *equivalent* if the interval lies within
    what makes no practical difference; else *open*. Where a claim speaks of one case, that case must support it after
    Holm's correction. A theorem falls with one contradiction.
    """
    if part.spoken_of == THEOREM:
        return "not reproduced" if found.behind else "reproduced"
    if found.equal == found.cases and found.lower == found.upper == 0:
        return "nothing trains"
    met = found.ahead >= part.needed(found.cases)
    if part.spoken_of == SOME:
        beyond_chance = found.supporting > 0
        return ("reproduced" if beyond_chance else "by count only") if met else "not reproduced"
    if met:
        return "reproduced" if found.lower > 0 else "by count only"
    if found.upper < 0 or found.lower <= -part.equivalent < found.upper < part.equivalent:
        return "not reproduced"
    if found.upper < part.equivalent:
        return "equivalent"
    return "not reproduced" if found.contradicting > found.cases - part.needed(found.cases) else "open"


def together(verdicts: Sequence[str]) -> str:
    """Verdict on a claim from those on its parts: the least kind of them, since the claim says them all."""
    return max(verdicts, key=VERDICTS.index)


def judge(evidence: Evidence) -> pd.DataFrame:
    """The ledger as a table: one row per part and protocol on all cases, and on those of each orientation and data set.

    Columns are the fields of `wfhelpers.study.numbers.Numbers`, the ``verdict``, and ``runs_to_decide`` where it is
    open. Holm's correction is that of all cases, so that the rows of orientations and data sets add up.

    >>> judged = judge(load())
    >>> judged[judged["part"] == "C12"]["verdict"].unique().tolist()
    ['reproduced']
    """
    lines = []
    for claim in LEDGER:
        for part in claim.parts:
            for line in _lines(part, evidence.values(part)):
                lines.append({"claim": claim.id, "part": part.id, **line, "evidence": claim.page})
    return pd.DataFrame(lines)


def judge_few(values: Values, part_ids: Iterable[str]) -> dict[str, str]:
    """Verdicts on some parts (or on all parts of some claims) from a few cases alone, under one protocol.

    ``values`` has the columns of `wfhelpers.study.leads`; of those that tell cases apart only the needed ones. The word
    is followed by the `wfhelpers.study.numbers.Numbers`.
    """
    values = values.assign(**{column: "" for column in CASE if column not in values})
    found = {}
    for part in _chosen(part_ids):
        own = values[values["part"] == part.id]
        if own.empty:
            raise InputError(f"There are no values of {part.id}; expected some in the column 'part'.")
        margins = part.margins(own)
        shown = numbers(margins, cases(margins), exact=part.spoken_of == THEOREM)
        found[f"{part.id}: {part.hypothesis}"] = f"{verdict(shown, part)}: {shown}"
    return found


def by_claim(ledger: pd.DataFrame, orientation: str = BOTH, dataset: str = BOTH) -> pd.DataFrame:
    """Verdict on each claim, one row per claim, under each protocol, one column per protocol."""
    verdicts: dict[str, dict[str, str]] = {protocol: {} for protocol in PROTOCOLS}
    for claim in LEDGER:
        rows = ledger[ledger["claim"] == claim.id]
        rows = rows[rows["orientation"].isin([orientation, ANY]) & rows["dataset"].isin([dataset, ANY])]
        for protocol in PROTOCOLS:
            verdicts[protocol][claim.id] = together(rows[rows["protocol"].isin([protocol, ANY])]["verdict"].tolist())
    return pd.DataFrame(verdicts)


def _chosen(part_ids: Iterable[str]) -> list[Part]:
    """Parts with these ids, or of the claims with these ids."""
    wanted = set(part_ids)
    parts = [part for claim in LEDGER for part in claim.parts if {claim.id, part.id} & wanted]
    unknown = wanted - {claim.id for claim in LEDGER} - {part.id for claim in LEDGER for part in claim.parts}
    if unknown:
        raise InputError(f"Unknown claim {min(unknown)!r}; expected C1 to C15, or a part such as C2a.")
    return parts


def _lines(part: Part, values: Values) -> list[dict[str, Any]]:
    lines = []
    for protocol in (protocol for protocol in (*PROTOCOLS, ANY) if protocol in set(values["protocol"])):
        under = part.margins(values[values["protocol"] == protocol])
        table, runs = cases(under), under["run"].nunique()
        for where in _subsets(under):
            own = _within(table, where)
            found = numbers(_within(under, where), own, exact=part.spoken_of == THEOREM)
            word = verdict(found, part)
            more = runs_to_decide(own, part.needed(len(own)), runs) if word == "open" else np.nan
            lines.append({"protocol": protocol, **where, **vars(found), "verdict": word, "runs_to_decide": more})
    return lines


def _subsets(values: Values) -> list[dict[str, str]]:
    """All cases, then those of each orientation and of each data set, where there is more than one."""
    whole = {"orientation": BOTH, "dataset": BOTH}
    if (values["orientation"] == ANY).all():
        return [{"orientation": ANY, "dataset": ANY}]
    parts = []
    for column, known in (("orientation", ORIENTATIONS), ("dataset", sorted(values["dataset"].unique(), reverse=True))):
        present = [name for name in known if name in set(values[column])]
        parts += [{**whole, column: name} for name in present if len(present) > 1]
    return [whole, *parts]


def _within(table: pd.DataFrame, where: Mapping[str, str]) -> pd.DataFrame:
    for column, name in where.items():
        if name not in (BOTH, ANY):
            table = table[table[column] == name]
    return table
