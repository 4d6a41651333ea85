"""The facts about success in docs/success.md hold for every edictum version, without a console."""

import json
import subprocess
from functools import cache
from typing import Any

import pytest

from tests.sdks.agents import PATIENCE, VERSIONS, minor
from tests.sdks.environments import ROOT, python_of

pytestmark = pytest.mark.slow  # runs agents in separate environments

every_version = pytest.mark.parametrize("version", VERSIONS)
EXECUTED = {"action": "call_executed", "success": True, "raised": ""}
FAILED = {"action": "call_failed", "success": False, "raised": "EdictumToolError"}


@cache
def facts_of(version: str) -> dict[str, Any]:
    done = subprocess.run(
        [str(python_of(version)), "-m", "tests.sdks.programs.success_facts", version],
        cwd=ROOT,
        env={},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def outcome(facts: dict[str, Any]) -> dict[str, Any]:
    return {key: facts[key] for key in EXECUTED}


@every_version
def test_without_a_check_run_knows_errors_from_015_on(version: str) -> None:
    without = {name: outcome(each) for name, each in facts_of(version)["without"].items()}
    assert without["raises"] == FAILED
    assert (without["null"], without["not ok"]) == (EXECUTED, EXECUTED)
    known = FAILED if minor(version) >= 15 else EXECUTED
    assert [without[name] for name in ("is_error", "Error:", "fatal:")] == [known] * 3


@every_version
def test_a_check_decides_alone_and_is_not_run_for_exceptions(version: str) -> None:
    with_check = facts_of(version)["with"]
    assert outcome(with_check["says failure"]) == FAILED
    assert outcome(with_check["says success"]) == EXECUTED
    assert outcome(with_check["raises"]) == FAILED
    assert with_check["of a tool that raises"] == {**FAILED, "post rules met": False, "asked": 0}


@every_version
def test_of_several_guards_the_check_of_the_first_counts(version: str) -> None:
    several = facts_of(version)["with"]["of several guards"]
    assert (outcome(several), several["asked"]) == (FAILED, 0)


@every_version
def test_limits_count_executions_whatever_became_of_them(version: str) -> None:
    facts = facts_of(version)
    assert facts["three calls"] == {"of successes": 3, "of failures": 3}
    assert facts["three attempts"] == 2
    assert facts["six failures in a row"] == 6


@every_version
def test_a_failure_is_no_denial_and_post_rules_see_it(version: str) -> None:
    facts = facts_of(version)
    assert facts["hears of failures"] == 0
    assert facts["without"]["boom"]["post rules met"] is True
    assert facts["without"]["is_error"]["post rules met"] is False


@every_version
def test_a_check_is_given_wherever_a_guard_is_made_but_from_several(version: str) -> None:
    made_by = ["__init__", "from_yaml", "from_yaml_string", "from_template", "from_server"]
    assert facts_of(version)["takes a check"] == made_by


@every_version
def test_adapters_judge_differently(version: str) -> None:
    adapters = dict(facts_of(version)["adapters"])
    if minor(version) >= 15:
        assert adapters.pop("google_adk") == ["is_error", "Error:", "ERROR:", "error"]
    same = ["is_error", "Error:", *(["ERROR:"] if minor(version) >= 15 else [])]
    assert adapters.pop("langchain") == [*same, "content"]
    assert adapters.pop("semantic_kernel") == [*same, "metadata"]
    assert adapters.pop("nanobot") == (same if minor(version) >= 15 else ["Error:"])
    assert list(adapters.values()) == [same] * 4
