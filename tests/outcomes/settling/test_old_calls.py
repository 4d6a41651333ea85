"""Calls from before something was kept of them: looked through once, some at a time."""

from outcomes.models import ArtifactTotal, ArtifactUse, Call, ChildSession, OldCalls
from outcomes.settling.older_calls import (
    look_through_old_calls,
    look_through_some,
    waiting_old_calls,
)
from tests.outcomes.pages import an_item
from tests.recount import differences


def as_before(agent) -> OldCalls:
    """What an earlier release would have left of these calls."""
    agent.post(
        an_item("s-1", type="artifact_reference", artifact_id="kept", size_bytes=700, output=None),
        an_item("s-2", tool_args={"artifact_id": "kept"}, parent_session_id="s-1"),
        an_item("s-2", tool_name="read_file", tool_args={"artifact_id": "kept"}),
        an_item(None, parent_session_id="s-1"),
    )
    Call.objects.update(artifact_read="")
    ArtifactUse.objects.update(reads=0, size_bytes=0)
    ArtifactTotal.objects.update(read=0, size_bytes=0)
    ChildSession.objects.all().delete()
    newest = Call.objects.order_by("id").last()
    assert newest is not None
    return OldCalls.objects.create(until=newest.pk)


def test_old_calls_tell_what_they_read_and_whose_children_their_sessions_are(agent):
    as_before(agent)
    assert look_through_old_calls() == 1
    assert differences() == []
    assert ArtifactUse.objects.get().size_bytes == 700
    child = ChildSession.objects.get()
    assert (child.session.session_id, child.parent) == ("s-2", "s-1")
    assert (waiting_old_calls(), OldCalls.objects.exists()) == (0, False)


def test_a_process_that_ends_in_between_is_followed_by_one_that_goes_on(agent):
    old = as_before(agent)
    assert look_through_some(old.pk, at_once=2) is False
    agent.post(
        an_item("s-2", tool_args={"artifact_id": "kept"})  # a call of now: not counted twice
    )
    assert look_through_old_calls() == 1
    assert differences() == []
    assert ArtifactUse.objects.get().reads == 3


def test_calls_that_two_releases_ask_for_are_looked_through_once(agent):
    old = as_before(agent)
    OldCalls.objects.create(until=old.until)
    assert look_through_old_calls() == 1
    assert not OldCalls.objects.exists()
