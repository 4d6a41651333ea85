"""Schedule of the demo's two weeks: which session starts when."""

import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from edictum_site.demo import incidents, office, workshop
from edictum_site.demo.agent import Agent

DAYS: Final = 14
LONGEST: Final = timedelta(minutes=50)  # duration of an ordinary session
WEEKEND: Final = 0.35  # traffic relative to a working day

Work = Callable[[Agent, int, int], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    at: datetime
    day: int
    agent: str
    work: Work
    amount: int
    session: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Routine:
    agent: str
    work: Work
    a_day: float
    least: int
    most: int


ROUTINES: Final = (
    Routine("billing-bot", office.bill, 11, 4, 10),
    Routine("support-bot", office.answer_customers, 15, 3, 8),
    Routine("stock-bot", office.manage_stock, 11, 8, 14),
    Routine("research-bot", workshop.research, 6, 4, 11),
    Routine("deploy-bot", workshop.build, 7, 3, 8),
    Routine("docs-bot", workshop.write, 4, 3, 7),
)
NIGHTS: Final = {11: 5_000}  # the night of a full re-import
USUAL_NIGHT: Final = 70


def planned(now: datetime, chance: random.Random, share: float) -> list[Planned]:
    """Sessions in order of start time; a smaller `share` plans fewer of them."""
    sessions = [*_routine(now, chance, share), *_nights(now, share), *_incidents(now, share)]
    return sorted(sessions, key=lambda session: (session.at, session.session))


def day_begins(now: datetime, day: int) -> datetime:
    return now - timedelta(days=DAYS - day)


def _routine(now: datetime, chance: random.Random, share: float) -> Iterator[Planned]:
    for day in range(DAYS):
        begins = day_begins(now, day)
        for routine in ROUTINES:
            expected = routine.a_day * share * (WEEKEND if begins.weekday() >= 5 else 1)
            # A fractional session is rounded at random instead of being dropped.
            number = int(expected) + (chance.random() < expected % 1)
            for place in range(number):
                hour = min(max(chance.gauss(12.5, 3.2), 0.2), 23.7)
                at = begins.replace(hour=0, minute=0, second=0) + timedelta(hours=hour)
                at += timedelta(days=1) if at < begins else timedelta()
                amount = chance.randint(routine.least, routine.most)
                if at > now - LONGEST:
                    continue
                session = f"{routine.agent.removesuffix('-bot')}-{at:%d%H%M}-{place:02}"
                yield Planned(
                    at=at,
                    day=day,
                    agent=routine.agent,
                    work=routine.work,
                    amount=amount,
                    session=session,
                )


def _nights(now: datetime, share: float) -> Iterator[Planned]:
    for day in range(DAYS):
        at = day_begins(now, day).replace(hour=2, minute=5) + timedelta(days=1)
        if at > now - LONGEST:
            continue
        amount = max(3, round(NIGHTS.get(day, USUAL_NIGHT) * share))
        yield Planned(
            at=at,
            day=day,
            agent="import-bot",
            work=workshop.bring_in,
            amount=amount,
            session=f"import-{at:%d}",
        )


def _incidents(now: datetime, share: float) -> Iterator[Planned]:
    def one(hours: float, agent: str, work: Work, amount: int, session: str) -> Planned:
        at = now - timedelta(hours=hours)
        day = DAYS - 1 - int(hours // 24)
        return Planned(at=at, day=day, agent=agent, work=work, amount=amount, session=session)

    yield one(9.2, "deploy-bot", incidents.loop_at_a_denial, 48, "deploy-night")
    yield one(29.5, "billing-bot", incidents.reach_a_wrong_limit, 5, "reminders-1")
    yield one(5.1, "billing-bot", incidents.reach_a_wrong_limit, 7, "reminders-2")
    yield one(1.4, "billing-bot", incidents.ask_a_person, 4, "refunds-1")
    yield one(1.1, "billing-bot", incidents.wait_for_a_person, 2, "refunds-2")
    yield one(0.12, "billing-bot", incidents.be_at_work, 3, "billing-now")
    for number in range(2):  # child sessions of another one
        at = now - timedelta(hours=26 - number / 5)
        yield Planned(
            at=at,
            day=DAYS - 2,
            agent="research-bot",
            work=workshop.research,
            amount=3,
            session=f"research-of-reminders-{number + 1}",
            parent="reminders-1",
        )
