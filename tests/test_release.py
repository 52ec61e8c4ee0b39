"""The version stands in one place, and what is released under it says so."""

import re
import tomllib
from pathlib import Path

import yaml

import rankscope

ROOT = Path(__file__).parents[1]
RELEASES = re.findall(r"^## (\d+\.\d+\.\d+) — (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_build_takes_the_version_from_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/rankscope/__init__.py"


def test_the_version_is_the_one_at_the_top_of_the_changelog():
    newest, date = RELEASES[0]
    assert rankscope.__version__ == (f"{newest}.dev0" if date == "unreleased" else newest)


def test_what_is_cited_is_the_newest_release():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    released = [(version, date) for version, date in RELEASES if date != "unreleased"]
    assert (cited["version"], str(cited["date-released"])) == released[0]


def test_workflows_run_on_every_python_that_the_package_claims():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    claimed = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    tested = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    assert tested["jobs"]["wheel"]["strategy"]["matrix"]["python"] == claimed
