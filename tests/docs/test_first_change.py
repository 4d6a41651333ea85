"""*Your first change* of CONTRIBUTING.md, made literally in a copy of the repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, blocks_in

TEST = "tests/outcomes/denials/test_denials_page.py"
QUERY = "outcomes/denials/queries/denial_sums.py"
WORDS = "outcomes/denials/words.py"
VIEW = "outcomes/denials/views/denials.py"
TEMPLATE = "templates/denials/_denials.html"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Copy of the files that git knows, as they are now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def section() -> str:
    return (ROOT / "CONTRIBUTING.md").read_text().split("## Your first change")[1].split("\n## ")[0]


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, f"{file.name} has {old!r} {text.count(old)} times"
    file.write_text(text.replace(old, new))


def run(clone: Path, command: str) -> subprocess.CompletedProcess[str]:
    program, *arguments = command.split()
    assert program == ".venv/bin/python"
    # Not the stores of this test run: the copy makes its own.
    ours = ("EDICTUM_SITE_", "DATABASE_URL", "REDIS", "PYTEST_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=clone,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.one_database
def test_the_first_change_works_from_the_page_alone(clone):
    test, see_it_fail, query, words, view, template, _ = (
        block.text for block in blocks_in("CONTRIBUTING.md", section())
    )
    with (clone / TEST).open("a") as file:
        file.write(f"\n\n{test}")
    failed = run(clone, see_it_fail)
    assert "1 failed" in failed.stdout, failed.stdout + failed.stderr

    fields_end = "    groups: frozenset[int] = frozenset()  # that these figures include\n"
    edit(clone / QUERY, fields_end, f"{fields_end}\n{query}")
    with (clone / WORDS).open("a") as file:
        file.write(f"\n\n{words}")
    imported = "from outcomes.denials.words import "
    edit(clone / VIEW, imported, f"{imported}agents_words, ")
    line_above = '        "most_words": most_words(total, STEP_WORDS[scope.step]),\n'
    edit(clone / VIEW, line_above, line_above + view)
    edit(clone / TEMPLATE, "<span>{{ most_words }}</span>", template.strip())

    passed = run(clone, see_it_fail)
    assert "1 passed" in passed.stdout, passed.stdout + passed.stderr
