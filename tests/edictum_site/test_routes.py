"""Role by route: who gets past the guard of each address, and that no address was forgotten."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from edictum_site.api import api
from governance import commands, queries
from governance.domain.actor import CONSOLE
from governance.domain.roles import Role
from governance.findings import found
from governance.models import Finding, Project
from outcomes.models import Artifact, Batch
from tests import builders
from tests.edictum_site import routes
from tests.governance.approvals import an_approval
from tests.governance.casing import a_case, added
from tests.governance.deploying import a_request, live, saved
from tests.governance.naming import a_check
from tests.outcomes.backtests import waiting_backtest
from tests.outcomes.posting import Agent
from tests.outcomes.rejudging import waiting_rejudging
from tests.outcomes.silent_failures import a_suggestion

REFUSED = {401, 403}
NOT_ALLOWED = 405  # such as by another route at the same address


def patterns(
    resolver: URLResolver, route: str = "", namespace: str = ""
) -> Iterator[tuple[str, str]]:
    """Every address as its name and its route."""
    for each in resolver.url_patterns:
        here = route + str(each.pattern)
        if isinstance(each, URLPattern):
            yield f"{namespace}{each.name}", here
        else:
            inner = f"{namespace}{each.namespace}:" if each.namespace else namespace
            yield from patterns(each, here, inner)


def pages() -> dict[str, str]:
    return {name: route for name, route in patterns(get_resolver()) if "v1/" not in route}


def api_routes() -> set[str]:
    found = api.get_openapi_schema(path_prefix="/v1/")["paths"]
    return {
        f"{method.upper()} {path.removeprefix('/v1/')}"
        for path, operations in found.items()
        for method in operations
    }


def asking(who: str, project: Project) -> Client:
    kind, _, which = who.partition(":")
    if kind == "key":
        return builders.bearing(builders.a_key(project, which)[0])
    if kind == "member":
        return builders.signed_in(builders.a_member(project, Role(which)).user)
    if who == routes.STRANGER:
        return builders.signed_in(builders.a_member(builders.a_project(), Role.ADMIN).user)
    return Client()


def ids(project: Project) -> dict[str, object]:
    """One of everything that a page's address may name."""
    commands.invite(project, email="invited@example.test", role=Role.VIEWER, by=CONSOLE)
    key, row = builders.a_key(project, "ingest")
    item = {
        "type": "execution_result",
        "call_id": "c-1",
        "session_id": "s-1",
        "tool_name": "search",
        "tool_args": {"of": "c-1"},
    }
    Agent(builders.bearing(key)).post(item | {"output": "found " * 3_000})
    set_aside = Batch.objects.create(
        project=project,
        environment_id=row.environment_id,
        source="outcomes",
        items=1,
        body=b"broken",
        received_at=timezone.now(),
        set_aside_at=timezone.now(),
    )
    live(saved(project, "first"))
    deployment = queries.live_in(live(saved(project, "second")).bundle, "production")
    assert deployment is not None
    waiting = a_request(saved(project, "third"))
    return {
        "session_id": "s-1",
        "call_id": "c-1",
        "sha256": Artifact.objects.get(project=project).sha256,
        "batch_id": set_aside.pk,
        "code": an_approval(project).code,
        "name": "unknown",
        "number": 1,
        "draft_id": 1,
        "case_id": added(deployment.version.bundle, a_case())[0].pk,
        "stop_id": commands.stop(project, env="production", agent="another", by=CONSOLE)[0].pk,
        "environment": "production",
        "bundle_name": "d",
        "check_name": a_check(project).name,
        "kind": "py",
        "backtest_id": waiting_backtest(project).pk,
        "check_backtest_id": waiting_rejudging(project, "check_backtest").pk,
        "reclassification_id": (other := waiting_rejudging(project, "reclassification")).pk,
        "rejudging_id": other.pk,
        "job_kind": other.kind,
        "suggestion_id": a_suggestion(project).pk,
        "deployment_id": deployment.pk,
        "request_id": waiting.pk,
        "key_id": builders.a_key(project)[1].pk,
        "member_id": builders.a_member(project).pk,
        "finding_id": a_finding(project).pk,
        "invitation_id": project.invitations.get().pk,
    }


