"""LangChain tools under the instrumentation named on the command line."""

import sys
from contextlib import suppress

from exporting import exported_spans
from langchain_core.tools import tool

if sys.argv[1] == "openinference":
    from openinference.instrumentation.langchain import LangChainInstrumentor
else:
    from opentelemetry.instrumentation.langchain import (
        LangchainInstrumentor as LangChainInstrumentor,
    )


@tool
def crm_lookup(account: str) -> dict[str, object]:
    """Look up an account."""
    return {"ok": False, "message": f"no account {account}"}


@tool
def send_mail(to: str) -> str:
    """Send a mail."""
    raise RuntimeError(f"SMTP 451 for {to}: try again later")


with exported_spans() as provider:
    LangChainInstrumentor().instrument(tracer_provider=provider)
    crm_lookup.invoke({"account": "A-2056"})
    with suppress(RuntimeError):
        send_mail.invoke({"to": "a@example.test"})
