"""What there is to find: a denial loop, a limit that counts failures, and work that goes on now."""

from datetime import UTC, datetime
from typing import Any

from edictum_site.demo.agent import Agent, Answer
from edictum_site.demo.answers import account, took
from edictum_site.demo.office import bill


async def loop_at_a_denial(agent: Agent, day: int, repeats: int) -> None:
    """The agent wants the folder gone, is told no, and asks again until its night is over."""
    chance, pause = agent.chance, agent.clock.pass_seconds
    suite = {"state": "failed", "log": "stale files in build/"}
    await agent.call("run_tests", {"suite": "unit"}, Answer(output=suite, elapsed_ms=8_400))
    await agent.call("shell", {"command": "ls build"}, Answer(output="stale.o", elapsed_ms=40))
    for turn in range(1, repeats + 1):
        agent.turn(1 + turn // 12)
        pause(chance.uniform(4, 9))
        await agent.call("shell", {"command": "rm -rf build/"}, Answer(output=""))
        if turn % 16 == 0:
            said = Answer(output=suite, elapsed_ms=took(chance, 8_000))
            await agent.call("run_tests", {"suite": "unit"}, said)


async def reach_a_wrong_limit(agent: Agent, day: int, failures: int) -> None:
    """Fifty executions, some of which failed: the limit was meant for fifty successes."""
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
    """Large refunds: a person approves most and rejects some, each with a word."""
    await bill(agent, day, 2)
    agent.clock.now = datetime.now(UTC)  # the person is asked now: an approval knows no other time
    for number in range(refunds):
        if agent.asking is not None:
            rejected = number % 3 == 2
            agent.asking.answer = "reject" if rejected else "approve"
            agent.asking.reason = "Ask for the receipt first." if rejected else "Receipt is there."
        await agent.call(
            "refund", _refund(agent), Answer(output={"refunded": True}, elapsed_ms=330)
        )


async def wait_for_a_person(agent: Agent, day: int, refunds: int) -> None:
    """Asked and not answered yet: whoever looks around may decide."""
    await bill(agent, day, 3)
    agent.clock.now = datetime.now(UTC)
    for _ in range(refunds):
        await agent.ask_and_wait("refund", _refund(agent))


def _refund(agent: Agent) -> dict[str, Any]:
    amount = agent.chance.randint(520, 2_400)
    return {"account": account(agent.chance), "amount": amount, "currency": "EUR"}


async def be_at_work(agent: Agent, day: int, customers: int) -> None:
    """A session that is not over: its last call has not come back."""
    await bill(agent, day, customers)
    agent.clock.now = datetime.now(UTC)
    agent.leave_open("bank_balance", {"account": account(agent.chance)})
