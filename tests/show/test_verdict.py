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
    """Ledger in which the parts of each claim go through all verdicts, in turn."""
    lines = []
    for place, claim in enumerate(LEDGER):
        for part in claim.parts:
            for shift, protocol in enumerate(["any"] if claim.same_for_all else PROTOCOLS):
                for orientation in ["any"] if claim.same_for_all else ["given", "swapped", "both"]:
                    word = VERDICTS[(place + shift) % 4]
                    numbers = {"cases": 12, "supporting": 7, "contradicting": 3}
                    numbers |= {"estimate": 0.1234, "lower": -0.01, "upper": 0.2}
                    where = {"claim": claim.id, "part": part.id, "protocol": protocol, "orientation": orientation}
                    lines.append({**where, **numbers, "verdict": word, "evidence": claim.page})
    return pd.DataFrame(lines)


def test_marks_show_the_verdict_on_every_claim_and_lead_to_its_details(ledger: pd.DataFrame) -> None:
    page = BeautifulSoup(verdict.marks(ledger).data, "html.parser")
    expected = by_claim(ledger)
    lines = page.select("tbody tr")
    marks = dict(zip(VERDICTS, "✔◐✘○", strict=True))
    assert [line.a["href"].split("#")[1] for line in lines] == [claim.id.lower() for claim in LEDGER]
    for claim, line in zip(LEDGER, lines, strict=True):
        cells = line.select("td.verdict")
        assert [cell["title"] for cell in cells] == expected.loc[claim.id].tolist()
        assert [cell.get_text() for cell in cells] == [marks[cell["title"]] for cell in cells]


def test_details_give_every_line_of_a_claim(ledger: pd.DataFrame) -> None:
    claim = LEDGER[1]
    page = BeautifulSoup(verdict.details(claim, ledger).data, "html.parser")
    assert page.section["id"] == "c2"
    assert len(page.select("tbody tr")) == len(claim.parts) * 9
    assert all(part.hypothesis in page.get_text() and part.rule in page.get_text() for part in claim.parts)
    cells = [cell.get_text() for cell in page.select("tbody tr")[0].find_all("td")]
    assert cells[3:8] == ["12", "7", "3", "+0.12", "-0.01 to +0.2"]


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
    counted = verdict.counts(ledger)
    assert counted.sum().tolist() == [14, 14, 14]
    assert facts["reproduced_literal"] == str(counted.loc["reproduced", "literal"])


def test_a_picture_has_words_for_those_who_do_not_see_it() -> None:
    shown = BeautifulSoup(verdict.picture(figures.panels()[0], 'a "graph"').data, "html.parser").img
    assert shown["alt"] == 'a "graph"'
    assert shown["src"].startswith("data:image/png;base64,")
