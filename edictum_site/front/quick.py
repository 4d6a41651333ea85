"""Answers that need no thread of the application: given on the event loop, or not at all."""

from typing import Protocol

from edictum_site.front.bodies import Body
from edictum_site.front.environ import Scope
from edictum_site.front.replies import Reply


class QuickAnswers(Protocol):
    async def answer(self, scope: Scope, body: Body) -> Reply | None:
        """None: the application answers this request."""

    async def stop(self) -> None:
        """Close what was opened; called once, after the last request."""
