"""`edictum-site-cli` against a running console: what it prints and how it exits."""

import json
import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.journeys.console import KEY, Console

SOURCE = Path(__file__).parents[1] / "src"
CONTRACT = """\
apiVersion: edictum/v1
kind: Ruleset
metadata: {name: NAME}
defaults: {mode: enforce}
rules:
  - id: no-root
    type: pre
    tool: shell
    when: {args.user: {equals: root}}
    then: {action: block, message: not as root}
"""
STRICTER = CONTRACT.replace("equals: root", "in: [root, admin]")
CHECK = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: NAME}
otherwise: success
rules:
  - id: status
    when: {result.status: {equals: 500}}
    verdict: failure
examples:
  - {result: {status: 500}, verdict: EXPECTED}
"""


class Ran(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


def cli(console: Console, *arguments: str | Path, **variables: str) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "edictum_site_client.cli", *map(str, arguments)],
        env=_environment(console, **variables),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert KEY not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


def _environment(console: Console, **variables: str) -> dict[str, str]:
    ours = {"EDICTUM_SITE_URL": console.url, "EDICTUM_SITE_KEY": KEY, "PYTHONPATH": str(SOURCE)}
    return {**os.environ, **ours, **variables}


@pytest.fixture
def name() -> str:
    return f"cli-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def file(tmp_path: Path, name: str) -> Path:
    path = tmp_path / "contracts" / f"{name}.yaml"
    path.parent.mkdir()
    path.write_text(CONTRACT.replace("NAME", name))
    return path


def write_tests(file: Path, action: str) -> None:
    call = {"tool": "shell", "args": {"user": "root"}}
    case = {"name": "root", "call": call, "expects": {"action": action}}
    file.with_suffix(".tests.json").write_text(json.dumps({"cases": [case]}))


def versions_of(console: Console, name: str) -> int:
    status, answer = console.ask("GET", f"contracts/{name}")
    return len(answer["versions"]) if status == 200 else 0


def a_call(session: str, user: str, **fields: Any) -> dict[str, Any]:
    item = {"type": "execution_result", "call_id": str(uuid.uuid4()), "tool_name": "shell"}
    args = {"user": user}
    return {**item, "tool_args": args, "session_id": session, "output": {"status": 200}, **fields}


def test_a_valid_contract_passes_and_nothing_is_saved(console, file, name):
    ran = cli(console, "contracts", "check", file.parent)
    assert (ran.status, ran.err) == (0, "")
    assert f"{name} is valid, 0 tests passed" in ran.out
    assert versions_of(console, name) == 0


def test_an_invalid_contract_fails_the_gate_with_its_place(console, file):
    file.write_text(file.read_text().replace("type: pre", "type: perhaps"))
    ran = cli(console, "contracts", "check", file)
    assert ran.status == 1
    assert f"{file}:7:" in ran.err
    ran = cli(console, "contracts", "check", file, "--json")
    (result,) = ran.document["results"]
    assert (ran.status, ran.document["ok"], result["ok"]) == (1, False, False)
    assert result["errors"][0]["line"] == 7


def test_the_tests_next_to_a_new_contract_decide(console, file):
    write_tests(file, "block")
    passed = cli(console, "contracts", "check", file)
    assert (passed.status, "1 test passed" in passed.out) == (0, True)
    write_tests(file, "allow")
    failed = cli(console, "contracts", "check", file)
    assert failed.status == 1
    assert "test “root” failed: expected allowed" in failed.err


def test_notes_count_with_strict_only(console, file, session):
    console.post(a_call(session, "me"))
    console.settled(f"outcomes?session={session}")
    file.write_text(file.read_text().replace("tool: shell", "tool: nothing_has_this_name"))
    ran = cli(console, "contracts", "check", file)
    assert (ran.status, ": note: " in ran.out) == (0, True)
    assert cli(console, "contracts", "check", file, "--strict").status == 1


def test_a_push_saves_what_differs_with_its_tests(console, file, name):
    write_tests(file, "block")
    ran = cli(console, "contracts", "push", file.parent, "--message", "from a pipeline")
    assert (ran.status, f"{name} v1 saved" in ran.out) == (0, True)
    assert [each["name"] for each in console.ask("GET", f"contracts/{name}/cases")[1]["cases"]] == [
        "root"
    ]
    again = cli(console, "contracts", "push", file.parent, "--json")
    assert (again.status, again.document["results"][0]["saved"]) == (0, False)
    assert versions_of(console, name) == 1


def test_a_push_saves_nothing_when_one_file_is_not_good_enough(console, file, name):
    write_tests(file, "allow")
    other = file.with_name("a.yaml")
    other.write_text(CONTRACT.replace("NAME", f"{name}-other"))
    ran = cli(console, "contracts", "push", file.parent)
    assert (ran.status, "Nothing was saved." in ran.err) == (1, True)
    assert versions_of(console, name) == versions_of(console, f"{name}-other") == 0


def test_a_diff_lists_changes_by_meaning(console, file, name):
    new = cli(console, "contracts", "diff", file)
    assert (new.status, "is a new contract" in new.out) == (0, True)
    cli(console, "contracts", "push", file)
    assert "v1, unchanged" in cli(console, "contracts", "diff", file, "--exit-code").out
    file.write_text(STRICTER.replace("NAME", name))
    ran = cli(console, "contracts", "diff", file)
    assert (ran.status, "v1, 1 change" in ran.out, "no-root" in ran.out) == (0, True, True)
    gate = cli(console, "contracts", "diff", file, "--exit-code", "--json")
    assert (gate.status, gate.document["results"][0]["changes"][0]["subject"]) == (1, "no-root")


def test_a_backtest_is_a_gate_on_newly_denied_calls(console, file, name, session):
    agent = f"agent-of-{name}"
    console.post(*(a_call(session, "admin", agent_id=agent) for _ in range(3)))
    console.settled(f"outcomes?session={session}")
    file.write_text(STRICTER.replace("NAME", name))
    recorded = ["--agent", agent, "--since", "7d", "--env", "production"]
    command = ["contracts", "backtest", file, *recorded]
    fine = cli(console, *command, "--max-newly-denied", "3")
    assert (fine.status, fine.err) == (0, "")
    assert "newly denied: 3" in fine.out
    gate = cli(console, *command, "--max-newly-denied", "2", "--json")
    assert (gate.status, gate.document["results"][0]["backtest"]["newly_denied"]) == (1, 3)
    assert "newly denied: 3, at most 2 allowed" in gate.err
    cli(console, "contracts", "push", file)
    saved = cli(console, "contracts", "backtest", "--name", name, *recorded)
    assert (saved.status, f"{name} v1: 3 recorded calls" in saved.out) == (0, True)


def test_a_deployment_is_done_or_requested_where_a_second_person_decides(console, file, name):
    cli(console, "contracts", "push", file)
    done = cli(console, "contracts", "deploy", name, "--env", "production", "--json")
    assert (done.status, done.document["results"][0]["deployment"]["live"]) == (0, True)
    env = f"env-{name}"
    requirements = json.dumps({"second_person": True}).encode()
    assert console.ask("PUT", f"environments/{env}/requirements", requirements)[0] == 200
    refused = cli(console, "contracts", "deploy", name, "--env", env)
    assert (refused.status, "was not deployed" in refused.err) == (1, True)
    requested = cli(console, "contracts", "deploy", name, "--env", env, "--request", "--json")
    (result,) = requested.document["results"]
    assert (requested.status, result["deployed"]) == (0, False)
    assert (result["request"]["status"], result["request"]["env"]) == ("pending", env)
    pushed = cli(console, "contracts", "push", file, "--env", env, "--request", "--json")
    (result,) = pushed.document["results"]
    assert (pushed.status, result["saved"], result["deployed"]) == (0, False, False)


def test_the_examples_of_a_check_are_a_gate(console, tmp_path, name):
    file = tmp_path / "check.yaml"
    file.write_text(CHECK.replace("NAME", name).replace("EXPECTED", "failure"))
    assert cli(console, "checks", "test", file).status == 0
    file.write_text(CHECK.replace("NAME", name).replace("EXPECTED", "success"))
    ran = cli(console, "checks", "test", file)
    assert (ran.status, f"{file}:" in ran.err) == (1, True)
    file.write_text("kind: SuccessCheck\nrules: 7\n")
    assert cli(console, "checks", "test", file).status == 1


def test_a_check_backtest_is_a_gate_on_newly_failed_calls(console, tmp_path, name, session):
    agent = f"agent-of-{name}"
    console.post(a_call(session, "me", agent_id=agent, output={"status": 500, "rows": 1}))
    console.settled(f"outcomes?session={session}")
    file = tmp_path / "check.yaml"
    file.write_text(CHECK.replace("NAME", name).replace("EXPECTED", "failure"))
    command = ["checks", "backtest", file, "--agent", agent]
    fine = cli(console, *command, "--max-newly-failed", "1")
    assert (fine.status, "newly failed: 1" in fine.out) == (0, True)
    gate = cli(console, *command, "--max-newly-failed", "0", "--json")
    (result,) = gate.document["results"]
    assert (gate.status, result["backtest"]["newly_failed"]) == (1, 1)
    assert result["exceeded"] == ["newly failed: 1, at most 0 allowed"]


def test_calls_are_printed_once_as_they_arrive(console, session):
    console.post(a_call(session, "first"))
    console.settled(f"outcomes?session={session}")
    arguments = ["outcomes", "tail", "--session", session, "--interval", "0.2", "--json"]
    running = subprocess.Popen(
        [sys.executable, "-m", "edictum_site_client.cli", *arguments],
        env=_environment(console),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    users = [json.loads(running.stdout.readline())["tool_args"]["user"]]
    for user in ("second", "third"):
        console.post(a_call(session, user))
        users.append(json.loads(running.stdout.readline())["tool_args"]["user"])
    assert users == ["first", "second", "third"]
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=60) == ("", "")
    assert running.returncode == 0
    ended = cli(console, "outcomes", "tail", "--session", session, "--for", "0.2")
    assert (ended.status, len(ended.out.splitlines())) == (0, 3)


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"EDICTUM_SITE_URL": ""}, "No console"),
        ({"EDICTUM_SITE_KEY": ""}, "No API key"),
        ({"EDICTUM_SITE_URL": KEY}, "does not start with"),
        ({"EDICTUM_SITE_URL": f"http://{KEY}.test"}, "needs https"),
        ({"EDICTUM_SITE_URL": "http://127.0.0.1:9"}, "cannot be reached"),
        ({"EDICTUM_SITE_KEY": KEY[:-3] + "xyz"}, "answered 401"),
        ({"EDICTUM_SITE_KEY": f"{KEY}\nX: y"}, "no key has"),
    ],
)
def test_what_cannot_run_exits_with_2_and_says_why(console, file, variables, words):
    ran = cli(console, "contracts", "check", file, "--json", **variables)
    assert (ran.status, ran.document["ok"]) == (2, False)
    assert words in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["contracts"],
        ["contracts", "check"],
        ["contracts", "check", "no-such-file.yaml"],
        ["contracts", "backtest"],
        ["contracts", "deploy", "billing"],
        ["contracts", "deploy", "no-such-contract", "--env", "production"],
        ["contracts", "check", "x.yaml", "--keyfile", KEY],
        ["outcomes", "tail", "--for", "-1"],
        ["outcomes", "tail", "--for", "0.1", "--q", "output.status:>=abc"],
    ],
)
def test_wrong_usage_exits_with_2(console, arguments):
    ran = cli(console, *arguments)
    assert ran.status == 2
    assert ran.err


def test_a_key_that_may_only_read_checks_and_does_not_push(console, file, tmp_path):
    body = json.dumps({"name": "reads", "env": "production", "scopes": ["read"]}).encode()
    key = tmp_path / "key"
    key.write_text(console.ask("POST", "keys", body)[1]["key"] + "\n")
    reading = {"EDICTUM_SITE_KEY": ""}
    assert cli(console, "contracts", "check", file, "--key-file", key, **reading).status == 0
    pushed = cli(console, "contracts", "push", file, "--key-file", key, **reading)
    assert (pushed.status, "answered 403" in pushed.err) == (2, True)
