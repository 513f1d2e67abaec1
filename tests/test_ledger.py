"""The ledger on tables made so that the verdict is known, each way."""

import ast
import importlib
import inspect
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from wfhelpers import ledger
from wfhelpers._support import InputError
from wfhelpers.core.strategies import MODELS
from wfhelpers.ledger import LEDGER, Claim, Evidence, Part, cases, verdict
from wfhelpers.study.leads import ANY, COLUMNS

ROOT = Path(__file__).parents[1]
PARTS = {part.id: part for claim in LEDGER for part in claim.parts}
TASKS = ["1 vs 2", "3 vs 4", "5 vs 6", "7 vs 8"]


def rows(advantage: dict[str, float], *, worse_in: int = 0, noise: float = 0.001, **columns: object) -> pd.DataFrame:
    """Rows of four tasks at two sizes: every model at 0.8, plus its advantage, which is negative in some tasks."""
    rng = np.random.default_rng(0)
    made = []
    for place, task in enumerate(TASKS):
        for size in (50, 100):
            for model in MODELS:
                sign = -1 if place < worse_in else 1
                for run in range(10):
                    auc = 0.8 + sign * advantage.get(model, 0.0) + noise * rng.normal()
                    same = {
                        "protocol": "literal",
                        "orientation": "given",
                        "dataset": "mnist",
                        "task": task,
                        "size": size,
                    }
                    timed = {"seconds_total": 1.0, "train_loss": -1.0}
                    made.append({**same, "model": model, "run": run, "auc": auc, **timed})
    return pd.DataFrame(made).assign(**columns)


def judged(part: str, table: pd.DataFrame) -> str:
    """Verdict on one part, from rows of tasks."""
    judged_lines = ledger.judge(Evidence(table, measured()))
    return str(
        judged_lines[(judged_lines["part"] == part) & (judged_lines["protocol"] == "literal")]["verdict"].iloc[0]
    )


def measured(values: dict[str, list[float]] | None = None) -> pd.DataFrame:
    """Table of evidence with one case per part, on the claimed side unless values are given."""
    made = []
    for part in PARTS.values():
        if part.values is None:
            good = part.threshold + (1 if part.above else -1)
            for run, value in enumerate((values or {}).get(part.id, [good + 0.01 * run for run in range(5)])):
                where = (part.id, ANY, ANY, "mnist", "1 vs 2", "", run, value)
                made.append(dict(zip(COLUMNS, where, strict=True)))
    return pd.DataFrame(made)


@pytest.mark.parametrize(
    ("part", "advantage", "worse_in", "expected"),
    [
        ("C1", {"bin": 0.1}, 0, "reproduced"),
        ("C1", {"bin-real": 0.1}, 0, "reproduced"),
        ("C1", {"bin": 0.1}, 1, "partly"),  # behind in two of eight cases, where one is allowed
        ("C1", {"bin": 0.1, "bin-real": 0.1}, 4, "not reproduced"),
        ("C1", {}, 0, "cannot be decided"),
        ("C1", {"real": 0.1}, 0, "not reproduced"),
        ("C2a", {"bin": 0.1}, 2, "reproduced"),  # half of the cases are enough
        ("C2a", {"bin": 0.1}, 3, "not reproduced"),
        ("C2a", {"lottery": 0.1}, 0, "not reproduced"),
        ("C2b", {"bin-real": 0.1}, 0, "not reproduced"),
        ("C2b", {"bin": 0.1}, 0, "reproduced"),
        ("C2c", {"random-bin": 0.1}, 0, "not reproduced"),
        ("C3a", {"bin": 0.1}, 0, "reproduced"),
        ("C3a", {"agnostic-real": 0.1}, 0, "not reproduced"),
        ("C3b", {"bin": 0.1}, 1, "partly"),
        ("C4", {"random-bin": 0.1}, 0, "reproduced"),
        ("C4", {"random": 0.1}, 0, "not reproduced"),
        ("C4", {}, 0, "cannot be decided"),
    ],
)
def test_claims_about_auc_each_way(part: str, advantage: dict[str, float], worse_in: int, expected: str) -> None:
    assert judged(part, rows(advantage, worse_in=worse_in)) == expected


def unbroken(line: str) -> str:
    return line.replace("\N{NO-BREAK SPACE}", " ")


def test_a_few_cases_are_judged_by_the_same_rules() -> None:
    few = rows({"bin": 0.1}, worse_in=1).drop(columns=["protocol", "orientation", "dataset"])
    values = ledger.values_from_rows(few, ["C1", "C3"])
    found = {part: unbroken(line) for part, line in ledger.judge_few(values, ["C1", "C3"]).items()}
    assert [line.split(":")[0] for line in found] == ["C1", "C3a", "C3b"]
    assert found["C1: bin or bin→real is ahead of the other eight models"] == "partly: +6 −0 of 8"
    assert found["C3b: bin is ahead of lottery"] == "partly: +6 −2 of 8"
    assert list(ledger.judge_few(values, ["C3b"])) == ["C3b: bin is ahead of lottery"]
    worst = ledger.judge_few(values[values["task"] == TASKS[0]], ["C3"])
    assert [unbroken(line) for line in worst.values()] == ["not reproduced: +0 −2 of 2"] * 2


