"""Run time against AUC of the ten models, for a case that the reader chooses: a piece of HTML that needs nothing else.

The piece holds the medians and quartiles of all cases. A few lines of JavaScript in it move the points when another
case is chosen: in a built page, from a server or from the file, without a network, and with the keyboard. Without
JavaScript it shows one case.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from string import Template
from typing import Any

import pandas as pd

from wfhelpers._support import InputError
from wfhelpers.core.strategies import BINARY_MODELS, MODELS, label, strategy_of
from wfhelpers.show.figures import COLOURS
from wfhelpers.show.overview import CASE, case_order

Six = Sequence[float]
"""A model in one case: lower quartile, median and upper quartile of the AUC, then those of the run time."""

FLOORS = (0.9, 0.75, 0.5, 0.0)
"""Where the axis of the AUC may start: at the first of these that no lower quartile is below."""

LEFT, RIGHT, TOP, BOTTOM = 76, 540, 15, 310
"""Edges of the axes in the picture's own units, of which it is 560 wide and 370 high."""


def summaries(rows: pd.DataFrame) -> dict[str, Any]:
    """Numbers of every case by data set, task, size and protocol: ``[runs, place of the best, ten models]``.

    The best has the highest median AUC. A model is six numbers: AUC in thousandths, and run time, with that of the
    model that it is derived from, in seconds to three digits.
    """
    columns = rows.groupby([*CASE, "model"])[["auc", "seconds_total"]]
    quartiles = columns.quantile([0.25, 0.5, 0.75]).unstack()  # type: ignore[arg-type]
    numbers = dict(zip(quartiles.index, quartiles.to_numpy().tolist(), strict=True))
    runs = rows.groupby(list(CASE))["run"].nunique()
    found: dict[str, Any] = {}
    for case in sorted(runs.index, key=case_order):
        level = found
        for choice in case[:-1]:
            level = level.setdefault(str(choice), {})
        models = [numbers[(*case, model)] for model in MODELS]
        best = max(range(len(MODELS)), key=lambda place: models[place][1])
        level[case[-1]] = [int(runs[case]), best, *map(_compact, models)]
    return found


@dataclass(frozen=True)
class Explorer:
    """The picture, four lists to choose from, and a table of medians; a notebook shows it as it is.

    Attributes
    ----------
    rows
        Results with the ten models in every case, as `Store.rows` gives them.
    shown
        Data set, task, size and protocol at the start.
    pages
        Address of the page of each (data set, task).
    element_id
        Identifier of the piece; two of them on one page need different ones.
    """

    rows: pd.DataFrame = field(repr=False)
    shown: tuple[str, str, int, str]
    pages: Mapping[tuple[str, str], str] = field(default_factory=dict, repr=False)
    element_id: str = "explorer"

    def __post_init__(self) -> None:
        known = set(self.rows[list(CASE)].itertuples(index=False, name=None))
        if tuple(self.shown) not in known:
            example = f"such as {min(known)}" if known else "but there are no results at all"
            raise InputError(
                f"There are no results for {tuple(self.shown)}; expected data set, task, size, protocol, {example}."
            )

    def _repr_html_(self) -> str:
        cases = summaries(self.rows)
        level: Any = cases
        lists = {}
        for name, choice in zip(CASE, map(str, self.shown), strict=True):
            lists[f"options_{name}"] = "".join(_option(key, key == choice) for key in level)
            level = level[choice]
        runs, best, *models = level
        seconds = [value for six in _all_models(cases) for value in six[3:]]
        axes = _Axes(math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds))), _floor(models))
        page = self.pages.get((self.shown[0], self.shown[1]), "")
        return _PIECE.substitute(
            lists,
            id=self.element_id,
            words=escape(_words(self.shown, runs, MODELS[best], models[best][1])),
            axes=axes.drawn(self.element_id),
            points="".join(axes.point(self.element_id, *each) for each in zip(MODELS, models, strict=True)),
            lines="".join(_line(self.element_id, *each) for each in zip(MODELS, models, strict=True)),
            page=escape(page),
            hidden="" if page else "hidden",
            data=self._data(cases, axes),
        )

    def _data(self, cases: Mapping[str, Any], axes: "_Axes") -> str:
        pages: dict[str, dict[str, str]] = {}
        for (dataset, task), address in self.pages.items():
            pages.setdefault(dataset, {})[task] = address
        fixed = {"left": LEFT, "right": RIGHT, "top": TOP, "bottom": BOTTOM, "low": axes.low, "high": axes.high}
        models = {model: label(model) for model in MODELS}
        data = {"cases": cases, "pages": pages, "axes": {**fixed, "floors": FLOORS}, "models": models}
        return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


