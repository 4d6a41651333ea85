"""What a console needs before anybody came: its project, a way in for people, a key for agents."""

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
from governance.projects.commands.projects import first_project

FIRST_ENVIRONMENT = "production"  # what SDKs say when they are told nothing


def make_first_things() -> Iterator[str]:
    """Make what is missing, and tell line by line what is shown only now."""
    project = first_project()
    yield from _documents()
    # First, because it may end the start: no link is shown for one that did not happen.
    bootstrap = env_secret("EDICTUM_SITE_BOOTSTRAP_KEY")
    try:
        differs = keep_bootstrap_key(project, bootstrap) if bootstrap else ""
    except InvalidInput as error:
        raise SettingInvalid(str(error)) from None
    yield from _way_in(project)
    if differs:
        yield differs
    if not has_keys(project):
        yield from _first_key(project)


def _documents() -> Iterator[str]:
    """What was deployed before documents were rendered and signed is given both now."""
    for project in projects():
        try:
            complete_documents(project)
        except Conflict as error:
            yield f"{project.name}: {error}"


def _way_in(project: Project) -> Iterator[str]:
    email, password = env_str("EDICTUM_SITE_ADMIN_EMAIL"), env_secret("EDICTUM_SITE_ADMIN_PASSWORD")
    if bool(email) != bool(password):
        raise SettingInvalid(
            "EDICTUM_SITE_ADMIN_EMAIL and EDICTUM_SITE_ADMIN_PASSWORD are set together, or neither."
        )
    if anybody():
        return
    if email:
        try:
            first_admin(project, email=email, password=password)
        except InvalidInput as error:
            raise SettingInvalid(f"The first admin cannot be made: {error}") from None
    else:
        yield "Set up this console with this link; it works once:"
        yield f"  {set_up_link(project)}"


def set_up_link(project: Project) -> str:
    return address() + reverse("governance:set_up", args=[new_set_up_link(project)])


def _first_key(project: Project) -> Iterator[str]:
    text, _ = make_key(
        project,
        name="first agent",
        env=FIRST_ENVIRONMENT,
        scopes=[Scope.AGENT],
        by=CONSOLE,
    )
    yield f"Connect an agent with this key for {FIRST_ENVIRONMENT}, shown only now:"
    yield f"  {text}"
    yield "An SDK takes it beside the address of this console; a first outcome from a shell:"
    yield (
        f"  curl {address()}/v1/outcomes -H 'Authorization: Bearer {text}' -d "
        """'{"outcomes": [{"type": "execution_result", "call_id": "first", "tool_name": "hello", """
        """"output": "it works", "agent_id": "my-agent", "session_id": "first-session"}]}'"""
    )


def address() -> str:
    """Where this console is reached, as far as its environment tells."""
    return env_url("EDICTUM_SITE_URL") or local_address()


def local_address() -> str:
    """Where it listens, for programs on the same machine."""
    host = env_str("HOST", "127.0.0.1")
    reachable = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104 - compared only
    shown = f"[{reachable}]" if ":" in reachable else reachable
    return f"http://{shown}:{env_str('PORT', '8000')}"