def test_measured_values_need_only_the_columns_that_tell_their_cases_apart() -> None:
    numbers = [1, 1.1, 1.2, 1.1, -1, -1.1, -1.2, -1.1]
    values = pd.DataFrame({"part": "C5b", "case": ["a"] * 4 + ["b"] * 4, "run": [0, 1, 2, 3] * 2, "value": numbers})
    (line,) = ledger.judge_few(values, ["C5b"]).values()
    assert unbroken(line) == "not reproduced: +1 −1 of 2"


def test_what_cannot_be_judged_is_refused() -> None:
    few = rows({})
    with pytest.raises(InputError, match="C7 is not judged on rows"):
        ledger.values_from_rows(few, ["C7"])
    with pytest.raises(InputError, match="no values of C7"):
        ledger.judge_few(ledger.values_from_rows(few, ["C4"]), ["C7"])
    with pytest.raises(InputError, match="Unknown claim 'C15'"):
        ledger.judge_few(few, ["C15"])
    with pytest.raises(InputError, match=r"no evidence on C5a; `wfhelpers measure evidence`"):
        ledger.judge(Evidence(few, measured().query("part != 'C5a'")))


def test_one_evidence_has_one_verdict_whoever_asks() -> None:
    """The judge of all results and the judge of a few cases agree on the same numbers."""
    table = pd.concat([rows({"bin": 0.1}, worse_in=1, protocol=name) for name in ("literal", "charitable", "tuned")])
    evidence = Evidence(table, measured({"C10a": [0.5, 0.8, 0.9, 0.7]}))
    judged_lines = ledger.judge(evidence)
    for part in PARTS.values():
        line = judged_lines[judged_lines["part"] == part.id].iloc[0]
        values = evidence.values(part).assign(part=part.id)
        (few,) = ledger.judge_few(values[values["protocol"] == line["protocol"]], [part.id]).values()
        counts = f"+{line['supporting']} −{line['contradicting']} of {line['cases']}"
        assert unbroken(few) == f"{line['verdict']}: {counts}"


def test_a_lead_within_the_noise_is_a_tie() -> None:
    assert judged("C4", rows({"random-bin": 0.002}, noise=0.05)) == "cannot be decided"
    assert judged("C4", rows({"random-bin": 0.002}, noise=1e-5)) == "reproduced"


@pytest.mark.parametrize(
    ("seconds", "expected"), [(4.0, "reproduced"), (6.0, "not reproduced"), (1 / 6, "not reproduced")]
)
def test_run_times_are_comparable_within_a_factor(seconds: float, expected: str) -> None:
    table = rows({})
    table.loc[table["model"] == "bin", "seconds_total"] = seconds
    assert judged("C13", table) == expected


def test_fine_tuning_may_help_where_it_is_hard_and_hurt_by_overfitting() -> None:
    table = rows({})
    hard = table["task"].map(TASKS.index) * 0.05
    tuned = table["model"] == "bin-real"
    helps = table.assign(auc=table["auc"] - hard + tuned * hard / 2)
    assert judged("C9a", helps) == "reproduced"
    assert judged("C9a", table.assign(auc=table["auc"] - hard - tuned * hard / 2)) == "not reproduced"
    worse = table.assign(auc=table["auc"] - 0.1 * tuned)
    assert judged("C9b", worse) == "cannot be decided"  # it does not fit better
    assert judged("C9b", worse.assign(train_loss=-1.0 - tuned)) == "reproduced"


@pytest.mark.parametrize("part", [part for part in PARTS.values() if part.values is None], ids=lambda part: part.id)
def test_claims_about_measurements_each_way(part: Part) -> None:
    def found(values: list[float]) -> str:
        judged_lines = ledger.judge(Evidence(rows({}), measured({part.id: values})))
        return str(judged_lines.loc[judged_lines["part"] == part.id, "verdict"].item())

    side = 1 if part.above else -1
    assert found([part.threshold + side * (1 + 0.01 * run) for run in range(5)]) == "reproduced"
    assert found([part.threshold - side * (1 + 0.01 * run) for run in range(5)]) == "not reproduced"
    assert found([part.threshold + 0.1, part.threshold - 0.1] * 3) == "cannot be decided"


