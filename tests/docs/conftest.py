"""A product with everything the docs mention: a contract, checks and keys."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edictum_site.stack.running import product as running
from tests.docs.blocks import ROOT, blocks_of
from tests.journeys.console import VARIABLES, Console

CONTRACT = """\
apiVersion: edictum/v1
kind: Ruleset
metadata: {name: billing}
defaults: {mode: enforce}
rules:
  - id: no-root
    type: pre
    tool: shell
    when: {args.user: {equals: root}}
    then: {action: block, message: not as root}
"""
# It prompts a person for confirmation; none is present here.
MANAGE = f"""\
#!/bin/sh
case "$1 $2" in "contracts push" | "contracts pull") set -- "$@" --yes ;; esac
exec "$PYTHON" {ROOT / "manage.py"} "$@"
"""
CLI = """\
#!/bin/sh
exec "$PYTHON" -m edictum_site_client.cli "$@"
"""
VERSIONS = 3  # of the contract and of each check: some docs name them


@pytest.fixture(scope="package")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    stores = {"DATABASE_URL": "", "REDIS_URL": ""}  # embedded stores: only the docs are under test
    with running(tmp_path_factory.mktemp("console"), VARIABLES | stores) as product:
        console = Console(product, "")
        _fill(console)
        yield console


def _fill(console: Console) -> None:
    checks = [each.text for each in blocks_of("docs/success.md") if each.language == "yaml"]
    for number in range(VERSIONS, 0, -1):
        comment = f"# {number}\n" if number > 1 else ""
        answer_of(console, "POST", "contracts", yaml=comment + CONTRACT)
        for text in checks:
            answer_of(console, "PUT", f"success-checks/{name_in(text)}", yaml=comment + text)
    for version in (1, 2):
        answer_of(
            console, "POST", "contracts/billing/deployments", version=version, env="production"
        )


def name_in(text: str) -> str:
    return text.partition("metadata: {name: ")[2].partition("}")[0].partition(",")[0]


def answer_of(console: Console, method: str, path: str, **body: Any) -> Any:
    status, answer = console.ask(method, path, json.dumps(body).encode())
    assert status in (200, 201, 202), answer
    return answer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A reader's files: a contract, and a folder of contracts in git."""
    for name in ("contract.yaml", "billing.yaml", "contracts/billing.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(CONTRACT)
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks/unified.yaml").write_text(blocks_of("docs/success.md")[0].text)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("manage.py", MANAGE), ("edictum-site-cli", CLI)):
        program = programs / name
        program.write_text(text)
        program.chmod(0o755)
    return tmp_path
