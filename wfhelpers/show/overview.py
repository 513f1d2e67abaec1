"""What the page on all tasks shows: a table that sorts and filters, and maps over all pairs of classes."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from wfhelpers._support import InputError
from wfhelpers.core.jobs import PROTOCOLS
from wfhelpers.core.strategies import OURS, label
from wfhelpers.results.experiments import Experiments
from wfhelpers.show import figures
from wfhelpers.study.intervals import winners

CASE = ("dataset", "task", "size", "protocol")
"""Columns that name a case: ten models that compete, each with all its runs."""

CLEAR = 0.01
"""Difference of two median AUCs that the summary of pairs counts."""


def case_order(case: Sequence[Any]) -> tuple[Any, ...]:
    """Key that sorts cases: single classes before groups of them, and protocols as they are always named."""
    dataset, task, size, protocol = case
    return dataset, task.count(","), task, size, PROTOCOLS.index(protocol)


def overview(rows: pd.DataFrame) -> pd.DataFrame:
    """The `intervals.winners` of all cases in order, with the medians of bin, bin→real and real: a row a case."""
    medians = rows.groupby([*CASE, "model"])["auc"].median().unstack("model")[["bin", "bin-real", "real"]]
    table = winners(rows, CASE).join(medians, on=list(CASE))
    keys = [case_order(case) for case in table[list(CASE)].itertuples(index=False)]
    return table.iloc[sorted(range(len(keys)), key=keys.__getitem__)].reset_index(drop=True)


def shares(table: pd.DataFrame) -> pd.DataFrame:
    """How often bin or bin→real is best in an `overview`, in percent of the cases: a row a (data set, protocol).

    ``alone``: best, and no other strategy ties. ``best or tied``: best, or tied with the best.
    """
    best = table["best"].isin(OURS)
    alone = best & table["tied"].map(lambda tied: set(tied) <= set(OURS))
    among = best | table["tied"].map(lambda tied: bool(set(tied) & set(OURS)))
    counted = pd.DataFrame({"best": best, "alone": alone, "best or tied": among}).mul(100)
    return counted.groupby([table["dataset"], table["protocol"]], sort=False).mean()


def pair_summary(pairs: pd.DataFrame) -> pd.DataFrame:
    """The `heat_maps` in numbers: a row a (data set, protocol).

    Lowest, middle and highest of the pairs' median AUCs of bin; the middle of the differences bin - real; and the
    percentages of pairs in which bin is ahead and behind by more than `CLEAR`.
    """
    medians = _medians(pairs)
    margin = medians["bin"] - medians["real"]
    over = ["dataset", "protocol"]
    table = medians["bin"].groupby(over).agg(["min", "median", "max"]).add_prefix("bin, ")
    table["bin − real, median"] = margin.groupby(over).median()
    table["ahead (%)"] = (margin > CLEAR).groupby(over).mean().mul(100)
    table["behind (%)"] = (margin < -CLEAR).groupby(over).mean().mul(100)
    return table


def heat_maps(pairs: pd.DataFrame) -> Figure:
    """Maps over all ordered pairs of one data set's classes: median AUC of bin - real and of bin, a row a protocol."""
    if pairs.empty:
        raise InputError("There are no results for pairs of classes; expected those that `make reproduce` computes.")
    medians = _medians(pairs).droplevel("dataset")
    protocols = medians.index.unique("protocol")
    classes = sorted({*pairs["negative"], *pairs["positive"]})
    made = figures.figure(len(protocols), 2, height=3.5 * len(protocols), squeeze=False)
    for place, protocol in enumerate(protocols):
        left, right = made.axes[2 * place : 2 * place + 2]
        aucs = medians.loc[protocol]
        margin = aucs["bin"] - aucs["real"]
        reach = max(0.05, math.ceil(20 * margin.abs().max()) / 20)  # small differences show, too
        for axes, title, values, colours, limits in (
            (left, "bin − real", margin, "PuOr", (-reach, reach)),
            (right, "bin", aucs["bin"], "viridis", (0.5, 1.0)),
        ):
            table = values.unstack("positive").reindex(index=classes, columns=classes)
            shade = axes.imshow(table, cmap=colours, vmin=limits[0], vmax=limits[1])
            axes.set_xticks(range(len(classes)), classes, rotation=90)
            axes.set_yticks(range(len(classes)), classes)
            axes.set(xlabel="positive class (y = 1)", ylabel="negative class (y = 0)", title=f"{title}, {protocol}")
            made.colorbar(shade, ax=axes, shrink=0.7, label="median AUC", extend="neither" if axes is left else "min")
    return made


