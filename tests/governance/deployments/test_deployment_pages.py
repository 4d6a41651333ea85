"""Deployment pages: the plan, approval by a second person, and rollback."""

import html
import re

import pytest
from django.urls import reverse

from governance.cases.commands import add_case
from governance.core.actor import CONSOLE
from governance.core.cases import Case, CaseCall, Decides
from governance.core.deployment_requests import Required
from governance.core.roles import Role
from governance.deployments import requirements
from governance.deployments.commands.requests import refuse_request
from governance.evaluation import engine
from governance.models import Deployment, DeploymentRequest, User
from governance.people.commands.requirements import require
from governance.people.queries.projects import required_in
from tests import builders
from tests.governance.deploying import (
    PRODUCTION,
    a_failing_test,
    a_manage_key,
    a_request,
    approved,
    evidence,
    expired,
    live,
    now_live,
    saved,
    somebody,
    takes_two,
)


def deploy_page(project, version=None, env=PRODUCTION):
    query = f"?version={version.number}&environment={env}" if version else ""
    return reverse("governance:deploy", args=[project.slug, "d"]) + query


def heading(response):
    text = response.text.partition('<h1 id="sentence">')[2].partition("</h1>")[0]
    return " ".join(text.replace("<code>", "").replace("</code>", "").split())


def post(client, page, **body):
    return client.post(page, {"seen": 0} | body)


@pytest.fixture
def editor(client_as):
    return client_as(Role.EDITOR)


def test_without_an_environment_the_page_has_a_chooser(project, editor):
    saved(project)
    page = editor.get(deploy_page(project))
    assert heading(page) == "Deploy d"
    assert "Show plan" in page.text


def test_the_version_chooser_marks_deployed_versions(
    project, editor, django_assert_max_num_queries
):
    live(saved(project, "first"))
    saved(project, "second")
    plan = editor.get(deploy_page(project)).text
    choose = re.search(r'href="([^"]*choose[^"]*)"', plan)
    assert choose is not None
    with django_assert_max_num_queries(12):
        page = editor.get(html.unescape(choose[1])).text
    assert page.index(">v2</span>") < page.index(">v1</span>")
    assert 'value="2" checked' in page
    assert "deployed to production" in page.partition(">v1</span>")[2]
    assert "live in" not in page.partition(">v2</span>")[2].partition(">v1</span>")[0]
    assert 'value="production"' in page


def test_the_plan_lists_changes_before_deploying(project, editor):
    first = live(saved(project, "first"))
    second = saved(project, "second")
    page = editor.get(deploy_page(project, second))
    assert heading(page) == "Deploy d v2 to production?"
    assert "Changes v1 → v2" in page.text
    assert "No other requirements." in page.text
    assert "No tests yet." in page.text
    assert reverse("outcomes:taking", args=[project.slug]) in page.text
    seen = now_live(first)
    done = post(editor, deploy_page(project, second), seen=seen.pk)
    made = Deployment.objects.get(version=second)
    assert done["Location"] == reverse("governance:deployment", args=[project.slug, made.pk])
    assert heading(editor.get(done["Location"])) == "d v2 is deployed to production"


def test_a_concurrent_deployment_is_reported_before_you_deploy(project, editor):
    version = saved(project, "first")
    page = deploy_page(project, version)
    live(saved(project, "second"))
    answer = post(editor, page)
    assert answer.status_code == 422
    assert "Another version was deployed" in answer.text
    assert heading(answer) == "Go back from v2 to d v1 in production?"
    assert not Deployment.objects.filter(version=version).exists()


def test_the_deployed_version_is_marked(project, editor):
    version = live(saved(project))
    page = editor.get(deploy_page(project, version))
    assert heading(page) == "d v1 is already deployed to production"
    assert 'name="seen"' not in page.text


@pytest.mark.parametrize("query", ["?version=7&environment=production", "?environment=a%20b"])
def test_an_unknown_version_or_environment_is_not_a_server_error(project, editor, query):
    saved(project)
    page = reverse("governance:deploy", args=[project.slug, "d"]) + query
    assert editor.get(page).status_code in (404, 422)


def test_failing_tests_block_an_editor_and_require_a_reason_from_an_admin(
    project, editor, admin_client
):
    version = saved(project)
    page = deploy_page(project, version)
    a_failing_test(version)
    answer = editor.get(page)
    assert heading(answer) == "d v1 can't be deployed to production yet"
    assert "The test “let through” fails:" in answer.text
    assert 'name="seen"' not in answer.text
    assert post(editor, page).status_code == 422
    without_a_reason = post(admin_client, page)
    assert without_a_reason.status_code == 422
    assert "Enter a reason to deploy despite failing tests." in without_a_reason.text
    assert "`" not in post(editor, page).text.partition("<main")[2]
    done = post(admin_client, page, override="The test is old.")
    assert "The test is old." in admin_client.get(done["Location"]).text


