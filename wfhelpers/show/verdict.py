"""The ledger for people: marks, sentences and tables in HTML, made from what `wfhelpers.ledger` computes."""

import base64
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from wfhelpers.core.protocols import PROTOCOLS
from wfhelpers.ledger import BOTH, LEDGER, VERDICTS, Claim, Part, by_claim
from wfhelpers.show.figures import png
from wfhelpers.show.pieces import link
from wfhelpers.study.leads import ANY

_MARKS = dict(zip(VERDICTS, ("✔", "◐", "○", "≈", "✘", "∅"), strict=True))
"""Sign of each verdict, always shown with its word."""

_LEDGER_PAGE, _ALL_TASKS = "../notebooks/00_verdict.html", "tasks_overview.html"
_DATASETS = ("mnist", "citeseer")
_CASES = {"given": "as listed", "swapped": "swapped", "mnist": "MNIST", "citeseer": "Citeseer"}
_COLUMNS = ("part", "protocol", "cases", "ahead / equal / behind", "effect", "95 % interval", "Holm + / −", "verdict")


def marks(ledger: pd.DataFrame) -> HTML:
    """The ledger in short: one line per claim, one mark per protocol; every line leads to the details.

    Where MNIST and Citeseer differ, their marks stand below that of both.
    """
    verdicts, apart = by_claim(ledger), {name: by_claim(ledger, dataset=name) for name in _DATASETS}
    lines = []
    for claim in LEDGER:
        cells = ""
        for protocol in PROTOCOLS:
            word = str(verdicts.loc[claim.id, protocol])
            words = {name: str(table.loc[claim.id, protocol]) for name, table in apart.items()}
            shown = _mark(word, named=False)
            if len(set(words.values())) > 1:
                each = (f"{_CASES[name][0]} {_MARKS[one]}" for name, one in words.items())
                said = "; ".join(f"{_CASES[name]} {one}" for name, one in words.items())
                shown += f'<br><small title="{said}">{" ".join(each)}</small>'
            cells += f'<td class="verdict" title="{word}">{shown}</td>'
        name = link(claim.id, f"{_LEDGER_PAGE}#{claim.id.lower()}")
        lines.append(f'<tr><th scope="row">{name}</th><td>{escape(claim.short)}</td>{cells}</tr>')
    legend = " &emsp; ".join(map(_mark, VERDICTS))
    return HTML(f"{_table(('', 'The paper says', *PROTOCOLS), lines)}<p>{legend}</p>")  # type: ignore[no-untyped-call]


def counts(ledger: pd.DataFrame) -> pd.DataFrame:
    """How many of the claims have each verdict: one row per verdict, one column per protocol."""
    return by_claim(ledger).apply(pd.Series.value_counts).reindex(VERDICTS).fillna(0).astype(int)


def details(claim: Claim, ledger: pd.DataFrame) -> HTML:
    """Everything about one claim: its words, the rules, the numbers of every line, and where the evidence is."""
    own = ledger[ledger["claim"] == claim.id].to_dict("records")
    reason = f"<p>{escape(claim.same_for_all)}</p>" if claim.same_for_all else ""
    chapter = link(f"chapter {claim.page[:2]}", f"{claim.page}.html")
    return HTML(  # type: ignore[no-untyped-call]
        f'<section class="claim" id="{claim.id.lower()}"><h3>{claim.id}: {escape(claim.words)}</h3>'
        f"<p>{escape(claim.place)}. {chapter}</p><ul>{''.join(_described(claim, part) for part in claim.parts)}</ul>"
        f"{reason}{_table(_COLUMNS, map(_line, own))}</section>"
    )


