"""Every snippet in the README and `docs/` is run on a product or compared with tested code."""

import asyncio
import configparser
import importlib.metadata
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import dropwhile
from pathlib import Path

import httpx2
import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandError
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from packaging.requirements import Requirement

from edictum_site.stack.roles import DESCRIPTIONS, parser_of
from governance.clients.wheel import client_wheel
from tests.docs.advice import not_run
from tests.docs.blocks import PAGES, ROOT, Block, blocks_in, blocks_of
from tests.docs.conftest import answer_of, name_in
from tests.docs.pipelines import pipeline_problems
from tests.journeys.console import KEY, Console

PATIENCE = 180.0  # seconds for one program, on a machine with busy cores
FRAGMENT = Path(__file__).with_name("fragment.py")
ADDRESS, SOME_KEY = "http://127.0.0.1:8000", "edk_production_…"
# A snippet that runs an agent's tool must report the call to the console.
RUNS_A_TOOL = re.compile(
    r"guard\.run\(|console\.call\(|\.execute\(|^crm_lookup\(|execute_tool", re.MULTILINE
)
REJECTED = re.compile(r'"(rejected|warnings)": ?\[\{')
# Programs that change a machine, or that a console does not need: their lines are not run.
NOT_RUN = {
    "cd": "belongs to the reader's shell",
    "claude": "an assistant of the reader: test_client.py of the MCP server is one",
    "docker": "needs a daemon: test_deploy.py checks its files",
    "export": "belongs to the reader's shell: test_deploy.py reads it",
    "git": "changes a checkout",
    "kubectl": "needs a cluster: test_deploy.py checks its files",
    "pg_dump": "needs the PostgreSQL of an installation",
    "sudo": "changes the machine",
    "systemctl": "changes the machine",
}
VARIABLE = re.compile(r"[A-Z_]+=")
DRAWINGS = {"docs/architecture.md": "how events flow, in letters"}


class Wrong(Exception):
    """The output of a snippet differs from its page."""


@pytest.mark.parametrize("page", PAGES)
def test_every_snippet_in_the_docs_produces_the_documented_output(
    page: str, console: Console, folder: Path
) -> None:
    wrong = []
    for block in blocks_of(page):
        handle = HANDLERS.get(block.language)
        if handle is None:
            wrong.append(f"{block}: nothing here runs or checks {block.language!r}")
            continue
        try:
            handle(block, console, folder)
        except (Wrong, AssertionError, ValueError) as error:
            wrong.append(f"{block}: {error}")
    if wrong:
        pytest.fail("\n\n".join(wrong), pytrace=False)


def python(block: Block, console: Console, folder: Path) -> None:
    if block.page == "docs/adapters.md":
        # It needs a framework; `make test-sdks` runs it there, so compare the code here.
        if missing := not_run(block.text):
            raise Wrong(f"no program of tests/sdks runs this as it is: {missing}")
        return
    if block.page == "docs/archive.md":
        return  # run on an archive by tests/outcomes/retention/test_archive.py
    agent = f"agent-{block.line}-of-{Path(block.page).stem}"
    text = block.text.replace("billing-bot", agent)
    file = folder / f"line_{block.line}.py"
    file.write_text(at_this_console(text, console))
    # A page that starts with a script has it complete; elsewhere a fragment can suffice.
    program = [] if block.page == "README.md" else [str(FRAGMENT)]
    ran([sys.executable, *program, file.name], folder, console, AGENT=agent)
    if RUNS_A_TOOL.search(text):
        calls = console.settled(f"outcomes?agent={agent}")["outcomes"]
        if not calls:
            raise Wrong("it ran a tool, and nothing of it arrived")


def shell(block: Block, console: Console, folder: Path) -> None:
    if re.search(r"^(curl|api)\b", block.text, re.MULTILINE):
        missing = [name for name in ("curl", "jq") if not shutil.which(name)]
        if missing:
            pytest.skip(f"{block} needs {missing}")
        execute(block, console, folder)
    elif "edictum-site-cli" in block.text:
        a_checkout(folder)
        execute(block, console, folder, EDICTUM_SITE_URL=console.url, EDICTUM_SITE_KEY=KEY)
    elif "manage.py contracts" in block.text:
        a_checkout(folder)
        execute(block, console, folder)
    else:
        for line in commands_in(block.text):
            checked(line)


