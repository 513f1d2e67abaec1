"""Every verdict in an executed notebook or on a page is the ledger's: one claim, one evidence, one verdict."""

import copy
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from wfhelpers import ledger
from wfhelpers.core.protocols import PROTOCOLS
from wfhelpers.show import verdict
from wfhelpers.study.numbers import Numbers

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = sorted((ROOT / "book" / "tasks").glob("*.ipynb"))
SPEAKING = [path for path in CHAPTERS if path.name[:3] in ("00_", "03_", "04_", "05_", "06_", "07_")]

CLAIMS = {claim.id: claim for claim in ledger.LEDGER}
PARTS = {part.id: part for claim in ledger.LEDGER for part in claim.parts}
WORD = f"(?:{'|'.join(sorted(ledger.VERDICTS, key=len, reverse=True))})"
OTHER_WORDS = re.compile(r"\bC1?\d[abc]?\b[^.\n]{0,60}\b(holds|does not hold|fails|undecided|refuted|confirmed)\b")
ID = re.compile(r"\b(C1?\d[abc]?)\b")
NUMBER = r"([+-](?:[\d.e+-]+|inf))"
COUNTED = re.compile(rf"({WORD}): \+(\d+) =(\d+) −(\d+) of (\d+); {NUMBER} to {NUMBER}; Holm \+(\d+) −(\d+)")
NAMED = re.compile(r"^(?:\w+_)?(c1?\d[abc]?)(?:_(\w+))?$")


@dataclass(frozen=True)
class Statement:
    """A verdict as it is shown: on which part or claim, in which column, from which numbers and cases if it says so."""

    name: str
    column: str
    word: str
    numbers: Numbers | None = None
    counts: str = ""
    cases: str = ""


@pytest.fixture(scope="module")
def judged() -> pd.DataFrame:
    return ledger.judge(ledger.load(ROOT / "results"))


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ").replace(r"\xa0", " ")  # which is how a quoted text is printed


def stated(name: str, column: str, text: str) -> Iterator[Statement]:
    """Statements in one cell of a table, or in one value."""
    counted = COUNTED.findall(text)
    for word, ahead, equal, behind, total, lower, upper, supporting, contradicting in counted:
        counts = [int(each) for each in (total, ahead, equal, behind)]
        effect = [float("nan"), float(lower), float(upper)]
        yield Statement(name, column, word, Numbers(*counts, *effect, int(supporting), int(contradicting)))
    if not counted:
        for word, protocol in re.findall(rf"({WORD}) \(({'|'.join(PROTOCOLS)})\)", text):
            yield Statement(name, protocol, word)
        if alone := re.fullmatch(rf"\W*({WORD})\W*", text):
            yield Statement(name, column, alone[1])


def in_tables(html: str) -> Iterator[Statement]:
    for table in BeautifulSoup(html, "html.parser").select("table"):
        columns = [cell.get_text() for cell in table.select("thead tr")[0].select("th, td")] if table.thead else []
        for line in table.select("tbody tr"):
            cells = line.select("th, td")
            texts = [plain(cell.get("title") or cell.get_text(" ")) for cell in cells]
            for text, cell in zip(texts, cells, strict=True):  # what is read aloud is what is shown
                assert [label["aria-label"] for label in cell.select("b[aria-label]")] in (
                    [],
                    re.findall(WORD, text)[:1],
                )
            names = [match[1] for text in texts[:1] if (match := ID.match(text))]
            for place, text in enumerate(texts):
                column = columns[place] if len(columns) == len(texts) else ""
                if names and column == "verdict" and "cases" in columns:  # a line of the details
                    word = re.search(WORD, text)
                    assert word, text
                    yield Statement(names[0], texts[1], word[0], counts=texts[3], cases=texts[2])
                elif names:
                    yield from stated(names[0], column, text)


def in_text(text: str) -> Iterator[Statement]:
    """Statements of a printed dictionary, or of lines that start with a claim or the name of a glued fact."""
    for name, _, value in re.findall(r"(C1?\d[abc]?)\b(:[^\n]*?['\"]: ['\"]|: )([^'\"\n]*)", plain(text)):
        yield from stated(name, "", value)
    for name, column, value in re.findall(r"^(c1?\d[abc]?)(?:_(\w+))?: (.*)$", plain(text), re.MULTILINE):
        yield from stated(name.upper()[:-1] + name[-1], column, value)


def statements(notebook: nbformat.NotebookNode) -> list[Statement]:
    """Verdicts that the outputs of a notebook give; refuses what looks like one and is not from the ledger."""
    found: list[Statement] = []
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        data = output.get("data", {"text/plain": output.get("text", "")})
        text, html = plain(data.get("text/plain", "")), plain(data.get("text/html", ""))
        if glued := output.get("metadata", {}).get("scrapbook", {}).get("name"):
            value = plain(data.get("application/papermill.record/text/plain", "")).strip("'\"")
            if named := NAMED.match(glued):
                found += stated(named[1].replace("c", "C", 1), named[2] or "", value)
            continue
        said = list(in_tables(html)) if html else list(in_text(text))
        shown = BeautifulSoup(html, "html.parser").get_text(" ") if html else text
        assert not OTHER_WORDS.search(shown), f"a verdict in words of its own: {OTHER_WORDS.search(shown)}"
        if html and said and "<DataFrame" not in text and "IPython" not in text:
            assert Counter(re.findall(WORD, text)) == Counter(re.findall(WORD, shown)), "text and table differ"
        if not said and not html:
            for line in text.splitlines():
                assert not (ID.search(line) and re.search(WORD, line)), f"not a verdict of the ledger: {line}"
        found += said
    return found