def facts(ledger: pd.DataFrame) -> dict[str, str]:
    """Words and numbers that the pages quote, by their names: ``c1_tuned`` is the verdict on C1 under tuned."""
    verdicts = by_claim(ledger)
    said = {f"{claim.lower()}_{p}": str(verdicts.loc[claim, p]) for claim in verdicts.index for p in PROTOCOLS}
    for protocol, column in counts(ledger).items():
        said |= {f"{word.replace(' ', '_')}_{protocol}": str(column[word]) for word in VERDICTS}
    for line in ledger.to_dict("records"):
        where = {line["orientation"], line["dataset"]} - {BOTH, ANY}
        if not where & {"given", "swapped"}:
            name = "_".join([line["part"].lower(), line["protocol"], *sorted(where)])
            said[f"{name}_counts"] = f"{line['ahead']} of {line['cases']}"
            said[f"{name}_equal"] = f"{line['equal']} of {line['cases']}"
            said[f"{name}_against"] = f"{line['behind']} of {line['cases']}"
            said[f"{name}_estimate"] = "{} ({})".format(*_estimate(line))
            said[f"{name}_word"] = line["verdict"]
    return said


def changes(ledger: pd.DataFrame, first: pd.DataFrame) -> pd.DataFrame:
    """Verdicts of the first version of the rules, on the first grid, beside those of today: one row per claim."""
    today = by_claim(ledger)
    columns = {}
    for protocol in PROTOCOLS:
        columns[protocol, "first"] = first[protocol].reindex(today.index).fillna("–")
        columns[protocol, "today"] = today[protocol]
    return pd.DataFrame(columns)


def picture(figure: Figure, alt: str) -> HTML:
    """Figure as a piece of HTML that other pages can show, with words for those who do not see it."""
    data = base64.b64encode(png(figure)).decode()
    return HTML(f'<img alt="{escape(alt)}" src="data:image/png;base64,{data}" style="max-width: 100%">')  # type: ignore[no-untyped-call]


def _described(claim: Claim, part: Part) -> str:
    """Hypothesis and rule of a part, with links to its table, to the function that computes it and to its test."""
    links = (
        link("results/evidence.csv", "#tables-code-tests") if part.values is None else link("all tasks", _ALL_TASKS),
        link(part.computed_by.removeprefix("wfhelpers."), f"../book/api.html#{part.computed_by}"),
        link(part.test.split("::")[-1], f"../book/concordance.html#{claim.id.lower()}"),
    )
    sources = "table {}, code {}, test {}".format(*links)
    return f"<li><b>{part.id}</b>: {escape(part.hypothesis)}. <i>Rule:</i> {escape(part.rule)} ({sources}).</li>"


def _table(heads: Iterable[str], lines: Iterable[str]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    body = "\n".join(lines)
    return f'<table class="dataframe ledger"><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>'


def _mark(verdict: str, *, named: bool = True) -> str:
    name = verdict.replace(" ", "-")  # the style sheet of the book gives it a colour for light and for dark
    sign = f'<b role="img" aria-label="{verdict}" class="{name}">{_MARKS[verdict]}</b>'
    return f'<span style="white-space: nowrap">{sign}{f" {verdict}" * named}</span>'


def _line(row: Mapping[Any, Any]) -> str:
    which = [_CASES[name] for name in (row["orientation"], row["dataset"]) if name in _CASES]
    named = (row["part"], "–" if row["protocol"] == ANY else row["protocol"], *(which or ["all"]))
    counts = f"{row['ahead']} / {row['equal']} / {row['behind']} of {row['cases']}"
    shown = (*named, counts, *_estimate(row), f"{row['supporting']} / {row['contradicting']}")
    more = row["runs_to_decide"]
    until = "" if pd.isna(more) else " (more tasks)" if more == float("inf") else f" (about {more:.0f} runs)"
    cells = "".join(f"<td>{escape(str(cell))}</td>" for cell in shown)
    return f"<tr>{cells}<td>{_mark(row['verdict'])}{until}</td></tr>"


def _estimate(row: Mapping[Any, Any]) -> tuple[str, str]:
    mean, lower, upper = (f"{row[name]:+.2g}" for name in ("estimate", "lower", "upper"))
    return mean, f"{lower} to {upper}"
