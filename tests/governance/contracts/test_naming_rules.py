"""Rules of contracts that name a tool."""

import re

from django.urls import reverse

from governance.contracts.commands.contracts import save_version
from governance.contracts.domain.naming_rules import naming_rules
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.texts.document import read_document
from tests import builders
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.deploying import live
from tests.outcomes.pages import text_of

RULES = (
    pre(ALWAYS, rule_id="every"),
    pre(ALWAYS, rule_id="crm").replace("tool: '*'", "tool: 'crm_*'"),
    pre(ALWAYS, rule_id="pay").replace("tool: '*'", "tool: pay"),
    "{id: few, type: session, limits: {max_calls_per_tool: {pay: 2}}, "
    "then: {action: block, message: m}}",
    "{id: many, type: session, limits: {max_attempts: 90}, then: {action: block, message: m}}",
)


def named(tool: str) -> list[str]:
    rules = naming_rules(read_document(document(*RULES).encode()))
    return [rule.id for rule in rules if rule.names(tool)]


def test_rules_name_a_tool_by_pattern_by_name_or_by_limit():
    assert named("crm_update") == ["crm"]
    assert named("pay") == ["pay", "few"]
    assert named("crm") == []


def test_the_page_lists_deployed_rules_and_links_to_their_lines(project):
    saved = save_version(project, document=document(*RULES), by=CONSOLE)[0]
    client = builders.signed_in(builders.a_member(project, Role.VIEWER).user)
    address = reverse("governance:tool_rules", args=[project.slug])
    assert "No deployed rule names this tool." in text_of(client.get(address, {"of": "pay"}))
    live(saved)
    page = client.get(address, {"of": "pay"})
    assert "2 deployed rules name pay" in text_of(page)
    assert "few d v1 production" in text_of(page)
    (line,) = re.findall(r'href="[^"]*#L(\d+)">\s*pay\s*</a>', page.content.decode())
    assert "id: pay" in document(*RULES).splitlines()[int(line) - 1]
    elsewhere = client.get(address, {"of": "pay", "environment": "staging"})
    assert "No deployed rule in staging names this tool" in text_of(elsewhere)
    assert client.get(address, {"of": "pay", "environment": "\0"}).status_code == 200
