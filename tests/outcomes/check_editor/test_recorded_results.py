"""Recorded outputs next to the check editor, with the verdicts of the edited check."""

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from governance.checks.authoring.inserting import rule_ids
from governance.checks.commands.bindings import bind
from governance.checks.commands.checks import save_check
from governance.checks.domain import Binding
from governance.checks.language.text import check_text
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.models import CheckDraft
from outcomes.models import Call
from tests import builders
from tests.items import an_outcome

TEXT = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: n}
otherwise: success
rules:
  - id: not-ok
    when: {result.ok: {equals: false}}
    verdict: failure
    reason: "{result.message}"
"""
BAD: dict[str, Any] = {"ok": False, "message": "no such user", "id": 4}


@pytest.fixture
def editor(project):
    return builders.signed_in(builders.a_member(project, Role.EDITOR).user)


@pytest.fixture
def judged(project, editor):
    def post(text: str = TEXT, part: str = "recorded_results", **fields: str):
        at = reverse(f"outcomes:{part}", args=[project.slug])
        headers = {"HX-Request": "true"} if fields.pop("script", "yes") == "yes" else {}
        return editor.post(at, {"text": text} | fields, headers=headers)

    return post


@pytest.fixture
def results(agent):
    def record(*outputs: Any, tool: str = "crm_update", **fields: Any) -> None:
        agent.post(*(an_outcome(tool_name=tool, output=each, **fields) for each in outputs))

    return record


def test_includes_stay_pinned_until_the_newer_version_is_adopted(project, judged, results):
    results(BAD)
    save_check(project, document=TEXT.replace("name: n", "name: base"), by=CONSOLE)
    mine = TEXT.replace("rules:", "include: [base]\nrules:")
    save_check(project, document=mine, by=CONSOLE)
    mended = TEXT.replace("name: n", "name: base").replace("not-ok", "mended")
    save_check(project, document=mended, by=CONSOLE)
    assert "base/not-ok" in judged(mine, of="n").text
    assert "base/mended" in judged(mine, of="n", newer="base").text


def words(response: Any) -> str:
    plain = re.sub(r"<[^>]+>", " ", html.unescape(response.text))
    return re.sub(r"\s+", " ", plain).strip()


def rows(response: Any) -> list[str]:
    matches = re.findall(r"<summary>(.*?)</summary>", response.text, re.DOTALL)
    return [
        re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", row))).strip() for row in matches
    ]


def test_outputs_of_one_pattern_are_one_row_with_verdict_rule_and_change(judged, results):
    results(BAD, BAD | {"id": 5}, BAD | {"id": 6}, {"ok": True, "id": 7})
    answer = judged()
    first, second = rows(answer)
    assert first == (
        "{id: number, message: text, ok: false} not-ok : result.ok is false "
        "3 outputs now success draft failure"
    )
    assert "no rule matched 1 output now success draft success" in second
    assert "Changes 3 of the 4 newest outputs, all to failure." in words(answer)
    assert "Reason: no such user." in words(answer)
    assert "4 newest of crm_update" in words(answer)


def test_the_newest_outputs_are_listed_individually(judged, results):
    results(*({"ok": True, "id": number} for number in range(70)))
    answer = judged(pick="order:newest")
    assert rows(answer)[0].startswith('{"ok": true, "id": 69}')
    assert len(rows(answer)) == 60
    assert "10 more not shown." in words(answer)


def test_outputs_can_be_filtered_to_failures_and_to_changes(judged, results):
    results(BAD, "Error: x", {"ok": True})
    assert len(rows(judged())) == 3
    (failure,) = rows(judged(pick="show:failures"))
    assert "not-ok" in failure
    changed = judged(show="changed")
    assert sorted("not-ok" in row for row in rows(changed)) == [False, True]
    assert any("failure draft success" in row for row in rows(changed))
    assert 'aria-pressed="true">Changed 2<' in changed.text


def test_an_invalid_check_still_displays_the_current_verdicts(judged, results):
    results(BAD)
    answer = judged("rules: [")
    assert "Fix the errors to check these outputs." in words(answer)
    assert rows(answer)[0].startswith("{id: number, message: text, ok: false} default 1 output")


def test_the_draft_is_compared_with_the_newest_version_and_with_the_bound_check(
    project, judged, results
):
    save_check(
        project, document=TEXT.replace("otherwise: success", "otherwise: unknown"), by=CONSOLE
    )
    results({"ok": True})
    answer = judged(of="n")
    assert rows(answer)[0].endswith("v1 unknown draft success")
    assert "Now: default , success." in words(answer)
    bind(project, [Binding("*", "*", "*", "n")], by=CONSOLE)
    assert "Bound now" not in words(judged(of="n"))


def test_current_verdicts_add_no_second_row_to_the_newest_version(project, judged, results):
    save_check(project, document=TEXT, by=CONSOLE)
    bind(project, [Binding("*", "crm-*", "*", "n")], by=CONSOLE)
    results(BAD, agent_id="crm-bot")
    results(BAD, agent_id="other")
    answer = judged(of="n")
    (line,) = rows(answer)
    assert "2 outputs v1 failure draft failure" in line
    assert "Several checks apply now." in words(answer)
    assert len(rows(judged())) == 2


def test_tools_bound_to_the_check_are_listed_first(project, judged, results):
    save_check(project, document=TEXT, by=CONSOLE)
    results({"a": 1}, tool="http_get")
    results({"b": 1}, tool="crm_update")
    results({"c": 1}, tool="crm_delete")
    lines = [Binding("*", "*", "crm_delete", "http"), Binding("*", "bot", "crm_*", "n")]
    bind(project, lines, by=CONSOLE)
    assert "{b: number}" in words(judged(of="n"))
    assert "http_get" not in " ".join(rows(judged(of="n")))
    assert "{c: number}" not in words(judged(of="n"))


def test_without_bindings_the_tools_named_by_its_rules_are_listed(judged, results):
    results({"a": 1}, {"a": 1}, tool="http_get")
    results({"b": 1}, tool="crm_update")
    named = TEXT.replace("  - id: not-ok\n", "  - id: not-ok\n    tool: crm_*\n")
    assert [row.split(" ")[0] for row in rows(judged(named))] == ["{b:"]


def test_otherwise_the_most_called_tool_of_the_week_is_listed(judged, results):
    results({"a": 1}, {"a": 2}, tool="often")
    long_ago = (timezone.now() - timedelta(days=9)).isoformat()
    results({"b": 1}, {"b": 2}, {"b": 3}, tool="once-often", timestamp=long_ago)
    results({"c": 1}, tool="once")
    assert "2 newest of often" in words(judged())


def test_tools_can_be_selected_by_name_or_glob(judged, results):
    for tool in ("crm_get", "crm_put", "http"):
        results({tool: 1}, tool=tool)
    answer = judged(tools="crm_*, nothing")
    assert "2 newest of 2 tools" in words(answer)
    assert "http" not in " ".join(rows(answer))
    assert "No tool with this name was called." in words(judged(tools="nothing"))


def test_outputs_are_sampled_evenly_across_tools(judged, results):
    results(*({"a": number} for number in range(250)), tool="often")
    results(*({"b": number} for number in range(30)), tool="rare")
    answer = judged(tools="*")
    assert [row.split(" outputs")[0].split()[-1] for row in rows(answer)] == ["170", "30"]


def test_a_project_without_calls_has_an_empty_state(judged):
    assert "No outputs yet" in words(judged())


def test_calls_without_an_output_are_skipped_and_counted(judged, results, agent):
    results(BAD)
    for kind in ("denied", "timeout", "failure"):
        agent.post(an_outcome(tool_name="crm_update", type=kind, reason="no"))
    agent.post(an_outcome(tool_name="crm_update"))
    answer = judged()
    assert len(rows(answer)) == 1
    assert "1 output not shown: It was not reported." in words(answer)


def test_large_outputs_are_checked_and_huge_ones_are_counted(judged, results):
    results({"ok": False, "rows": ["x" * 100] * 200}, "y" * 300_000)
    answer = judged()
    assert "result.ok is false" in rows(answer)[0]
    assert "1 output not shown: Larger than 256 KiB" in words(answer)
    assert len(answer.text) < 40_000


def test_fields_of_recorded_outputs_are_completions(judged, results):
    results({"rows": [{"id": 1}]})
    assert 'data-selectors="result.rows\nresult.rows[*]\nresult.rows[*].id"' in judged().text


def test_output_content_is_escaped(judged, results):
    results({"<script>alert(1)</script>": "<b>"})
    assert "<script>alert" not in judged().text
    assert "<b>" not in judged(pick="order:newest").text


def call_of(judged) -> str:
    match = re.search(r'value="rule:(\d+)"', judged().text)
    assert match
    return match[1]


def test_an_output_can_be_inserted_as_an_example(judged, results):
    results(BAD)
    body = judged(part="take_result", take=f"failure:{call_of(judged)}").json()
    line = body["text"].split("\n")[body["line"] - 1]
    assert line == (
        '  - {tool: crm_update, result: {ok: false, message: "no such user", id: 4}, '
        "verdict: failure}"
    )
    (example,) = check_text(body["text"], included=lambda name: None).examples
    assert example.passed


def test_an_example_has_its_duration_only_if_a_rule_reads_it(judged, results):
    results(BAD, elapsed_ms=2_500)
    slow = TEXT.replace("result.ok: {equals: false}", "elapsed_ms: {gt: 2000}")
    for text, value in ((slow, True), (TEXT, False)):
        body = judged(text, part="take_result", take=f"failure:{call_of(judged)}").json()
        (example,) = check_text(body["text"], included=lambda name: None).examples
        assert example.passed
        assert ("elapsed_ms: 2500" in body["text"]) is value


def test_a_long_output_is_shortened_to_an_example_with_the_same_verdict(judged, results):
    results({"ok": False, "log": "x" * 3_000, "rows": [{"id": n} for n in range(90)]})
    body = judged(part="take_result", take=f"failure:{call_of(judged)}").json()
    (example,) = check_text(body["text"], included=lambda name: None).examples
    assert example.passed
    assert len(body["text"]) - len(TEXT) < 400


def test_an_output_is_not_shortened_if_that_would_change_its_verdict(judged, results):
    text = TEXT.replace("result.ok: {equals: false}", "result: {length: {gt: 1000}}")
    results("x" * 3_000)
    body = judged(text, part="take_result", take=f"failure:{call_of(judged)}").json()
    assert "x" * 3_000 in body["text"]
    results("y" * 30_000)
    refused = judged(text, part="take_result", take=f"failure:{call_of(judged)}")
    assert refused.status_code == 422
    assert "too long for an example" in refused.json()["detail"]


def test_a_rule_for_an_output_is_inserted_before_the_rule_that_decides_it(judged, results):
    results({"ok": False, "status": "queued"})
    body = judged(part="take_result", take=f"rule:{call_of(judged)}").json()
    assert rule_ids(body["text"]) == ["not-ok-2", "not-ok"]
    assert body["text"].split("\n")[body["line"] - 1] == "  - id: not-ok-2"


@pytest.mark.parametrize(
    "take", ["", "rule", "rule:", "rule:0", "rule:" + "9" * 30, "odd:1", "x\0"]
)
def test_an_unknown_output_cannot_be_inserted(judged, results, take):
    results(BAD)
    assert judged(part="take_result", take=take).status_code in (404, 422)


def test_an_invalid_check_is_not_edited(judged, results):
    results(BAD)
    refused = judged("rules: [", part="take_result", take=f"failure:{call_of(judged)}")
    assert refused.status_code == 422


def test_outputs_of_other_projects_cannot_be_inserted(judged, results, agent):
    stranger = builders.a_project()
    results(BAD)
    call = call_of(judged)
    Call.objects.update(project=stranger)
    assert judged(part="take_result", take=f"rule:{call}").status_code == 404


def test_without_javascript_the_edited_text_returns_to_the_editor(project, editor, judged, results):
    save_check(project, document=TEXT, by=CONSOLE)
    results(BAD)
    page = judged(of="n", base="1", script="no")
    assert "not-ok : result.ok is false" in words(page)
    call = call_of(judged)
    page = judged(of="n", base="1", script="no", part="take_result", take=f"failure:{call}")
    assert "Added at line 11" in words(page)
    form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text))
    text = html.unescape(page.text.split("<textarea")[1].split(">\n", 1)[1].split("</textarea>")[0])
    at = re.search(r'formaction="([^"]+)" name="act" value="keep"', page.text)
    assert at
    editor.post(at[1], form | {"text": text, "act": "keep"})
    assert "examples:\n  - {tool: crm_update" in CheckDraft.objects.get().text


def test_the_number_of_queries_does_not_depend_on_the_number_of_outputs(
    project, judged, results, django_assert_max_num_queries
):
    save_check(project, document=TEXT, by=CONSOLE)
    bind(project, [Binding("*", "*", "crm_*", "n")], by=CONSOLE)
    for number in range(8):
        results(*[BAD] * 20, "z" * 20_000, tool=f"crm_{number}")
    judged(of="n")
    with django_assert_max_num_queries(12):
        assert "168 newest of 8 tools" in words(judged(of="n"))
    with django_assert_max_num_queries(12):
        assert "168 newest of 8 tools" in words(judged(of="n", tools="crm_*"))
    with django_assert_max_num_queries(12):
        assert "168 newest of 8 tools" in words(judged(of="n", script="no"))


def test_a_check_that_exceeds_the_time_budget_returns_partial_results(judged, results, monkeypatch):
    monkeypatch.setattr("outcomes.check_editor.queries.trial.SECONDS", -1.0)
    results(BAD)
    assert rows(judged()) == []


def test_completions_come_from_the_language_and_from_calls(project, editor, results):
    save_check(project, document=TEXT, by=CONSOLE)
    results(BAD)
    body = editor.get(reverse("outcomes:check_words", args=[project.slug])).json()
    assert body["tools"] == ["crm_update"]
    assert {"n", "http"} <= set(body["checks"])
    assert "default" not in body["checks"]
    assert "count_items" in body["operators"]
    assert body["operands"]["type"][0] == '"null"'
    assert body["keys"]["new"]["rules/*"][0] == "id"
    assert "unknown" in body["values"]["new"]["rules/*/verdict"]


def test_a_viewer_may_not_try_checks(project):
    viewer = builders.signed_in(builders.a_member(project, Role.VIEWER).user)
    for name in ("recorded_results", "take_result"):
        assert viewer.post(reverse(f"outcomes:{name}", args=[project.slug])).status_code == 403


def test_the_editor_headline_gets_the_impact_in_numbers(judged, results):
    results(BAD, BAD, {"ok": True})
    impact = "changes 2 of the 3 newest outputs, all to failure"
    assert f'data-impact="{impact}"' in judged().content.decode()
    assert 'data-impact=""' in judged(text="rules: {").content.decode()
