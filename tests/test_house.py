"""Rules for the whole code base, beyond the tests of any single package."""

import ast
import importlib
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from datetime import date
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
from governance.checks.language.automata import automaton
from governance.core.roles import Role
from governance.core.verdict import Verdict
from governance.models import Member
from outcomes import database
from outcomes.models import Batch, Call, RejectedItem, Session
from outcomes.record.event import Report
from outcomes.record.outcome import Outcome
from outcomes.record.wire import Source
from tests.edictum_site.routes import PROJECT_PAGES
from tests.journeys.test_accessibility import PAGES
from tests.names import empty_names

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 400  # lines
MODULES = 25  # per folder
PRODUCT = ("edictum_site/", "governance/", "outcomes/")
WIDEST = 120  # characters per line of a template
GENERATED = ("requirements", "docs/pictures/")


def tracked(*endings: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    names = [name for name in listed.stdout.decode().split("\0") if name]
    return [
        ROOT / name
        for name in names
        if (not endings or name.endswith(endings))
        and not name.startswith(GENERATED)
        and "/migrations/" not in name
        and (ROOT / name).is_file()
    ]


def matching_lines(files: list[Path], pattern: str) -> list[str]:
    """Matching lines, as file:line."""
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


def test_a_calls_outcome_choices_match_the_domain():
    assert set(Call.Kind.values) - {""} == kinds_of(Outcome)


def test_every_outcome_type_and_verdict_fits_its_column():
    for field in ("kind", "verdict", "reported", "classified"):
        column = Call._meta.get_field(field)
        assert isinstance(column, CharField)
        longest = max(map(len, kinds_of(Outcome) if field == "kind" else Verdict))
        assert longest <= (column.max_length or 0)


def test_report_names_are_unique():
    assert len(kinds_of(Report)) == len(get_args(Report))


def test_source_and_role_choices_match_the_domain():
    for model in (Batch, RejectedItem):
        assert choices_of(model, "source") == set(get_args(Source))
    assert choices_of(Member, "role") == {role.value for role in Role}
    assert "unjudged" in choices_of(Session, "stopped")


def test_the_client_package_and_the_console_share_the_check_source():
    copied = {file: (AGENTS / file).read_text() for file in FILES}
    assert copied == {file: copy_of(file) for file in FILES}, "`make fix` copies it"


def test_no_migration_is_missing():
    loader = MigrationLoader(None)
    detector = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps))
    assert detector.changes(graph=loader.graph) == {}


