"""The GitHub action and the GitLab template: they are valid, and their scripts run on a console."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.docs.blocks import ROOT
from tests.docs.conftest import CONTRACT
from tests.docs.pipelines import pipeline_problems, problems_by
from tests.journeys.console import KEY, Console

ACTION = ROOT / "deploy/github/action.yml"
TEMPLATE = ROOT / "deploy/gitlab/edictum-site.gitlab-ci.yml"
BASH = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]  # as GitHub starts it
INPUT = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")


def action() -> Any:
    return yaml.safe_load(ACTION.read_text())


def template() -> Any:
    return yaml.safe_load(TEMPLATE.read_text())


def test_the_action_and_the_template_match_their_published_schemas():
    assert problems_by("github-actions", action()) == []
    assert pipeline_problems(TEMPLATE.read_text()) == []
    assert problems_by("github-actions", {"name": 7, "runs": {}}) != []
    assert pipeline_problems("job: {script: 7}") != []


def test_inputs_reach_scripts_only_as_variables_and_are_all_used():
    steps = action()["runs"]["steps"]
    assert not any("${{" in step["run"] for step in steps)
    used = {name for step in steps for text in step["env"].values() for name in INPUT.findall(text)}
    conditions = {step["if"].split()[0].removeprefix("inputs.") for step in steps if "if" in step}
    assert used | conditions == set(action()["inputs"])


def ran(script: str, folder: Path, **variables: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), **variables}
    done = subprocess.run(
        [*BASH, script], cwd=folder, env=env, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert KEY not in done.stdout + done.stderr
    return done.stdout


def contract_in(folder: Path, name: str) -> None:
    (folder / "contracts").mkdir(exist_ok=True)
    text = CONTRACT.replace("name: billing", f"name: {name}")
    (folder / "contracts" / f"{name}.yaml").write_text(text)


def deployed(console: Console, name: str) -> list[Any]:
    answered: list[Any] = console.ask("GET", f"contracts/{name}")[1]["deployments"]
    return answered


def test_the_action_installs_checks_backtests_and_deploys(console, tmp_path):
    contract_in(tmp_path, "by-github")
    given = {"url": console.url, "key": KEY, "max-newly-denied": "0", "message": "-1 rule"}
    inputs = {name: each.get("default", "") for name, each in action()["inputs"].items()} | given
    for step in action()["runs"]["steps"]:
        env = {
            name: INPUT.sub(lambda each: inputs[each[1]], text)
            for name, text in step["env"].items()
        }
        ran(step["run"], tmp_path, RUNNER_TEMP=str(tmp_path), **env)
    assert deployed(console, "by-github") == [{"env": "production", "version": 1}]


def test_the_template_installs_checks_backtests_and_deploys(console, tmp_path):
    contract_in(tmp_path, "by-gitlab")
    jobs = template()
    variables = jobs["variables"] | {
        "EDICTUM_SITE_URL": console.url,
        "EDICTUM_SITE_KEY": KEY,
        "CI_COMMIT_TITLE": "-1 rule",
    }
    before = jobs[".edictum-site"]["before_script"]
    steps = ("check", "backtest", "deploy")
    lines = [line for name in steps for line in jobs[f"edictum-site-{name}"]["script"]]
    out = ran("\n".join([*before, *lines]), tmp_path, **variables)
    assert "by-gitlab is valid" in out
    assert deployed(console, "by-gitlab") == [{"env": "production", "version": 1}]
