"""A machine with only Python installs the client from the console and reports a call."""

import re
import subprocess
import urllib.request

import pytest

from tests.journeys.console import KEY, a_session
from tests.sdks.environments import VENV, pip_of

PROGRAM = """\
import sys
from edictum_site_client import Console
url, key, session = sys.argv[1:]
console = Console(url, api_key=key, agent_id="from-the-wheel")

@console.tool
def crm_lookup(account):
    return {"account": account, "ok": True}

with console.session(session):
    crm_lookup("A-2091")
"""


@pytest.mark.slow
def test_the_wheel_installs_in_a_new_environment_and_its_call_arrives_with_its_output(
    console, tmp_path
):
    with urllib.request.urlopen(f"{console.url}/clients/") as page:  # noqa: S310 - our own
        link = re.search(r'href="(/clients/[^"#]+\.whl)', page.read().decode())
    assert link
    run(*VENV, str(tmp_path / "venv"))
    python = tmp_path / "venv/bin/python"
    install = (*pip_of(python), "install", "--quiet", "--no-index", "--no-deps")
    run(*install, f"{console.url}{link[1]}")
    run(*pip_of(python), "uninstall", "--quiet", "--yes", "edictum-site-client")
    run(*install, "--find-links", f"{console.url}/clients/", "edictum-site-client")
    session = a_session()
    (tmp_path / "agent.py").write_text(PROGRAM)
    run(str(python), "agent.py", console.url, KEY, session, cwd=tmp_path)
    (call,) = console.settled(f"outcomes?session={session}")["outcomes"]
    assert (call["tool_name"], call["output"]) == ("crm_lookup", {"account": "A-2091", "ok": True})


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
