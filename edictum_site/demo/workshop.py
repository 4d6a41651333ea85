"""Other demo agents: research, build and deploy, write, and import at night."""

from typing import Any

from edictum_site.demo.agent import Agent, Answer
from edictum_site.demo.answers import as_csv, page, picture, rows, size_of, text, took

SLOW_WEB = (6, 7)  # days on which many pages time out
PAGES = ("connect", "running", "success", "contracts", "performance")
COUNTED_BAD = 0.012


async def research(agent: Agent, day: int, questions: int) -> None:
    chance, pause = agent.chance, agent.clock.pass_seconds
    for turn in range(1, questions + 1):
        agent.turn(turn)
        hits = [f"https://example.org/{chance.choice('abcdef')}/{n}" for n in range(5)]
        hits_answer = Answer(output={"hits": hits}, elapsed_ms=took(chance, 480))
        await agent.call("web_search", {"query": text(chance, 4)}, hits_answer)
        for url in chance.sample(hits, 3):
            pause(chance.uniform(2, 25))
            await _read_page(agent, day, url)
        if turn % 3 == 0:
            await _query(agent, turn)
        note = {"title": text(chance, 3), "text": text(chance, 50)}
        await agent.call("save_note", note, Answer(output={"saved": True}, elapsed_ms=30))
    if chance.random() < 0.3:
        args = {"url": "http://10.0.4.17/admin"}
        await agent.call("fetch_page", args, Answer(output=""))


async def _read_page(agent: Agent, day: int, url: str) -> None:
    chance = agent.chance
    kind = chance.random()
    if kind < (0.3 if day in SLOW_WEB else 0.03):
        slow = Answer(deadline_s=20, elapsed_ms=20_000)
        await agent.call("fetch_page", {"url": url}, slow)
    elif kind > 0.97:
        gone = Answer(error="404 Not Found", retryable=False, elapsed_ms=took(chance, 190))
        await agent.call("fetch_page", {"url": url}, gone)
        if chance.random() < 0.5:  # a pointless retry: the result can't differ
            await agent.call("fetch_page", {"url": url}, gone)
    elif kind > 0.86:
        await agent.call("fetch_page", {"url": url}, Answer(output=page(chance), elapsed_ms=2_100))
    else:
        words = text(chance, 90)
        await agent.call("fetch_page", {"url": url}, Answer(output=words, elapsed_ms=700))


async def _query(agent: Agent, turn: int) -> None:
    """A query whose result the agent may store as an artifact and then read in part."""
    chance = agent.chance
    args: dict[str, Any] = {"table": "orders", "after_week": 30 + turn % 9}
    table = rows(chance, 160)
    if chance.random() < 0.4:
        answer = Answer(output={"rows": table}, elapsed_ms=took(chance, 950))
        await agent.call("run_query", args, answer)
        return
    drawn = chance.random() < 0.25
    content = picture(chance) if drawn else as_csv(table)
    artifact = agent.door.upload(content, "image/png" if drawn else "text/csv")
    name = str(artifact["artifact_id"])
    summary = "A chart of orders by week" if drawn else content[:120].decode()
    size = int(artifact["size_bytes"])
    answer = Answer(output=summary, artifact=name, size_bytes=size, elapsed_ms=took(chance, 1_400))
    await agent.call("run_query", args, answer)
    if not drawn:
        last = chance.randint(10, 40)
        part = "\n".join(content.decode().splitlines()[:last])
        read = {"artifact_reference": name, "lines": f"1-{last}"}
        await agent.call("read_file", read, Answer(output=part, elapsed_ms=18))


async def build(agent: Agent, day: int, changes: int) -> None:
    chance, pause = agent.chance, agent.clock.pass_seconds
    for turn in range(1, changes + 1):
        agent.turn(turn)
        suite = {"suite": chance.choice(("unit", "journeys", "store"))}
        state = chance.choices(("passed", "failed", "running"), (80, 12, 8))[0]
        body = {"state": state, "tests": chance.randint(80, 900), "log": text(chance, 30)}
        await agent.call("run_tests", suite, Answer(output=body, elapsed_ms=took(chance, 9_000)))
        pause(chance.uniform(5, 60))
        log = {"service": chance.choice(("billing", "warehouse", "site")), "lines": 200}
        if chance.random() < 0.07:
            seen = "Error: connection refused by the log store"
        else:
            seen = "\n".join(text(chance, 12) for _ in range(14))
        await agent.call("read_log", log, Answer(output=seen, elapsed_ms=took(chance, 130)))
        command = {"command": chance.choice(("git status", "make check", "ls build", "df -h"))}
        broken = chance.random() < 0.06
        out = "fatal: not a git repository" if broken else text(chance, 20)
        await agent.call("shell", command, Answer(output=out, elapsed_ms=took(chance, 300)))
        push = {"branch": f"change-{chance.randint(100, 999)}", "flags": ""}
        if chance.random() < 0.05:
            push["flags"] = "--force"
        await agent.call("git_push", push, Answer(output={"pushed": True}, elapsed_ms=620))
    if chance.random() < 0.5:
        deployed = Answer(output={"deployed": True, "seconds": 44}, elapsed_ms=44_000)
        await agent.call("deploy_service", {"service": "site"}, deployed)


async def write(agent: Agent, day: int, pages: int) -> None:
    chance, pause = agent.chance, agent.clock.pass_seconds
    for turn in range(1, pages + 1):
        agent.turn(turn)
        name = f"docs/{chance.choice(PAGES)}.md"
        seen = Answer(output=text(chance, 80), elapsed_ms=12)
        await agent.call("read_file", {"path": name}, seen)
        pause(chance.uniform(20, 90))
        if chance.random() < 0.15:
            name = chance.choice(("README.md", "docs/plan.draft.md"))
        body = {"path": name, "text": text(chance, 60)}
        await agent.call("write_file", body, Answer(output={"written": True}, elapsed_ms=9))


async def bring_in(agent: Agent, day: int, records: int) -> None:
    """Nightly import: one short call per record, up to thousands in one session."""
    chance, pause = agent.chance, agent.clock.pass_seconds
    for number in range(records):
        if number % 250 == 0:
            agent.turn(number // 250 + 1)
        record = {"record": f"N-{day:02}-{number:05}"}
        pause(chance.uniform(0.05, 0.6))
        kind = chance.random()
        if kind < COUNTED_BAD:
            answer = Answer(output="Error: duplicate key", elapsed_ms=took(chance, 14))
        elif kind > 0.996:
            answer = Answer(error="deadlock detected", elapsed_ms=took(chance, 300))
        else:
            answer = Answer(output={"written": size_of(record)}, elapsed_ms=took(chance, 11))
        await agent.call("write_record", record, answer)
