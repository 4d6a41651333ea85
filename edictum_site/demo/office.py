"""Office agents of the demo: billing, customer support and the warehouse."""

from edictum_site.demo.agent import Agent, Answer
from edictum_site.demo.answers import account, crm, text, took

CRM_FAILS, CRM_FAILED_BEFORE = 0.04, 0.11  # the CRM got new hosts on the fifth day
REBUILT = 9  # from this day, the warehouse index often returns no rows


async def bill(agent: Agent, day: int, customers: int) -> None:
    chance, pause = agent.chance, agent.clock.pass_seconds
    lookup = crm(chance, CRM_FAILS if day >= 5 else CRM_FAILED_BEFORE)
    for turn in range(1, customers + 1):
        agent.turn(turn)
        number = account(chance)
        customer = lookup(number)
        first = await agent.call("crm_lookup", {"account": number}, customer)
        if customer.output["status"] != 200:
            pause(2)
            await agent.call("crm_lookup", {"account": number}, lookup(number), retry_of=first)
        pause(chance.uniform(2, 15))
        invoice = f"R-{chance.randint(40_000, 49_999)}"
        text_of = {"invoice": invoice, "amount": chance.randint(40, 4_000), "currency": "EUR"}
        read = Answer(output=text_of | {"lines": chance.randint(1, 9)}, elapsed_ms=took(chance, 65))
        await agent.call("read_invoice", {"invoice": invoice}, read)
        if chance.random() < 0.06:
            # A repeated call with the same arguments, which gains nothing.
            await agent.call("read_invoice", {"invoice": invoice}, read)
        pause(chance.uniform(3, 20))
        await _bill_one(agent, number, invoice)


async def _bill_one(agent: Agent, number: str, invoice: str) -> None:
    chance = agent.chance
    kind = chance.random()
    if kind < 0.42:
        currency = "CHF" if chance.random() < 0.03 else "EUR"
        args = {"account": number, "amount": chance.randint(50, 3_000), "currency": currency}
        accepted = chance.random() > 0.05
        body = {"accepted": accepted, "message": "" if accepted else "no address on file"}
        made = Answer(output=body, elapsed_ms=took(chance, 210))
        await agent.call("create_invoice", args, made)
    elif kind < 0.72:
        sent = Answer(output={"queued": True}, elapsed_ms=took(chance, 80))
        if chance.random() < 0.05:
            sent = Answer(error="SMTP 451: try again later", elapsed_ms=took(chance, 400))
        await agent.call("send_reminder", {"account": number, "invoice": invoice}, sent)
    elif kind < 0.95:
        balance = {"account": number, "balance": round(chance.uniform(-900, 9_000), 2)}
        slow = chance.random() < 0.04
        seen = Answer(deadline_s=10, elapsed_ms=10_000) if slow else Answer(output=balance)
        await agent.call("bank_balance", {"account": number}, seen)
    else:
        args = {"account": number, "amount": chance.randint(20, 300), "currency": "EUR"}
        await agent.call("refund", args, Answer(output={"refunded": True}, elapsed_ms=310))


async def answer_customers(agent: Agent, day: int, tickets: int) -> None:
    chance, pause = agent.chance, agent.clock.pass_seconds
    lookup = crm(chance, CRM_FAILS if day >= 5 else CRM_FAILED_BEFORE)
    query = {"query": text(chance, 3), "state": "open"}
    hits = [{"ticket": f"T-{chance.randint(7_000, 7_999)}"} for _ in range(tickets)]
    hits_answer = Answer(output={"hits": hits}, elapsed_ms=took(chance, 95))
    await agent.call("search_tickets", query, hits_answer)
    for turn, hit in enumerate(hits, 1):
        agent.turn(turn)
        pause(chance.uniform(4, 30))
        document = hit | {"text": text(chance, 60), "language": "en"}
        await agent.call("read_ticket", hit, Answer(output=document, elapsed_ms=took(chance, 55)))
        number = account(chance)
        await agent.call("crm_lookup", {"account": number}, lookup(number))
        pause(chance.uniform(5, 40))
        words = text(chance, 35)
        if chance.random() < 0.02:
            words += " We see the card 4111 1111 1111 1111."
        if chance.random() < 0.04:
            agent.refuse("reply", hit, "validation", "`text` is longer than 4000 characters")
        await agent.call("reply", hit | {"text": words}, Answer(output="sent", elapsed_ms=140))
        if chance.random() < 0.1:
            why = hit | {"reason": text(chance, 6)}
            gone = Answer(error="queue is closed", retryable=False, elapsed_ms=35)
            there = Answer(output={"queue": "second-line"}, elapsed_ms=60)
            closed = chance.random() < 0.3
            await agent.call("escalate", why, gone if closed else there)
            if closed:
                agent.refuse("escalate", why, "blocked", "escalate failed for good in this turn")


async def manage_stock(agent: Agent, day: int, parts: int) -> None:
    chance, pause = agent.chance, agent.clock.pass_seconds
    for turn in range(1, parts + 1):
        agent.turn(turn)
        part = {"part": f"P-{chance.randint(100, 320)}"}
        pause(chance.uniform(1, 12))
        # A silent failure: no exception, and the agent takes the output for a success.
        broken = day >= REBUILT and chance.random() < 0.34
        lost = {"ok": False, "message": "index is being rebuilt", "rows": []}
        there = {"ok": True, "rows": [part | {"bin": chance.randint(1, 99)}], "free": turn * 7 % 40}
        answer = Answer(output=lost if broken else there, elapsed_ms=took(chance, 45))
        first = await agent.call("warehouse_lookup", part, answer)
        if broken and chance.random() < 0.5:
            await agent.call("warehouse_lookup", part, answer, retry_of=first)
        if chance.random() < 0.55:
            args = part | {"number": chance.randint(1, 20)}
            answer = Answer(
                output={"ok": True, "kept": args["number"]}, elapsed_ms=took(chance, 90)
            )
            await agent.call("reserve_stock", args, answer)
        if broken or chance.random() < 0.08:  # no rows found, so it orders parts that are in stock
            args = part | {"total": chance.randint(40, 1_150)}
            ordered = Answer(output={"ok": True, "order": f"O-{chance.randint(100, 999)}"})
            await agent.call("order_parts", args, ordered)
    await agent.call("notify", {"channel": "warehouse"}, Answer(output="sent", elapsed_ms=70))
