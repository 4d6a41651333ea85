"""Access by route and role, and completeness of the route tables."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from edictum_site.api import api
from governance.contracts.queries.contracts import live_in
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.delivery.commands import stops
from governance.delivery.commands.assignments import assign
from governance.findings import open_finding
from governance.models import Deployment, Finding, Project
from governance.people import auth
from governance.people.commands.people import invite
from outcomes.holds.commands import hold_query
from outcomes.models import Batch, Call, CallGroup, Rejudging, Session
from outcomes.retention.commands.runs import start_run
from outcomes.sessions.commands.notes import write_note
from outcomes.sessions.commands.saved_views import save_view
from tests import builders
from tests.edictum_site import routes
from tests.governance.approvals.builders import an_approval
from tests.governance.casing import a_case, added
from tests.governance.deploying import a_request, live, saved
from tests.governance.naming import a_check
from tests.outcomes.backtests import waiting_backtest
from tests.outcomes.posting import Agent
from tests.outcomes.rejudging import waiting_rejudging
from tests.outcomes.silent_failures import a_suggestion
from tests.outcomes.waiting_jobs import run_waiting_indexes

REFUSED = {401, 403}
NOT_ALLOWED = 405  # for example, another method at the same address


def patterns(
    resolver: URLResolver, pattern: str = "", namespace: str = ""
) -> Iterator[tuple[str, str]]:
    """Every URL pattern as its name and its route."""
    for each in resolver.url_patterns:
        here = pattern + str(each.pattern)
        if isinstance(each, URLPattern):
            yield f"{namespace}{each.name}", here
        else:
            inner = f"{namespace}{each.namespace}:" if each.namespace else namespace
            yield from patterns(each, here, inner)


def pages() -> dict[str, str]:
    return {name: pattern for name, pattern in patterns(get_resolver()) if "v1/" not in pattern}


def api_routes() -> set[str]:
    open_finding = api.get_openapi_schema(path_prefix="/v1/")["paths"]
    return {
        f"{method.upper()} {path.removeprefix('/v1/')}"
        for path, operations in open_finding.items()
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


class Things:
    """One of everything that a page's address can name, created on demand."""

    def __init__(self, project: Project) -> None:
        self.project = project

    @cached_property
    def call(self) -> str:
        key = builders.a_key(self.project, "ingest")[0]
        item = {
            "type": "execution_result",
            "call_id": "c-1",
            "session_id": "s-1",
            "tool_name": "search",
            "tool_args": {"of": "c-1"},
            "principal": {"user_id": "ana"},
        }
        failed = {"call_id": "c-2", "type": "failure", "error": "down"}
        Agent(builders.bearing(key)).post(item | {"output": "found " * 3_000}, item | failed)
        return "c-1"

    @cached_property
    def principal(self) -> str:
        assert self.call
        run_waiting_indexes()
        return "ana"

    @cached_property
    def group(self) -> str:
        """A group of similar failures."""
        assert self.call
        return bytes(CallGroup.objects.get(project=self.project).digest).hex()

    @cached_property
    def session(self) -> str:
        return "s-1" if self.call else ""

    @cached_property
    def note(self) -> int:
        session = Session.objects.get(project=self.project, session_id=self.session)
        return write_note(session, "Seen.", by=CONSOLE).pk

    @cached_property
    def view(self) -> int:
        return save_view(self.project.pk, "of everybody", "", shared=True, by=CONSOLE).pk

    @cached_property
    def sha256(self) -> str:
        return Call.objects.get(project=self.project, call_id=self.call).artifact_name

    @cached_property
    def picture(self) -> str:
        key = builders.a_key(self.project, "ingest")[0]
        content = b"GIF89a\1\0\1\0\0\0\0;"
        result = builders.bearing(key).post("/v1/artifacts", content, content_type="image/gif")
        return str(result.json()["sha256"])

    @cached_property
    def batch(self) -> int:
        environment = builders.a_key(self.project, "ingest")[1].environment_id
        set_aside = Batch.objects.create(
            project=self.project,
            environment_id=environment,
            source="outcomes",
            items=1,
            body=b"broken",
            received_at=timezone.now(),
            set_aside_at=timezone.now(),
        )
        return set_aside.pk

    @cached_property
    def deployment(self) -> Deployment:
        live(saved(self.project, "first"))
        deployment = live_in(live(saved(self.project, "second")).bundle, "production")
        assert deployment is not None
        return deployment

    @cached_property
    def case(self) -> int:
        return added(self.deployment.version.bundle, a_case())[0].pk

    @cached_property
    def request(self) -> int:
        assert self.deployment
        return a_request(saved(self.project, "third")).pk

    @cached_property
    def stop(self) -> int:
        builders.an_environment(self.project)
        stopped = stops.stop(self.project, env="production", agent="another", by=CONSOLE)
        return stopped[0].pk

    @cached_property
    def assignment(self) -> int:
        bundle = self.deployment.version.bundle.name
        return assign(self.project, bundle_name=bundle, env="production", by=CONSOLE)[0].pk

    @cached_property
    def rejudging(self) -> Rejudging:
        return waiting_rejudging(self.project, "reclassification")

    @cached_property
    def invitation(self) -> int:
        invited = "invited@example.test"
        invite(self.project, email=invited, role=Role.VIEWER, by=CONSOLE)
        return self.project.invitations.get().pk


