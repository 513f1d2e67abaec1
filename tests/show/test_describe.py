"""What is made from the results for the repository is committed as it is made now; the answer follows the ledger."""

import io
import re
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

from wfhelpers import ledger
from wfhelpers._support import InputError
from wfhelpers.core.protocols import PROTOCOLS
from wfhelpers.show import describe

ROOT = Path(__file__).parents[2]
HINT = "make it again: wfhelpers describe"


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    return describe.made(ROOT)


@pytest.fixture(scope="module")
def verdicts() -> pd.DataFrame:
    return ledger.by_claim(ledger.judge(ledger.load(ROOT / "results")))


@pytest.fixture(scope="module")
def cases() -> pd.DataFrame:
    return describe.headline_cases(ledger.load(ROOT / "results"))


TEXTS = ("README.md", "results/README.md", "ro-crate-metadata.json", "experiments.schema.json")


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_committed_is_what_is_made(name: str, made: dict[str, bytes]) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == made[name].decode(), HINT


def test_nothing_else_is_made_but_the_figure(made: dict[str, bytes], cases: pd.DataFrame) -> None:
    assert set(made) == {*TEXTS, describe.FIGURE}
    for content in ((ROOT / describe.FIGURE).read_bytes(), made[describe.FIGURE]):
        picture = Image.open(io.BytesIO(content))
        assert picture.text["Description"] == describe.mark(cases), HINT
        assert picture.width > 900
    assert len(made[describe.FIGURE]) < 100_000


def test_the_mark_of_the_figure_changes_with_what_it_shows(cases: pd.DataFrame) -> None:
    assert describe.mark(cases) == describe.mark(cases.copy())
    for column in ("mean", "lower", "side"):
        other = cases.reset_index(drop=True)
        other.loc[0, column] += 1
        assert describe.mark(other) != describe.mark(cases)


def test_every_claim_stands_in_the_answer_with_its_verdicts(verdicts: pd.DataFrame, cases: pd.DataFrame) -> None:
    answer = describe.answer(verdicts, cases)
    lines = [re.split(r" *\| *", line)[1:-1] for line in answer.splitlines() if re.match(r"\| C\d+:", line)]
    assert [line[0].split(":")[0] for line in lines] == [claim.id for claim in ledger.LEDGER]
    assert [line[1:] for line in lines] == verdicts[list(PROTOCOLS)].to_numpy().tolist()
    sentences = answer.split("\n\n")[0].replace("\n", " ")
    assert re.findall(r"\((\d+)\)", sentences) != []
    assert sum(map(int, re.findall(r"\((\d+)\)", sentences))) == len(ledger.LEDGER)


@pytest.mark.parametrize("place", range(len(ledger.LEDGER)))
def test_another_verdict_changes_the_readme(place: int, verdicts: pd.DataFrame, cases: pd.DataFrame) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    other = verdicts.copy()
    (word, *_) = (word for word in ledger.VERDICTS if word != other.iloc[place, 0])
    other.iloc[place, 0] = word
    assert describe.with_answer(readme, describe.answer(verdicts, cases)) == readme, HINT
    assert describe.with_answer(readme, describe.answer(other, cases)) != readme


def test_the_answer_stands_between_its_comments() -> None:
    readme = f"before\n{describe.BEGIN}\nformer\n{describe.END}\nafter"
    assert describe.with_answer(readme, "now") == f"before\n{describe.BEGIN}\nnow\n{describe.END}\nafter"
    with pytest.raises(InputError, match=r"README\.md lacks the lines"):
        describe.with_answer("nothing", "now")
