"""Contracts that are deployed, and agents that fetch them."""

from typing import Any

from django.test import Client

from governance import commands
from governance.domain.actor import CONSOLE
from governance.models import BundleVersion, Project
from tests import builders
from tests.governance.contracts import ALWAYS, document, pre

TEXT = document(pre(ALWAYS), pre("{args.x: {equals: 1}}", action="ask", rule_id="b"))
IN_OLD_WORDS = (
    TEXT.replace("kind: Ruleset", "kind: ContractBundle")
    .replace("rules:", "contracts:")
    .replace("action: block", "effect: deny")
    .replace("action: ask", "effect: approve")
)


def deployed(
    project: Project, text: str = TEXT, *, name: str = "d", env: str = "production"
) -> BundleVersion:
    text = text.replace("name: d", f"name: {name}")
    version, _ = commands.save_version(project, document=text.encode(), by=CONSOLE)
    commands.deploy(version, to=env, by=CONSOLE)
    return version


def an_agent(project: Project, called: str = "bot", **key: Any) -> Client:
    headers = {"X-Edictum-Agent-Id": called} if called else {}
    return builders.bearing(builders.a_key(project, **key)[0], **headers)
