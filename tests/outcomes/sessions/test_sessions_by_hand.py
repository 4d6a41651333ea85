"""For any session, its three counts, early and late limits, turns and waste match a count by hand,
over HTTP, on its page and in the list."""

import html
import json
import re
from collections import Counter
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from governance.core.roles import Role
from governance.people import auth
from outcomes.stored import names
from tests import builders
from tests.examples import with_a_database
from tests.outcomes import sessions_by_hand as by_hand
from tests.outcomes.pages import Pages, tile
from tests.outcomes.posting import Agent, settle
from tests.outcomes.sessions_by_hand import Known, ReportedCall, limits_of
from tests.outcomes.settling.test_settle_exactness import batches_of
from tests.recount import differences

BECAME = [*by_hand.POSTED, "good", "good", "silent", *by_hand.SDK_EVENTS, "executed", "open"]
ARGUMENTS = [None, {"id": 1}, {"id": 1}, {"a": [1], "b": None}]
RULINGS = {"premature": "Hit early.", "delayed": "Hit late.", "right": "As intended."}


@st.composite
def calls(draw: st.DrawFn) -> list[ReportedCall]:
    """Calls of one session, whose contract version changes now and then."""
    versions = draw(st.lists(st.sampled_from(sorted(by_hand.VERSIONS)), min_size=1, max_size=3))
    calls_made = []
    for number in range(draw(st.integers(1, 14))):
        became, begun = draw(st.sampled_from(BECAME)), draw(st.booleans())
        second = draw(st.integers(0, 9))
        version = versions[second * len(versions) // 10]
        is_sdk = begun or became in by_hand.SDK_EVENTS
        rules = [limit.name for limit in limits_of(version) if is_sdk or not limit.assumed]
        calls_made.append(
            ReportedCall(
                id=f"c-{number}",
                second=second,
                index=draw(st.integers(0, 1)),
                tool=draw(st.sampled_from(["query", "send"])),
                became=became,
                flag=draw(st.sampled_from([None, True, False])),
                begun=begun,
                version=version,
                args=draw(st.sampled_from(ARGUMENTS)),
                turn=draw(st.sampled_from(["", "t-1", "t-2"])),
                idempotent=draw(st.booleans()),
                rule=draw(st.sampled_from(rules)) if rules else "of nobody",
            )
        )
    return calls_made


def known_after(posted: list[tuple[ReportedCall, str]]) -> list[Known]:
    """Calls of the session in order, from the parts posted so far."""
    calls = {call.id: call for call, _ in posted}
    return by_hand.in_order(
        [
            Known(
                call,
                began=(call, "begins") in posted,
                ended=(call, "ends") in posted,
                place=[each.id for each, _ in posted].index(call.id),
            )
            for call in calls.values()
        ]
    )


@pytest.mark.slow
@with_a_database(40)
@given(
    reports=calls(),
    order=st.randoms(use_true_random=False),
    cuts=st.lists(st.integers(0, 60), max_size=3),
)
def test_session_pages_and_api_match_a_count_by_hand(db, reports, order, cuts):
    """Also while only some of the session has been posted."""
    with transaction.atomic():
        names.forget()
        auth.forget_keys()
        project = builders.a_project()
        versions = {
            name: builders.a_version(project, **limits)
            for name, limits in by_hand.VERSIONS.items()
            if name
        }
        agent = Agent(builders.bearing(builders.a_key(project, "agent", "read")[0]))
        viewer = builders.a_member(project, Role.VIEWER).user
        pages = Pages(builders.signed_in(viewer), project.slug)
        sends = [(call, place) for call in reports for place in range(len(call.sends))]
        order.shuffle(sends)
        posted: list[tuple[ReportedCall, str]] = []
        for batch in batches_of(sends, cuts):
            for call, place in batch:
                to, item = call.sends[place]
                if item["policy_version"]:
                    item["policy_version"] = versions[item["policy_version"]].revision_hash
                part = "begins" if item.get("action") == "call_allowed" else "ends"
                assert agent.door(json.dumps({to: [item]}).encode(), to=to)["rejected"] == []
                posted.append((call, part))
            settle_and_compare(agent, pages, known_after(posted))
        assert differences() == []
        transaction.set_rollback(True)


def settle_and_compare(agent: Agent, pages: Pages, known: list[Known]) -> None:
    if not known:
        return
    settle()
    session = agent.session("s")
    limits = by_hand.expected_limits(known)
    assert session["counts"] == by_hand.counts_of(known)
    assert in_any_order(session["limits"]) == in_any_order(limits)
    denials = Counter(call.became.removeprefix("sdk ") for call in known if call.is_denied)
    assert session["denials"] == denials
    turns = [{**turn, "waste": None} for turn in session["turns"]]
    assert turns == [{**turn, "waste": None} for turn in by_hand.turns_of(known)]
    waste = by_hand.wasted(known)
    ids = [each["call_id"] for turn in session["turns"] for each in turn["waste"]]
    assert sorted(ids) == sorted(waste)
    if len(known) > 1:  # a page of one call has no figures
        compare_page(pages, known, limits, len(waste))


def compare_page(
    pages: Pages, known: list[Known], limits: list[dict[str, Any]], waste: int
) -> None:
    body = pages.get("sessions/s/").content.decode()
    assert tile(body, "waste").startswith(f"Wasted calls {waste} of {len(known)} ")
    failed = [call for call in known if call.ran and call.verdict == "failure"]
    missed = sum(call.reported == "success" for call in failed)
    unsaid = sum(call.reported == "" and not call.is_error for call in failed)
    if missed:
        seen = len(failed) - missed - unsaid
        assert (f"{seen} noticed by the agent" in tile(body, "failures")) is bool(seen)
        assert f"{missed} missed" in tile(body, "failures")
    if missed and unsaid:
        assert f"{unsaid} not reported" in tile(body, "failures")
    shown = re.findall(
        r'<div class="limit">(.*?)</div>\s*(?=<div class="limit">|</div>)', body, re.S
    )
    words = [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", each)).split()) for each in shown]
    for limit in limits:
        (bar,) = [each for each in words if is_of(each, limit)]
        assert_says(bar, limit)
    rows = pages.get("sessions/", range="all", format="json")
    (row,) = json.loads(b"".join(rows.streaming_content))["sessions"]
    assert (row["attempts"], row["waste"]) == (len(known), waste)
    stops = [limit for limit in limits if limit["stopped_at"]]
    if any(call.became in ("limit", "sdk limit") for call in known):
        first = min(stops, key=lambda limit: limit["stopped_at"], default={"judgement": None})
        assert row["stopped"] == (first["judgement"] or "unjudged")
    else:
        assert row["stopped"] is None


def is_of(bar: str, limit: dict[str, Any]) -> bool:
    name = limit["tool"] or limit["limit"]
    begins = f"{name} assumed " if limit["assumed"] else f"{name} "
    return (
        bar.startswith(begins)
        and ("assumed" in bar) is limit["assumed"]
        and f"/ {limit['value']}" in bar
    )


def assert_says(bar: str, limit: dict[str, Any]) -> None:
    if limit["stopped_at"]:
        counting = "attempts" if "attempts" in limit["used"] else "executions"
        reached = limit["reached_at"][counting] or limit["stopped_at"]
        assert f"hit at call {min(reached, limit['stopped_at'])} " in bar
    else:
        assert ("not reached" in bar) is not any(limit["reached_at"].values())
    words = {
        "attempts": "attempts",
        "executions": "executions",
        "reported": "reported successes",
        "classified": "verified successes",
    }
    for counting, used in limit["used"].items():
        at = limit["reached_at"][counting]
        full = f" at call {at}" if at else ""
        says = f"{words[counting]}{full} {used} / {limit['value']}"
        assert (says in bar) is bool(used or counting in ("attempts", "executions")), says
    for judgement, ruling in RULINGS.items():
        assert (ruling in bar) is (limit["judgement"] == judgement)


def in_any_order(limits: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(each, sort_keys=True) for each in limits)
