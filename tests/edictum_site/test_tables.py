"""The initial schema of a new database equals the result of all migrations."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.databases import own_database

ROOT = Path(__file__).parents[2]
# Django's groups, unused here: their migrations use another type for ids.
GROUPS = {"auth_group_permissions"}


@pytest.fixture
def store() -> Iterator[list[dict[str, str]]]:
    with own_database() as first, own_database() as second:
        yield [first, second]


def made(way: str, folder: Path, variables: dict[str, str]) -> dict[str, Any]:
    folder.mkdir()
    ended = subprocess.run(
        [sys.executable, "-m", "tests.schema", way],
        cwd=ROOT,
        env=os.environ | variables | {"EDICTUM_SITE_DATA": str(folder)},
        stdout=subprocess.PIPE,
        check=True,
        timeout=120,
    )
    body: dict[str, Any] = json.loads(ended.stdout)
    return body


def test_the_initial_schema_matches_the_migrated_schema(store, tmp_path):
    at_once = made("at-once", tmp_path / "at-once", store[0])
    by_steps = made("steps", tmp_path / "steps", store[1])
    assert at_once["tables"].keys() == by_steps["tables"].keys()
    for name, table in by_steps["tables"].items():
        assert name in GROUPS or at_once["tables"][name] == table, name
    assert at_once["indexes"] == by_steps["indexes"]
    assert at_once["checks"] == by_steps["checks"]
    assert {"session_by_beginning", "use_by_beginning"} <= {name for name, _ in at_once["indexes"]}
