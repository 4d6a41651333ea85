"""The list of alerts: open ones sorted worst first, with the same count on every page."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from governance.core.roles import Role
from governance.findings import Details, open_finding, resolve, sync_findings
from governance.models import AuditEntry, Finding, User
from outcomes.alerts.queries import OPEN_SHOWN
from tests import builders
from tests.outcomes.pages import text_of


@pytest.fixture
def page(project, client_as):
    builders.an_environment(project)
    viewer = client_as(Role.VIEWER)
    here = reverse("outcomes:alerts", args=[project.slug])
    return lambda state="": viewer.get(here, {"state": state} if state else {})


def navigation_count(response):
    entries = [entry for group in response.context["nav"] for entry in group]
    return next(entry["count"] for entry in entries if entry["name"] == "Alerts")


def test_a_project_without_alerts_has_an_empty_state(page):
    assert "No open alerts" in text_of(page())
    assert navigation_count(page()) == 0


def test_an_alert_states_what_why_since_when_and_links_to_its_cause(project, page):
    open_finding(
        project.pk, "manage_key_used_by_agent", "<b>key</b>", why="It may `x<y`.", link="/p/x/",
        environment="production",
    )  # fmt: skip
    response = page()
    text = text_of(response)
    assert "Agent is using a manage key: <b>key</b>" in text
    assert "production. It may x<y ." in text
    assert "It may <code>x&lt;y</code>." in response.text
    assert '<a class="row-link" href="/p/x/">' in response.text
    assert "<b>key</b>" not in response.text
    assert navigation_count(response) == 1


def test_resolved_alerts_are_listed_separately(project, page):
    open_finding(project.pk, "odd_thing", "it", why="So.")
    resolve(project.pk, "odd_thing", "it")
    assert "No open alerts" in text_of(page())
    assert re.search(r"Odd thing: it .* So. Resolved ", text_of(page("resolved")))
    assert navigation_count(page()) == 0


def test_all_open_alerts_are_counted_even_beyond_one_page(project, page):
    for number in range(OPEN_SHOWN + 3):
        open_finding(project.pk, "odd", f"thing {number}", why="So.")
    text = text_of(page())
    assert f"Odd: thing {OPEN_SHOWN + 2} , {OPEN_SHOWN + 2} more open" in text
    assert f"{OPEN_SHOWN} of {OPEN_SHOWN + 3}" in text
    assert navigation_count(page()) == OPEN_SHOWN + 3


def test_alerts_of_other_projects_are_not_visible(project, page):
    other = builders.a_project()
    open_finding(other.pk, "odd", "secret", why="So.")
    assert "secret" not in text_of(page())
    assert navigation_count(page()) == 0


def dismissing(project):
    number = Finding.objects.get(project=project).pk
    return reverse("outcomes:dismiss_alert", args=[project.slug, number])


def test_an_operator_can_dismiss_an_alert_and_learns_when_it_reappears(project, page, client_as):
    open_finding(project.pk, "odd_thing", "it", why="So.", environment="production")
    operator = client_as(Role.OPERATOR)
    assert dismissing(project) in operator.get(page().request["PATH_INFO"]).text
    text = text_of(operator.post(dismissing(project), follow=True))
    assert "Dismissed. It will reappear if it happens again." in text
    assert "No open alerts" in text
    assert "Dismissed by person-" in text_of(page("resolved"))
    assert navigation_count(page()) == 0
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subject) == ("alert dismissed", "odd_thing: it")
    assert entry.details == {"environment": "production", "why": "So."}


def test_people_are_named_with_their_email_address_on_hover(project, page, client_as):
    open_finding(project.pk, "odd_thing", "it", why="So.")
    operator = client_as(Role.OPERATOR)
    User.objects.update(name="Ana Ruiz")
    operator.post(dismissing(project))
    response = page("resolved")
    assert "Dismissed by Ana Ruiz ," in text_of(response)
    assert re.search(r'<span title="person-[^"]*">Ana Ruiz</span>', response.text)


def test_a_viewer_cannot_dismiss_alerts(project, page):
    open_finding(project.pk, "odd_thing", "it", why="So.")
    assert "Dismiss<" not in page().text


def test_an_alert_of_another_project_cannot_be_dismissed(project, client_as):
    other = builders.a_project()
    open_finding(other.pk, "odd", "secret", why="So.")
    number = Finding.objects.get().pk
    for address in (number, 2**70):
        url = reverse("outcomes:dismiss_alert", args=[project.slug, address])
        assert client_as(Role.OPERATOR).post(url).status_code == 404
    assert Finding.objects.get().resolved_at is None


def test_dismissing_an_ongoing_alert_states_when_it_reappears(project, page, client_as):
    sync_findings(project.pk, ["drift"], {("drift", "bot"): Details(why="So.")})
    text = text_of(client_as(Role.OPERATOR).post(dismissing(project), follow=True))
    assert "It will reappear if it ends and starts again." in text
    assert ", not resolved yet," in text_of(page("resolved"))


def test_an_alert_can_be_snoozed_and_reopened(project, page, client_as):
    open_finding(project.pk, "odd_thing", "it", why="So.")
    number = Finding.objects.get(project=project).pk
    operator = client_as(Role.OPERATOR)
    snooze = reverse("outcomes:snooze_alert", args=[project.slug, number])
    text = text_of(operator.post(snooze, {"for": "hour"}, follow=True))
    assert "Snoozed: 1 hour." in text
    assert "Open 0 Snoozed 1 Resolved 0" in text
    assert "Snoozed by person-" in text_of(page("snoozed"))
    reopen = reverse("outcomes:reopen_alert", args=[project.slug, number])
    assert "Open 1 Snoozed 0" in text_of(operator.post(reopen, follow=True))
    refused = text_of(operator.post(snooze, {"for": "ever"}, follow=True))
    assert "Choose how long to snooze the alert." in refused
    assert "Open 1 Snoozed 0" in refused


def test_the_headline_names_the_worst_alert_in_at_most_90_characters(project, page):
    names = {"short": "`deploy-night` is stuck", "long": f"`{'x' * 80}` is stuck"}
    for number, title in enumerate(names.values()):
        details = Details(why="So.", title=title, severity="error", impact=9 - number)
        sync_findings(project.pk, [f"odd-{number}"], {(f"odd-{number}", "it"): details})
    assert sentence(page()) == "deploy-night is stuck, 1 more open"
    resolve(project.pk, "odd-0", "it")
    open_finding(project.pk, "odd-2", "it", why="So.")
    assert sentence(page()) == "2 open alerts"


def sentence(response):
    (matches,) = re.findall(r'<h1 id="sentence">(.*?)</h1>', response.text, re.S)
    return re.sub(r"<[^>]*>", "", matches).strip()


def test_a_backlog_is_listed_and_counted_even_without_a_running_worker(project, page):
    received = datetime.now(UTC) - timedelta(minutes=3)
    builders.a_batch(project, items=9, received_at=received)
    text = text_of(page())
    assert "Processing is 3 min behind" in text
    assert "9 events in 1 batch queued." in text
    assert navigation_count(page()) == 1


def test_the_list_follows_the_chosen_environment_and_counts_alerts_elsewhere(project, client_as):
    builders.an_environment(project)
    builders.an_environment(project, "staging")
    viewer = client_as(Role.VIEWER)
    for environment in ("production", "staging", ""):
        open_finding(project.pk, "odd", f"in {environment}", why="So.", environment=environment)
    here = reverse("outcomes:alerts", args=[project.slug])
    text = text_of(viewer.get(here, {"environment": "staging"}))
    assert "Open 2" in text
    assert "in staging" in text
    assert "in production" not in text
    assert "1 more in other environments" in text
    assert "Open 3" in text_of(viewer.get(here))
    overview = reverse("outcomes:overview", args=[project.slug])
    assert "2 open, worst first" in text_of(viewer.get(overview, {"environment": "staging"}))
