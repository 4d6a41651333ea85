"""Deployed contracts, and agents that fetch them."""

from base64 import b64decode
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.test import Client

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.delivery.queries.documents import served_document
from governance.deployments.commands.deployments import deploy
from governance.models import BundleVersion, Project
from governance.texts.dialect import Dialect
from tests import builders
from tests.governance.contracts.documents import ALWAYS, document, pre

TEXT = document(pre(ALWAYS), pre("{args.x: {equals: 1}}", action="ask", rule_id="b"))
IN_OLD_WORDS = (
    TEXT.replace("kind: Ruleset", "kind: ContractBundle")
    .replace("rules:", "contracts:")
    .replace("action: block", "effect: deny")
    .replace("action: ask", "effect: approve")
)


RICH = """\
# A rule of every type; effect: deny
apiVersion: edictum/v1
kind: "Ruleset"
metadata: {name: rich, description: 'block, ask and rules: of all types'}
defaults: {mode: enforce}
tools: {fetch: {side_effect: read}}
rules:
  - {id: block, type: pre, tool: fetch, when: {args.action: {equals: block}},
     then: {action: 'block', message: "block", tags: [ask]}}
  - id: ask
    type: pre
    tool: "*"
    when: {any: [{args.effect: {in: [deny, block]}}, {not: {args.rules: {exists: true}}}]}
    then:
      action: "ask"   # ask
      timeout: 60
      timeout_action: block
      message: ask
  - {id: p, type: post, tool: fetch, when: {output.text: {contains: block}},
     then: {action: redact, message: m}}
  - {id: s, type: session, limits: {max_attempts: 9}, then: {action: block, message: block}}
  - id: box
    type: sandbox
    tools: [fetch]
    within: [/srv]
    outside: ask
    timeout_action: allow
    message: outside
"""


def deployed(
    project: Project, text: str = TEXT, *, name: str = "d", env: str = "production"
) -> BundleVersion:
    text = text.replace("name: d", f"name: {name}")
    version, _ = save_version(project, document=text.encode(), by=CONSOLE)
    deploy(version, to=env, by=CONSOLE)
    return version


def an_agent(project: Project, called: str = "bot", **key: Any) -> Client:
    headers = {"X-Edictum-Agent-Id": called} if called else {}
    return builders.bearing(builders.a_key(project, **key)[0], **headers)


def served(
    project: Project,
    name: str = "d",
    *,
    env: str = "production",
    agent: str = "bot",
    dialect: Dialect = Dialect.NEW,
) -> Any:
    environment = builders.an_environment(project, env)
    return served_document(project.pk, environment.pk, name, agent, dialect)


def verifies(document: Any) -> bool:
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(document.public_key))
    key.verify(b64decode(document.signature), document.document)  # raises if it is invalid
    return True
