"""First start: create a project, a sign-up link and a key for agents."""

from collections.abc import Iterator

from django.urls import reverse

from edictum_site.env import SettingInvalid, env_secret, env_str, env_url
from governance.core.actor import CONSOLE
from governance.core.errors import Conflict, InvalidInput
from governance.delivery.commands.documents import complete_documents
from governance.models import Project
from governance.people.commands.keys import keep_bootstrap_key, make_key
from governance.people.commands.people import first_admin, new_set_up_link
from governance.people.domain import Scope
from governance.people.queries.keys import has_keys
from governance.people.queries.people import anybody
from governance.people.queries.projects import projects
from governance.projects.commands import first_project

FIRST_ENVIRONMENT = "production"  # default of the SDKs
FIRST_KEY = "first agent"  # name of the key printed at the first start


def make_first_things() -> Iterator[str]:
    """Create what is missing; yields lines to print, some of which are shown only once."""
    project = first_project()
    yield from _documents()
    # Before the link, because it may fail, and then no link must be shown.
    bootstrap = env_secret("EDICTUM_SITE_BOOTSTRAP_KEY")
    try:
        differs = keep_bootstrap_key(project, bootstrap) if bootstrap else ""
    except InvalidInput as error:
        raise SettingInvalid(str(error)) from None
    if differs:
        yield differs
    if not has_keys(project):
        yield from _first_key(project)
    yield from _way_in(project)  # last, because it is the link to click


def _documents() -> Iterator[str]:
    """Render and sign documents of older deployments that have none; yields the failures."""
    for project in projects():
        try:
            complete_documents(project)
        except Conflict as error:
            yield f"{project.name}: {error}"


def _way_in(project: Project) -> Iterator[str]:
    email, password = env_str("EDICTUM_SITE_ADMIN_EMAIL"), env_secret("EDICTUM_SITE_ADMIN_PASSWORD")
    if bool(email) != bool(password):
        raise SettingInvalid(
            "EDICTUM_SITE_ADMIN_EMAIL and EDICTUM_SITE_ADMIN_PASSWORD must be set together."
        )
    if anybody():
        return
    if email:
        try:
            first_admin(project, email=email, password=password)
        except InvalidInput as error:
            raise SettingInvalid(f"The first admin cannot be created: {error}") from None
    else:
        yield "Create the admin account (link works once, for 7 days):"
        yield f"  {set_up_link(project)}"
        yield ""


def set_up_link(project: Project) -> str:
    return address() + reverse("governance:set_up", args=[new_set_up_link(project)])


def _first_key(project: Project) -> Iterator[str]:
    text, _ = make_key(
        project,
        name=FIRST_KEY,
        env=FIRST_ENVIRONMENT,
        scopes=[Scope.AGENT],
        by=CONSOLE,
    )
    yield f"Agent key for {FIRST_ENVIRONMENT} (shown once):"
    yield f"  {text}"
    yield ""


def address() -> str:
    """URL of this console, from its environment."""
    return env_url("EDICTUM_SITE_URL") or local_address()


def local_address() -> str:
    """URL of this console for programs on the same machine."""
    host = env_str("HOST", "127.0.0.1")
    reachable = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104 - compared only
    shown = f"[{reachable}]" if ":" in reachable else reachable
    return f"http://{shown}:{env_str('PORT', '8000')}"
