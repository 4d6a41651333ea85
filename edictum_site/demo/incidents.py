"""Incidents of the demo: a denial loop, a limit that counts failures, and work in progress."""

from datetime import UTC, datetime
from typing import Any

from edictum_site.demo.agent import Agent, Answer
from edictum_site.demo.answers import account, took
from edictum_site.demo.office import bill


async def loop_at_a_denial(agent: Agent, day: int, repeats: int) -> None:
    """An agent is denied deleting a folder and retries the same call all night."""
    chance, pause = agent.chance, agent.clock.pass_seconds
    suite = {"state": "failed", "log": "stale files in build/"}
    await agent.call("run_tests", {"suite": "unit"}, Answer(output=suite, elapsed_ms=8_400))
    await agent.call("shell", {"command": "ls build"}, Answer(output="stale.o", elapsed_ms=40))
    for turn in range(1, repeats + 1):
        agent.turn(1 + turn // 12)
        pause(chance.uniform(4, 9))
        await agent.call("shell", {"command": "rm -rf build/"}, Answer(output=""))
        if turn % 16 == 0:
            answer = Answer(output=suite, elapsed_ms=took(chance, 8_000))
            await agent.call("run_tests", {"suite": "unit"}, answer)


async def reach_a_wrong_limit(agent: Agent, day: int, failures: int) -> None:
    """50 executions, including failures, hit a limit that was meant for 50 successes."""
    chance, pause = agent.chance, agent.clock.pass_seconds
    bad = set(chance.sample(range(4, 46), failures))
    for number in range(57):
        agent.turn(1 + number // 10)
        pause(chance.uniform(3, 12))
        args = {"account": account(chance), "invoice": f"R-{40_000 + number}"}
        if number in bad:
            answer = Answer(error="SMTP 451: try again later", elapsed_ms=took(chance, 380))
        else:
            answer = Answer(output={"queued": True}, elapsed_ms=took(chance, 80))
        await agent.call("send_reminder", args, answer)


async def ask_a_person(agent: Agent, day: int, refunds: int) -> None:
    """Large refunds: a person approves most and rejects some, with a reason."""
    await bill(agent, day, 2)
    agent.clock.now = datetime.now(UTC)  # approvals always get the current time
    for number in range(refunds):
        if agent.asking is not None:
            rejected = number % 3 == 2
            agent.asking.answer = "reject" if rejected else "approve"
            agent.asking.reason = "No receipt yet." if rejected else "Receipt checked."
        await agent.call(
            "refund", _refund(agent), Answer(output={"refunded": True}, elapsed_ms=330)
        )


async def wait_for_a_person(agent: Agent, day: int, refunds: int) -> None:
    """Pending approvals for a visitor to decide. The first repeats a refund that was approved."""
    await bill(agent, day, 3)
    agent.clock.now = datetime.now(UTC)
    arguments = [_refund(agent) for _ in range(refunds)]
    if agent.asking is not None and agent.asking.approved:
        arguments[0] = agent.asking.approved[-1]
    for each in arguments:
        await agent.ask_and_wait("refund", each)


def _refund(agent: Agent) -> dict[str, Any]:
    amount = agent.chance.randint(520, 2_400)
    return {"account": account(agent.chance), "amount": amount, "currency": "EUR"}


async def be_at_work(agent: Agent, day: int, customers: int) -> None:
    """A running session: its last call has no result yet."""
    await bill(agent, day, customers)
    agent.clock.now = datetime.now(UTC)
    agent.leave_open("bank_balance", {"account": account(agent.chance)})
