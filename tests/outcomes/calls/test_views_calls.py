"""The call page and the drawer."""

import pytest

from governance.core.roles import Role
from tests import builders
from tests.governance.naming import a_check, bound
from tests.outcomes.pages import Pages, a_denied_item, an_item, text_of
from tests.outcomes.waiting_jobs import scanned

QUERIES = 12


def test_a_silent_failure_lists_the_rule_and_the_value_it_matched(pages, agent):
    item = an_item(output="Error: no such table", tool_args={"id": "A-7"}, elapsed_ms=141)
    agent.post(item)
    text = pages.call(item["call_id"])
    assert "query failed silently" in text
    assert "Why failure check default v1" in text
    assert 'error_prefix failure The text begins like an error. Saw "Error: no such table"' in text
    assert "The agent reported success, and the check disagrees." in text
    assert '"id" : "A-7"' in text
    assert "141 ms" in text
    assert 'What the model saw the output, as JSON "Error: no such table"' in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "query succeeded"),
        ({"output": None}, "query ran, reported as success, not checked"),
        ({"output": None, "tool_success": None}, "query ran without a verdict"),
        ({"tool_success": False}, "query ran, reported as failure"),
        (
            {"type": "failure", "error": "boom", "output": None, "tool_success": False},
            "query failed",
        ),
        (
            {"type": "timeout", "deadline_s": 3, "output": None, "tool_success": False},
            "query timed out",
        ),
    ],
)
def test_the_headline_states_the_outcome(pages, agent, fields, words):
    item = an_item(**fields)
    agent.post(item)
    assert words in pages.call(item["call_id"])


def test_a_missing_output_is_marked_and_null_is_a_value(pages, agent):
    silent = an_item(output=None)
    agent.post(silent, an_item(call_id="null") | {"output": None})
    assert "No output reported, so this call" in pages.call(silent["call_id"])
    assert "unknown: no output reported" in pages.call(silent["call_id"])
    assert "Output 4 characters, inline null" in pages.call("null")


def test_a_denial_names_its_rule_and_quotes_its_message(pages, agent):
    item = a_denied_item(details="Refunds need a ticket.", decision_name="refund-needs-ticket")
    agent.post(item)
    text = pages.call(item["call_id"])
    assert "query was denied: contract" in text
    assert "refund-needs-ticket contract denied Refunds need a ticket." in text
    assert '{"error": "Blocked: Refunds need a ticket.", "blocked": true}' in text


def test_a_large_output_is_an_artifact_with_a_preview_and_a_download(pages, operators_pages, agent):
    lines = "\n".join(f"row {n}" for n in range(5_000))
    item = an_item(output=lines)
    agent.post(item)
    assert "/raw" not in pages.get(f"calls/{item['call_id']}/").text
    body = operators_pages.get(f"calls/{item['call_id']}/").text
    assert "row 0\nrow 1\n" in body
    assert "row 4999" not in body
    download = body.split('href="')
    url = next(part.split('"')[0] for part in download if part.split('"')[0].endswith("/raw"))
    assert b"".join(operators_pages.client.get(url).streaming_content).decode() == lines


@pytest.mark.parametrize("content", [b"abc\xe2\x82", b"\xff\xfe", b"a\0b"])
def test_a_binary_artifact_has_no_preview(pages, agent, content):
    stored = agent.client.post("/v1/artifacts", content, content_type="text/plain").json()
    item = an_item(type="artifact_reference", artifact_id=stored["artifact_id"], output=None)
    agent.post(item)
    assert pages.get(f"calls/{item['call_id']}/").status_code == 200


def test_an_artifact_stored_by_the_agent_has_no_download(pages, agent):
    item = an_item(
        type="artifact_reference", artifact_id="s3://b/x", summary="31 rows", output=None
    )
    agent.post(item)
    text = pages.call(item["call_id"])
    assert "kept by the agent 31 rows s3://b/x" in text
    assert "Download" not in text
    assert "Not checked: The output is stored by the agent." in text


def test_every_event_is_listed_with_its_time_and_content_as_sent(pages, agent):
    event = {"call_id": "c", "tool_name": "deploy", "agent_id": "bot", "session_id": "s-1"}
    agent.post_events(
        event | {"action": "call_allowed", "timestamp": "2026-11-01T10:00:00Z", "odd": "kept too"},
        event | {"action": "call_executed", "timestamp": "2026-11-01T10:00:01Z"},
    )
    text = pages.call("c")
    assert "Events 2, oldest first" in text
    assert "2026-11-01 10:00:00 +00:00" in text
    assert '"odd" : "kept too"' in text
    assert "allowed" in text
    assert "as events" in text


def test_an_open_call_is_running_and_later_has_no_result_reported(pages, agent):
    event = {"tool_name": "deploy", "agent_id": "bot", "action": "call_allowed"}
    agent.post_events(event | {"call_id": "new"})
    agent.post_events(event | {"call_id": "old", "timestamp": "2026-11-01T10:00:00Z"})
    assert "deploy is running" in pages.call("new")
    assert "deploy was allowed, no result reported" in pages.call("old")


def test_would_deny_and_conflict_are_marked_on_a_call_that_ran(pages, agent):
    event = {"call_id": "c", "tool_name": "rm", "agent_id": "bot"}
    agent.post_events(event | {"action": "call_would_deny", "mode": "observe"})
    agent.post_events(event | {"action": "call_executed", "tool_name": "other"})
    text = pages.call("c")
    assert "would be denied" in text
    assert "conflict" in text
    assert "Executed" in text


