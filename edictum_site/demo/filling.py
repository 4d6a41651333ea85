"""Fill a project: agents work through two weeks while a person changes contracts and checks."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from edictum_site.demo import person
from edictum_site.demo.agent import Agent
from edictum_site.demo.clock import Clock
from edictum_site.demo.door import Door
from edictum_site.demo.fleet import ENVIRONMENTS, FLEET
from edictum_site.demo.fortnight import DAYS, Planned, day_begins, planned
from edictum_site.demo.outbox import Outbox

BEHIND: Final = "docs-bot"  # not restarted after the last deployment, so it runs an older version


@dataclass(frozen=True, slots=True)
class Progress:
    passed: int  # sessions
    total: int
    calls: int
    day: int


class Filling:
    def __init__(self, url: str, key: str, *, now: datetime, seed: int, share: float = 1.0) -> None:
        self._person = Door(url, key)
        self._url, self._now = url, now
        self._chance = random.Random(seed)  # noqa: S311 - the same demo each time
        self._clock = Clock(now)
        self._sessions = planned(now, self._chance, share)
        self._calls = 0
        self._boxes: dict[str, Outbox] = {}
        self._agents: dict[str, Agent] = {}
        self._keys: list[int] = []

    async def run(self, report: Callable[[Progress], None]) -> int:
        """Fill the project and return the number of calls reported. Its keys are always revoked."""
        try:
            self._make_agents()
            day = -1
            for number, session in enumerate(self._sessions):
                while session.at >= day_begins(self._now, day + 1):
                    day += 1
                    self._change_things(day)
                await self._work(session)
                report(Progress(number, len(self._sessions), self._calls, day + 1))
            self._settle()
            report(Progress(len(self._sessions), len(self._sessions), self._calls, DAYS))
            return self._calls
        finally:
            self._clear_away()

    def _make_agents(self) -> None:
        for environment in ENVIRONMENTS:
            key_fields = {"name": f"demo agents in {environment}", "env": environment}
            made = self._person.ask("POST", "keys", key_fields | {"scopes": ["agent"]})
            self._keys.append(made["id"])
            outbox = Outbox(Door(self._url, made["key"]), self._posted)
            self._boxes[environment] = outbox
            for profile in FLEET.values():
                if profile.environment == environment:
                    self._agents[profile.name] = Agent(
                        profile,
                        door=Door(self._url, made["key"], profile.name),
                        person=self._person,
                        outbox=outbox,
                        clock=self._clock,
                        chance=self._chance,
                    )

    def _posted(self, calls: int) -> None:
        self._calls += calls

    def _change_things(self, day: int) -> None:
        if day in person.SAVED:
            self._settle()  # earlier calls must be checked before the check changes
            person.save_check(self._person, *person.SAVED[day])
        for bundle, version, message in person.DEPLOYED.get(day, []):
            person.deploy(self._person, bundle, version, message)
            for agent in self._agents.values():
                if agent.profile.bundle == bundle and (day == 0 or agent.profile.name != BEHIND):
                    agent.load_contract()

    async def _work(self, session: Planned) -> None:
        agent = self._agents[session.agent]
        self._clock.now = session.at
        agent.begin(session.session, session.parent)
        await session.work(agent, session.day, session.amount)

    def _settle(self) -> None:
        for outbox in self._boxes.values():
            outbox.flush()
        while not self._person.ask("GET", "outcomes?limit=1&wait=30")["settled"]:
            pass

    def _clear_away(self) -> None:
        for outbox in self._boxes.values():
            outbox.close()
        for agent in self._agents.values():
            agent.door.close()
        for key in self._keys:
            self._person.ask("DELETE", f"keys/{key}")
        self._person.close()
