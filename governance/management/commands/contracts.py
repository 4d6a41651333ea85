"""Push contracts from a folder, for example in git, to a project, pull them, or check them."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.case_runs.commands import run_and_store
from governance.case_runs.queries import run_text
from governance.cases.commands import replace_cases
from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.core.errors import Conflict, GovernanceError, Problem
from governance.deployments.commands.deployments import deploy
from governance.deployments.commands.requests import ask_to_deploy
from governance.management.case_files import tests_path
from governance.management.contract_folder import (
    ContractFile,
    Folder,
    Pushed,
    plan_pull,
    plan_push,
    read_folder,
    write,
)
from governance.models import BundleVersion, Project
from governance.people.queries.projects import project_with, required_in

SHOWN = 20  # changes per contract


class Command(BaseCommand):
    help = "Push contracts from a folder to a project, pull them, or check them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        for action, words in ACTIONS.items():
            each = actions.add_parser(action, help=words)
            each.add_argument("folder", type=Path, metavar="DIR")
            each.add_argument("--project", required=action != "check", help="slug of the project")
            each.add_argument("--env", default="", help=ENVIRONMENTS[action])
            if action != "check":
                each.add_argument("--yes", action="store_true", help="no prompt")
            if action == "push":
                each.add_argument(
                    "--message", default="", help="change message of the new versions"
                )

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        if options["action"] != "pull" and not folder.is_dir():
            raise CommandError(f"No such folder: {folder}.")
        try:
            match options["action"]:
                case "push":
                    self._push(folder, options)
                case "pull":
                    self._pull(folder, options)
                case _:
                    self._check(folder, options)
        except GovernanceError as error:
            raise CommandError(str(error)) from error

    def _check(self, path: Path, options: dict[str, Any]) -> None:
        folder = self._read(path)
        if options["project"]:
            project, env = self._project(options), options["env"]
            self._print_plan(list(plan_push(project, folder.files, env)), project, env)
        failing = [file for file in folder.files if not self._passes(file)]
        if failing:
            fail = "fails its" if len(failing) == 1 else "fail their"
            raise CommandError(f"{_contracts(len(failing))} {fail} own tests.")
        self._say(f"{_contracts(len(folder.files))} ready to push.")

    def _push(self, path: Path, options: dict[str, Any]) -> None:
        project, env = self._project(options), options["env"]
        folder = self._read(path)
        plan = list(plan_push(project, folder.files, env))
        for file in folder.files:
            self._passes(file)
        if not self._print_plan(plan, project, env):
            self._say("Nothing to do.")
            return
        self._ask(options)
        for each in plan:
            version, _ = save_version(
                project, document=each.file.document, message=options["message"], by=CONSOLE
            )
            if each.tests and each.file.tests is not None:
                replace_cases(version.bundle, each.file.tests, by=CONSOLE)
                self._say(f"{version}: {run_and_store(version).sentence}.")
            if env:
                self._say(self._deploy(version, env))

    def _pull(self, path: Path, options: dict[str, Any]) -> None:
        plan = list(plan_pull(self._project(options), path, options["env"]))
        for each in plan:
            self._say(f"{each.path.name}: {each.what}, {each.becomes}")
        if all(each.becomes == "unchanged" for each in plan):
            self._say("Nothing to do.")
            return
        self._ask(options)
        for each in plan:
            if each.becomes != "unchanged":
                write(each)

    def _deploy(self, version: BundleVersion, env: str) -> str:
        try:
            _, is_new = deploy(version, to=env, by=CONSOLE)
        except Conflict as refused:
            if refused.code != "approval_required":
                raise CommandError(f"{version} saved, not deployed: {refused}") from refused
            request, _ = ask_to_deploy(version, to=env, by=CONSOLE)
            return f"{version} needs a second person's approval in {env}: request {request.pk}."
        return f"{version} {'deployed to' if is_new else 'already live in'} {env}."

    def _print_plan(self, plan: list[Pushed], project: Project, env: str) -> bool:
        """Print each change. Returns whether there is any."""
        takes_two = bool(env) and required_in(project, env).second_person
        for each in plan:
            words = f"{each.file.path.name}: {each.file.name} v{each.number}, {each.becomes}"
            if env and each.is_live:
                words += f", deployed to {env}"
            elif env:
                words += f", {'needs approval' if takes_two else 'to be deployed'} in {env}"
            self._say(words)
            for changed in (each.meaning, each.tests):
                for change in changed[:SHOWN]:
                    self._say(f"    {change}")
                if len(changed) > SHOWN:
                    self._say(f"    and {len(changed) - SHOWN} more")
        return any(
            each.becomes != "unchanged" or each.tests or (env and not each.is_live) for each in plan
        )

    def _passes(self, file: ContractFile) -> bool:
        ran = run_text(file.document, file.tests or ())
        place = tests_path(file.path).name
        if ran.why:
            self.stderr.write(f"{place}: {ran.sentence}: {ran.why}")
        for each in ran.results:
            if not each.passed:
                self.stderr.write(f"{place}: test “{each.name}” failed: {each.words}")
        return not (ran.why or ran.failing)

    def _read(self, path: Path) -> Folder:
        folder = read_folder(path)
        for file, problem in folder.warnings:
            self._say(f"{_place(file, problem)}: note: {problem.message}")
        for file, problem in folder.problems:
            self.stderr.write(f"{_place(file, problem)}: {problem.message}")
        if folder.problems:
            wrong = len({file for file, _ in folder.problems})
            raise CommandError(f"{_contracts(wrong)} with errors. Nothing was pushed.")
        return folder

    def _project(self, options: dict[str, Any]) -> Project:
        project = project_with(options["project"])
        if project is None:
            raise CommandError(f"No such project: {options['project']}.")
        return project

    def _ask(self, options: dict[str, Any]) -> None:
        if options["yes"]:
            return
        if not sys.stdin.isatty():
            raise CommandError("Nothing was changed. Add --yes to run without a prompt.")
        if input("Apply? [y/N] ").strip().lower() not in ("y", "yes"):
            raise CommandError("Nothing was changed.")

    def _say(self, words: str) -> None:
        self.stdout.write(words)


ACTIONS = {
    "push": "save versions and tests from the files; with --env, deploy them",
    "pull": "write versions and tests into files: the newest, or with --env the deployed ones",
    "check": "validate the files and run their tests; with --project, show what a push would do",
}
ENVIRONMENTS = {
    "push": "environment to deploy to",
    "pull": "environment to pull from",
    "check": "environment to plan a deployment for",
}


def _place(file: Path, problem: Problem) -> str:
    place = [file.name, problem.line, problem.column]
    return ":".join(str(part) for part in place if part is not None)


def _contracts(number: int) -> str:
    return f"{number} contract{'' if number == 1 else 's'}"