def test_the_import_contracts_pass():
    linter = Path(sys.executable).parent / "lint-imports"
    linted = subprocess.run(
        [linter, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert linted.returncode == 0, linted.stdout


@pytest.mark.parametrize("lock", ["requirements.txt", "requirements-dev.txt"])
def test_every_locked_package_has_hashes_and_no_url(lock):
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


def test_no_folder_has_more_than_25_modules():
    modules = Counter(
        str(file.parent.relative_to(ROOT))
        for file in tracked(".py")
        if file.name != "__init__.py" and str(file.relative_to(ROOT)).startswith(PRODUCT)
    )
    assert {folder: number for folder, number in modules.items() if number > MODULES} == {}


def test_no_import_between_layers_is_exempt():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = [each for each in contracts["contracts"] if each["type"] == "layers"]
    assert len(layers) == 5
    assert [each["name"] for each in layers if each.get("ignore_imports")] == []


def test_no_template_line_is_too_long():
    assert matching_lines(tracked(".html"), rf"^.{{{WIDEST + 1},}}$") == []


def test_every_module_has_a_docstring():
    silent = [
        str(file.relative_to(ROOT))
        for file in tracked(".py")
        if (text := file.read_text()).strip() and not ast.get_docstring(ast.parse(text))
    ]
    assert silent == []


def test_names_and_docstrings_avoid_empty_words():
    files = [file.relative_to(ROOT) for file in tracked(".py")]
    assert [name for file in files for name in empty_names(file)] == []


def test_no_file_contains_paths_of_a_developers_machine():
    # Spelled so that this line does not match itself.
    folders = [f"/{name}/" for name in ("work", "root", "home")]
    files = [file for file in tracked() if file.suffix not in {".png", ".woff2", ".ico"}]
    assert matching_lines(files, rf"(?<![\w.}}>])({'|'.join(folders)})\w") == []


def test_no_file_contains_a_todo_marker():
    markers = "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "coming " + "soon"])
    assert (
        matching_lines(tracked(".py", ".html", ".css", ".js", ".toml"), rf"\b({markers})\b") == []
    )


def test_every_lint_exemption_names_its_rule():
    bare = r"# noq" + r"a(?!: [A-Z]+\d)|# type: ignor" + r"e(?!\[)"
    assert matching_lines(tracked(".py"), bare) == []


def test_no_test_has_a_skip_or_xfail_marker():
    marks = r"pytest\.mark\.(ski" + r"p|xfai" + r"l)|unittest\.ski" + "p"
    assert matching_lines(tracked(".py"), marks) == []


def test_every_page_template_is_used():
    sources = "\n".join(file.read_text() for file in tracked(".py", ".html"))
    # allauth's own views name its templates; components are rendered where pages need them.
    no_pages_of_ours = {"account", "mfa", "socialaccount", "usersessions", "_components"}
    unused = [
        name
        for file in tracked(".html")
        if (name := str(file.relative_to(ROOT / "templates"))).split("/")[0] not in no_pages_of_ours
        and f'"{name}"' not in sources
        and f"'{name}'" not in sources
    ]
    assert unused == []


def test_every_page_of_a_project_is_looked_at_for_accessibility():
    """Covers pages that need only a project; `PAGES` has an example of each of the others."""
    missing = []
    for route in PROJECT_PAGES:
        method, _, name = route.partition(" ")
        try:
            path = reverse(name, args=["default"])
        except NoReverseMatch:
            continue
        if method == "GET" and "/live/" not in path and path not in PAGES.values():
            missing.append(name)
    assert missing == []


def test_the_django_admin_is_disabled():
    assert "django.contrib.admin" not in settings.INSTALLED_APPS


RECORDS = sorted((ROOT / "docs/adr").glob("*.md"))
TITLE = re.compile(r"# (\d+)\. \S.*[^.]")
STATUS = r"Accepted|Superseded by \[ADR \d+\]\((?P<by>[\w-]+\.md)\)"
HEAD = re.compile(rf"Date: (\d{{4}}-\d\d-\d\d)\. Status: ({STATUS})\.")
SECTIONS = ["## Context", "## Decision", "## Consequences"]
LINK = re.compile(r"\]\((?!https?:|#|/|mailto:)([^)#]+)")
FENCED = re.compile(r"```.*?```", re.S)
GUIDES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/*.md"),
    *ROOT.glob(".github/**/*.md"),
    *ROOT.glob(".github/**/*.yml"),
]


def test_decision_records_are_numbered_without_a_gap():
    assert [int(path.name[:4]) for path in RECORDS] == list(range(1, len(RECORDS) + 1))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_a_decision_record_has_its_number_a_date_a_status_and_its_sections(path):
    title, _, head, *rest = path.read_text().splitlines()
    number = TITLE.fullmatch(title)
    assert number, f"The first line is `# {int(path.name[:4])}. Title`, without a full stop"
    assert int(number[1]) == int(path.name[:4])
    match = HEAD.fullmatch(head)
    assert match, "The third line is `Date: YYYY-MM-DD. Status: Accepted.`"
    date.fromisoformat(match[1])
    assert not match["by"] or (path.parent / match["by"]).exists()
    assert [line for line in rest if line in SECTIONS] == SECTIONS


def test_the_example_in_adr_16_matches_the_compiler():
    [block] = re.findall(
        r"```json\n(.*?)\n```", (ROOT / "docs/adr/0016-patterns-are-automata.md").read_text()
    )
    assert json.loads(block) == automaton("er+or")


@pytest.mark.parametrize("path", [*GUIDES, *RECORDS], ids=lambda path: str(path.relative_to(ROOT)))
def test_links_to_files_resolve(path):
    if path.suffix == ".md":
        text = FENCED.sub("", path.read_text())
        broken = [to for to in LINK.findall(text) if not (path.parent / to).exists()]
        assert broken == []


def test_guides_name_only_existing_make_targets():
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.M))
    named = {
        (path.name, target)
        for path in GUIDES
        for target in re.findall(r"(?:`|run: |\$ )make ([a-z][\w-]*)", path.read_text())
    }
    assert {each for each in named if each[1] not in targets} == set()


def test_the_workflow_tests_every_supported_python_on_both_databases():
    workflow = (ROOT / ".github/workflows/test.yml").read_text()
    assert 'python: ["3.11", "3.12", "3.13"]' in workflow
    parts = re.findall(r"^ +- (test-\S+)$", workflow, re.M)
    runs = pytest_lines(*parts)
    assert any("--postgres" in run for run in runs)
    assert runs | pytest_lines("check") == pytest_lines("test")


def pytest_lines(*targets: str) -> set[str]:
    made = subprocess.run(
        ["make", "--dry-run", "--silent", *targets],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return {line for line in made.splitlines() if "-m pytest" in line}


def test_the_changelog_has_unreleased_changes_first_and_the_newest_version():
    heads = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    releases = [re.fullmatch(r"(\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)", head) for head in heads[1:]]
    assert heads[0] == "Unreleased"
    assert releases
    assert all(releases)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert next(result[1] for result in releases if result) == version


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_files_named_in_developer_guides_exist(name):
    named = re.findall(
        r"`([\w.][\w./-]*/(?:[\w-]+\.(?:py|html|md|toml|js|css))?)`", (ROOT / name).read_text()
    )
    folders = [path for path in named if (ROOT / path.split("/")[0]).exists()]
    assert [path for path in folders if not (ROOT / path).exists()] == []


def test_only_the_database_layer_depends_on_the_database_in_use():
    names = [str(path.relative_to(ROOT)) for path in tracked(".py")]
    rooms = [
        ROOT / name
        for name in names
        if name.startswith(PRODUCT) and not name.startswith("outcomes/database/")
    ]
    vendor = (
        r"""\bas_(postgresql|sqlite)\b|\.vendor\b|endswith\(.postgresql|\bNAME == |ON_POSTGRESQL"""
    )
    assert matching_lines(rooms, vendor) == []


def test_both_database_modules_have_the_same_public_names():
    offered = {
        name: {
            public
            for public in vars(importlib.import_module(f"outcomes.database.{name}"))
            if public in database.__all__
        }
        for name in ("postgresql", "sqlite")
    }
    assert offered["postgresql"] == offered["sqlite"] == set(database.__all__)