def a_finding(project: Project) -> Finding:
    found(project.pk, "odd", "it", why="So.")
    return Finding.objects.get(project=project)


def address(asked: str, project: Project) -> str:
    name, mark, query = asked.partition(" ")[2].partition("?")
    known = ids(project) | {"slug": project.slug}
    named = re.findall(r"<(?:\w+:)?(\w+)>", pages()[name])
    return reverse(name, kwargs={each: known[each] for each in named}) + mark + query


def ask(client: Client, asked: str, path: str, *, project: Project) -> int:
    method, _, _ = asked.partition(" ")
    client.raise_request_exception = False
    asked_of = f"{path}?project={project.slug}"
    return client.generic(method, asked_of, content_type="application/json").status_code


def test_no_address_of_the_api_is_missing_from_the_table():
    assert api_routes() == set(routes.API)


def test_no_page_is_missing_from_the_tables():
    known = {
        asked.split(" ")[1].partition("?")[0] for asked in routes.PROJECT_PAGES
    } | routes.OTHER_PAGES
    assert {name for name, _ in patterns(get_resolver()) if not name.startswith("api:")} == {
        name for name in known if not name.startswith("api:")
    }


def test_the_openapi_description_names_every_address_of_the_api():
    below = {route for name, route in patterns(get_resolver()) if name.startswith("api:")}
    described = {asked.partition(" ")[2] for asked in api_routes()}
    assert len(below) == len(described | {"", "openapi.json"})


@pytest.mark.parametrize("who", sorted(routes.EVERYBODY))
@pytest.mark.parametrize("asked", sorted(routes.API))
def test_the_api_lets_in_whom_the_table_says(project, asked, who):
    path = "/v1/" + re.sub(r"{(\w+)}", "1", asked.partition(" ")[2])
    status = ask(asking(who, project), asked, path, project=project)
    if who in routes.API[asked]:
        assert status not in REFUSED | {NOT_ALLOWED}
        assert status < 500
    elif who == routes.STRANGER:
        assert status in REFUSED | {404}
    else:
        assert status in REFUSED


@pytest.mark.parametrize("who", [routes.ANONYMOUS, routes.STRANGER, *sorted(routes.MEMBERS)])
@pytest.mark.parametrize("asked", sorted(routes.PROJECT_PAGES))
def test_a_page_lets_in_members_of_the_role_it_takes(project, asked, who):
    path = address(asked, project)
    client = asking(who, project)
    client.raise_request_exception = False
    response = client.generic(asked.partition(" ")[0], path)
    if response.streaming:
        response.close()
    if who == routes.ANONYMOUS:
        assert response.status_code == 302
        assert response["Location"].startswith(reverse("account_login"))
    elif who == routes.STRANGER:
        assert response.status_code == 404
    elif Role(who.partition(":")[2]).reaches(routes.PROJECT_PAGES[asked]):
        assert response.status_code in {200, 302, 422}
        assert not response.headers.get("Location", "").startswith(reverse("account_login"))
    else:
        assert response.status_code == 403
        assert f"takes the role {routes.PROJECT_PAGES[asked]}" in response.text


@pytest.mark.parametrize("asked", sorted(routes.PROJECT_PAGES))
def test_a_page_takes_no_more_than_twelve_queries(
    project, admin_client, asked, django_assert_max_num_queries
):
    path = address(asked, project)
    admin_client.get(reverse("governance:settings", args=[project.slug]))
    if asked.startswith("GET "):
        with django_assert_max_num_queries(12):
            admin_client.get(path).close()


@pytest.mark.parametrize("asked", sorted(routes.PROJECT_PAGES))
def test_a_key_opens_no_page(project, asked):
    path = address(asked, project)
    client = builders.bearing(builders.a_key(project, "manage")[0])
    assert client.generic(asked.partition(" ")[0], path).status_code == 302
