"""Hints in the contract editor, including completions from recorded calls."""

import re
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from django.urls import reverse

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from outcomes.calls.queries.contract_words import contract_words, tools_called
from outcomes.models import Call
from tests import builders
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.items import an_outcome

TEXT = document(pre(ALWAYS))


@pytest.fixture
def editor(project):
    return builders.signed_in(builders.a_member(project, Role.EDITOR).user)


@pytest.fixture
def check(project, editor):
    def checked(text: str, **fields: str) -> str:
        at = reverse("outcomes:check_contract", args=[project.slug])
        page: str = editor.post(at, {"text": text} | fields).text
        return page

    return checked


def test_an_error_has_its_place_its_cause_and_a_fix(check):
    answer = check(TEXT.replace("action: block", "acton: block"))
    problem = re.search(r"<li class=.severity-error.*?</li>", answer, re.DOTALL)
    assert problem
    for part in ('data-line="7"', 'data-words="acton"', 'data-fix="action"'):
        assert part in problem[0]
    assert 'data-errors="1"' in answer


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_unchanged_text_is_reported_as_no_changes(project, check, line_end):
    save_version(project, document=TEXT.replace("\n", line_end), by=CONSOLE)
    from_it = {"bundle": "d", "base": "1"}
    assert "no changes" in check(TEXT, **from_it)
    assert "data-unchanged" in check(TEXT, **from_it)
    assert "ready to save" in check(TEXT + "# more", **from_it)
    assert "data-unchanged" not in check(TEXT + "# more", **from_it)


def test_a_tool_without_recorded_calls_is_a_warning(agent, check):
    agent.post(an_outcome("c-1", tool_name="http_get"))
    answer = check(TEXT.replace("tool: '*'", "tool: http_gett"))
    assert 'data-fix="http_get"' in answer
    assert "severity-warning" in answer
    assert "severity-warning" not in check(TEXT.replace("tool: '*'", "tool: http_get"))


def test_the_validation_api_also_warns_of_unknown_tools(project, agent):
    agent.post(an_outcome("c-1", tool_name="http_get"))
    manager = builders.bearing(builders.a_key(project, "manage")[0])

    def fixes(text: str) -> list[str]:
        answer = manager.post(
            "/v1/contracts/validate", {"yaml": text}, content_type="application/json"
        )
        return [each["fix"] for each in answer.json()["warnings"]]

    assert fixes(TEXT.replace("tool: '*'", "tool: http_gett")) == ["http_get"]
    assert fixes(TEXT.replace("tool: '*'", "tool: http_get")) == []


def test_changes_since_a_version_are_listed_by_meaning(project, check):
    save_version(project, document=TEXT, by=CONSOLE)
    answer = check(TEXT.replace("action: block", "action: ask"), bundle="d", base="1")
    assert "Changes since v1" in answer
    assert "asks" in answer
    assert "Changes since v1" in check("# a note\n" + TEXT, bundle="d", base="1")


@pytest.mark.parametrize("base", ["", "0", "7", "x", "9" * 40])
def test_an_unknown_base_version_does_not_prevent_the_check(project, check, base):
    save_version(project, document=TEXT, by=CONSOLE)
    assert "Changes since" not in check(TEXT, bundle="d", base=base)
    assert "Changes since" not in check(TEXT, bundle="nothing\0", base=base)


@pytest.mark.parametrize("text", ["", "\0", "a: [" * 60, "\ufeff", "a: &x 1", "x" * 600_000])
def test_any_text_gets_an_answer(check, text):
    assert 'data-errors="1"' in check(text)


def test_text_quoted_in_a_message_is_escaped(check):
    answer = check(TEXT.replace("action: block", "'<script>': block"))
    assert "<script>" not in answer
    assert "&lt;script&gt;" in answer


def test_tools_roles_and_arguments_of_recent_calls_are_completions(project, agent, editor):
    principal = {"role": "analyst", "claims": {"team": {"name": "billing"}}}
    agent.post(
        an_outcome(
            "c-1",
            tool_name="pay",
            tool_args={"amount": 3, "to": {"iban": "x"}, "odd key": 1},
            principal=principal,
        )
    )
    body = editor.get(reverse("outcomes:contract_words", args=[project.slug])).json()
    assert body["tools"] == ["pay"]
    assert body["roles"] == ["analyst"]
    assert {"args.amount", "args.to.iban", "principal.claims.team.name"} <= set(body["selectors"])
    assert "args.odd key" not in body["selectors"]
    assert body["keys"]["old"]["contracts/*/then"][0] == "effect"
    assert "matches_any" in body["operators"]


def test_a_busy_agent_does_not_crowd_out_completions_from_another(project, agent, monkeypatch):
    monkeypatch.setattr("outcomes.calls.queries.contract_words.EVENTS", 3)
    clerk = an_outcome("c-0", tool_name="pay", tool_args={"iban": "x"}, principal={"role": "clerk"})
    agent.post(clerk)
    agent.post(*(an_outcome(f"c-{n}", principal={"role": "importer"}) for n in range(1, 9)))
    answer = contract_words(project.pk, datetime.now(UTC))
    assert answer.roles == ["clerk", "importer"]
    assert "args.iban" in answer.selectors


def test_old_tools_and_tools_of_other_projects_are_not_completions(project, agent):
    now = datetime.now(UTC)
    agent.post(an_outcome("c-1", tool_name="old"), an_outcome("c-2", tool_name="new"))
    Call.objects.filter(tool__name="old").update(at=now - timedelta(weeks=20))
    assert tools_called(project.pk, now) == ["new"]
    assert tools_called(builders.a_project().pk, now) == []


@pytest.mark.parametrize("value", ["x", sha256(b"x").hexdigest()])
def test_a_very_large_call_is_skipped_when_collecting_completions(project, agent, value):
    arguments = {f"key{n}": f"{n}{value}" for n in range(9_000)}
    agent.post(an_outcome("c-1", tool_args=arguments))
    assert contract_words(project.pk, datetime.now(UTC)).selectors == []


def test_a_viewer_cannot_use_editor_hints(project):
    viewer = builders.signed_in(builders.a_member(project, Role.VIEWER).user)
    for name, ask in (("check_contract", viewer.post), ("contract_words", viewer.get)):
        assert ask(reverse(f"outcomes:{name}", args=[project.slug])).status_code == 403