def test_a_call_links_to_its_neighbors_in_the_session(pages, agent):
    items = [an_item(tool_name=f"tool-{n}") for n in range(3)]
    agent.post(*items, an_item("s-2"))
    body = pages.get(f"calls/{items[1]['call_id']}/").content.decode()
    earlier, later = (href_of(body, key) for key in "jk")
    assert items[0]["call_id"] in earlier
    assert items[2]["call_id"] in later
    first = pages.get(f"calls/{items[0]['call_id']}/").content.decode()
    assert 'data-key="j"' not in first


def href_of(body: str, key: str) -> str:
    return body.split(f'data-key="{key}"')[0].rsplit('<a class="button', 1)[1]


def test_calls_of_an_agent_without_a_session_are_linked_as_neighbors(pages, agent):
    items = [an_item(None, agent_id=name) for name in ("a", "b", "a")]
    agent.post(*items)
    body = pages.get(f"calls/{items[2]['call_id']}/").content.decode()
    assert items[0]["call_id"] in href_of(body, "j")


@pytest.mark.parametrize("call_id", ["a/b", "..", "-", "a b#c?d%41", "line\nbreak", "x" * 1024])
def test_a_call_id_can_contain_any_characters(pages, agent, call_id):
    agent.post(an_item(call_id=call_id, tool_name="inside"))
    body = pages.get("sessions/s-1/").content.decode()
    href = body.split('class="row-link mono" href="')[1].split('"')[0].replace("&amp;", "&")
    assert "inside succeeded" in text_of(pages.client.get(href))


def test_deep_and_long_values_can_be_expanded(pages, agent):
    deep: object = "bottom"
    for _ in range(40):
        deep = [deep]
    item = an_item(output={"deep": deep, "text": "y" * 11_000}, tool_name="t" * 80)
    agent.post(item)
    text = pages.call(item["call_id"])
    assert "Show all 11,000 characters" in text
    assert "bottom" in text


def test_a_call_of_another_project_is_404(pages, agent):
    item = an_item()
    agent.post(item)
    other = builders.a_member(builders.a_project(), Role.ADMIN)
    theirs = Pages(builders.signed_in(other.user), other.project.slug)
    assert theirs.get(f"calls/{item['call_id']}/").status_code == 404
    assert pages.get("calls/nobody/").status_code == 404


FLAGS = "{when: {result.flag%d: {equals: false}}, id: flag-%d, verdict: failure}"


def judged_by(project, rules):
    a_check(project, *(FLAGS % (number, number) for number in range(rules)))
    bound(project, "crm mine")


def test_rules_that_did_not_match_are_listed_above_the_one_that_did(
    project, pages, agent, django_assert_max_num_queries
):
    judged_by(project, 4)
    item = an_item(tool_name="crm", output={"flag0": True, "flag2": False})
    agent.post(item)
    with django_assert_max_num_queries(QUERIES):
        text = pages.call(item["call_id"])
    tried = ("flag-0 no match result.flag0 true", "flag-1 no match result.flag1 missing")
    assert all(each in text for each in tried)
    assert text.index(tried[0]) < text.index(tried[1]) < text.index("flag-2 failure")
    assert "flag-3" not in text


def test_many_rules_that_did_not_match_are_folded(project, pages, agent):
    judged_by(project, 9)
    item = an_item(tool_name="crm", output={"fine": True})
    agent.post(item)
    text = pages.call(item["call_id"])
    assert "Why success check mine v1 9 earlier rules did not match" in text
    assert text.count(" no match ") == 9
    assert "otherwise success" in text


def test_rules_that_did_not_match_are_folded_on_a_successful_call(pages, agent):
    item = an_item(output={"fine": True})
    agent.post(item)
    assert "Why success check default v1 3 earlier rules did not match" in pages.call(
        item["call_id"]
    )


def test_rules_for_an_output_stored_separately_are_not_reevaluated(project, pages, agent):
    judged_by(project, 4)
    item = an_item(tool_name="crm", output={"flag2": False, "more": "z" * 13_000})
    agent.post(item)
    text = pages.call(item["call_id"])
    assert "flag-2 failure" in text
    assert "no match" not in text


@pytest.mark.parametrize("neighbours", [0, 300])
def test_the_number_of_queries_does_not_depend_on_neighboring_calls(
    pages, agent, neighbours, django_assert_max_num_queries
):
    item = an_item(output="z" * 13_000)
    agent.post(*(an_item() for _ in range(neighbours)), item)
    with django_assert_max_num_queries(QUERIES):
        assert pages.get(f"calls/{item['call_id']}/").status_code == 200


def test_a_success_contradicted_by_a_suggestion_is_marked_in_doubt(project, pages, agent):
    not_ok = {"ok": False, "error": "bin not found"}
    suspected = an_item(tool_name="lookup", output=not_ok)
    others = [an_item(tool_name="lookup", output=not_ok) for _ in range(3)]
    agent.post(suspected, *others, *[an_item(tool_name="lookup") for _ in range(5)])
    scanned(project)
    text = pages.call(suspected["call_id"])
    assert "lookup : the output looks like a failure, and no check covers it" in text
    assert "It counts as success. View suggestion" in text
    assert "9 calls: 4 in doubt" in pages.text("calls/")
    assert pages.text("calls/").count("success default v1 in doubt") == 4


def test_the_list_of_calls_has_its_figures_in_the_headline(pages, agent):
    agent.post(an_item(), an_item(output="Error: gone"), a_denied_item(tool_name="query"))
    assert "3 calls: 1 failed, 1 denied" in pages.text("calls/")
    assert "1 of 3 calls denied" in pages.text("calls/", show="denied")
    assert "1 of 2 calls failed" in pages.text("calls/", show="failures")
    assert "query: agent and check disagree on 1 of 2 calls" in pages.text(
        "calls/", show="disagree", tool="query"
    )