@dataclass(frozen=True)
class _Axes:
    """Run time from 10^low to 10^high seconds, AUC from a floor to 1."""

    low: int
    high: int
    floor: float

    def across(self, seconds: float) -> float:
        return LEFT + (RIGHT - LEFT) * (math.log10(seconds) - self.low) / (self.high - self.low)

    def up(self, thousandths: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (thousandths / 1000 - self.floor) / (1 - self.floor)

    def drawn(self, element_id: str) -> str:
        marks = []
        for place in range(6):
            height = BOTTOM - place * (BOTTOM - TOP) / 5
            value = self.floor + place * (1 - self.floor) / 5
            marks.append(f'<path d="M{LEFT} {height:.1f}H{RIGHT}" stroke="#ddd"/>')
            marks.append(
                f'<text id="{element_id}-tick-{place}" x="{LEFT - 6}" y="{height + 5:.1f}" text-anchor="end">'
                f"{value:.2f}</text>"
            )
        for decade in range(self.low, self.high + 1):
            x = self.across(10.0**decade)
            marks.append(f'<path d="M{x:.1f} {TOP}V{BOTTOM}" stroke="#ddd"/>')
            marks.append(f'<text x="{x:.1f}" y="{BOTTOM + 22}" text-anchor="middle">{10.0**decade:g}</text>')
        return "".join(marks)

    def point(self, element_id: str, model: str, six: Six) -> str:
        left, x, right = (self.across(seconds) for seconds in six[3:])
        lowest, y, highest = (self.up(auc) for auc in six[:3])
        bars = f"M{left:.1f} {y:.1f}H{right:.1f}M{x:.1f} {lowest:.1f}V{highest:.1f}"
        return (
            f'<g id="{element_id}-{model}"><title>{label(model)}</title>'
            f'<path d="{bars}" stroke="{COLOURS[strategy_of(model)]}" stroke-width="2"/>'
            f'<g transform="translate({x:.1f} {y:.1f})">{_marker(model)}</g></g>\n'
        )


def _compact(quartiles: Sequence[float]) -> list[float]:
    # A time of 0 has no place on a logarithmic axis; the store rounds to five digits.
    return [
        *(round(1000 * round(auc, 3)) for auc in quartiles[:3]),
        *(float(f"{max(seconds, 1e-5):.3g}") for seconds in quartiles[3:]),
    ]


def _all_models(cases: Mapping[str, Any]) -> Iterator[Six]:
    for inner in cases.values():
        yield from _all_models(inner) if isinstance(inner, dict) else inner[2:]


def _floor(models: Sequence[Six]) -> float:
    lowest = min(six[0] for six in models)
    return next(floor for floor in FLOORS if 1000 * floor <= lowest)


def _words(case: Sequence[Any], runs: int, best: str, thousandths: float) -> str:
    dataset, task, size, protocol = case
    return (
        f"{dataset}, {task}, {size} training objects a class, {protocol}, {runs} runs: the highest median AUC is "
        f"{thousandths / 1000:.3f} ({label(best)})."
    )


def _option(text: str, chosen: bool) -> str:
    return f"<option{' selected' if chosen else ''}>{escape(text)}</option>"


def _line(element_id: str, model: str, six: Six) -> str:
    lower, median, upper = (f"{auc / 1000:.3f}" for auc in six[:3])
    cells = (median, f"{lower}–{upper}", f"{six[4]:g}")
    marker = f'<svg viewBox="-8 -8 16 16" aria-hidden="true">{_marker(model)}</svg>'
    return (
        f'<tr id="{element_id}-line-{model}"><th scope="row">{marker} {label(model)}</th>'
        + "".join(f"<td>{cell}</td>" for cell in cells)
        + "</tr>\n"
    )


def _marker(model: str) -> str:
    """A square for a binary network and a circle for a real one, as in `wfhelpers.show.figures`."""
    style = f'fill="{COLOURS[strategy_of(model)]}" stroke="#000"'
    if model in BINARY_MODELS:
        return f'<rect x="-6" y="-6" width="12" height="12" {style}/>'
    return f'<circle r="5.5" {style}/>'


_PIECE = Template("""\
<div id="$id" style="background:#fff;color:#222;color-scheme:light;padding:.5rem;border-radius:.25rem;max-width:46rem">
<style>#$id > svg{width:100%;max-width:600px;font:14px sans-serif;fill:#222}#$id > svg path{fill:none}
#$id span{display:inline-block;margin:0 1rem .4rem 0}#$id select{font:inherit;color:#222;background:#fff}
#$id table,#$id tr{display:table;color:#222;background:#fff;width:auto;margin:.5rem 0;border-collapse:collapse}
#$id tr{display:table-row}#$id :is(th,td){padding:.1rem .7rem .1rem 0;text-align:left;border:0;color:#222}
#$id td{font-variant-numeric:tabular-nums}#$id th svg{width:1em;height:1em;vertical-align:-.12em}#$id a{color:#1259c3}
#$id :is(th,td){white-space:nowrap}@media(max-width:600px){#$id > svg{font-size:20px}
#$id table{font-size:.85rem}#$id :is(th,td){padding-right:.5rem}}</style>
<div><span><label for="$id-dataset">Data set</label>
<select id="$id-dataset" autocomplete="off">$options_dataset</select></span>
<span><label for="$id-task">Task</label>
<select id="$id-task" autocomplete="off">$options_task</select></span>
<span><label for="$id-size">Objects a class</label>
<select id="$id-size" autocomplete="off">$options_size</select></span>
<span><label for="$id-protocol">Protocol</label>
<select id="$id-protocol" autocomplete="off">$options_protocol</select></span></div>
<noscript>Choosing another case needs JavaScript.</noscript>
<div><output id="$id-words" aria-live="polite">$words</output></div>
<svg viewBox="0 0 560 370" role="img" aria-label="Run time on a logarithmic axis against AUC of the ten models, medians
 with quartiles; the table below has the numbers">$axes
<text x="308" y="360" text-anchor="middle">run time (seconds a run, logarithmic)</text>
<text transform="translate(18 162) rotate(-90)" text-anchor="middle">AUC (test)</text>
$points</svg>
<table><thead><tr><th scope="col">model</th><th scope="col">AUC</th><th scope="col">quartiles</th>
<th scope="col">seconds</th></tr></thead><tbody>
$lines</tbody></table>
<div><a id="$id-page" href="$page" $hidden>Everything about this task</a></div>
<script type="application/json" id="$id-data">$data</script>
<script>(() => {
  const part = name => document.getElementById("$id-" + name);
  const {cases, pages, axes, models} = JSON.parse(part("data").textContent);
  const lists = ["dataset", "task", "size", "protocol"].map(part), ids = Object.keys(models);
  const fill = (list, keys) => {
    const before = list.value;
    if ([...list.options].map(option => option.value).join("|") === keys.join("|")) return;
    list.replaceChildren(...keys.map(key => new Option(key)));
    if (keys.includes(before)) list.value = before;
  };
  const across = seconds => (axes.left + (axes.right - axes.left) * (Math.log10(seconds) - axes.low)
    / (axes.high - axes.low)).toFixed(1);
  const draw = ([runs, best, ...numbers], chosen) => {
    const lowest = Math.min(...numbers.map(six => six[0])), floor = axes.floors.find(each => 1000 * each <= lowest);
    const up = auc => (axes.bottom - (axes.bottom - axes.top) * (auc / 1000 - floor) / (1 - floor)).toFixed(1);
    for (let i = 0; i < 6; i++) part("tick-" + i).textContent = (floor + i * (1 - floor) / 5).toFixed(2);
    numbers.forEach((six, i) => {
      const [lower, median, upper] = six.slice(0, 3).map(auc => (auc / 1000).toFixed(3));
      const [y1, y, y2] = six.slice(0, 3).map(up), [x1, x, x2] = six.slice(3).map(across);
      const [bars, marker] = part(ids[i]).querySelectorAll("path, g");
      bars.setAttribute("d", `M$${x1} $${y}H$${x2}M$${x} $${y1}V$${y2}`);
      marker.setAttribute("transform", `translate($${x} $${y})`);
      const cells = part("line-" + ids[i]).querySelectorAll("td");
      [median, lower + "–" + upper, six[4]].forEach((text, place) => { cells[place].textContent = text; });
    });
    const [dataset, task, size, protocol] = chosen;
    part("words").textContent = `$${dataset}, $${task}, $${size} training objects a class, $${protocol}, `
      + `$${runs} runs: the highest median AUC is $${(numbers[best][1] / 1000).toFixed(3)} ($${models[ids[best]]}).`;
    const page = pages[dataset]?.[task];
    part("page").hidden = !page;
    part("page").href = page ?? "";
  };
  const show = () => {
    let level = cases;
    for (const list of lists) {
      fill(list, Object.keys(level));
      level = level[list.value];
    }
    draw(level, lists.map(list => list.value));
  };
  lists.forEach(list => list.addEventListener("change", show));
})();</script>
</div>""")