def test_the_plan_has_the_result_of_the_required_backtest(project, editor, monkeypatch):
    version = saved(project)
    required = Required(max_newly_denied=2)
    require(project, env=PRODUCTION, required=required, by=CONSOLE)
    page = deploy_page(project, version)
    assert "Run one there first." in editor.get(page).text
    monkeypatch.setattr(requirements, "evidence_of", lambda *arguments: evidence(3))
    assert "newly denies 3 calls; production allows at most 2." in editor.get(page).text
    monkeypatch.setattr(requirements, "evidence_of", lambda *arguments: evidence(2))
    answer = editor.get(page)
    assert "Backtest: 2 newly denied, 2 allowed" in answer.text
    assert heading(answer) == "Deploy d v1 to production?"


def test_a_second_person_can_approve_on_the_request_page(project, client_as):
    version = saved(project)
    takes_two(project)
    one, two, viewer = client_as(Role.EDITOR), client_as(Role.EDITOR), client_as(Role.VIEWER)
    page = deploy_page(project, version)
    assert heading(one.get(page)) == "Request approval to deploy d v1 to production?"
    result = post(one, page, message="Release 7")["Location"]
    assert not Deployment.objects.exists()
    assert heading(one.get(page)) == "d v1 needs approval for production"
    mine, theirs, seen = one.get(result).text, two.get(result).text, viewer.get(result).text
    assert "Withdraw request" in mine
    assert "Approve and deploy" not in mine
    assert "Approve and deploy v1" in theirs
    assert "Release 7" in theirs
    assert "You need the editor role to decide." in seen
    number = DeploymentRequest.objects.get().pk
    decide = reverse("governance:decide_request", args=[project.slug, number])
    one.post(decide, {"decision": "approve"})
    assert not Deployment.objects.exists()
    done = two.post(decide, {"decision": "approve"})
    made = Deployment.objects.get()
    assert done["Location"] == reverse("governance:deployment", args=[project.slug, made.pk])
    assert "approved by" in two.get(done["Location"]).text
    assert "approved d v1 for production" in heading(two.get(result))


def test_the_creator_of_a_key_can_only_withdraw_its_request(project):
    request = a_request(saved(project), by=a_manage_key(project, made_by="one"))
    maker = builders.signed_in(User.objects.get(email="one@example.test"))
    page = maker.get(reverse("governance:request", args=[project.slug, request.pk])).text
    assert "Withdraw request" in page
    assert "Approve and deploy" not in page


def test_rejecting_a_request_requires_a_reason_that_the_page_displays(project, editor):
    request = a_request(saved(project))
    decide = reverse("governance:decide_request", args=[project.slug, request.pk])
    answer = editor.post(decide, {"decision": "refuse", "reason": ""})
    assert answer.status_code == 422
    assert "Enter a reason" in answer.text
    page = editor.post(decide, {"decision": "refuse", "reason": "Not today."})["Location"]
    assert "Not today." in editor.get(page).text
    assert "rejected d v1 for production" in heading(editor.get(page))


def test_void_and_expired_requests_are_labeled(project, editor):
    request = expired(a_request(saved(project, "one")))
    page = reverse("governance:request", args=[project.slug, request.pk])
    assert heading(editor.get(page)) == "This request expired"
    other = a_request(saved(project, "two"))
    saved(project, "three")
    page = reverse("governance:request", args=[project.slug, other.pk])
    assert heading(editor.get(page)) == "Canceled: v3 was saved."


def test_the_list_has_pending_and_decided_requests(project, editor):
    page = reverse("governance:requests", args=[project.slug])
    assert heading(editor.get(page)) == "0 deployments pending approval"
    request = a_request(saved(project))
    assert heading(editor.get(page)) == "1 deployment pending approval"
    refuse_request(request, reason="Not today.", by=somebody("two"))
    assert "refused by two@example.test" in editor.get(page).text


def test_a_deployment_runs_the_tests_of_its_version_once(project, editor, monkeypatch):
    version = saved(project)
    denied = Decides(call=CaseCall(tool="t"), action="block")
    add_case(version.bundle, Case("denied", denied), by=CONSOLE)
    page = deploy_page(project, version)
    assert "1 test passes" in editor.get(page).text
    items = []
    ask = engine.evaluate

    def noted(document, calls):
        items.append(calls)
        return ask(document, calls)

    monkeypatch.setattr(engine, "evaluate", noted)
    post(editor, page)
    assert (Deployment.objects.count(), len(items)) == (1, 1)


