"""Pydantic AI, which instruments itself by the GenAI convention, with its test model."""

from exporting import exported_spans
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel


def crm_lookup(account: str) -> dict[str, object]:
    return {"ok": False, "message": f"no account {account}"}


with exported_spans():
    Agent.instrument_all()
    agent = Agent(TestModel(), name="billing-bot", tools=[crm_lookup])
    agent.run_sync("Look up the account")
