"""No page has a serious axe violation: wide and narrow, light and dark."""

import json
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.items import an_event, an_outcome
from tests.journeys.console import a_session

AXE = Axe()
FEW_WORDS = 30  # characters, less than a headline with one element below it
SERIOUS = {"serious", "critical"}
# No `preload`: it fetches all style sheets again for a rule about audio, and there is none.
VIOLATIONS = {"resultTypes": ["violations"], "preload": False}
RULES = VIOLATIONS | {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
ONLY_COLOURS = VIOLATIONS | {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
# Rules by theme: a second theme can only break colors.
RULES_OF = {"light": RULES, "dark": ONLY_COLOURS}
# One call without a locator, so that the page need not load Playwright's selector engine.
SEEN = """() => [!!document.querySelector("a[href='']"), "axe" in window]"""
PAINTED = """
async () => {
  const goesOver = (each) => each instanceof CSSTransition;
  let frames = 60;
  do await new Promise(requestAnimationFrame);
  while (--frames && document.getAnimations().some(goesOver));
}
"""
SESSION = a_session()
LARGE = "x" * 13_000
ARTIFACT = sha256(LARGE.encode()).hexdigest()
TEMPLATES = Path(__file__).parents[2] / "governance" / "contracts" / "contract_templates"
SIGNED_OUT = {
    "sign-in": "/account/sign-in/",
    "forgotten password": "/account/password/forgotten/",
    "client packages": "/clients/",
}
PAGES = {
    "projects": "/projects/",
    "profile": "/account/profile/",
    "sessions of a person": "/account/sessions/",
    "second factor": "/account/second-factor/",
    "docs": "/docs/",
    "glossary": "/docs/glossary/",
    "what's new": "/docs/whats-new/",
    "project": "/p/default/",
    "overview": "/p/default/overview/",
    "tools": "/p/default/tools/",
    "tool": "/p/default/tools/http_get/",
    "success targets": "/p/default/success-targets/",
    "slowest calls of a tool": "/p/default/live/tool-calls/?of=http_get",
    "sessions": "/p/default/sessions/",
    "session": f"/p/default/sessions/{SESSION}/",
    "reset session": f"/p/default/reset-session/?of={SESSION}",
    "delete session": f"/p/default/delete-session/?of={SESSION}",
    "compare sessions": f"/p/default/compare-sessions/?of={SESSION}&with={SESSION}",
    "artifacts": "/p/default/artifacts/",
    "artifact": f"/p/default/artifacts/{ARTIFACT}/",
    "artifact's bytes": f"/p/default/artifacts/{ARTIFACT}/?as=bytes",
    "calls": "/p/default/calls/",
    "calls of a contract": "/p/default/calls/?contract=support-agent&from=2026-11-01T00:00Z",
    "calls that match": "/p/default/calls/?q=tool:http_get+verdict:success",
    "calls of a search with a mistake": "/p/default/calls/?q=took:slow",
    "principals": "/p/default/principals/",
    "principal": "/p/default/principals/ana/",
    "saved views": "/p/default/saved-views/",
    "call": f"/p/default/calls/{SESSION}-1/",
    "call to try": f"/p/default/try-call/?of={SESSION}-1",
    "denied call": f"/p/default/calls/{SESSION}-3/",
    "denials": "/p/default/denials/",
    "denials of a rule": "/p/default/denials/rule/?rule=no-card-numbers",
    "approvals": "/p/default/approvals/",
    "agents": "/p/default/agents/",
    "agent": "/p/default/agents/billing-bot/",
    "stop an environment": "/p/default/stop/",
    "stop an agent": "/p/default/stop/?environment=production&agent=billing-bot",
    "contracts": "/p/default/contracts/",
    "assignments": "/p/default/contracts/assignments/",
    "new assignment": "/p/default/contracts/assignments/new/",
    "new contract": "/p/default/contracts/new/",
    "agents by contract": "/p/default/contracts/agents/",
    "contract": "/p/default/contracts/b/support-agent/",
    "contract's figures": "/p/default/contracts/figures/?of=support-agent",
    "contract's audit": "/p/default/contracts/b/support-agent/audit/",
    "contract's newest backtest": "/p/default/contracts/b/support-agent/backtests/newest/",
    "backtest between two times": "/p/default/contracts/b/support-agent/backtests/?days=between",
    "contract's text": "/p/default/contracts/b/support-agent/text/",
    "playground": "/p/default/contracts/playground/",
    "playground of a contract": "/p/default/contracts/b/support-agent/playground/",
    "tests of a contract": "/p/default/contracts/b/support-agent/tests/",
    "new test": "/p/default/contracts/b/support-agent/tests/new/",
    "new test of a session": "/p/default/contracts/b/support-agent/tests/new-session/",
    "versions compared": "/p/default/contracts/b/support-agent/compare/",
    "success checks": "/p/default/checks/",
    "success check": "/p/default/checks/c/tickets/",
    "shipped check": "/p/default/checks/c/http/",
    "versions of a check compared": "/p/default/checks/c/tickets/compare/",
    "audit of a check": "/p/default/checks/c/tickets/audit/",
    "what a check would change": "/p/default/checks/c/tickets/backtests/",
    "verdicts of a check": "/p/default/checks/c/tickets/verdicts/",
    "reclassify": "/p/default/checks/reclassifications/",
    "new check": "/p/default/checks/new/",
    "draft of a check": "/p/default/checks/c/tickets/edit/",
    "bindings": "/p/default/checks/bindings/",
    "suggestions": "/p/default/checks/suggestions/",
    "disagreements": "/p/default/checks/disagreements/",
    "a line begun": "/p/default/checks/bindings/?tool=http_get",
    "calls by check": "/p/default/checks/use/",
    "what bindings would judge": "/p/default/checks/bindings/preview/",
    "search": "/p/default/search/",
    "search for an agent": "/p/default/search/?q=billing",
    "keyboard": "/p/default/keyboard/",
    "start": "/p/default/start/",
    "start, over HTTP": "/p/default/start/?with=curl",
    "demo, which leads to the start": "/p/default/demo/",
    "alerts": "/p/default/alerts/",
    "rejected": "/p/default/settings/invalid-events/",
    "opentelemetry": "/p/default/settings/opentelemetry/",
    "set aside": "/p/default/settings/failed-batches/",
    "hosts": "/p/default/settings/hosts/",
    "settings": "/p/default/settings/",
    "keys": "/p/default/settings/keys/",
    "new key": "/p/default/settings/keys/new/",
    "key expiry": "/p/default/settings/keys/expiry/",
    "key": "/p/default/settings/keys/1/",
    "limits of a key": "/p/default/settings/keys/1/limits/",
    "rotate a key": "/p/default/settings/keys/1/rotate/",
    "members": "/p/default/settings/members/",
    "account of a member": "/p/default/settings/members/1/account/",
    "second factor of members": "/p/default/settings/members/second-factor/",
    "sessions of a member": "/p/default/settings/members/1/sessions/",
    "password link of a member": "/p/default/settings/members/1/password/",
    "delete a member": "/p/default/settings/members/1/delete/",
    "roles": "/p/default/settings/members/roles/",
    "factors of a member": "/p/default/settings/members/1/factors/",
    "invite": "/p/default/settings/members/invite/",
    "invited, which leads to the members": "/p/default/settings/members/invited/",
    "audit": "/p/default/settings/audit/",
    "stream of the audit log": "/p/default/settings/audit/stream/",
    "verification of the audit log": "/p/default/settings/audit/verification/",
    "masking": "/p/default/settings/masking/",
    "retention": "/p/default/settings/retention/",
    "rule of retention": "/p/default/settings/retention/rule/?kind=calls&environment=production",
    "new legal hold": "/p/default/settings/retention/holds/new/",
    "erase": "/p/default/settings/retention/erase/",
    "deploy": "/p/default/contracts/b/support-agent/deploy/?version=2&environment=production",
    "would have been denied": "/p/default/contracts/b/support-agent/would-deny/",
    "deployment requests": "/p/default/contracts/requests/",
    "environments": "/p/default/settings/environments/",
    "requirements": "/p/default/settings/environments/production/",
    "signing key": "/p/default/settings/signing-key/",
    "rotate signing key": "/p/default/settings/signing-key/rotate/",
    "draft of a contract": "/p/default/contracts/b/written-on/edit/",
    "not found": "/p/default/nothing/",
}


@pytest.fixture(scope="module")
def _something_to_show(console):
    common = {"session_id": SESSION, "agent_id": "billing-bot"}
    again = common | {"tool_args": {"card": 4}, "decision_name": "no-card-numbers"}
    console.post(
        an_outcome(
            f"{SESSION}-1",
            output={"rows": [1, 2]},
            tool_args={"q": "x"},
            principal={"user_id": "ana"},
            **common,
        ),
        an_outcome(f"{SESSION}-2", output="Error: x", tool_success=True, **common),
        an_outcome(f"{SESSION}-3", type="denied", reason="pre_hook", details="no", **common),
        an_outcome(f"{SESSION}-4", output=LARGE, **common),
        *[
            an_outcome(f"{SESSION}-again-{n}", type="denied", reason="contract", **again)
            for n in range(3)
        ],
        {"type": "odd", "call_id": "c", "tool_name": "t"},
    )
    console.indexed("principal:ana", 1)  # its page is read from the search index
    console.post(an_event("call_allowed", f"{SESSION}-5", run_id=SESSION), to="events")
    waiting = {"tool_name": "t", "tool_args": {"to": "a", "token": "b"}, "timeout": 3_600}
    waiting |= {"agent_id": "billing-bot", "session_id": SESSION, "message": "May I?"}
    assert console.ask("POST", "approvals", json.dumps(waiting).encode())[0] in (200, 201)
    written = (
        "apiVersion: edictum/v1\nkind: Ruleset\nmetadata: {name: written-on}\n"
        "defaults: {mode: enforce}\nrules:\n  - {id: a, type: session, "
        "limits: {max_attempts: 900}, then: {action: block, message: m}}\n"
    )
    assert console.ask("POST", "contracts", json.dumps({"yaml": written}).encode())[0] in (200, 201)
    for label in ("partial", "denied"):
        check = (
            "apiVersion: edictum-site/v1\nkind: SuccessCheck\nmetadata: {name: tickets}\n"
            "otherwise: default\nrules:\n  - {id: not-ok, when: {result.ok: {equals: false}}, "
            f"verdict: failure, label: {label}}}\n"
        )
        saved = json.dumps({"yaml": check}).encode()
        assert console.ask("PUT", "success-checks/tickets", saved)[0] in (200, 201)
    lines = [{"tool": "crm_*", "check": "tickets"}, {"agent": "b*", "tool": "*", "check": "http"}]
    bound = json.dumps({"bindings": lines}).encode()
    assert console.ask("PUT", "success-check-bindings", bound)[0] == 200
    scan = {"total_scanned": 2, "violations": [{"name": "s", "risk_level": "high"}]}
    scan |= {"agent_id": "billing-bot", "stats": {"critical": 0, "high": 1}}
    assert console.ask("POST", "skill-scan", json.dumps(scan).encode())[0] == 200
    for counter in ("attempts", "tool:look up"):
        counted = f"sessions/s:{SESSION}:{quote(counter)}/increment"
        assert console.ask("POST", counted, b'{"amount": 3}')[0] == 200
    text = (TEMPLATES / "support-agent.yaml").read_text()
    for yaml in (text, text.replace("gt: 50", "gt: 80").replace("refund: 1", "refund: 2")):
        saved = json.dumps({"yaml": yaml, "message": "Refunds"}).encode()
        assert console.ask("POST", "contracts", saved)[0] in (200, 201)
    live = json.dumps({"version": 1, "env": "production"}).encode()
    assert console.ask("POST", "contracts/support-agent/deployments", live)[0] in (200, 201)
    lowered = f"sessions/s:{SESSION}:attempts"  # opens an alert
    assert console.ask("DELETE", lowered)[0] == 403
    call = {"tool": "refund", "args": {"amount": 75}}
    case = {"name": "a refund for nobody", "call": call, "expects": {"action": "allow"}}
    cases = json.dumps({"cases": [case]}).encode()
    assert console.ask("PUT", "contracts/support-agent/cases", cases)[0] == 200
    console.settled("outcomes")
    yield
    # Other journeys use tools and agents with the same names.
    assert console.ask("PUT", "success-check-bindings", b'{"bindings": []}')[0] == 200


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.usefixtures("_something_to_show")
def test_no_page_has_a_serious_accessibility_violation(console, signed_in, browser, width):
    listed = []
    for stored, pages in ((signed_in, PAGES), (None, SIGNED_OUT)):
        with browser.new_context(
            storage_state=stored,
            color_scheme="light",
            viewport={"width": width, "height": 900},
            reduced_motion="reduce",
        ) as context:
            page = context.new_page()
            for name, path in pages.items():
                answer = page.goto(f"{console.url}{path}")
                assert answer.status == (404 if name == "not found" else 200), name
                listed += findings_in_both_themes(name, page)
                wide = page.evaluate("document.documentElement.scrollWidth")
                if wide > width:
                    listed.append(f"{name} is {wide} pixels wide")
    assert listed == []


# Sections that a script loads into the page. Without JavaScript they contain a link.
LEFT_EMPTY = """
() => [...document.querySelectorAll("main :is(div, section)[hx-get]")]
  .filter((part) => /load|intersect|revealed/.test(part.getAttribute("hx-trigger") ?? ""))
  .filter((part) => !part.innerText.trim() || !part.querySelector("a[href], table, form"))
  .map((part) => part.getAttribute("hx-get"))
"""


@pytest.mark.usefixtures("_something_to_show")
def test_every_page_has_content_without_javascript(console, signed_in, browser):
    listed = []
    with browser.new_context(storage_state=signed_in, java_script_enabled=False) as context:
        page = context.new_page()
        for name, path in PAGES.items():
            page.goto(f"{console.url}{path}")
            main = page.locator("main")
            if len(main.inner_text()) < FEW_WORDS or not page.locator("h1").is_visible():
                listed.append(f"{name} is empty")
            if page.locator("main [aria-busy=true]").count():
                listed.append(f"{name} waits for a script")
            listed += [f"{name}: {part} is empty" for part in page.evaluate(LEFT_EMPTY)]
    assert listed == []


def findings_in_both_themes(name, page, rules=RULES):
    yield from findings(name, page, rules)
    page.emulate_media(color_scheme="dark")
    page.evaluate(PAINTED)  # waits for color transitions, even those without a duration
    yield from findings(f"{name}, dark", page, RULES_OF["dark"])
    page.emulate_media(color_scheme="light")  # of the next page, as this one is done


def findings(name, page, rules=RULES):
    leads_nowhere, has_axe = page.evaluate(SEEN)
    if leads_nowhere:
        yield f"{name}: a link leads nowhere"
    if not has_axe:
        page.evaluate(AXE.axe_script)
    request = page.evaluate("rules => axe.run(rules)", rules)
    for finding in request["violations"]:
        if finding["impact"] in SERIOUS:
            nodes = [node["html"][:200] for node in finding["nodes"][:3]]
            yield f"{name}: {finding['id']}: {finding['help']} {nodes}"