def test_a_deployment_page_has_a_one_click_rollback(project, editor, client_as):
    live(saved(project, "first"))
    version = live(saved(project, "second"))
    result = now_live(version)
    page = reverse("governance:deployment", args=[project.slug, result.pk])
    offered = editor.get(page).text
    assert "Roll back to v1" in offered
    assert re.search(r"Roll back\s+to v1\s*</button>", offered)
    seen = client_as(Role.VIEWER).get(page).text
    assert "</button>" not in seen.partition('id="roll-back"')[2].partition("</section>")[0]
    assert "You need the editor role to roll back." in seen
    go = reverse("governance:roll_back", args=[project.slug, result.pk])
    done = editor.post(go)
    back = editor.get(done["Location"])
    assert heading(back) == "d v1 is deployed to production"
    assert re.search(r"Return\s+to v2\s*</button>", back.text)  # not labeled as a rollback
    assert heading(editor.get(page)) == "d v2 was replaced by v1 in production"
    again = editor.post(go, follow=True)
    assert "was replaced" in again.text


def test_a_rollback_becomes_a_request_if_approval_is_required(project, client_as):
    live(saved(project, "first"))
    version = live(saved(project, "second"))
    takes_two(project)
    one, two = client_as(Role.EDITOR), client_as(Role.EDITOR)
    page = reverse("governance:deployment", args=[project.slug, now_live(version).pk])
    assert re.search(r"Request to roll back\s+to v1\s*</button>", one.get(page).text)
    go = reverse("governance:roll_back", args=[project.slug, now_live(version).pk])
    result = one.post(go)
    request = DeploymentRequest.objects.get()
    assert result["Location"] == reverse("governance:request", args=[project.slug, request.pk])
    text = one.get(result["Location"]).text
    assert "d v1 is deployed to production once approved." in text
    assert "Roll back from v2" in text
    assert now_live(version).version == version
    decide = reverse("governance:decide_request", args=[project.slug, request.pk])
    two.post(decide, {"decision": "approve"})
    assert now_live(version).version.number == 1


def test_a_rollback_to_an_approved_version_needs_no_approval(project, editor):
    approved(saved(project, "first"))
    version = approved(saved(project, "second"))
    page = reverse("governance:deployment", args=[project.slug, now_live(version).pk])
    assert re.search(r"Roll back\s+to v1\s*</button>", editor.get(page).text)
    editor.post(reverse("governance:roll_back", args=[project.slug, now_live(version).pk]))
    assert now_live(version).version.number == 1


def test_a_rollback_without_its_required_backtest_reports_it_missing(project, editor, monkeypatch):
    live(saved(project, "first"))
    version = live(saved(project, "second"))
    required = Required(max_newly_denied=0, second_person=True)
    require(project, env=PRODUCTION, required=required, by=CONSOLE)
    go = reverse("governance:roll_back", args=[project.slug, now_live(version).pk])
    assert "Run one there first." in editor.post(go, follow=True).text
    assert not DeploymentRequest.objects.exists()


def test_an_admin_can_set_deployment_requirements_on_the_environment_page(project, admin_client):
    saved(project)
    takes_two(project)
    page = reverse("governance:requirements", args=[project.slug, PRODUCTION])
    assert "checked" in admin_client.get(page).text
    sent = {"backtest": "on", "max_newly_denied": "5"}
    listed = admin_client.post(page, sent, follow=True)
    assert "max 5 newly denied" in listed.text
    assert required_in(project, PRODUCTION) == Required(max_newly_denied=5)
    admin_client.post(page, {"backtest": "on"})
    assert required_in(project, PRODUCTION) == Required(max_newly_denied=0)
    assert admin_client.post(page, {"backtest": "on", "max_newly_denied": "-1"}).status_code == 422
    admin_client.post(page, {})
    assert required_in(project, PRODUCTION) == Required()


def test_deployments_and_requests_of_another_project_are_404(project, admin_client):
    version = live(saved(project))
    request = a_request(saved(project, "two"))
    other = type(project).objects.create(slug="other", name="Other")
    result = now_live(version)
    for name, number in (("deployment", result.pk), ("request", request.pk), ("deployment", 2**70)):
        page = reverse(f"governance:{name}", args=[other.slug, number])
        assert admin_client.get(page).status_code == 404


def test_pending_requests_are_counted_on_the_contracts_page(project, editor):
    page = reverse("governance:contracts", args=[project.slug])
    request = a_request(saved(project))
    text = editor.get(page).text
    assert "1 deployment pending approval" in text
    assert re.search(r"waiting for a second person\s*</span>", text)
    expired(request)
    assert "a second person" not in editor.get(page).text
