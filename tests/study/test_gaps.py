from pathlib import Path

import pandas as pd
import pytest

from wfhelpers.study import gaps, sensitivity
from wfhelpers.study.readings import READINGS

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def test_gaps_are_numbered_without_a_hole():
    assert [gap.number for gap in gaps.GAPS] == list(range(1, 24))
    assert sensitivity.GAPS is gaps.GAPS


@pytest.mark.parametrize("gap", gaps.GAPS, ids=lambda gap: gap.name)
def test_a_gap_has_another_reading_or_a_reason_why_none_can_change_an_auc(gap):
    measured = any(reading.gap == gap.number for reading in READINGS)
    assert measured != bool(gap.beyond_auc)
    assert all([gap.name, gap.place, gap.says, gap.reading, gap.why])
    assert (NOTEBOOKS / f"{gap.chapter}.ipynb").is_file()


def effects(*rows: tuple[str, str, str, str, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["gap", "choice", "other", "model", "effect"])


def test_errata_have_a_line_a_gap_with_as_many_cells_as_the_head():
    lines = gaps.errata(effects(("6", "pooling", "max", "bin", -0.1))).splitlines()
    assert len(lines) == 2 + len(gaps.GAPS)
    assert {line.replace("\\|", "").count("|") for line in lines} == {5}


def test_errata_give_the_range_over_tasks_of_the_model_changed_most_and_of_the_lead():
    made = effects(
        ("6", "pooling", "max", "bin", -0.061),
        ("6", "pooling", "max", "bin", 0.004),
        ("6", "pooling", "max", "real", 0.01),
        ("6", "pooling", "max", gaps.LEAD, -0.071),
        ("6", "pooling", "max", gaps.LEAD, -0.074),
    )
    (line,) = [line for line in gaps.errata(made).splitlines() if line.startswith("| **6**")]
    assert line.endswith("pooling: **max**, bin −0.06 to +0.00, bin − real −0.07 |")


def test_errata_say_why_a_gap_has_no_effect():
    lines = gaps.errata(effects()).splitlines()
    assert f"none. {gaps.GAPS[20].beyond_auc}" in lines[2 + 20]