def addresses(listed: Experiments, folder: str = "../book/tasks") -> dict[tuple[str, str], str]:
    """Where a page in another folder of the book finds the page of each (data set, task), in both orientations."""
    found = {}
    for page in listed.pages:
        for cell in {(cell.negative, cell.positive): cell for cell in page.cells}.values():
            found[cell.key["dataset"], cell.task.title] = f"{folder}/{page.name}.html"
    return found


def overview_html(table: pd.DataFrame, pages: Mapping[tuple[str, str], str]) -> HTML:
    """The `overview` as a table that sorts by a click on a heading and filters by words, without any library.

    ``pages`` leads from (data set, task) to the address of the task's page; a task without one is no link.
    """
    headings = ("data set", "task", "size", "protocol", "best", "AUC of best", "ties with", "bin", "bin→real", "real")
    lines = [
        (
            escape(row["dataset"]),
            _link(row["task"], pages.get((row["dataset"], row["task"]))),
            *(str(row["size"]), row["protocol"], label(row["best"]), f"{row['auc']:.3f}"),
            ", ".join(label(model) for model in row["tied"]),
            *(f"{row[model]:.3f}" for model in ("bin", "bin-real", "real")),
        )
        for row in table.to_dict("records")
    ]
    head = "".join(f'<th scope="col"><button type="button">{heading}</button></th>' for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>\n" for line in lines)
    return HTML(_SORTABLE.replace("HEAD", head).replace("BODY", body))  # type: ignore[no-untyped-call]


def _medians(pairs: pd.DataFrame) -> pd.DataFrame:
    keys = ["dataset", "protocol", "negative", "positive", "model"]
    return pairs.groupby(keys)["auc"].median().unstack("model")


def _link(text: str, address: str | None) -> str:
    return f'<a href="{escape(address)}">{escape(text)}</a>' if address else escape(text)


_SORTABLE = """<div class="sortable"><p><label>Show lines with all of these words:
<input type="search" placeholder="mnist tuned 150"></label> <output></output></p>
<style>.sortable{background:#fff;color:#222;color-scheme:light}
.sortable thead th{position:sticky;top:0;background:#fff}.sortable a{color:#1259c3}
.sortable :is(tr,td){background:#fff;color:#222}
.sortable button{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:0;cursor:pointer}
.sortable th[aria-sort=ascending] button::after{content:" ▲"}
.sortable th[aria-sort=descending] button::after{content:" ▼"}
.sortable table{font-size:.8rem}.sortable :is(td,th){padding:.1rem .3rem;text-align:left;vertical-align:top}
.sortable td:is(:nth-child(2),:nth-child(7)){min-width:7rem}.sortable button{text-align:left}
.sortable input{width:14rem;max-width:100%}</style>
<div tabindex="0" role="region" aria-label="All cases" style="max-height:32em;overflow:auto">
<table style="display:table;max-width:none;overflow:visible"><thead><tr>HEAD</tr></thead><tbody>
BODY</tbody></table></div></div>
<script>
document.querySelectorAll("div.sortable").forEach((box) => {
  const body = box.querySelector("tbody"), rows = [...body.rows], heads = [...box.querySelectorAll("th")];
  const search = box.querySelector("input"), count = box.querySelector("output");
  const split = (text) => text.toLowerCase().split(/[^a-z0-9.]+/).filter((word) => word);
  const words = new Map(rows.map((row) => [row, [...row.cells].flatMap((cell) => split(cell.textContent))]));
  const show = () => {
    const wanted = split(search.value);
    rows.forEach((row) => {
      row.hidden = !wanted.every((word) => words.get(row).some((other) => other.startsWith(word)));
    });
    count.value = rows.filter((row) => !row.hidden).length + " of " + rows.length + " lines";
  };
  heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
    const way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", way === 1 ? "ascending" : "descending");
    const text = (row) => row.cells[place].textContent;
    rows.sort((a, b) => way * text(a).localeCompare(text(b), "en", {numeric: true}));
    body.append(...rows);
  }));
  search.addEventListener("input", show);
  show();
});
</script>
"""
