"""The ledger for people: marks, sentences and tables in HTML, made from what `wfhelpers.ledger` computes."""

import base64
import io
from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from wfhelpers.core.jobs import PROTOCOLS
from wfhelpers.ledger import LEDGER, VERDICTS, Claim, by_claim
from wfhelpers.results.measurements import ANY

MARKS = dict(zip(VERDICTS, ("✔", "◐", "✘", "○"), strict=True))
"""Sign of each verdict, always shown with its word."""

LEDGER_PAGE = "../notebooks/00_verdict.html"


def marks(ledger: pd.DataFrame) -> HTML:
    """The ledger in short: a line a claim, a mark a protocol; every line leads to the details."""
    verdicts = by_claim(ledger)
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("", "The paper says", *PROTOCOLS))
    lines = []
    for claim in LEDGER:
        link = f'<a href="{LEDGER_PAGE}#{claim.id.lower()}">{claim.id}</a>'
        words = [str(verdicts.loc[claim.id, protocol]) for protocol in PROTOCOLS]
        cells = "".join(f'<td class="verdict" title="{word}">{_sign(word)}</td>' for word in words)
        lines.append(f'<tr><th scope="row">{link}</th><td>{escape(claim.short)}</td>{cells}</tr>')
    legend = " &emsp; ".join(_mark(word) for word in VERDICTS)
    body = "\n".join(lines)
    table = f'<table class="dataframe ledger"><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>'
    return HTML(f"{table}<p>{legend}</p>")  # type: ignore[no-untyped-call]


def counts(ledger: pd.DataFrame) -> pd.DataFrame:
    """How many of the claims have each verdict, a row a verdict, a column a protocol."""
    verdicts = by_claim(ledger)
    return (
        pd.DataFrame({protocol: verdicts[protocol].value_counts() for protocol in PROTOCOLS}, index=list(VERDICTS))
        .fillna(0)
        .astype(int)
    )


def details(claim: Claim, ledger: pd.DataFrame) -> HTML:
    """Everything about one claim: its words, the rules, the numbers of every line, and where the evidence is."""
    own = ledger[ledger["claim"] == claim.id]
    parts = "".join(
        f"<li><b>{part.id}</b>: {escape(part.hypothesis)}. <i>Rule:</i> {escape(part.rule)}.</li>"
        for part in claim.parts
    )
    reason = f"<p>{escape(claim.same_for_all)}</p>" if claim.same_for_all else ""
    lines = "".join(_line(row) for row in own.to_dict("records"))
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("part", "protocol", "groups", "cases", "support", "contradict", "mean", "interval", "verdict")
    )
    return HTML(  # type: ignore[no-untyped-call]
        f'<section class="claim" id="{claim.id.lower()}"><h3>{claim.id}: {escape(claim.words)}</h3>'
        f"<p>{escape(claim.place)}. {_links(claim)}</p><ul>{parts}</ul>{reason}"
        f'<table class="dataframe ledger"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></section>'
    )


def facts(ledger: pd.DataFrame) -> dict[str, str]:
    """Words and numbers that the pages quote, by their names: ``c1_tuned`` is the verdict on C1 under tuned."""
    verdicts = by_claim(ledger)
    said = {f"{claim.lower()}_{p}": str(verdicts.loc[claim, p]) for claim in verdicts.index for p in PROTOCOLS}
    for protocol, column in counts(ledger).items():
        said |= {f"{word.replace(' ', '_')}_{protocol}": str(column[word]) for word in VERDICTS}
    for line in ledger.to_dict("records"):
        if line["orientation"] in ("both", ANY) and line["protocol"] in (*PROTOCOLS, ANY):
            name = f"{line['part'].lower()}_{line['protocol']}"
            said[f"{name}_counts"] = f"{line['supporting']} of {line['cases']}"
            said[f"{name}_against"] = f"{line['contradicting']} of {line['cases']}"
            said[f"{name}_estimate"] = _estimate(line)
    return said


def picture(figure: Figure, alt: str) -> HTML:
    """Figure as a piece of HTML that other pages can show, with words for those who do not see it."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=144)
    data = base64.b64encode(content.getvalue()).decode()
    return HTML(f'<img alt="{escape(alt)}" src="data:image/png;base64,{data}" style="max-width: 100%">')  # type: ignore[no-untyped-call]


def _sign(verdict: str) -> str:
    name = verdict.replace(" ", "-")  # the style sheet of the book gives it a colour for light and for dark
    return f'<b role="img" aria-label="{verdict}" class="{name}">{MARKS[verdict]}</b>'


def _mark(verdict: str) -> str:
    return f'<span style="white-space: nowrap">{_sign(verdict)} {verdict}</span>'


def _line(row: Mapping[Any, Any]) -> str:
    groups = {"given": "as listed", "swapped": "swapped", "both": "both ways", ANY: "–"}[str(row["orientation"])]
    shown = (
        *(row["part"], "–" if row["protocol"] == ANY else row["protocol"], groups),
        *(row["cases"], row["supporting"], row["contradicting"]),
    )
    mean, interval = _estimate(row).split(" (")
    cells = "".join(f"<td>{escape(str(cell))}</td>" for cell in (*shown, mean, interval.rstrip(")")))
    return f"<tr>{cells}<td>{_mark(str(row['verdict']))}</td></tr>"


def _estimate(row: Mapping[Any, Any]) -> str:
    mean, lower, upper = (f"{row[name]:+.2g}" for name in ("estimate", "lower", "upper"))
    return f"{mean} ({lower} to {upper})"


def _links(claim: Claim) -> str:
    computed = any(part.values is not None for part in claim.parts)
    table = "all tasks" if computed else "results/evidence.csv"
    makes = "wfhelpers.ledger.lead" if computed else "module-wfhelpers.results.measurements"
    address = "tasks_overview.html" if computed else "#tables-code-tests"
    links = {
        f"chapter {claim.page[:2]}": f"{claim.page}.html",
        f"table: {table}": address,
        "code": f"../book/api.html#{makes}",
        "test": "#tables-code-tests",
    }
    return " · ".join(f'<a href="{address}">{escape(name)}</a>' for name, address in links.items())