def test_one_contradiction_refutes_a_theorem_and_not_a_claim_about_most() -> None:
    part = PARTS["C8"]
    assert verdict(99, 1, 100, part) == "not reproduced"
    assert verdict(100, 0, 100, part) == "reproduced"
    assert verdict(99, 1, 100, replace(part, theorem=False)) == "partly"
    assert verdict(50, 50, 100, replace(part, theorem=False, needed=0.5)) == "reproduced"


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((95, 1, 96), "reproduced"),
        ((95, 0, 96), "reproduced"),
        ((94, 2, 96), "partly"),
        ((94, 0, 96), "partly"),
        ((48, 47, 96), "partly"),
        ((48, 48, 96), "not reproduced"),
        ((10, 2, 96), "not reproduced"),
        ((10, 1, 96), "cannot be decided"),
        ((0, 0, 96), "cannot be decided"),
    ],
)
def test_best_in_all_but_one_is_counted(counts: tuple[int, int, int], expected: str) -> None:
    assert verdict(*counts, PARTS["C1"]) == expected


def test_intervals_are_those_of_a_t_test_that_is_corrected_for_the_number_of_cases() -> None:
    table = rows({"random-bin": 0.01}, noise=0.01)
    part = PARTS["C4"]
    assert part.values is not None
    values = part.values(table)
    found = cases(values, part).set_index(["task", "case"])
    for (task, case), group in values.groupby(["task", "case"]):
        expected = ttest_1samp(group["value"], 0).confidence_interval(1 - 0.05 / 8)
        assert found.loc[(task, case), ["lower", "upper"]].tolist() == pytest.approx(list(expected))


def test_the_interval_of_a_line_is_over_tasks_or_runs_and_exact_numbers_have_a_range() -> None:
    table = rows({"random-bin": 0.01}, noise=0.01)
    judged_lines = ledger.judge(Evidence(table, measured({"C7": [0.25]}))).set_index("part")
    wide = table.pivot(index=["task", "size", "run"], columns="model", values="auc")
    by_task = (wide["random-bin"] - wide["random"]).groupby("task").mean()
    expected = ttest_1samp(by_task, 0).confidence_interval(1 - 0.05 / len(judged_lines))
    assert judged_lines.loc["C4", ["lower", "upper"]].tolist() == pytest.approx(list(expected))
    runs = ttest_1samp([1 + 0.01 * run for run in range(5)], 0).confidence_interval(1 - 0.05 / len(judged_lines))
    assert judged_lines.loc["C5a", ["lower", "upper"]].tolist() == pytest.approx(list(runs))
    assert judged_lines.loc["C7", ["estimate", "lower", "upper"]].tolist() == [0.25, 0.25, 0.25]


def test_verdicts_of_parts_make_one_of_the_claim() -> None:
    assert ledger.together(["reproduced", "reproduced"]) == "reproduced"
    assert ledger.together(["reproduced", "not reproduced"]) == "partly"
    assert ledger.together(["cannot be decided", "partly"]) == "partly"
    assert ledger.together(["cannot be decided", "not reproduced"]) == "not reproduced"
    assert ledger.together(["cannot be decided", "cannot be decided"]) == "cannot be decided"


def test_orientations_are_judged_apart_and_together() -> None:
    ahead = rows({"bin": 0.1})
    behind = rows({"bin": -0.1, "bin-real": -0.1}, orientation="swapped")
    judged_lines = ledger.judge(Evidence(pd.concat([ahead, behind]), measured()))
    found = judged_lines[judged_lines["part"] == "C3a"].set_index("orientation")["verdict"]
    assert found.to_dict() == {"given": "reproduced", "swapped": "not reproduced", "both": "not reproduced"}


def test_every_claim_has_a_verdict_under_each_protocol_or_says_why_not() -> None:
    table = pd.concat([rows({}, protocol=protocol) for protocol in ("literal", "charitable", "tuned")])
    marks = ledger.by_claim(ledger.judge(Evidence(table, measured())), "given")
    assert marks.index.tolist() == [f"C{number}" for number in range(1, 15)]
    assert marks.columns.tolist() == ["literal", "charitable", "tuned"]
    assert set(marks.to_numpy().ravel()) <= set(ledger.VERDICTS)


def test_missing_results_are_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=r"evidence\.csv is missing; `wfhelpers measure evidence` makes it"):
        ledger.load(tmp_path)


def test_every_claim_is_complete() -> None:
    for claim in LEDGER:
        assert isinstance(claim, Claim)
        assert claim.words
        assert claim.place
        assert all(part.hypothesis and part.rule for part in claim.parts)


@pytest.mark.parametrize("part", PARTS.values(), ids=lambda part: part.id)
def test_every_part_names_the_function_that_computes_it_and_a_test_of_that_function(part: Part) -> None:
    module_name, name = part.computed_by.rsplit(".", 1)
    module = importlib.import_module(module_name)
    assert callable(getattr(module, name))
    path, test = part.test.split("::")
    functions = [node for node in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(node, ast.FunctionDef)]
    (body,) = [ast.unparse(function) for function in functions if function.name == test]
    fixtures = [ast.unparse(function) for function in functions if not function.name.startswith("test")]
    words = set(re.findall(r"\w+", "\n".join([body, *fixtures])))
    called = [getattr(module, word) for word in words if inspect.isfunction(getattr(module, word, None))]
    assert name in words or any(name in inspect.getsource(function) for function in called)
