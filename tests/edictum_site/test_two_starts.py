"""Two concurrent starts create one console, and both succeed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stores import OURS

pytestmark = pytest.mark.slow  # starts the product

MANAGE = Path(__file__).resolve().parent.parent.parent / "manage.py"


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != OURS}
    return inherited | {"EDICTUM_SITE_DATA": str(tmp_path), "DATABASE_URL": "", "PORT": "8000"}


def prepare(environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(MANAGE), "prepare"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_concurrent_starts_create_one_project_and_one_key(environment):
    both = [prepare(environment), prepare(environment)]
    outputs = [each.communicate() for each in both]
    assert [each.returncode for each in both] == [0, 0], outputs
    output = "".join(out for out, _ in outputs)
    assert sum(line.strip().startswith("edk_") for line in output.splitlines()) == 1
    assert output.count("/set-up/") == 2  # each prints a link, and both work until an admin exists


def test_an_invalid_database_file_stops_the_start_with_a_message(environment, tmp_path):
    (tmp_path / "edictum-site.sqlite3").write_text(
        "this is no database, whatever its name says\n" * 40
    )
    start = prepare(environment)
    _, err = start.communicate()
    assert start.returncode == 1
    assert "Traceback" not in err
    assert "cannot be used" in err.splitlines()[-1]
