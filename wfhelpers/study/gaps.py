"""What the text leaves open or says twice: the gaps, each with its place, the reading chosen, and the reason.

How much the other readings change is measured in `wfhelpers.study.sensitivity`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from wfhelpers.core.strategies import label

LEAD = "bin − real"
"""What the headline claim speaks of: median AUC of bin minus that of real."""


@dataclass(frozen=True)
class Gap:
    """A point at which the text can be read in more than one way.

    Attributes
    ----------
    number
        As in the whole book.
    name
        In a few words.
    place
        Where in the paper.
    says
        What the text says.
    reading, why
        What this book takes it to mean, and why.
    chapter
        Notebook that treats it.
    beyond_auc
        Where another reading cannot change an AUC: what it changes instead, if anything. Empty where it is measured.
    """

    number: int
    name: str
    place: str
    says: str
    reading: str
    why: str
    chapter: str
    beyond_auc: str = ""


GAPS = (
    Gap(
        1,
        "derivative of the step",
        "Sec. 3 and 4 against App. A and Lemma 2",
        "$B_M (1 - B_M)$ in the main text, $M B_M (1 - B_M)$ in the appendix",
        "$M B_M (1 - B_M)$",
        "It is the derivative, and Lemma 2 needs it. The other one divides the learning rate by $M_{soft}$.",
        "02_binarization",
    ),
    Gap(
        2,
        "ReLU",
        "Sec. 5, eq. (11)",
        "“ReLU”, defined as $\\log(1 + e^w)$",
        "$\\log(1 + e^w)$, the softplus",
        "A formula binds more than a name.",
        "03_algorithm",
    ),
    Gap(
        3,
        "which of $M_{soft}$ and $M_{hard}$ is larger",
        "Sec. 4 against App. A",
        "$M_{soft} < M_{hard}$, but $M_{soft} \\geq M_{hard}$ in the list of symbols",
        "$M_{soft} \\leq M_{hard}$: 5 and 50",
        "The method and the experiments say so. Fig. 3 has the equal case, too.",
        "02_binarization",
    ),
    Gap(
        4,
        "start",
        "Algorithm 1; Sec. 5",
        "“randomly initialized”, no distribution",
        "three protocols: literal, charitable, tuned",
        "It decides the outcome, so that one reading alone would decide it, too.",
        "03_algorithm",
    ),
    Gap(
        5,
        "learning rate, steps, batch",
        "Algorithm 1; Fig. 3; Sec. 5",
        "“constant” for Fig. 3, nothing else",
        "rate 0.01 for bin and bin→real, 0.1 for the others (charitable); 200 steps; all objects in each step",
        "At 0.01 single and double precision find the same binary networks.",
        "05_strategies",
    ),
    Gap(
        6,
        "pooling",
        "Sec. 5, data sets",
        "“pooling over 64 non-overlapping windows”",
        "mean of each window",
        "It keeps more of the image.",
        "01_data",
    ),
    Gap(
        7,
        "principal components",
        "Sec. 5, data sets",
        "those “of the entire corpus”; centring not stated",
        "centred, entire corpus",
        "The corpus is the text's word, centring the common practice. Test objects are seen, but not their classes.",
        "01_data",
    ),
    Gap(
        8,
        "orientation",
        "Sec. 5; titles of Fig. 4",
        "two groups, not which one is $y = 1$",
        "the group named second is $y = 1$; both are reported",
        "With nonnegative weights the two are different problems.",
        "05_strategies",
    ),
    Gap(
        9,
        "lottery",
        "Sec. 5, models",
        "prunes without training again, unlike the work it cites; $w \\circ \\tilde w$ is called binary; T not given",
        "no training again; $\\tilde w$ is the binary network; T = 5",
        "The first as printed, the second since $w \\circ \\tilde w$ is not binary, T to have a few prunings.",
        "05_strategies",
    ),
    Gap(
        10,
        "agnostic",
        "Sec. 5, models",
        "$u_0 \\sim N(0, 1)$ can be negative; numbers of architectures and of shared weights not given",
        "as printed; 10 tensors cut at 10 percentiles, 5 shared weights each; a new $u_0$ for agnostic→real",
        "The sign of $u_0$ cancels over two layers. The numbers are our choice.",
        "05_strategies",
    ),
    Gap(
        11,
        "ties",
        "Sec. 5; Fig. 4",
        "AUC, not how objects of equal score count",
        "a tie counts one half",
        "It is the usual definition: a score that knows nothing gets 0.5.",
        "05_strategies",
    ),
    Gap(
        12,
        "precision",
        "Sec. 5",
        "nothing on floating-point numbers",
        "training in single precision, AUC from the sum inside the softplus in double precision",
        "In single precision $\\psi$ rounds large scores together. The sum orders the objects as $\\psi$ does.",
        "05_strategies",
    ),
    Gap(
        13,
        "thresholds",
        "Sec. 5, eq. (13)",
        "the 10th, 20th, ..., 100th percentile",
        "as printed",
        "It is clear, though odd: the 100th keeps a single weight, and the full network is not among the candidates.",
        "06_spectra",
    ),
    Gap(
        14,
        "adjacency matrix",
        "Sec. 5, footnote on Fig. 5",
        "$A_3 = [W_1^T 0, 1]$; “1” on the diagonal",
        "$[0, W_1^T, 1]$; the identity",
        "Only so is the matrix symmetric; a block of ones would join all nodes of a layer.",
        "06_spectra",
        "Networks are described, not changed. Blocks of ones make spectra more alike.",
    ),
    Gap(
        15,
        "data of Fig. 5",
        "Fig. 5 and the paragraph on it",
        "Citeseer in the caption, MNIST 1 vs 2 in the text",
        "both are drawn",
        "Neither is more likely.",
        "06_spectra",
        "Both are shown.",
    ),
    Gap(
        16,
        "test objects",
        "caption of Fig. 4 against Sec. 5",
        "“50 test images” in the caption, “50 objects per class” in the text",
        "50 a class",
        "The text is the more explicit one.",
        "05_strategies",
    ),
    Gap(
        17,
        "error bars",
        "Sec. 5; Fig. 4",
        "“quantiles”, not which",
        "quartiles",
        "Fig. 3 and 5 have quartiles.",
        "05_strategies",
        "Medians stay as they are; the bars are longer or shorter.",
    ),
    Gap(
        18,
        "sign of the remainder",
        "Lemma 2 and its proof",
        "$v - \\eta (g + r)$, then $v - \\eta g + \\eta r$; $B$ for $B'$ in the interval of $\\xi$",
        "$v - \\eta (g - r)$ with the printed $r$; $B'$",
        "So the lines of the proof agree, and the bound on the length of $r$ does not see the sign.",
        "04_convergence_bound",
        "A proof: Lemma 2 holds in either case.",
    ),
    Gap(
        19,
        "proof of Theorem 1",
        "App. B",
        "$E(r^t) = 0$; a telescoping sum without its remainder; the last iterate for the average",
        "the theorem as printed is tested, and another one proved",
        "The assumption fails where it matters, and there are counterexamples.",
        "04_convergence_bound",
        "A proof: no experiment rests on it.",
    ),
    Gap(
        20,
        "convexity",
        "eq. (6) against eq. (11) and (12)",
        "f convex in v; the experiments' $\\psi$ is not",
        "the theory speaks of convex losses, not of these networks",
        "A sum of tanh units is neither convex nor concave in its weights.",
        "04_convergence_bound",
        "A proof: the networks are trained in the same way.",
    ),
    Gap(
        21,
        "values of Citeseer",
        "Sec. 5, data sets",
        "“integer-valued” vectors",
        "0 and 1, as published",
        "No other values are in the data.",
        "01_data",
        "There are no other data to try.",
    ),
    Gap(
        22,
        "run time",
        "Fig. 4",
        "run time of each model, not whether that of real→bin contains the training of real",
        "both are kept; Fig. 4 counts the parent's time",
        "Without its parent a derived network cannot be had.",
        "05_strategies",
        "Run times change, networks do not.",
    ),
    Gap(
        23,
        "sign of principal components",
        "Sec. 5, data sets",
        "nothing",
        "the score of largest absolute value is positive",
        "Any rule will do for other classifiers. With nonnegative weights each one is another problem.",
        "05_strategies",
    ),
)
"""The gaps by their number: 22 of the text, and one that came up while it was rebuilt."""


def errata(effects: pd.DataFrame) -> str:
    """Table of the gaps in Markdown, with the measured effects: a table of `wfhelpers.study.sensitivity.table`.

    An effect is given as its range over the tasks, for the model that it changes most; and for the lead of bin over
    real where it changes both of them.
    """
    lines = ["| gap | the text says | our reading, and why | other readings: change of the AUC |", "|---|---|---|---|"]
    for gap in GAPS:
        measured = "<br>".join(_measured(effects[effects["gap"] == str(gap.number)]))
        place = f"**{gap.number}** {gap.name}<br>{gap.place}<br>[chapter {int(gap.chapter[:2])}]({gap.chapter}.ipynb)"
        cells = [place, gap.says, f"{gap.reading}. *{gap.why}*", measured or f"none. {gap.beyond_auc}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _measured(effects: pd.DataFrame) -> Iterator[str]:
    """One line a reading."""
    for (choice, other), rows in effects.groupby(["choice", "other"], sort=False):
        by_model = rows.groupby("model", sort=False)["effect"]
        most = by_model.agg(lambda values: values.abs().max()).drop(LEAD, errors="ignore")
        names = [str(most.idxmax()), *([LEAD] if {"bin", "real", LEAD} <= set(rows["model"]) else [])]
        ranges = [f"{name if name == LEAD else label(name)} {_range(by_model.get_group(name))}" for name in names]
        yield f"{choice}: **{other}**, {', '.join(ranges)}"


def _range(values: "pd.Series[float]") -> str:
    """Lowest and highest value, once if they are the same: ``−0.42 to −0.25``."""
    ends = [f"{round(value, 2) + 0.0:+.2f}".replace("-", "−") for value in (values.min(), values.max())]
    return " to ".join(dict.fromkeys(ends))
