"""Interface for requests that are answered on the event loop, without an application thread."""

from typing import Protocol

from edictum_site.front.bodies import Body
from edictum_site.front.environ import Scope
from edictum_site.front.replies import Reply


class QuickAnswers(Protocol):
    async def answer(self, scope: Scope, body: Body) -> Reply | None:
        """Reply to a request, or None to pass it to the application."""

    async def stop(self) -> None:
        """Close all resources; called once, after the last request."""
