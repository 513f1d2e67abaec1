"""The downloads of the site are the stored files, one tidy table, and a zip that is an RO-Crate."""

import hashlib
import json
import zipfile
from pathlib import Path

import pandas as pd
import yaml
from bs4 import BeautifulSoup

from wfhelpers.results import catalogue

ROOT = Path(__file__).parents[2]
FILES = [path for entry in catalogue.read(ROOT) for path in entry.files(ROOT)]


def page(site: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")


def test_every_stored_file_can_be_downloaded(site: Path) -> None:
    linked = {str(link["href"]) for link in page(site, "book/results.html").select("article a[href*='/tables/']")}
    assert {f"../tables/{path.name}" for path in FILES} <= linked
    for path in FILES:
        assert (site / "tables" / path.name).read_bytes() == path.read_bytes()


def test_the_tidy_file_has_the_rows_of_all_tables(site: Path) -> None:
    table = pd.read_csv(site / "tables" / "all_tasks.csv.gz", dtype={"negative": str, "positive": str})
    pd.testing.assert_frame_equal(table, catalogue.tidy(ROOT / "results"), check_dtype=False)


def test_the_zip_is_a_crate(site: Path) -> None:
    with zipfile.ZipFile(site / "tables" / "results.zip") as archive:
        crate = json.loads(archive.read("ro-crate-metadata.json"))
        assert crate == json.loads((ROOT / "ro-crate-metadata.json").read_text(encoding="utf-8"))
        files = {entity["@id"]: entity for entity in crate["@graph"] if entity["@type"] == "File"}
        assert set(archive.namelist()) == {"ro-crate-metadata.json", *files}
        for name, entity in files.items():
            assert hashlib.sha256(archive.read(name)).hexdigest() == entity["sha256"]


def test_every_column_is_on_the_page(site: Path) -> None:
    article = page(site, "book/results.html").select_one("article")
    assert article is not None
    shown = [[cell.get_text() for cell in row.select("td")] for row in article.select("table tbody tr")]
    described = {
        (name, column["unit"], column["meaning"])
        for entry in catalogue.read(ROOT)
        for name, column in entry.columns.items()
        if entry.files(ROOT) and "coming" not in column
    }
    assert {tuple(row[:3]) for row in shown} == described


def test_the_landing_page_says_how_to_cite(site: Path) -> None:
    section = page(site, "book/intro.html").select_one("section#how-to-cite")
    assert section is not None
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert f"{cited['title']}, version {cited['version']}" in section.get_text()
    assert "@software{" in section.get_text()
    assert "Colombo" in section.get_text()
