"""Sections of the session page: parents and children, notes, turns, artifacts, comparison."""

import html

from governance.core.roles import Role
from governance.models import AuditEntry
from outcomes.models import Artifact, SessionNote
from tests import builders
from tests.outcomes.pages import Pages, a_denied_item, an_item


def pages_of(project, role: Role) -> Pages:
    member = builders.a_member(project, role)
    return Pages(builders.signed_in(member.user), project.slug)


def test_parent_and_child_sessions_link_to_each_other(pages, agent):
    agent.post(an_item("parent"))
    agent.post(an_item("child", parent_session_id="parent", agent_id="helper"))
    agent.post(an_item("child", parent_session_id="parent", agent_id="helper"))
    agent.post(an_item("orphan", parent_session_id="elsewhere"))
    assert "Child sessions calls that name this session as parent" in pages.session("parent")
    assert "child helper 2" in pages.session("parent")
    assert "Parent parent" in pages.session("child")
    assert "Parent elsewhere" in pages.session("orphan")
    assert "Child sessions" not in pages.session("child")


def test_an_operator_can_add_and_remove_a_note_that_all_members_can_read(project, pages, agent):
    agent.post(an_item())
    operator = pages_of(project, Role.OPERATOR)
    address = f"{operator.base}/session-notes/?of=s-1"
    assert operator.client.post(address, {"text": "The CRM was down."}).status_code == 302
    assert operator.client.post(address, {"text": "  "}).status_code == 302
    assert "The CRM was down." in pages.session("s-1")
    assert "Enter a note." in operator.session("s-1")
    note = SessionNote.objects.get()
    away = f"{operator.base}/session-notes/{note.pk}/remove/?of=s-1"
    assert pages.client.post(away).status_code == 403
    assert "Remove this note" not in pages.session("s-1")
    assert operator.client.post(away).status_code == 302
    assert not SessionNote.objects.exists()
    entries = AuditEntry.objects.filter(action__startswith="note ")
    assert {entry.action for entry in entries} == {"note added", "note removed"}
    assert not any("CRM" in f"{entry.details}" for entry in entries)


def test_session_ids_with_leading_or_trailing_spaces_can_be_compared(pages, agent):
    agent.post(an_item(session_id="s-1"), an_item(session_id=" s-2"), an_item(session_id="s-3"))
    for name in (" s-2", " s-3 "):
        text = pages.text("compare-sessions/", **{"of": "s-1", "with": name})
        assert "No session of that id" not in text
        assert name.strip() in text


def test_a_turn_lists_its_replay_record_and_blocked_tools(pages, agent):
    agent.post(
        an_item(turn_id="t-1", tool_args={"id": 7}),
        an_item(turn_id="t-1", tool_args={"id": 8}, output="Error: busy", tool_name="other",
                type="failure", error="busy", retryable=False),
        a_denied_item(turn_id="t-1", tool_args={"id": 9}),
    )  # fmt: skip
    text = pages.text("live/turn/", of="s-1", turn="t-1")
    assert "Blocked tools until the turn ends other" in text
    assert 'query 1 succeeded object, 1 key "id" : 7' in text
    assert 'other 1 failed object, 1 key "id" : 8' in text
    assert '"id" : 9' not in text
    assert pages.get("live/turn/", of="s-1", turn="t-9").status_code == 404


def test_an_artifact_can_be_previewed_on_the_session_page(pages, agent):
    agent.post(an_item(output="first line\n" * 2_000))
    sha256 = Artifact.objects.get().sha256
    assert "Preview" in pages.session("s-1")
    text = pages.text(f"live/artifact/{sha256}/", of="s-1")
    assert "first line" in text
    assert "22 kB, text/plain" in text
    assert pages.get(f"live/artifact/{'0' * 64}/", of="s-1").status_code == 404


def test_a_comparison_lists_two_sessions_and_where_they_diverge(pages, agent):
    agent.post(an_item("one", tool_args={"id": 1}), an_item("one", tool_args={"id": 2}))
    agent.post(an_item("two", tool_args={"id": 1}), an_item("two", tool_args={"id": 3}))
    choose = pages.get("compare-sessions/", of="one")
    assert "with=two&in=production" in html.unescape(choose.text)
    text = pages.text("compare-sessions/", of="one", **{"with": "two"})
    assert "Different from call 2: another call" in text
    assert "query 2 0 0 2 0 0" in text
    page = pages.text("compare-sessions/", of="one", **{"with": "one"})
    assert "Both sessions made the same calls" in page
    none = pages.text("compare-sessions/", of="one", **{"with": "nobody"})
    assert "Session not found." in none


def test_the_zoom_range_and_the_limit_are_in_the_url(pages, agent):
    agent.post(*(an_item(tool_name=f"tool-{n}") for n in range(1, 61)))
    page = pages.get("sessions/s-1/", **{"first": "11", "last": "40", "by": "time"}).text
    assert "calls 11 to 40 of 60" in page
    assert "Call 11 · tool-11" in page
    assert "Call 10 · tool-10" not in page
    assert "first=26&amp;last=55" in page
    assert "Call 10 · tool-10" in pages.get("live/session/", of="s-1").text
