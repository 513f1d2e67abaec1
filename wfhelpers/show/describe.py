"""What the repository shows of the results outside of the book: all made by one command, and compared by a test.

``wfhelpers describe`` writes the README's answer and its figure, the data dictionary, the metadata of the results and
the schema of ``experiments.yml``. No claim and no verdict is named here: the ledger has them.
"""

import io
import json
from pathlib import Path
from textwrap import wrap

import pandas as pd

from wfhelpers import ledger
from wfhelpers._support import InputError, short_hash
from wfhelpers.core.protocols import PROTOCOLS
from wfhelpers.results import catalogue, experiments
from wfhelpers.show import figures_models
from wfhelpers.study.numbers import cases as cases_of

BEGIN, END = "<!-- answer: made by `wfhelpers describe` -->", "<!-- end of answer -->"
FIGURE = "book/_static/leads.png"
READINGS = {
    "literal": "if every training starts as the text reads",
    "charitable": "under the reading kindest to the paper",
    "tuned": "if every method gets the same search for its start",
}
"""What each protocol stands for, as the end of a sentence."""

_RESULTS = """# Stored results

What `wfhelpers reproduce`, `measure` and `tune` made: never edited by hand. `wfhelpers describe` makes this page from
[dictionary.yml](dictionary.yml), and a test compares it with the files. All tables of tasks as one file:
`wfhelpers describe --tidy all_tasks.csv.gz`. A network that Algorithm 1 found: `wfhelpers networks --help`.
"""


def made(root: Path) -> dict[str, bytes]:
    """Content of every file that follows from the results, by its path in the project."""
    evidence = ledger.load(root / "results")
    verdicts = ledger.by_claim(ledger.judge(evidence))
    cases = headline_cases(evidence)
    readme = (root / "README.md").read_text(encoding="utf-8")
    texts = {
        "README.md": with_answer(readme, answer(verdicts, cases)),
        "results/README.md": "\n".join([_RESULTS.rstrip(), *catalogue.page(root), ""]),
        "ro-crate-metadata.json": _json(catalogue.crate(root)),
        "experiments.schema.json": _json(experiments.schema()),
    }
    return {name: text.encode() for name, text in texts.items()} | {FIGURE: picture(cases)}


def answer(verdicts: pd.DataFrame, cases: pd.DataFrame) -> str:
    """Two sentences, the table of the claims and the figure, in Markdown; ``verdicts`` is `ledger.by_claim`."""
    headline, last = ledger.LEDGER[0], PROTOCOLS[-1]
    found = verdicts.loc[headline.id].to_dict()
    readings = [f"*{found[name]}* {READINGS[name]} ({name})" for name in PROTOCOLS]
    counts = verdicts[last].value_counts()
    words = ", ".join(f"*{word}* ({counts[word]})" for word in ledger.VERDICTS if word in counts)
    first = f"The verdict on its first claim, “{headline.words}”, is {', '.join(readings[:-1])}, and {readings[-1]}."
    second = f"The verdicts on all {len(verdicts)} claims are, in that last case, {words}."
    lines = [*wrap(f"**Does it hold?** {first} {second}", 120), ""]
    lines += [f"| the paper says | {' | '.join(PROTOCOLS)} |", f"|---{'|---' * len(PROTOCOLS)}|"]
    for claim in ledger.LEDGER:
        lines.append(f"| {claim.id}: {claim.short} | {' | '.join(map(str, verdicts.loc[claim.id, list(PROTOCOLS)]))} |")
    return "\n".join([*lines, "", f'<img src="{FIGURE}" width="600" alt="{_in_words(cases)}">'])


def _in_words(cases: pd.DataFrame) -> str:
    """What the figure shows, for those who do not see it."""
    sides = cases.groupby("protocol", sort=False)["side"].value_counts().unstack(fill_value=0)
    sides = sides.reindex(columns=[1, 0, -1], fill_value=0)
    counts = ["{}: {} ahead, {} tied, {} behind".format(*line) for line in sides.itertuples()]
    return f"Leads in AUC of all cases in rising order, one panel per protocol. {'; '.join(counts)}"


def with_answer(readme: str, answer: str) -> str:
    """The README with the answer between its two comments."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise InputError(f"README.md lacks the lines {BEGIN} and {END}; put them where the answer belongs.")
    return f"{before}{BEGIN}\n{answer}\n{END}{after}"


def headline_cases(evidence: ledger.Evidence) -> pd.DataFrame:
    """Every case of the first claim, under each protocol, with its interval and its side."""
    part = ledger.LEDGER[0].parts[0]
    values = evidence.values(part)
    return pd.concat([cases_of(values[values["protocol"] == name]) for name in PROTOCOLS])


def picture(cases: pd.DataFrame) -> bytes:
    """PNG of the cases. Pixels differ from one machine to the next, so that it also holds the hash of what it shows."""
    content = io.BytesIO()
    figures_models.leads(cases).savefig(content, format="png", dpi=130, metadata={"Description": mark(cases)})
    return content.getvalue()


def mark(cases: pd.DataFrame) -> str:
    """Hash of what the figure shows."""
    return short_hash(cases[["protocol", "mean", "lower", "upper", "side"]].round(7).to_numpy().tolist())


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
