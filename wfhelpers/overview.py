"""What the page on all tasks shows: a table that sorts and filters, and maps over all pairs of classes."""

from collections.abc import Mapping
from html import escape

import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from wfhelpers import plots
from wfhelpers.report import winners
from wfhelpers.strategies import label


def heat_maps(rows: pd.DataFrame, protocol: str) -> Figure:
    """Two maps over all ordered pairs of classes, for one data set: median AUC of bin - real, and of bin."""
    chosen = rows[rows["protocol"] == protocol]
    medians = chosen.groupby(["negative", "positive", "model"])["auc"].median().unstack("model")
    made = plots.figure(1, 2, height=3.6)
    maps = {"bin − real": (medians["bin"] - medians["real"], "PuOr"), "bin": (medians["bin"], "viridis")}
    for axes, (title, (values, colours)) in zip(made.axes[:2], maps.items(), strict=True):
        table = values.unstack("positive")
        limits = (-0.5, 0.5) if title != "bin" else (0.5, 1.0)
        shade = axes.imshow(table, cmap=colours, vmin=limits[0], vmax=limits[1])
        axes.set_xticks(range(len(table)), table.columns, rotation=90)
        axes.set_yticks(range(len(table)), table.index)
        axes.set(xlabel="positive class (y = 1)", ylabel="negative class (y = 0)", title=f"{title}, {protocol}")
        made.colorbar(shade, ax=axes, shrink=0.7, label="median AUC")
    return made


def overview(rows: pd.DataFrame) -> pd.DataFrame:
    """Best model, its ties and some medians, a row a (data set, task, size, protocol)."""
    keys = ["dataset", "task", "size", "protocol"]
    shown = rows[rows["model"].isin(["bin", "bin-real", "real"])]
    table = shown.groupby([*keys, "model"])["auc"].median().unstack("model")
    names = rows.groupby(keys)[["negative", "positive"]].first()
    won = pd.concat([winners(group).assign(dataset=name) for name, group in rows.groupby("dataset", sort=False)])
    return won.set_index(keys).join(names).join(table).reset_index()


def overview_html(table: pd.DataFrame, pages: Mapping[tuple[str, str], str]) -> HTML:
    """The `overview` as a table that sorts by a click on a heading and filters by words, without any library.

    ``pages`` leads from (data set, task) to the address of the task's page.
    """
    headings = ("data set", "task", "size", "protocol", "best", "AUC of best", "ties with", "bin", "bin→real", "real")
    lines = [
        (
            escape(row["dataset"]),
            f'<a href="{escape(pages[row["dataset"], row["task"]])}">{escape(row["task"])}</a>',
            *(str(row["size"]), row["protocol"], label(row["best"]), f"{row['auc']:.3f}"),
            ", ".join(label(model) for model in row["tied"]),
            *(f"{row[model]:.3f}" for model in ("bin", "bin-real", "real")),
        )
        for row in table.to_dict("records")
    ]
    head = "".join(f'<th scope="col"><button type="button">{heading}</button></th>' for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>\n" for line in lines)
    return HTML(_SORTABLE.replace("HEAD", head).replace("BODY", body))  # type: ignore[no-untyped-call]


_SORTABLE = """<div class="sortable"><p><label>Show lines with all of these words:
<input type="search" placeholder="mnist tuned 150"></label> <output></output></p>
<div style="max-height: 32em; overflow: auto"><table><thead><tr>HEAD</tr></thead><tbody>
BODY</tbody></table></div></div>
<script>
document.querySelectorAll("div.sortable").forEach((box) => {
  const body = box.querySelector("tbody"), rows = [...body.rows], heads = [...box.querySelectorAll("th")];
  const search = box.querySelector("input"), count = box.querySelector("output");
  const show = () => {
    const words = search.value.toLowerCase().split(/\\s+/);
    rows.forEach((row) => { row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word)); });
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
