"""What the page on all tasks shows: a table that sorts and filters, and maps over all pairs of classes."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from wfhelpers._support import InputError
from wfhelpers.core.protocols import PROTOCOLS
from wfhelpers.core.strategies import OURS, label
from wfhelpers.results.experiments import Experiments
from wfhelpers.show.figures import heat_map, panels
from wfhelpers.show.pieces import link, piece
from wfhelpers.study.intervals import winners

CASE = ("dataset", "task", "size", "protocol")
"""Columns that name a case: ten models that compete, each with all its runs."""


def case_order(case: Sequence[Any]) -> tuple[Any, ...]:
    """Key that sorts cases: single classes before groups of them, and protocols as they are always named."""
    dataset, task, size, protocol = case
    return dataset, task.count(","), task, size, PROTOCOLS.index(protocol)


def overview(rows: pd.DataFrame) -> pd.DataFrame:
    """The `intervals.winners` of all cases in order, with the medians of bin, bin→real and real: one row per case."""
    medians = rows.groupby([*CASE, "model"])["auc"].median().unstack("model")[["bin", "bin-real", "real"]]
    table = winners(rows, CASE).join(medians, on=list(CASE))
    keys = [case_order(case) for case in table[list(CASE)].itertuples(index=False)]
    return table.iloc[sorted(range(len(keys)), key=keys.__getitem__)].reset_index(drop=True)


def standing_of_bin(won: pd.DataFrame) -> pd.DataFrame:
    """Whether bin or bin→real is ``best`` in each of the `intervals.winners`, ``alone`` (no other ties) or tied."""
    best, tied = won["best"].isin(OURS), won["tied"].map(set)
    alone, among = best & tied.map(set(OURS).issuperset), best | ~tied.map(set(OURS).isdisjoint)
    return pd.DataFrame({"best": best, "alone": alone, "best or tied": among})


def shares(table: pd.DataFrame) -> pd.DataFrame:
    """The `standing_of_bin` in percent of the cases of an `overview`: one row per (data set, protocol)."""
    return standing_of_bin(table).mul(100).groupby([table["dataset"], table["protocol"]], sort=False).mean()


def pair_summary(pairs: pd.DataFrame) -> pd.DataFrame:
    """The `heat_maps` in numbers: one row per (data set, protocol); ahead or behind is a margin of more than 0.01."""
    medians = _medians(pairs)
    margin = medians["bin"] - medians["real"]
    groups = medians.assign(margin=margin, ahead=margin > 0.01, behind=margin < -0.01).groupby(["dataset", "protocol"])
    table = groups["bin"].agg(["min", "median", "max"]).add_prefix("bin, ")
    table["bin − real, median"] = groups["margin"].median()
    return table.assign(**{f"{side} (%)": 100 * groups[side].mean() for side in ("ahead", "behind")})


def heat_maps(pairs: pd.DataFrame) -> Figure:
    """Median AUC of bin - real and of bin over all ordered pairs of one data set's classes: one row per protocol."""
    if pairs.empty:
        raise InputError("There are no results for pairs of classes; expected those that `make reproduce` computes.")
    medians = _medians(pairs).droplevel("dataset")
    classes = sorted({*pairs["negative"], *pairs["positive"]})
    protocols = medians.index.unique("protocol")
    picture, grid = panels(len(protocols), 2, height=3.5 * len(protocols))
    for (left, right), protocol in zip(grid, protocols, strict=True):
        aucs = medians.loc[protocol]
        margin = aucs["bin"] - aucs["real"]
        reach = max(0.05, math.ceil(20 * margin.abs().max()) / 20)  # small differences show, too
        for axes, title, values, colours, (low, high), extend in (
            (left, "bin − real", margin, "PuOr", (-reach, reach), "neither"),
            (right, "bin", aucs["bin"], "viridis", (0.5, 1.0), "min"),
        ):
            table = values.unstack("positive").reindex(index=classes, columns=classes)
            image = heat_map(axes, table, cmap=colours, vmin=low, vmax=high)
            axes.tick_params(axis="x", rotation=90)
            axes.set(xlabel="positive class (y = 1)", ylabel="negative class (y = 0)", title=f"{title}, {protocol}")
            picture.colorbar(image, ax=axes, shrink=0.7, label="median AUC", extend=extend)
    return picture


def addresses(listed: Experiments, folder: str = "../book/tasks") -> dict[tuple[str, str], str]:
    """Where a page in another folder of the book finds the page of each (data set, task), in both orientations."""
    jobs = {(page.name, job.negative, job.positive): job for page in listed.pages for job in page.jobs}
    return {(job.key["dataset"], job.task.title): f"{folder}/{name}.html" for (name, *_), job in jobs.items()}


def overview_html(table: pd.DataFrame, pages: Mapping[tuple[str, str], str]) -> HTML:
    """The `overview` as a table that sorts and filters; ``pages`` has the address of each (data set, task)."""
    headings = ("data set", "task", "size", "protocol", "best", "AUC of best", "ties with", "bin", "bin→real", "real")
    lines = [
        (
            escape(row["dataset"]),
            link(row["task"], pages.get((row["dataset"], row["task"]))),
            *(str(row["size"]), row["protocol"], label(row["best"]), f"{row['auc']:.3f}"),
            ", ".join(label(model) for model in row["tied"]),
            *(f"{row[model]:.3f}" for model in ("bin", "bin-real", "real")),
        )
        for row in table.to_dict("records")
    ]
    head = "".join(f'<th scope="col"><button type="button">{heading}</button></th>' for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>\n" for line in lines)
    return HTML(piece("overview", "all-cases", head=head, body=body))  # type: ignore[no-untyped-call]


def _medians(pairs: pd.DataFrame) -> pd.DataFrame:
    return pairs.groupby(["dataset", "protocol", "negative", "positive", "model"])["auc"].median().unstack("model")
