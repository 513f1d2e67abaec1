"""Run time against AUC of the ten models, for a case that the reader chooses.

The piece holds the medians and quartiles of all cases; its script draws the one that is chosen. Without JavaScript
there is a table of the case that is shown first.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import pandas as pd

from wfhelpers._support import InputError
from wfhelpers.core.strategies import BINARY_MODELS, MODELS, label, strategy_of
from wfhelpers.show.figures import COLOURS
from wfhelpers.show.overview import CASE, case_order
from wfhelpers.show.pieces import piece


@dataclass(frozen=True)
class Explorer:
    """The picture, four lists to choose from, and a table of medians; a notebook shows it as it is.

    ``rows`` are results as `Store.rows` gives them, ``shown`` the data set, task, size and protocol at the start,
    ``pages`` the address of the page of each (data set, task). Two explorers on one page need different identifiers.
    """

    rows: pd.DataFrame = field(repr=False)
    shown: tuple[str, str, int, str]
    pages: Mapping[tuple[str, str], str] = field(default_factory=dict, repr=False)
    element_id: str = "explorer"

    def __post_init__(self) -> None:
        known, wanted = set(self.rows[list(CASE)].itertuples(index=False, name=None)), tuple(self.shown)
        if wanted not in known:
            example = f"such as {min(known)}" if known else "but there are no results at all"
            raise InputError(f"There are no results for {wanted}; expected data set, task, size, protocol, {example}.")

    def _repr_html_(self) -> str:
        cases, shown = _summaries(self.rows), [str(choice) for choice in self.shown]
        models = next(case[6:] for case in cases if case[:4] == shown)
        pages = {", ".join(key): address for key, address in self.pages.items()}
        data = {"cases": cases, "shown": shown, "pages": pages}
        return piece(
            "explorer",
            self.element_id,
            case=escape("{}, {}, {} objects per class, {}".format(*shown)),
            lines="".join(_line(self.element_id, *each) for each in zip(MODELS, models, strict=True)),
            data=json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c"),
        )


def _summaries(rows: pd.DataFrame) -> list[list[Any]]:
    """Every case as ``[data set, task, size, protocol, runs, place of the best, ten models]``, in order.

    The best has the highest median AUC. A model is six numbers: quartiles of the AUC in thousandths, and of the run
    time in seconds, which includes that of the model that it is derived from.
    """
    columns = rows.groupby([*CASE, "model"])[["auc", "seconds_total"]]
    quartiles = columns.quantile([0.25, 0.5, 0.75]).unstack()  # type: ignore[arg-type]
    numbers = dict(zip(quartiles.index, quartiles.to_numpy().tolist(), strict=True))
    runs = rows.groupby(list(CASE))["run"].nunique()
    cases: list[list[Any]] = []
    for case in sorted(runs.index, key=case_order):
        models = [numbers[(*case, model)] for model in MODELS]
        best = max(range(len(MODELS)), key=lambda place: models[place][1])
        # A time of 0 has no place on a logarithmic axis; the store rounds to five digits.
        seconds = [[float(f"{max(each, 1e-5):.3g}") for each in six[3:]] for six in models]
        aucs = [[round(1000 * round(each, 3)) for each in six[:3]] for six in models]
        cases.append([*map(str, case), int(runs[case]), best, *map(list.__add__, aucs, seconds)])
    return cases


def _line(element_id: str, model: str, six: Sequence[float]) -> str:
    """Line of the table; its marker, which the picture copies, is a square for a binary network, else a circle."""
    shape = 'rect x="-6" y="-6" width="12" height="12"' if model in BINARY_MODELS else 'circle r="5.5"'
    marker = f'<{shape} fill="{COLOURS[strategy_of(model)]}" stroke="#000"/>'
    name = f'<th scope="row"><svg viewBox="-8 -8 16 16" aria-hidden="true">{marker}</svg> {label(model)}</th>'
    lower, median, upper = (f"{auc / 1000:.3f}" for auc in six[:3])
    cells = "".join(f"<td>{cell}</td>" for cell in (median, f"{lower}–{upper}", f"{six[4]:g}"))
    return f'<tr id="{element_id}-line-{model}">{name}{cells}</tr>\n'