def problems(notebook: nbformat.NotebookNode, judged: pd.DataFrame) -> list[str]:
    """What a notebook says about claims and the ledger does not."""
    verdicts, lines = ledger.by_claim(judged), judged.set_index(["part", "protocol", "orientation", "dataset"])
    default = re.search(r'^protocol = "(\w+)"', "\n".join(cell.source for cell in notebook.cells), re.MULTILINE)
    protocol = default[1] if default and default[1] in PROTOCOLS else "charitable"
    wrong = []
    for said in statements(notebook):
        if said.numbers and said.word != (word := ledger.verdict(said.numbers, PARTS[said.name])):
            wrong.append(f"{said}: the rule gives {word}")
        if said.cases:  # a line of the details, which speaks of all results
            whole = ("any", "any") if said.column == "–" else ("both", "both")
            where = {"all": whole, "as listed": ("given", "both"), "swapped": ("swapped", "both")}
            where |= {"MNIST": ("both", "mnist"), "Citeseer": ("both", "citeseer")}
            line = lines.loc[(said.name, "any" if said.column == "–" else said.column, *where[said.cases])]
            if said.counts != f"{line['ahead']} / {line['equal']} / {line['behind']} of {line['cases']}":
                wrong.append(f"{said}: the ledger counts otherwise")
            if said.word != line["verdict"]:
                wrong.append(f"{said}: the ledger says {line['verdict']}")
        elif said.column.endswith("_word"):  # a glued fact about a part, on all cases or on a data set
            under, *dataset = said.column.removesuffix("_word").split("_")
            own = judged[(judged["part"] == said.name) & (judged["protocol"] == under)]
            own = own[own["dataset"].isin(dataset or ["both", "any"]) & own["orientation"].isin(["both", "any"])]
            if said.word != own["verdict"].item():
                wrong.append(f"{said}: the ledger says {own['verdict'].item()}")
        elif not said.numbers:
            column = protocol if said.column in ("", "all") else said.column.split("_")[0].removesuffix(", today")
            if column in PROTOCOLS and said.word != verdicts.loc[said.name, column]:
                wrong.append(f"{said}: the ledger says {verdicts.loc[said.name, column]}")
    return wrong


@pytest.mark.parametrize("path", [*CHAPTERS, *PAGES], ids=lambda path: path.stem)
def test_no_place_contradicts_the_ledger(path: Path, judged: pd.DataFrame) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert problems(notebook, judged) == []
    assert path not in SPEAKING or statements(notebook)


@pytest.mark.parametrize("path", SPEAKING, ids=lambda path: path.stem)
def test_a_verdict_changed_by_hand_is_noticed(path: Path, judged: pd.DataFrame) -> None:
    """Each output with a verdict is changed in one place, in each of its formats, one at a time."""
    notebook = nbformat.read(path, as_version=4)
    changed = 0
    for place, cell in enumerate(notebook.cells):
        for number, output in enumerate(cell.get("outputs", [])):
            stream = {"text": output["text"]} if "text" in output else {}
            for kind, content in {**output.get("data", {}), **stream}.items():
                alone = nbformat.v4.new_notebook(cells=[*notebook.cells[:2], copy.deepcopy(cell)])
                alone.cells[-1].outputs = [copy.deepcopy(output)]
                if "text" not in kind or not statements(alone) or not re.search(WORD, plain(content)):
                    continue
                other = content.replace("not reproduced", "reproduced", 1)
                if other == content:
                    others = "|".join(word for word in ledger.VERDICTS if "reproduced" not in word)
                    other = re.sub(rf"(?<!not )reproduced|{others}", "not reproduced", content, count=1)
                (alone.cells[-1].outputs[0] if stream else alone.cells[-1].outputs[0]["data"])[kind] = other
                assert _refused(alone, judged), (place, number, kind)
                changed += 1
    assert changed


def _refused(notebook: nbformat.NotebookNode, judged: pd.DataFrame) -> bool:
    try:
        return bool(problems(notebook, judged))
    except AssertionError:
        return True


def test_glued_facts_are_those_of_the_ledger(judged: pd.DataFrame) -> None:
    notebook = nbformat.read(ROOT / "notebooks" / "00_verdict.ipynb", as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    records = {output["metadata"]["scrapbook"]["name"]: output["data"] for output in outputs if output.get("metadata")
               and "scrapbook" in output["metadata"]}  # fmt: skip
    facts = verdict.facts(judged)
    glued = {name: records[name]["application/papermill.record/text/plain"].strip("'\"") for name in facts}
    assert glued == facts
