"""Functions with OpenLLMetry decorators."""

import os

from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import agent, tool

Traceloop.init(
    app_name="billing-bot",
    api_endpoint=os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"],
    api_key="none",
    disable_batch=True,
    telemetry_enabled=False,
)


@tool(name="crm_lookup")
def crm_lookup(account: str) -> dict[str, object]:
    return {"ok": False, "message": f"no account {account}"}


@agent(name="billing-bot")
def run() -> None:
    Traceloop.set_association_properties({"session_id": "conversation-7"})
    crm_lookup(account="A-2056")


run()