def a_checkout(folder: Path) -> None:
    person = ["-c", "user.name=a", "-c", "user.email=a@example.test"]
    for command in (["init", "-q"], [*person, "commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(["git", *command], cwd=folder, check=True)


def execute(block: Block, console: Console, folder: Path, **variables: str) -> None:
    text = at_this_console(block.text, console).replace("--project support", "--project default")
    failing = 'curl() { command curl --fail-with-body "$@"; }\n'
    ran(["bash", "-e", "-c", failing + text], folder, console, **variables)


def checked(line: str) -> None:
    """Check a line that is not run: its program, its targets and its options exist."""
    words = list(dropwhile(VARIABLE.match, shlex.split(line, comments=True)))
    if words and words[0].endswith("python"):
        del words[0]
    match words:
        case [program, *_] if program in NOT_RUN:
            pass
        case ["make", *targets]:
            done = subprocess.run(
                ["make", "-n", *targets], cwd=ROOT, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
        case ["pip", "install", *expected]:
            for each in expected:
                installable(each)
        case [program, name, *options] if program.endswith("manage.py"):
            understood(name, options)
        case ["uvx", "--from", file, "edictum-site", "up"]:
            is_wheel(file)
        case ["pipx", "run", "--spec", file, "edictum-site", "up"]:
            is_wheel(file)
        case _:
            raise AssertionError(f"nothing here runs or checks {line!r}")


def is_wheel(file: str) -> None:
    """Check that it is the product's wheel, which `tests/edictum_site/test_wheel.py` runs."""
    assert file == f"dist/edictum_site-{settings.RELEASE}-py3-none-any.whl"


def commands_in(text: str) -> list[str]:
    joined = text.replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def installable(expected: str) -> None:
    if expected.startswith("./"):
        assert (ROOT / expected / "pyproject.toml").is_file(), f"{expected} is no package"
        return
    if expected.startswith(ADDRESS):
        assert expected == f"{ADDRESS}/clients/{client_wheel().name}", f"{expected} is not served"
        return
    requirement = Requirement(expected)
    result = importlib.metadata.metadata(requirement.name)
    extras = set(result.get_all("Provides-Extra") or [])
    assert requirement.extras <= extras, f"{requirement.name} has only {sorted(extras)}"


def understood(name: str, options: list[str]) -> None:
    if name in DESCRIPTIONS:
        parser_of(name).parse_args(options)
        return
    app = get_commands().get(name)
    assert app is not None, f"manage.py has no {name}"
    command = load_command_class(str(app), name) if isinstance(app, str) else app
    parser = command.create_parser("manage.py", name)
    try:
        parser.parse_args(options)
    except CommandError as error:
        raise Wrong(f"manage.py {name} {options}: {error}") from None


def json_value(block: Block, console: Console, folder: Path) -> None:
    value = json.loads(block.text)
    match value:
        case {"type": _, "call_id": _}:
            answered = console.post(value)
            assert answered["rejected"] == answered["warnings"] == [], answered
        case [{"tool": _, "args": _}, *_]:
            case = {"name": str(block), "calls": value, "expects": {"stopped_at": None}}
            answer_of(console, "POST", "contracts/billing/cases", **case)
        case {"mcpServers": {"edictum-site": {"url": url, "headers": headers}}}:
            bearer = at_this_console(headers["Authorization"], console)
            assert "request_deployment" in tools_of(at_this_console(url, console), bearer)
        case {"Statement": _}:
            assert block.page == "docs/artifacts.md"  # covered by test_bucket_rights.py
        case _:
            raise AssertionError("nothing here posts such a value")


def yaml(block: Block, console: Console, folder: Path) -> None:
    if "kind: SuccessCheck" in block.text:
        answer_of(console, "PUT", f"success-checks/{name_in(block.text)}", yaml=block.text)
        return
    if block.page == "docs/pipelines.md":
        assert pipeline_problems(block.text) == []
        return
    answer_of(console, "POST", "contracts", yaml=block.text)


def unit(block: Block, console: Console, folder: Path) -> None:
    """Check a systemd service by parsing it, without starting it."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # as its page has them
    parser.read_string(block.text)
    assert parser["Service"]["ExecStart"].endswith("manage.py up")


def drawing(block: Block, console: Console, folder: Path) -> None:
    assert block.page in DRAWINGS, "a block without a language: name it, or list the drawing"


HANDLERS: dict[str, Callable[[Block, Console, Path], None]] = {
    "": drawing,
    "ini": unit,
    "json": json_value,
    "python": python,
    "sh": shell,
    "yaml": yaml,
}


def at_this_console(text: str, console: Console) -> str:
    return text.replace(ADDRESS, console.url).replace(SOME_KEY, KEY)


def tools_of(url: str, bearer: str) -> set[str]:
    """Names of the tools that a server with this configuration lists."""

    async def names() -> set[str]:
        http = httpx2.AsyncClient(headers={"Authorization": bearer}, timeout=PATIENCE)
        async with http, Client(streamable_http_client(url, http_client=http)) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    return asyncio.run(names())


def ran(command: list[str], folder: Path, console: Console, **variables: str) -> None:
    env = {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "HOME": str(folder),
        "PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT / "clients" / "python" / "src"),
        "EDICTUM_SITE_DATA": str(console.product.data),
        "SITE": console.url,
        "KEY": KEY,
        **variables,
    }
    done = subprocess.run(
        command, cwd=folder, env=env, input="yes\n" * 9, capture_output=True, text=True,
        timeout=PATIENCE,
    )  # fmt: skip
    if done.returncode or "Traceback" in done.stderr:
        raise Wrong(f"{done.stdout}\n{done.stderr}".strip())
    if REJECTED.search(done.stdout):
        raise Wrong(done.stdout)


@pytest.mark.parametrize(
    "line",
    [
        "make no-such-target",
        "pip install ./clients/cobol",
        "pip install http://127.0.0.1:8000/clients/edictum_site_client-0.0.1-py3-none-any.whl",
        'pip install "edictum[telepathy]"',
        "manage.py contracts pull contracts/ --projects default",
        ".venv/bin/python manage.py no_such_command",
        "frobnicate --all",
    ],
)
def test_an_unknown_command_is_detected(line: str) -> None:
    with pytest.raises((Wrong, AssertionError)):
        checked(line)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("1 + 1  # 2", True),
        ("1 + 1  # 3", False),
        ("1 + 1  # two, and what else", True),
        ("'a'  # \"a\" and more", False),
        ("complex(real=1)  # complex(real=1.0, …)", True),
        ("complex(real=1)  # complex(imag=1.0, …)", False),
        ("await asyncio.sleep(0, 7)  # 7", True),
        ("nobody_has_this", False),
    ],
)
def test_a_value_claimed_in_a_comment_is_compared(
    tmp_path: Path, text: str, *, holds: bool
) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(text)
    done = subprocess.run([sys.executable, str(FRAGMENT), str(file)], capture_output=True)
    assert (done.returncode == 0) is holds, done.stderr


def test_untested_advice_is_detected() -> None:
    assert not_run("console = Console(success_check=lambda tool, result: result.ok)")
    assert not_run("class Stopping(CrewAIAdapter):\n    pass")


def test_an_unclosed_or_unsupported_code_fence_is_detected() -> None:
    for text in ("```python\n1\n", "  1. ```python title=x\n1\n```\n"):
        with pytest.raises(AssertionError, match="fence"):
            list(blocks_in("page.md", text))
    (block,) = blocks_in("page.md", "- so:\n\n  ```sh\n  make run\n  ```\n")
    assert (block.line, block.language, block.text) == (3, "sh", "make run\n")
