"""What the pages say about the claims, on a ledger whose verdicts are known."""

from importlib import import_module

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from wfhelpers.core.protocols import PROTOCOLS
from wfhelpers.ledger import LEDGER, VERDICTS, Claim, by_claim
from wfhelpers.show import figures, verdict


@pytest.fixture
def ledger() -> pd.DataFrame:
    """Ledger in which the parts of each claim go through all verdicts, in turn; Citeseer is one verdict ahead."""
    lines = []
    everywhere = [("both", "both"), ("given", "both"), ("swapped", "both"), ("both", "mnist"), ("both", "citeseer")]
    for place, claim in enumerate(LEDGER):
        for part in claim.parts:
            for shift, protocol in enumerate(["any"] if claim.same_for_all else PROTOCOLS):
                for orientation, dataset in [("any", "any")] if claim.same_for_all else everywhere:
                    word = VERDICTS[(place + shift + (dataset == "citeseer")) % len(VERDICTS)]
                    numbers = {"cases": 12, "ahead": 7, "equal": 2, "behind": 3, "supporting": 5, "contradicting": 1}
                    numbers |= {"estimate": 0.1234, "lower": -0.01, "upper": 0.2}
                    where = {"claim": claim.id, "part": part.id, "protocol": protocol}
                    where |= {"orientation": orientation, "dataset": dataset, "evidence": claim.page}
                    more = 120.0 if word == "open" else float("nan")
                    lines.append({**where, **numbers, "verdict": word, "runs_to_decide": more})
    return pd.DataFrame(lines)


def test_marks_show_the_verdict_on_every_claim_and_lead_to_its_details(ledger: pd.DataFrame) -> None:
    page = BeautifulSoup(verdict.marks(ledger).data, "html.parser")
    expected = by_claim(ledger)
    lines = page.select("tbody tr")
    marks = dict(zip(VERDICTS, "✔◐○≈✘∅", strict=True))
    assert [line.a["href"].split("#")[1] for line in lines] == [claim.id.lower() for claim in LEDGER]
    for claim, line in zip(LEDGER, lines, strict=True):
        cells = line.select("td.verdict")
        assert [cell["title"] for cell in cells] == expected.loc[claim.id].tolist()
        assert [cell.b.get_text() for cell in cells] == [marks[cell["title"]] for cell in cells]
        differing = [cell.small.get_text() for cell in cells if cell.small]
        if claim.same_for_all:
            assert differing == []
        else:  # Citeseer is one verdict ahead in every claim
            following = dict(zip(VERDICTS, (*VERDICTS[1:], VERDICTS[0]), strict=True))
            words = [by_claim(ledger, dataset="mnist").loc[claim.id, protocol] for protocol in PROTOCOLS]
            assert differing == [f"M {marks[word]} C {marks[following[word]]}" for word in words]


def test_details_give_every_line_of_a_claim(ledger: pd.DataFrame) -> None:
    claim = LEDGER[1]
    page = BeautifulSoup(verdict.details(claim, ledger).data, "html.parser")
    assert page.section["id"] == "c2"
    assert len(page.select("tbody tr")) == len(claim.parts) * 3 * 5
    assert all(part.hypothesis in page.get_text() and part.rule in page.get_text() for part in claim.parts)
    cells = [cell.get_text() for cell in page.select("tbody tr")[0].find_all("td")]
    assert cells[2:7] == ["all", "7 / 2 / 3 of 12", "+0.12", "-0.01 to +0.2", "5 / 1"]
    shown = {line.find_all("td")[2].get_text() for line in page.select("tbody tr")}
    assert shown == {"all", "as listed", "swapped", "MNIST", "Citeseer"}
    is_open = [line.get_text() for line in page.select("tbody tr") if "open" in line.get_text()]
    assert is_open
    assert all("about 120 runs" in line for line in is_open)


@pytest.mark.parametrize("claim", LEDGER, ids=lambda claim: claim.id)
def test_a_part_leads_to_the_function_that_computes_it_and_to_its_test(claim: Claim, ledger: pd.DataFrame) -> None:
    page = BeautifulSoup(verdict.details(claim, ledger).data, "html.parser")
    for part, item in zip(claim.parts, page.select("li"), strict=True):
        table, code, test = item.select("a")
        module, name = part.computed_by.rsplit(".", 1)
        assert callable(getattr(import_module(module), name))
        assert code["href"] == f"../book/api.html#{part.computed_by}"
        assert test["href"] == f"../book/concordance.html#{claim.id.lower()}"
        assert (test.text, code.text) == (part.test.split("::")[-1], part.computed_by.removeprefix("wfhelpers."))
        assert table["href"] == ("tasks_overview.html" if part.values else "#tables-code-tests")


def test_a_claim_without_protocols_says_why(ledger: pd.DataFrame) -> None:
    free = [claim for claim in LEDGER if claim.same_for_all]
    assert free
    for claim in free:
        assert claim.same_for_all in BeautifulSoup(verdict.details(claim, ledger).data, "html.parser").get_text()


def test_facts_and_counts_follow_the_ledger(ledger: pd.DataFrame) -> None:
    facts, expected = verdict.facts(ledger), by_claim(ledger)
    assert facts["c1_tuned"] == expected.loc["C1", "tuned"]
    assert facts["c1_tuned_counts"] == "7 of 12"
    assert facts["c8_any_against"] == "3 of 12"
    assert facts["c1_tuned_citeseer_word"] == by_claim(ledger, dataset="citeseer").loc["C1", "tuned"]
    counted = verdict.counts(ledger)
    assert counted.sum().tolist() == [15, 15, 15]
    assert facts["reproduced_literal"] == str(counted.loc["reproduced", "literal"])


def test_a_picture_has_words_for_those_who_do_not_see_it() -> None:
    shown = BeautifulSoup(verdict.picture(figures.panels()[0], 'a "graph"').data, "html.parser").img
    assert shown["alt"] == 'a "graph"'
    assert shown["src"].startswith("data:image/png;base64,")


def test_what_changed_stands_beside_the_first_verdicts(ledger: pd.DataFrame) -> None:
    first = pd.DataFrame({protocol: ["partly"] for protocol in PROTOCOLS}, index=["C1"])
    table = verdict.changes(ledger, first)
    assert table.loc["C1", ("tuned", "first")] == "partly"
    assert table.loc["C15", ("tuned", "first")] == "–"
    assert table.xs("today", axis=1, level=1).equals(by_claim(ledger))