THINGS: dict[str, Callable[[Things], object]] = {
    "session_id": lambda things: things.session,
    "call_id": lambda things: things.call,
    "sha256": lambda things: things.sha256,
    "artifact_id": lambda things: things.sha256,
    "picture": lambda things: things.picture,
    "batch_id": lambda things: things.batch,
    "code": lambda things: an_approval(things.project).code,
    "name": lambda things: "unknown" if things.call else "",  # agents without a name
    "principal_name": lambda things: things.principal,
    "group_key": lambda things: things.group,
    "tool_name": lambda things: "search" if things.call else "",
    "number": lambda _: 1,
    "draft_id": lambda _: 1,
    "case_id": lambda things: things.case,
    "assignment_id": lambda things: things.assignment,
    "stop_id": lambda things: things.stop,
    "environment": lambda things: things.deployment.environment.name,
    "bundle_name": lambda things: things.deployment.version.bundle.name,
    "check_name": lambda things: a_check(things.project).name,
    "kind": lambda _: "py",
    "backtest_id": lambda things: waiting_backtest(things.project).pk,
    "check_backtest_id": lambda things: waiting_rejudging(things.project, "check_backtest").pk,
    "reclassification_id": lambda things: things.rejudging.pk,
    "rejudging_id": lambda things: things.rejudging.pk,
    "job_kind": lambda things: things.rejudging.kind,
    "tool_id": lambda things: a_suggestion(things.project, "crm_lookup").tool_id,
    "built_in": lambda _: "flags",
    "rule_id": lambda _: "not-ok",
    "suggestion_id": lambda things: a_suggestion(things.project).pk,
    "deployment_id": lambda things: things.deployment.pk,
    "request_id": lambda things: things.request,
    "key_id": lambda things: builders.a_key(things.project)[1].pk,
    "member_id": lambda things: builders.a_member(things.project).pk,
    "note_id": lambda things: things.note,
    "view_id": lambda things: things.view,
    "alert_id": lambda things: an_alert(things.project).pk,
    "invitation_id": lambda things: things.invitation,
    "run_id": lambda things: start_run(things.project, by=CONSOLE).pk,
    "hold_id": lambda things: hold_query(things.project, query="refund", reason="", by=CONSOLE).pk,
}


def everything_in(project: Project) -> dict[str, object]:
    things = Things(project)
    return {name: make(things) for name, make in THINGS.items()}


def an_alert(project: Project) -> Finding:
    open_finding(project.pk, "odd", "it", why="So.")
    return Finding.objects.get(project=project)


def address(pattern: str, project: Project, known: Mapping[str, object] | None = None) -> str:
    """Address of a page with its objects created, or with the `known` ones."""
    name, mark, query = pattern.partition(" ")[2].partition("?")
    named = re.findall(r"<(?:\w+:)?(\w+)>", pages()[name])
    if known is None:
        things = Things(project)
        known = {each: THINGS[each](things) for each in named if each != "slug"}
        if query:  # the query also names objects
            assert things.call
            assert things.request
    open_finding = {**known, "slug": project.slug}
    return reverse(name, kwargs={each: open_finding[each] for each in named}) + mark + query


