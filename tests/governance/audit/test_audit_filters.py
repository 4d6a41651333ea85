"""Audit log page: filters, links to objects, and titles of approvals."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from governance.approvals.commands import decide
from governance.audit.domain import place_of
from governance.audit.words import actor_choices
from governance.audit_log import record
from governance.core.actor import CONSOLE, person
from governance.core.roles import Role
from governance.models import Project, User
from tests.governance.approvals.builders import an_approval
from tests.governance.deploying import saved

ANNA = person(1, "anna@example.test", Role.ADMIN)
BEN = person(2, "ben@example.test", Role.ADMIN)


@pytest.fixture
def log(project, client_as):
    record(ANNA, "key created", "billing", project=project, details={"env": "production"})
    record(BEN, "role changed", "carla@example.test", project=project, details={"to": "editor"})
    record(ANNA, "key revoked", "billing", project=project)
    browser = client_as(Role.VIEWER)

    def page(**query):
        return browser.get(reverse("governance:audit", args=[project.slug]), query)

    return page


def entries_in(page):
    return [(line.entry.action, line.entry.subject) for line in page.context["lines"]]


def test_the_log_is_filtered_by_person_action_and_object(log):
    created = ("key created", "billing")
    changed, revoked = ("role changed", "carla@example.test"), ("key revoked", "billing")
    assert entries_in(log(by=str(BEN))) == [changed]
    assert entries_in(log(action="key created")) == [created]
    assert entries_in(log(q="billing")) == [revoked, created]
    assert entries_in(log(q="PRODUCTION")) == [created]
    assert entries_in(log(q="billing", by=str(BEN))) == []
    assert "No entries match" in log(q="nothing").text


def test_the_log_is_filtered_by_time(log):
    now = timezone.now()
    assert entries_in(log(since=(now + timedelta(hours=1)).isoformat())) == []
    assert len(entries_in(log(since=(now - timedelta(hours=1)).isoformat()))) >= 3
    assert entries_in(log(until=(now - timedelta(hours=1)).isoformat())) == []
    assert len(entries_in(log(since="yesterday", until="2026-99-99"))) >= 3


def test_the_filters_list_people_and_actions_in_the_log(log):
    page = log(action="key revoked")
    assert (str(ANNA), "anna@example.test") in [
        (each.value, each.words) for each in page.context["actors"]
    ]
    assert {"key created", "key revoked", "role changed"} <= set(page.context["actions"])
    assert "<option selected>key revoked</option>" in page.text


def test_the_person_filter_lists_people_by_profile_name(log):
    User.objects.update(name="Ana Ruiz")
    label = User.objects.get().email
    record(person(3, label, Role.VIEWER), "key created", "x", project=Project.objects.get())
    option = f'<option value="person:{label}" title="{label}">Ana Ruiz</option>'
    assert option in " ".join(log().text.split()).replace(" >", ">")


def test_people_with_the_same_name_are_listed_with_their_email():
    names = {"ana@a.test": "Ana", "ana@b.test": "Ana", "ben@a.test": "Ben"}
    choices = actor_choices([f"person:{label}" for label in names], names)
    assert [each.words for each in choices] == ["Ana (ana@a.test)", "Ana (ana@b.test)", "Ben"]


def test_the_export_and_later_pages_apply_the_filters(log, project):
    for number in range(60):
        record(BEN, "key created", f"key {number}", project=project)
    page = log(by=str(BEN), action="key created")
    assert len(page.context["lines"]) == 50
    older = log(by=str(BEN), action="key created", before=page.context["lines"][-1].entry.number)
    assert len(older.context["lines"]) == 10
    assert "action=key+created" in page.context["older"]
    assert "before" not in older.context["newer"]
    file = log(by=str(BEN), action="role changed", format="csv")
    rows = list(csv.DictReader(io.StringIO(b"".join(file.streaming_content).decode())))
    assert [row["subject"] for row in rows] == ["carla@example.test"]


@pytest.mark.parametrize("value", ["\0", "%00", "' OR 1=1 --", "x" * 5_000])
def test_hostile_filters_return_200(log, value):
    for name in ("by", "action", "q", "since", "until"):
        assert log(**{name: value}).status_code == 200


def test_an_entrys_object_links_to_its_page(project, client_as):
    version = saved(project, "billing")
    page = client_as(Role.VIEWER).get(reverse("governance:audit", args=[project.slug]))
    urls = {line.entry.action: line.url for line in page.context["lines"]}
    there = reverse(
        "governance:contract_version", args=[project.slug, version.bundle.name, version.number]
    )
    assert urls["contract saved"] == there
    assert f'href="{there}"' in page.text


@pytest.mark.parametrize(
    ("action", "subject", "view", "arguments"),
    [
        ("contract deployed", "billing v3", "governance:contract_version", ("billing", 3)),
        ("check saved", "unified v2", "governance:check_version", ("unified", 2)),
        ("draft started", "draft of billing", "governance:contract", ("billing",)),
        ("draft started", "draft of the check unified", "governance:check", ("unified",)),
        ("test added", "billing: refunds", "governance:cases", ("billing",)),
        ("backtest started", "backtest 7 of billing", "outcomes:backtest", (7,)),
        ("reset a session", "s-1", "outcomes:session", ("s-1",)),
        ("key revoked", "billing", "governance:keys", ()),
        ("role changed", "a@example.test", "governance:members", ()),
    ],
)
def test_each_kind_of_object_has_a_page(action, subject, view, arguments):
    place = place_of(action, subject)
    assert place is not None
    assert (place.view, place.arguments) == (view, arguments)


def test_an_object_without_a_page_has_no_link():
    assert place_of("draft started", "draft of a new contract") is None
    assert place_of("old notes removed", "12") is None


def test_an_approval_is_named_by_its_title_and_its_call(project, client_as):
    row = an_approval(
        project,
        tool_name="refund",
        message="Refund over 1,000 EUR",
        tool_args={"amount": 2312, "account": "A-2154"},
    )
    decide(row, approve=True, reason="Checked", by=ANNA)
    page = client_as(Role.VIEWER).get(reverse("governance:audit", args=[project.slug]))
    line = next(each for each in page.context["lines"] if each.entry.action.startswith("approval"))
    assert line.subject == "Refund over 1,000 EUR"
    assert line.arguments == 'refund(amount=2312, account="A-2154")'
    assert line.url == reverse("outcomes:approvals", args=[project.slug])
    assert row.code in page.text  # in the details, for searching


def test_a_removed_approval_is_named_by_its_tool_and_agent(project, client_as):
    details = {"tool": "refund", "agent": "billing-bot", "session": "s-1"}
    record(CONSOLE, "approval timed out", "0123abcd", project=project, details=details)
    page = client_as(Role.VIEWER).get(reverse("governance:audit", args=[project.slug]))
    assert page.context["lines"][0].subject == "`refund` by billing-bot"
