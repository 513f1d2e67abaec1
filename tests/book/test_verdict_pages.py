"""What the built pages say about the claims is what the committed results give."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from wfhelpers import ledger
from wfhelpers.show import verdict

ROOT = Path(__file__).parents[2]
PASTED = re.compile(r"\{glue:text\}`(?:\.\./notebooks/00_verdict\.ipynb::)?(\w+)(?::s)?`")
WORDS = re.compile("|".join(sorted(ledger.VERDICTS, key=len, reverse=True)))


@pytest.fixture(scope="module")
def judged():
    return ledger.judge(ledger.load(ROOT / "results"))


@pytest.mark.parametrize("page", ["book/intro", "book/report", "notebooks/00_verdict"])
def test_the_ledger_on_a_page_is_the_computed_one(site, judged, page):
    table = BeautifulSoup((site / f"{page}.html").read_text(), "html.parser").select_one("table.ledger")
    shown = {
        line.th.get_text(): [cell["title"] for cell in line.select("td[title]")] for line in table.select("tbody tr")
    }
    assert shown == {claim: list(row) for claim, row in ledger.by_claim(judged).T.items()}


@pytest.mark.parametrize("page", ["book/intro", "book/report", "notebooks/00_verdict"])
def test_verdicts_in_sentences_are_the_computed_ones(site, judged, page):
    source = ROOT / f"{page}.md" if page.startswith("book") else ROOT / f"{page}.py"
    text, facts = source.read_text(), verdict.facts(judged)
    wanted = [facts[name] for name in PASTED.findall(text) if name in facts]
    assert len(wanted) >= 4
    article = BeautifulSoup((site / f"{page}.html").read_text(), "html.parser").select_one("article")
    pasted = [span.get_text() for span in article.select("span.pasted-text")]
    assert [word for word in pasted if word in facts.values()] == wanted


@pytest.mark.parametrize("page", ["book/intro.md", "book/report.md"])
def test_no_verdict_is_typed(page):
    assert not re.findall(rf"\*(?:{WORDS.pattern})\*", (ROOT / page).read_text())