@contextmanager
def undone() -> Iterator[None]:
    """Roll back everything done inside."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    auth.forget_keys()


def ask(client: Client, pattern: str, path: str, *, project: Project) -> int:
    method, _, _ = pattern.partition(" ")
    client.raise_request_exception = False
    scoped = f"{path}?project={project.slug}"
    return client.generic(method, scoped, content_type="application/json").status_code


def test_every_api_route_is_in_the_table():
    assert api_routes() == set(routes.API)


def test_every_page_is_in_the_tables():
    known = {
        pattern.split(" ")[1].partition("?")[0] for pattern in routes.PROJECT_PAGES
    } | routes.OTHER_PAGES
    assert {name for name, _ in patterns(get_resolver()) if not name.startswith("api:")} == {
        name for name in known if not name.startswith("api:")
    }


def test_the_openapi_description_has_every_api_route():
    below = {pattern for name, pattern in patterns(get_resolver()) if name.startswith("api:")}
    described = {route.partition(" ")[2] for route in api_routes()}
    assert len(below) == len(described | {"", "openapi.json"})


@pytest.mark.one_database
@pytest.mark.parametrize("route", sorted(routes.API))
def test_each_api_route_admits_exactly_the_callers_in_the_table(project, route):
    path = "/v1/" + re.sub(r"{(\w+)}", "1", route.partition(" ")[2])
    wrong = {}
    for who in sorted(routes.EVERYBODY):
        with undone():
            status = ask(asking(who, project), route, path, project=project)
        if not is_right(status, who, routes.API[route]):
            wrong[who] = status
    assert wrong == {}


def is_right(status: int, who: str, let_in: set[str]) -> bool:
    if who in let_in:
        return status not in REFUSED | {NOT_ALLOWED} and status < 500
    return status in (REFUSED | {404} if who == routes.STRANGER else REFUSED)


@pytest.mark.one_database
@pytest.mark.parametrize("route", sorted(routes.PROJECT_PAGES))
def test_each_page_requires_its_role(project, route):
    path, least = address(route, project), routes.PROJECT_PAGES[route]
    open_finding = {}
    for who in (routes.ANONYMOUS, routes.STRANGER, *routes.MEMBERS, routes.MANAGE_KEY):
        with undone():
            open_finding[who] = page_says(asking(who, project), route, path, least)
    reaching = {who for who in routes.MEMBERS if Role(who.partition(":")[2]).reaches(least)}
    assert open_finding == {
        routes.ANONYMOUS: "sign in",
        routes.STRANGER: 404,
        **dict.fromkeys(routes.MEMBERS, "not in this role"),
        **dict.fromkeys(reaching, "let in"),
        routes.MANAGE_KEY: "sign in",
    }


def read(response: Any) -> Any:
    if response.streaming:
        b"".join(response)  # left unread, closing it would also close the database connection
    return response


def page_says(client: Client, route: str, path: str, least: Role) -> object:
    client.raise_request_exception = False
    response = read(client.generic(route.partition(" ")[0], path))
    if response.headers.get("Location", "").startswith(reverse("account_login")):
        return "sign in"
    if response.status_code in {200, 302, 422}:
        return "let in"
    if response.status_code == 403 and f"need the {least} role" in response.text:
        return "not in this role"
    return response.status_code


MORE_QUERIES = {
    "GET governance:audit_verification?format=txt": 16,  # signs the head and records the download
    "GET lookup:search?q=c-1": 13,  # and one in the content index
    "GET outcomes:agent": 13,  # doubt next to its rate, and reports of its own tools
    "GET outcomes:calls?q=tool:search+of": 17,  # reads the index in steps, then the calls
    "GET outcomes:retention": 26,  # counts what each rule would remove, and reads sizes
    "GET outcomes:session": 16,  # earlier approvals, doubt next to verdicts, names of authors
    "GET outcomes:session_rows": 13,  # doubt next to the rates
    "GET outcomes:sessions": 13,
}


@pytest.mark.slow
def test_each_page_takes_at_most_twelve_queries(project, admin_client):
    known = everything_in(project)
    admin_client.get(reverse("governance:settings", args=[project.slug]))
    fields = {}
    for route in sorted(routes.PROJECT_PAGES):
        if route.startswith("GET "):
            path = address(route, project, known)
            with undone(), CaptureQueriesContext(connection) as queries:
                read(admin_client.get(path))
            fields[route] = len(queries)
    assert {page: n for page, n in fields.items() if n > MORE_QUERIES.get(page, 12)} == {}
