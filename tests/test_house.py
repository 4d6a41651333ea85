"""The house's own promises, which no single feature keeps."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from django.apps import apps
from django.conf import settings
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models import CharField
from django.urls import NoReverseMatch, reverse

from clients.python.copy_matcher import AGENTS, FILES, copy_of
from governance.core.roles import Role
from governance.core.verdict import Verdict
from governance.models import Member
from outcomes.models import Batch, Call, RejectedItem, Session
from outcomes.record.event import Report
from outcomes.record.outcome import Outcome
from outcomes.record.wire import Source
from tests.edictum_site.routes import PROJECT_PAGES
from tests.journeys.test_accessibility import PAGES

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 400  # lines
GENERATED = ("requirements", "docs/pictures/")


def tracked(*endings: str) -> list[Path]:
    asked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    names = [name for name in asked.stdout.decode().split("\0") if name]
    return [
        ROOT / name
        for name in names
        if (not endings or name.endswith(endings))
        and not name.startswith(GENERATED)
        and "/migrations/" not in name
        and (ROOT / name).is_file()
    ]


def found_in(files: list[Path], pattern: str) -> list[str]:
    """Where it stands, as file:line."""
    return [
        f"{file.relative_to(ROOT)}:{number}"
        for file in files
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1)
        if re.search(pattern, line)
    ]


def kinds_of(union: object) -> set[str]:
    return {case.kind for case in get_args(union)}


def choices_of(model: type, field: str) -> set[str]:
    return {value for value, _ in model._meta.get_field(field).choices}  # type: ignore[attr-defined]  # a model


def test_a_call_can_be_kept_as_every_kind_of_outcome_and_as_no_other():
    assert set(Call.Kind.values) - {""} == kinds_of(Outcome)


def test_every_kind_fits_its_column():
    for field in ("kind", "verdict", "reported", "classified"):
        column = Call._meta.get_field(field)
        assert isinstance(column, CharField)
        longest = max(map(len, kinds_of(Outcome) if field == "kind" else Verdict))
        assert longest <= (column.max_length or 0)


def test_no_two_reports_have_one_name():
    assert len(kinds_of(Report)) == len(get_args(Report))


def test_sources_and_roles_are_those_of_the_domain():
    for model in (Batch, RejectedItem):
        assert choices_of(model, "source") == set(get_args(Source))
    assert choices_of(Member, "role") == {role.value for role in Role}
    assert "unjudged" in choices_of(Session, "stopped")


def test_agents_carry_out_checks_by_the_same_text_as_the_console():
    copied = {file: (AGENTS / file).read_text() for file in FILES}
    assert copied == {file: copy_of(file) for file in FILES}, "`make fix` copies it"


def test_no_migration_is_missing():
    loader = MigrationLoader(None)
    detector = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps))
    assert detector.changes(graph=loader.graph) == {}


def test_the_import_contracts_hold():
    linter = Path(sys.executable).parent / "lint-imports"
    told = subprocess.run(
        [linter, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout


@pytest.mark.parametrize("lock", ["requirements.txt", "requirements-dev.txt"])
def test_every_locked_package_has_hashes_and_no_address(lock):
    text = (ROOT / lock).read_text()
    assert "://" not in text
    packages = re.split(r"\n(?=\S)", text.strip())
    assert packages
    for package in packages:
        assert re.match(r"[\w.\[\]-]+==\S+", package), package
        assert "--hash=sha256:" in package, package


def test_no_file_is_too_long():
    files = tracked(".py", ".html", ".css", ".js", ".md", ".toml")
    long = {str(file.relative_to(ROOT)): len(file.read_text().splitlines()) for file in files}
    assert {name: lines for name, lines in long.items() if lines > LONGEST} == {}


def test_every_module_says_what_it_is_for():
    silent = [
        str(file.relative_to(ROOT))
        for file in tracked(".py")
        if (text := file.read_text()).strip() and not ast.get_docstring(ast.parse(text))
    ]
    assert silent == []


def test_nothing_tells_of_the_machine_that_it_was_written_on():
    # Spelled so that this line does not find itself.
    folders = [f"/{name}/" for name in ("work", "root", "home")]
    files = [file for file in tracked() if file.suffix not in {".png", ".woff2", ".ico"}]
    assert found_in(files, rf"(?<![\w.}}>])({'|'.join(folders)})\w") == []


def test_nothing_is_left_to_be_done_later():
    words = "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "coming " + "soon"])
    assert found_in(tracked(".py", ".html", ".css", ".js", ".toml"), rf"\b({words})\b") == []


def test_every_exception_from_a_rule_names_the_rule():
    bare = r"# noq" + r"a(?!: [A-Z]+\d)|# type: ignor" + r"e(?!\[)"
    assert found_in(tracked(".py"), bare) == []


def test_no_test_is_left_out_without_a_word():
    marks = r"pytest\.mark\.(ski" + r"p|xfai" + r"l)|unittest\.ski" + "p"
    assert found_in(tracked(".py"), marks) == []


def test_every_page_template_is_shown_by_something():
    said = "\n".join(file.read_text() for file in tracked(".py", ".html"))
    # Those of allauth are named by its own views; parts are drawn where pages need them.
    no_pages_of_ours = {"account", "_components"}
    unused = [
        name
        for file in tracked(".html")
        if (name := str(file.relative_to(ROOT / "templates"))).split("/")[0] not in no_pages_of_ours
        and f'"{name}"' not in said
        and f"'{name}'" not in said
    ]
    assert unused == []


def test_every_page_of_a_project_is_looked_at_for_accessibility():
    """Those that need no more than the project; the others have one of theirs among them."""
    missing = []
    for asked in PROJECT_PAGES:
        method, _, name = asked.partition(" ")
        try:
            path = reverse(name, args=["default"])
        except NoReverseMatch:
            continue
        if method == "GET" and "/live/" not in path and path not in PAGES.values():
            missing.append(name)
    assert missing == []


def test_djangos_admin_is_off():
    assert "django.contrib.admin" not in settings.INSTALLED_APPS
